/* The same oracle for all routes. */
#include "../sgemm_ref.c"
