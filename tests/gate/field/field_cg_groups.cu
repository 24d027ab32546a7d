// nvcc 13.0 -ptx -arch=sm_90 -std=c++17; comments are left out of the PTX.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cg_block(int *d)
{
	cg::thread_block b = cg::this_thread_block();
	__shared__ int m[128];
	m[b.thread_rank()] = d[b.thread_rank()];
	b.sync();
	d[b.thread_rank()] = m[b.size() - 1 - b.thread_rank()];
}
extern "C" __global__ void cg_block_reduce(const int *in, int *out)
{
	auto b = cg::this_thread_block();
	auto t = cg::tiled_partition<32>(b);
	__shared__ int total;
	if (b.thread_rank() == 0) total = 0;
	b.sync();
	int s = cg::reduce(t, in[blockIdx.x * blockDim.x + threadIdx.x], cg::plus<int>());
	if (t.thread_rank() == 0) atomicAdd(&total, s);
	b.sync();
	if (b.thread_rank() == 0) out[blockIdx.x] = total;
}
extern "C" __global__ void cg_tile16(float *d)
{
	auto t = cg::tiled_partition<16>(cg::this_thread_block());
	float v = d[threadIdx.x];
	for (int o = t.size() / 2; o > 0; o /= 2) v += t.shfl_down(v, o);
	if (t.any(v > 1.0f)) v = t.shfl(v, 0);
	t.sync();
	d[threadIdx.x] = v;
}
extern "C" __global__ void cg_tile32(double *d)
{
	auto t = cg::tiled_partition<32>(cg::this_thread_block());
	d[threadIdx.x] = cg::reduce(t, d[threadIdx.x], cg::plus<double>());
}
extern "C" __global__ void cg_tile64(int *d)
{
	__shared__ cg::block_tile_memory<128> mem;
	auto b = cg::this_thread_block(mem);
	auto t = cg::tiled_partition<64>(b);
	d[threadIdx.x] = cg::reduce(t, d[threadIdx.x], cg::plus<int>());
}
extern "C" __global__ void cg_tile_match(int *d)
{
	auto t = cg::tiled_partition<8>(cg::this_thread_block());
	d[threadIdx.x] = t.match_any(d[threadIdx.x]) + t.ballot(d[threadIdx.x] > 0);
}
extern "C" __global__ void cg_coalesced_reduce(const int *in, int *out)
{
	int v = in[threadIdx.x];
	if (v > 0) {
		auto g = cg::coalesced_threads();
		int s = cg::reduce(g, v, cg::plus<int>());
		if (g.thread_rank() == 0) atomicAdd(out, s);
	}
}
extern "C" __global__ void cg_coalesced_scan(const int *in, int *out)
{
	int v = in[threadIdx.x];
	if (v > 0) {
		auto g = cg::coalesced_threads();
		out[threadIdx.x] = cg::exclusive_scan(g, v, cg::plus<int>());
	}
}
extern "C" __global__ void cg_invoke(int *count, int *out, const int *in)
{
	int v = in[threadIdx.x];
	if (v > 0) {
		auto g = cg::coalesced_threads();
		int base = cg::invoke_one_broadcast(g, [&] { return atomicAdd(count, (int)g.size()); });
		out[base + g.thread_rank()] = v;
	}
}
extern "C" __global__ void cg_binary_coalesced(int *d)
{
	int v = d[threadIdx.x];
	if (v > 0) {
		auto g = cg::coalesced_threads();
		auto h = cg::binary_partition(g, v & 1);
		int base = 0;
		if (h.thread_rank() == 0) base = atomicAdd(d + 128, (int)h.size());
		d[threadIdx.x] = h.shfl(base, 0) + h.thread_rank();
	}
}
extern "C" __global__ void cg_labeled_coalesced(int *d)
{
	int v = d[threadIdx.x];
	if (v > 0) {
		auto g = cg::labeled_partition(cg::coalesced_threads(), v & 7);
		int base = 0;
		if (g.thread_rank() == 0) base = atomicAdd(d + 128 + (v & 7), (int)g.size());
		d[threadIdx.x] = g.shfl(base, 0) + g.thread_rank();
	}
}
extern "C" __global__ void cg_grid_arrive(int *d)
{
	auto g = cg::this_grid();
	d[g.thread_rank()] = 1;
	auto token = g.barrier_arrive();
	d[g.thread_rank()] += 2;
	g.barrier_wait(std::move(token));
	d[g.thread_rank()] += d[g.size() - 1 - g.thread_rank()];
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) cg_cluster_arrive(int *d)
{
	auto c = cg::this_cluster();
	__shared__ int m;
	if (threadIdx.x == 0) m = c.block_rank();
	c.barrier_arrive();
	int v = d[threadIdx.x];
	c.barrier_wait();
	d[threadIdx.x] = v + *c.map_shared_rank(&m, c.block_rank() ^ 1);
	c.sync();
}
