// Planes roll through shared memory; the depth is one number for all, the guards hold no barrier.
extern "C" __global__ void stencil3d_roll(float *o, const float *in, int nx, int ny, int nz) {
    __shared__ float t[18][18];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    bool in_xy = x < nx && y < ny;
    float below = 0, cur = in_xy ? in[y * nx + x] : 0;
    for (int z = 1; z < nz - 1; z++) {
        float above = in_xy ? in[((z + 1) * ny + y) * nx + x] : 0;
        t[threadIdx.y + 1][threadIdx.x + 1] = cur;
        __syncthreads();
        if (in_xy) o[(z * ny + y) * nx + x] = below + above + t[threadIdx.y][threadIdx.x + 1] + t[threadIdx.y + 2][threadIdx.x + 1];
        __syncthreads();
        below = cur; cur = above;
    }
}
