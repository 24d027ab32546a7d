/* The same source for both compilers. */
#include "../sgemm.cu"
