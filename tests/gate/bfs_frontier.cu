// Data-dependent work between barriers that all threads reach.
extern "C" __global__ void bfs_frontier(const int *ptr, const int *adj, int *dist, int *out, int *tail, const int *in, int m, int level) {
    __shared__ int n, base, buf[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    if (i < m) {
        int u = in[i];
        for (int e = ptr[u]; e < ptr[u + 1]; e++) { int w = adj[e]; if (atomicCAS(&dist[w], -1, level) == -1) { int p = atomicAdd(&n, 1); if (p < 1024) buf[p] = w; } }
    }
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(tail, n);
    __syncthreads();
    for (int j = threadIdx.x; j < n; j += blockDim.x) out[base + j] = buf[j];
}
