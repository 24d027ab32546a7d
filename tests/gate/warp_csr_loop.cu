//
//
//
__global__ void warp_csr_loop(int rows, const int *ptr, const int *col, float *out)
{
    __shared__ int s[8 * 32];
    int r = blockDim.y * blockIdx.x + threadIdx.y, o = threadIdx.y << 5;
    if (r < rows) {
        int lb = ptr[r], hb = ptr[r + 1];
        float acc = 0;
        for (int j = lb; j < hb; j += 32) {
            if (j + threadIdx.x < hb) s[o + threadIdx.x] = col[j + threadIdx.x];
            __syncwarp();
            for (int k = 0; k < 32 && j + k < hb; k++) acc += s[o + k];
            __syncwarp();
        }
        out[r * 32 + threadIdx.x] = acc;
    }
}
