// The exit test shifts the position down to the warp: lanes of a warp agree, warps need not.
extern "C" __global__ void bitpermute(unsigned *d, unsigned n, int st) {
    for (unsigned pos = blockIdx.x * 256 + threadIdx.x; pos >> 5 < n; pos += gridDim.x * 256) {
        unsigned v = d[pos];
        for (int k = st; k; k >>= 1) v ^= __shfl_xor_sync(0xffffffffu, v, k);
        __syncwarp();
        d[pos] = v;
    }
}
