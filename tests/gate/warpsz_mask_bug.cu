//
//
//
__global__ void warpsz_mask_bug(int *d)
{
    unsigned below = (1u << (threadIdx.x & (warpSize - 1))) - 1;
    unsigned b = __ballot_sync(below, d[threadIdx.x] > 0);
    d[threadIdx.x] = __popc(b);
}
