// A trip count from a local array that is filled in a loop of its own.
extern "C" __global__ void mem_local_table(float *out, int n, int per_thread)
{
    __shared__ float s[256];
    int q[8], t = threadIdx.x;
    for (int i = 0; i < 8; i++)
        q[i] = i * i % 5;
    int trips = q[(per_thread ? t : n) & 7];
    s[t] = (float)t;
    for (int i = 0; i < trips; i++) {
        __syncthreads();                // @op
        s[t] += s[t ^ 1];
    }
    out[t] = s[t];
}
