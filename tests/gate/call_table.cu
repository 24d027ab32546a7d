// A call through a table of functions that the host may change.
typedef float (*op_t)(float *, int);
__device__ __noinline__ float op_left(float *s, int t) { __syncthreads(); return s[t ^ 1]; }    // @op
__device__ __noinline__ float op_right(float *s, int t) { __syncthreads(); return s[t ^ 2]; }   // @op
__constant__ op_t table[2] = { op_left, op_right };
extern "C" __global__ void call_table(float *out, int n, int per_thread, int limit)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = (float)t;
    __syncthreads();
    float v = 0.f;
    if (t < limit)
        v = table[(per_thread ? t : n) & 1](s, t);
    __syncthreads();
    out[t] = v;
}
