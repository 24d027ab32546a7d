// Barriers in nested loops over sizes and strides that are the same for all threads.
extern "C" __global__ void bitonic_shared(unsigned *k, unsigned len, unsigned dir) {
    __shared__ unsigned s[1024];
    k += blockIdx.x * 1024 + threadIdx.x;
    s[threadIdx.x] = k[0]; s[threadIdx.x + 512] = k[512];
    for (unsigned size = 2; size < len; size <<= 1) {
        unsigned ddd = dir ^ ((threadIdx.x & (size / 2)) != 0);
        for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            unsigned a = s[pos], b = s[pos + stride];
            if ((a > b) == ddd) { s[pos] = b; s[pos + stride] = a; }
        }
    }
    for (unsigned stride = len / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        unsigned pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        unsigned a = s[pos], b = s[pos + stride];
        if ((a > b) == dir) { s[pos] = b; s[pos + stride] = a; }
    }
    __syncthreads();
    k[0] = s[threadIdx.x]; k[512] = s[threadIdx.x + 512];
}
