// What is used of OpenMP's library: without OpenMP there is one thread.
#pragma once

#if defined(_OPENMP)
#include <omp.h>
#else
inline int omp_get_max_threads() {
    return 1;
}
inline void omp_set_num_threads(int) {}
#endif
