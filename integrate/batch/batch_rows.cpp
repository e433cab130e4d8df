// Rows of a batch on the host.
#include <algorithm>
#include <array>
#include <initializer_list>

#include "chamomile/core/threads.hpp"
#include "chamomile/integrate/batch/batch_loops.hpp"

namespace chamomile {
namespace {

class HostMemory {
public:
    static constexpr bool on_device = false;

    static void prepare(std::initializer_list<ArrayView>) {}
    double* reserve(std::size_t slot, std::size_t n)
    {
        if (slots_[slot].size() < n)
            slots_[slot].resize(n);
        return slots_[slot].data();
    }
    const double* copy(std::size_t slot, const double* from, std::size_t n)
    {
        std::copy(from, from + n, reserve(slot, n));
        return slots_[slot].data();
    }
    static std::vector<double> host(const double* from, std::size_t n) { return {from, from + n}; }

    template <class Loop>
    static void each(std::size_t n, const Loop& loop)
    {
#pragma omp parallel for if (n > worth_threads) schedule(static)
        for (std::size_t i = 0; i < n; ++i)
            loop(i);
    }
    template <class Loop>
    static double largest(std::size_t n, const Loop& loop)
    {
        double all = 0;
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(max : all)
        for (std::size_t i = 0; i < n; ++i)
            all = std::max(all, loop(i));
        return all;
    }

private:
    std::array<std::vector<double>, 6> slots_;
};

} // namespace

std::unique_ptr<BatchRows> make_host_batch_rows()
{
    return std::make_unique<BatchRowsIn<HostMemory>>();
}

} // namespace chamomile
