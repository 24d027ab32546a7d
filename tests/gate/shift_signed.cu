// Both bounds are shifted by the thread: the same number of trips for all, signed.
extern "C" __global__ void shift_signed(float *y, int begin, int end, int step)
{
    for (int t = begin + (int)threadIdx.x; t < end + (int)threadIdx.x; t += step) {
        __syncthreads();
        y[t] += 1;
    }
}
