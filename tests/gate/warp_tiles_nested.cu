// A warp a group; trips, votes and the lane to read from are the same for the warp.
extern "C" __global__ void warp_tiles_nested(const int *off, float *o, int groups) {
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int g = blockIdx.x * (blockDim.x / 32) + warp; g < groups; g += gridDim.x * (blockDim.x / 32)) {
        int lo = off[g], hi = off[g + 1];
        for (int b = lo; b < hi; b += 32) {
            int j = b + lane;
            float v = j < hi ? o[j] : 0;
            unsigned m = __ballot_sync(0xffffffffu, v > 0);
            if (m == 0) continue;
            int src = __ffs(m) - 1;
            v += __shfl_sync(0xffffffffu, v, src);
            if (j < hi) o[j] = v;
        }
        __syncwarp();
    }
}
