//
//
__global__ void warp_queue_inner(int *next, int n, const int *ptr, int *out)
{
    __shared__ int best[3];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    do {
        int i;
        if (lane == 0) i = atomicAdd(next, 1);
        i = __shfl_sync(0xffffffffu, i, 0);
        if (i >= n) break;
        int num = ptr[i + 1] - ptr[i];
        for (int c = 0; c < num; c++) {
            __syncwarp();
            if (lane == 0) best[warp] = 1 << 30;
            __syncwarp();
            for (int j = lane; j < num; j += 32) atomicMin(&best[warp], out[j] + c);
            __syncwarp();
            if (lane == 0) out[i + c] = best[warp];
        }
    } while (true);
}
