//
//
//
typedef float (*op_t)(float, float);
__device__ float op_add(float a, float b) { return a + b; }
__device__ float op_max(float a, float b) { return a > b ? a : b; }
__device__ op_t op_table[2] = { op_add, op_max };
__global__ void indirect_no_site(op_t f, float *d)
{
    __shared__ float s[64];
    s[threadIdx.x] = d[threadIdx.x];
    __syncthreads();
    float v = s[threadIdx.x];
    for (int k = 32; k > 0; k /= 2) { v = f(v, s[(threadIdx.x + k) % 64]); __syncthreads(); s[threadIdx.x] = v; __syncthreads(); }
    d[threadIdx.x] = v;
}
