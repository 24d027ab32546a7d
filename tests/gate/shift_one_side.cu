// Only one bound is shifted by the thread: trips differ unless the range is a multiple of the step.
extern "C" __global__ void shift_one_side(float *y, int begin, int end)
{
    for (int t = begin + (int)threadIdx.x; t < end; t += 64) {
        __syncthreads();
        y[t] += 1;
    }
}
