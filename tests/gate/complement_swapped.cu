// Each lane has the mask of the other side.
extern "C" __global__ void complement_swapped(int *x, int kk)
{
    int t = threadIdx.x, v = x[t];
    bool p = t < kk;
    unsigned m = __ballot_sync(0xffffffffu, p);
    m = p ? ~m : m;
    x[t] = v + __any_sync(m, v > 3);                                                   // @op
}
