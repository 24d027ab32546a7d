// Strided loops around shared memory; the barriers are outside of them.
extern "C" __global__ void histogram256(unsigned *h, const unsigned *d, unsigned n) {
    __shared__ unsigned s[256];
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
    __syncthreads();
    for (unsigned p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += blockDim.x * gridDim.x) { unsigned v = d[p]; atomicAdd(&s[v & 255], 1u); atomicAdd(&s[v >> 24], 1u); }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&h[i], s[i]);
}
