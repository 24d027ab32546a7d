/* The same source for both compilers; this one has no headers of CUDA. */
#include "prelude.h"
#include "../sgemm.cu"
