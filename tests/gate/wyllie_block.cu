// A loop that ends on a shared word which all threads read between barriers.
extern "C" __global__ void wyllie_block(int *rank, int *next, int n) {
    __shared__ int changed;
    int i = threadIdx.x;
    do {
        __syncthreads();
        if (i == 0) changed = 0;
        __syncthreads();
        int r = 0, nx = -1;
        if (i < n && next[i] >= 0) { r = rank[next[i]]; nx = next[next[i]]; }
        __syncthreads();
        if (i < n && next[i] >= 0) { rank[i] += r; next[i] = nx; changed = 1; }
        __syncthreads();
    } while (changed);
}
