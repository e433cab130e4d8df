#include "chamomile/core/parallel_loop.hpp"

#include <algorithm>

#include "chamomile/core/first_exception.hpp"

namespace chamomile {

void parallel_loop(std::size_t n, std::size_t block, const std::function<void(std::size_t)>& work)
{
    const std::size_t blocks = (n + block - 1) / block;
    FirstException first;
#pragma omp parallel for if (blocks > 1) schedule(dynamic, 1)
    for (std::size_t b = 0; b < blocks; ++b)
        first.run([&] {
            for (std::size_t k = b * block; k < std::min(n, (b + 1) * block); ++k)
                work(k);
        });
    if (first.caught())
        first.rethrow();
}

} // namespace chamomile
