// A branch on a value from a lane that is not there only chooses between two values.
extern "C" __global__ void choose_by_shfl(float *d, int all)
{
    float v = d[threadIdx.y * 16 + threadIdx.x];
    for (int o = 8; o > 0; o /= 2) {
        float t = __shfl_down_sync(0xffffffffu, v, o);            // @op
        asm volatile("{ .reg .pred p;\n\t"
                     "setp.lt.f32 p, %1, %0;\n\t"
                     "@!p bra KEEP;\n\t"
                     "mov.f32 %0, %1;\n\t"
                     "KEEP: }" : "+f"(v) : "f"(t));
    }
    if (all || threadIdx.x == 0) d[threadIdx.y * 16 + threadIdx.x] = v;
}
