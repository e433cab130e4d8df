#include "force/threads.hpp"

#include <omp.h>

namespace chamomile {

void use_threads(int n)
{
    omp_set_num_threads(n);
}

int thread_count()
{
    return omp_get_max_threads();
}

} // namespace chamomile
