/// \file  Timing of pair sums with one law.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "chamomile/core/profile.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/pairs/pair_solver.hpp"

namespace chamomile::app {

/// A LawTiming holds times and errors.
struct LawTiming {
    double seconds = 0;     ///< median, including copies
    double busy = 0;        ///< median of the kernel; 0 on a CPU
    double worst_error = 0; ///< max |df| / |f| of the first three values, against double
    double median_error = 0;
    double pairs = 0;
    std::string device;

    double rate() const { return pairs / seconds; }
    double kernel_rate() const { return pairs / busy; }
};

/// Returns median times of `repeat` sums, after one warm-up.
template <class Law>
LawTiming time_law(const Law& law, const PairOptions& options,
                   const std::vector<typename Law::template Target<double>>& targets,
                   const std::vector<typename Law::template Source<double>>& sources,
                   std::span<const std::uint32_t> self, int repeat)
{
    using Sum = typename Law::template Sum<double>;
    std::vector<Sum> sums(targets.size());
    const PairTask task{as_rows(std::span(targets)), as_rows(std::span(sources)), self, {}};
    const auto solver = make_pair_solver(law, options);
    std::vector<double> seconds, busy;
    for (int r = 0; r <= repeat; ++r) {
        const double start = wall_clock_seconds();
        const PairStatistics statistics = solver->sum(task, as_rows(std::span(sums)));
        if (r > 0) {
            seconds.push_back(wall_clock_seconds() - start);
            busy.push_back(statistics.device_busy);
        }
    }
    std::sort(seconds.begin(), seconds.end());
    std::sort(busy.begin(), busy.end());
    LawTiming timing;
    timing.seconds = seconds[seconds.size() / 2];
    timing.busy = busy[busy.size() / 2];
    timing.pairs = double(targets.size()) * double(sources.size());
    timing.device = solver->device();

    // At most 2e9 pairs are summed in double, for an even sample of the targets.
    const std::size_t few =
        std::clamp<std::size_t>(std::size_t(2e9) / sources.size(), 1, targets.size());
    std::vector<typename Law::template Target<double>> some;
    std::vector<std::uint32_t> some_self;
    std::vector<std::size_t> numbers;
    for (std::size_t k = 0; k < few; ++k) {
        numbers.push_back(k * targets.size() / few);
        some.push_back(targets[numbers.back()]);
        if (!self.empty())
            some_self.push_back(self[numbers.back()]);
    }
    std::vector<Sum> exact(few);
    PairOptions precise = options;
    precise.precision = Precision::double_precision;
    make_pair_solver(law, precise)
        ->sum({as_rows(std::span(some)), as_rows(std::span(sources)), some_self, {}},
              as_rows(std::span(exact)));
    std::vector<double> errors;
    for (std::size_t k = 0; k < few; ++k) {
        const double* a = reinterpret_cast<const double*>(&sums[numbers[k]]);
        const double* e = reinterpret_cast<const double*>(&exact[k]);
        errors.push_back(std::hypot(a[0] - e[0], a[1] - e[1], a[2] - e[2]) /
                         std::hypot(e[0], e[1], e[2]));
    }
    std::sort(errors.begin(), errors.end());
    timing.worst_error = errors.back();
    timing.median_error = errors[few / 2];
    return timing;
}

} // namespace chamomile::app
