// The six kernels of launchbound's corpus, written anew from what they are said to do, one
// entry for each specialization of the published search spaces.
#define ENTRY extern "C" __global__ void
#define INLINE static __device__ __forceinline__

// ---- reduce-stable, reduce-flip: the sum of a tile ----

template <int TILE>
INLINE void load_tile(const float *in, unsigned n, float *s)
{
    for (unsigned i = threadIdx.x; i < TILE; i += blockDim.x) {
        unsigned at = blockIdx.x * TILE + i;
        s[i] = at < n ? in[at] : 0.f;
    }
}

template <int TILE>
INLINE void reduce_stable(const float *in, unsigned n, float *out, unsigned n_out)
{
    __shared__ float s[TILE];
    load_tile<TILE>(in, n, s);
    __syncthreads();
    for (unsigned half = TILE / 2; half > 0; half /= 2) {
        for (unsigned i = threadIdx.x; i < half; i += blockDim.x)
            s[i] += s[i + half];
        __syncthreads();
    }
    if (threadIdx.x == 0 && blockIdx.x < n_out)
        out[blockIdx.x] = s[0];
}

// The first warp finishes, and synchronises in its branch.
template <int TILE>
INLINE void reduce_flip(const float *in, unsigned n, float *out, unsigned n_out)
{
    __shared__ float s[TILE];
    load_tile<TILE>(in, n, s);
    __syncthreads();
    if (threadIdx.x / 32 == 0) {
        float sum = 0.f;
        for (unsigned i = threadIdx.x; i < TILE; i += 32)
            sum += s[i];
        s[threadIdx.x] = sum;
        __syncthreads();                                        // @op
        if (threadIdx.x == 0 && blockIdx.x < n_out) {
            for (unsigned i = 1; i < 32; i++)
                sum += s[i];
            out[blockIdx.x] = sum;
        }
    }
}

#define REDUCE(T) \
    ENTRY reduce_stable_##T(const float *in, unsigned long long n, float *out, \
                            unsigned long long m) { reduce_stable<T>(in, n, out, m); } \
    ENTRY reduce_flip_##T(const float *in, unsigned long long n, float *out, \
                          unsigned long long m) { reduce_flip<T>(in, n, out, m); }
REDUCE(128) REDUCE(256) REDUCE(512)

// ---- histogram: bins in shared memory ----

template <int BINS>
INLINE void histogram(const unsigned *in, unsigned n, unsigned *out, unsigned m)
{
    __shared__ unsigned bin[BINS];
    for (unsigned i = threadIdx.x; i < BINS; i += blockDim.x)
        bin[i] = 0;
    __syncthreads();
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n)
        atomicAdd(&bin[in[at] % BINS], 1u);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < BINS && i < m; i += blockDim.x)
        if (bin[i])
            atomicAdd(&out[i], bin[i]);
}

#define HISTOGRAM(B) \
    ENTRY histogram_##B(const unsigned *in, unsigned long long n, unsigned *out, \
                        unsigned long long m) { histogram<B>(in, n, out, m); }
HISTOGRAM(256) HISTOGRAM(1024) HISTOGRAM(4096) HISTOGRAM(12288)

// ---- scan-block: inclusive prefix sums of one block ----

template <int BLOCK>
INLINE void scan_block(const float *in, unsigned n, float *out, unsigned m)
{
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x, at = blockIdx.x * BLOCK + t;
    s[t] = at < n ? in[at] : 0.f;
    __syncthreads();
#pragma unroll
    for (unsigned d = 1; d < BLOCK; d *= 2) {
        float left = t >= d ? s[t - d] : 0.f;
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    if (at < m)
        out[at] = s[t];
}

#define SCAN(B) \
    ENTRY scan_block_##B(const float *in, unsigned long long n, float *out, \
                         unsigned long long m) { scan_block<B>(in, n, out, m); }
SCAN(64) SCAN(128) SCAN(256) SCAN(512)

// ---- matmul-tiled: one element of C a thread ----

template <int TM, int TN, int TK>
INLINE void matmul(const float *a, const float *b, float *c, unsigned m, unsigned n, unsigned k)
{
    __shared__ float as[TM][TK], bs[TK][TN];
    unsigned row = blockIdx.y * TM + threadIdx.y, col = blockIdx.x * TN + threadIdx.x;
    unsigned t = threadIdx.y * blockDim.x + threadIdx.x, all = blockDim.x * blockDim.y;
    float sum = 0.f;
    for (unsigned k0 = 0; k0 < k; k0 += TK) {
        for (unsigned i = t; i < TM * TK; i += all) {
            unsigned r = blockIdx.y * TM + i / TK, q = k0 + i % TK;
            as[i / TK][i % TK] = r < m && q < k ? a[r * k + q] : 0.f;
        }
        for (unsigned i = t; i < TK * TN; i += all) {
            unsigned q = k0 + i / TN, l = blockIdx.x * TN + i % TN;
            bs[i / TN][i % TN] = q < k && l < n ? b[q * n + l] : 0.f;
        }
        __syncthreads();
#pragma unroll 4
        for (int i = 0; i < TK; i++)
            sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}

#define MATMUL(M, N, K) \
    ENTRY matmul_##M##_##N##_##K(const float *a, unsigned long long, const float *b, \
                                 unsigned long long, float *c, unsigned long long, \
                                 unsigned m, unsigned n, unsigned k) \
    { matmul<M, N, K>(a, b, c, m, n, k); }
#define MATMUL3(M, N) MATMUL(M, N, 8) MATMUL(M, N, 16) MATMUL(M, N, 32)
MATMUL3(16, 16) MATMUL3(32, 16) MATMUL3(64, 16) MATMUL3(16, 32) MATMUL3(32, 32) MATMUL3(16, 64)

// ---- stencil-1d: no barrier; launch bounds and unrolling only ----

template <int RADIUS, int UNROLL>
INLINE void stencil(const float *in, unsigned n, float *out, unsigned m)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.f;
#pragma unroll UNROLL > 0 ? UNROLL : 1
    for (int d = -RADIUS; d <= RADIUS; d++) {
        int i = at + d;
        i = i < 0 ? 0 : i >= (int)n ? (int)n - 1 : i;
        sum += in[i];
    }
    if (at < (int)m)
        out[at] = sum / (2 * RADIUS + 1);
}

#define STENCIL(MAX, R, U) \
    extern "C" __global__ void __launch_bounds__(MAX) stencil_##MAX##_##R##_##U( \
        const float *in, unsigned long long n, float *out, unsigned long long m) \
    { stencil<R, U>(in, n, out, m); }
#define STENCIL3(MAX, R) STENCIL(MAX, R, 0) STENCIL(MAX, R, 2) STENCIL(MAX, R, 4)
STENCIL3(128, 1) STENCIL3(128, 2) STENCIL3(128, 4)
STENCIL3(256, 1) STENCIL3(256, 2) STENCIL3(256, 4)
