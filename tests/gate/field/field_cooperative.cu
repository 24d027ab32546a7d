// nvcc 13.0 -ptx -arch=sm_90 -std=c++17; comments are left out of the PTX.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cg_reduce(const int *in, int *out, int n)
{
	cg::thread_block b = cg::this_thread_block();
	cg::thread_block_tile<32> t = cg::tiled_partition<32>(b);
	int s = 0;
	for (int i = b.thread_rank(); i < n; i += b.size()) s += in[i];
	s = cg::reduce(t, s, cg::plus<int>());
	__shared__ int m[32];
	if (t.thread_rank() == 0) m[t.meta_group_rank()] = s;
	b.sync();
	if (t.meta_group_rank() == 0) {
		s = t.thread_rank() < t.meta_group_size() ? m[t.thread_rank()] : 0;
		s = cg::reduce(t, s, cg::plus<int>());
		if (t.thread_rank() == 0) *out = s;
	}
}
extern "C" __global__ void cg_agg(const int *in, int *out, int *ctr, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && in[i] > 0) {
		cg::coalesced_group g = cg::coalesced_threads();
		int base = 0;
		if (g.thread_rank() == 0) base = atomicAdd(ctr, g.size());
		base = g.shfl(base, 0);
		out[base + g.thread_rank()] = in[i];
	}
}
extern "C" __global__ void cg_scan(int *d)
{
	auto b = cg::this_thread_block();
	auto t = cg::tiled_partition<16>(b);
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	d[i] = cg::inclusive_scan(t, d[i]);
}
extern "C" __global__ void cg_label(int *d, int *o)
{
	auto b = cg::this_thread_block();
	auto t = cg::tiled_partition<32>(b);
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	auto g = cg::labeled_partition(t, d[i] & 3);
	int s = cg::reduce(g, d[i], cg::plus<int>());
	if (g.thread_rank() == 0) atomicAdd(o + (d[i] & 3), s);
}
extern "C" __global__ void cg_binary(int *d, int *o)
{
	auto b = cg::this_thread_block();
	auto t = cg::tiled_partition<32>(b);
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	auto g = cg::binary_partition(t, d[i] > 0);
	o[i] = g.shfl(d[i], 0) + g.size();
}
extern "C" __global__ void cg_grid(int *d)
{
	auto g = cg::this_grid();
	for (int k = 0; k < 4; k++) { d[g.thread_rank()] += k; g.sync(); }
}
extern "C" __global__ void cg_cluster(int *d)
{
	auto c = cg::this_cluster();
	__shared__ int m;
	if (threadIdx.x == 0) m = c.block_rank();
	c.sync();
	d[blockIdx.x] = *c.map_shared_rank(&m, 0);
	c.sync();
}
