#include "chamomile/force/adjoint/periodic_adjoint.hpp"

#include <algorithm>

#include "chamomile/core/parallel_loop.hpp"
#include "chamomile/force/lists/kernels.hpp"
#include "chamomile/force/periodic/periodic_direct.hpp"

namespace chamomile {
namespace {

void add_pairs(const HostKernels& kernels, const SmoothPart& smooth,
               std::span<const double> sources, std::span<const std::uint32_t> targets,
               const Softening& softening, bool per_particle, std::span<double> sums)
{
    constexpr std::size_t together = 16; // whole packs of every instruction set
    const std::size_t width = per_particle ? 9 : 8, n = sources.size() / width;
    LawChoice choice = LawChoice::of(softening, per_particle);
    choice.in_double = true;
    const AdjointPairKernel kernel =
        kernels.adjoint.pairs(choice, AdjointPart::nearest_images, true);
    parallel_loop((targets.size() + together - 1) / together, 1, [&](std::size_t block) {
        const std::size_t first = block * together,
                          count = std::min(targets.size() - first, together);
        alignas(64) double columns[AdjointTargets::fields * together], numbers[together],
            found[4 * together] = {};
        for (std::size_t t = 0; t < together; ++t) {
            const std::uint32_t i = targets[first + std::min(t, count - 1)];
            numbers[t] = i;
            for (std::size_t f = 0; f < width; ++f)
                columns[f * together + t] = sources[width * i + f];
        }
        const AdjointPairs::Range all{0, std::uint32_t(n)};
        kernel({.rows = sources.data(),
                .width = width,
                .ranges = &all,
                .count = 1,
                .center = {},
                .inverse_length = 1,
                .softening_length = softening.length,
                .rule_weight = softening.rule_weight(),
                .smooth = &smooth,
                .numbers = numbers},
               {int(together), columns, found});
        for (std::size_t t = 0; t < count; ++t)
            for (std::size_t c = 0; c < 4; ++c)
                sums[4 * (first + t) + c] = found[c * together + t];
    });
}

} // namespace

PairStatistics sum_periodic_adjoint(double side, const std::string& instruction_set,
                                    std::span<const double> sources,
                                    std::span<const std::uint32_t> targets,
                                    const Softening& softening, bool per_particle,
                                    std::span<double> sums)
{
    const std::size_t width = per_particle ? 9 : 8, n = sources.size() / width;
    PairStatistics statistics;
    statistics.pairs = n * targets.size();
    statistics.targets = targets.size();
    const PeriodicSplit split(side, instruction_set);
    add_pairs(find_kernels(instruction_set), split.smooth, sources, targets, softening,
              per_particle, sums);
    const double* const row = sources.data();
    const auto stride = std::ptrdiff_t(width * sizeof(double));
    const LongRangeLoss loss{n, vectors_at(row, stride), numbers_at(row + 3, stride),
                             vectors_at(row + 4, stride), numbers_at(row + 7, stride)};
    std::vector<Vec3<double>> position(n);
    std::vector<double> mass(n);
    split.modes->prepare(n, loss.position, loss.mass, statistics.profile);
    split.modes->add_adjoint(loss, targets, 1, view_of(std::span(position)),
                             view_of(std::span(mass)), statistics.profile);
    double mu = 0;
    for (std::size_t i = 0; i < n; ++i)
        mu += loss.mu.load(i);
    for (std::size_t k = 0; k < targets.size(); ++k) {
        const std::size_t i = targets[k];
        const double more[4]{position[i].x, position[i].y, position[i].z,
                             mass[i] + split.potential_offset(loss.mu.load(i), mu)};
        for (std::size_t c = 0; c < 4; ++c)
            sums[4 * k + c] += more[c];
    }
    return statistics;
}

} // namespace chamomile
