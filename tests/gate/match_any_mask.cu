//
//
//
__global__ void match_any_mask(int *d, int s)
{
    int *p = d + threadIdx.x % s;
    unsigned m = __match_any_sync(0xffffffffu, (unsigned long long)p);
    int leader = __ffs(m) - 1, lane = threadIdx.x % 32, r = 0;
    if (lane == leader) r = atomicAdd(p, __popc(m));
    r = __shfl_sync(m, r, leader);
    d[64 + threadIdx.x] = r;
}
