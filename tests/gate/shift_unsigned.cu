// As shift_signed, but unsigned: a bound may wrap in some threads only.
extern "C" __global__ void shift_unsigned(float *y, unsigned begin, unsigned end, unsigned step)
{
    for (unsigned t = begin + threadIdx.x; t < end + threadIdx.x; t += step) {
        __syncthreads();
        y[t] += 1;
    }
}
