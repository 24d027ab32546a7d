// activemask, a branch, and the mask.
extern "C" __global__ void activemask_parted(int *x, const int *flag)
{
    int t = threadIdx.x, v = x[t];
    if (v > 0) {
        unsigned m = __activemask();
        if (flag[t]) __syncwarp(m);                                                    // @op
        v = 0;
    }
    x[t] = v;
}
