//
//
//
__global__ void data_trip_subwarp(int n, const int *ptr, float *w)
{
    for (int row = threadIdx.y + blockIdx.y * 4; row < n; row += gridDim.y * 4) {
        int len = ptr[row + 1] - ptr[row];
        float s = 0;
        for (int i = 0; i < (len + 15) / 16; i++) {
            s += w[ptr[row] + i * 16 + threadIdx.x];
            s += __shfl_up_sync(0xffffffffu, s, 1, 16);
        }
        if (threadIdx.x == 15) w[row] = s;
    }
}
