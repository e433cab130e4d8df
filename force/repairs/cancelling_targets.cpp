#include "chamomile/force/repairs/cancelling_targets.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/norm.hpp"
#include "chamomile/core/parallel_loop.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/lists/kernels.hpp"

namespace chamomile {
namespace {

constexpr std::size_t targets_at_once = 16; // whole packs of every instruction set

PseudoParticle clump_of(const Source* sources, std::size_t count)
{
    PseudoParticle clump;
    for (std::size_t k = 0; k < count; ++k) {
        clump.mass += std::abs(sources[k].mass);
        clump.center += std::abs(sources[k].mass) * sources[k].position;
    }
    if (!(clump.mass > 0))
        return {sources[0].position, 0, 1};
    clump.center = (1 / clump.mass) * clump.center;
    clump.spread = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const Vec3<double> d = sources[k].position - clump.center;
        clump.spread += std::abs(sources[k].mass) / clump.mass * dot(d, d);
    }
    return clump;
}

} // namespace

CancellingTargets::CancellingTargets(const SolverOptions& options) : softening_(options.softening)
{
    const HostKernels kernels = find_kernels(options.instruction_set);
    scatter_ = kernels.scatter;
    absolute_force_ = kernels.absolute_force;
    few_targets_ = kernels.few_targets;
}

FewTargets CancellingTargets::some(const Index* targets, std::size_t count) const
{
    return {.sources = sources_.data(),
            .source_count = sources_.size(),
            .softening_length = softening_length_,
            .targets = targets,
            .count = int(count),
            .softening = own_softening_.empty() ? nullptr : own_softening_.data(),
            .rule_weight = softening_.rule_weight(),
            .clumps = clumps_.data(),
            .clump_count = clumps_.size()};
}

void CancellingTargets::set_sources(const Octree& octree, const InternalScale& scale)
{
    const std::size_t n = octree.size;
    sources_.resize(n);
    const std::size_t size = clump_size(n);
    clumps_.resize((n + size - 1) / size);
    softening_length_ = softening_.length / scale.length;
    own_softening_.resize(octree.softening.size());
    for (std::size_t k = 0; k < own_softening_.size(); ++k)
        own_softening_[k] = octree.softening[k] / scale.length / scale.length;
    if (!own_softening_.empty())
        softening_length_ =
            std::sqrt(*std::min_element(own_softening_.begin(), own_softening_.end()));
#pragma omp parallel for if (n > worth_threads)
    for (std::size_t c = 0; c < clumps_.size(); ++c) {
        const std::size_t begin = c * size, end = std::min(n, begin + size);
        for (std::size_t k = begin; k < end; ++k)
            sources_[k] = {(1 / scale.length) * octree.sources[k].position,
                           octree.sources[k].mass / scale.mass};
        clumps_[c] = clump_of(&sources_[begin], end - begin);
    }
}

void CancellingTargets::find(const Octree& octree, const TargetGroups& groups,
                             const ForceOutput& output)
{
    MassSums sums;
    for (const Source& source : sources_) {
        sums.mass += std::abs(source.mass);
        sums.squares += source.mass * source.mass;
    }
    const double limit = largest_cancellation(sums, scatter_);
    constexpr std::size_t block = FewTargets::block_size;
    cancels_.resize(groups.target_count);
    parallel_loop((groups.target_count + block - 1) / block, 1, [&](std::size_t b) {
        const std::size_t begin = b * block;
        const std::size_t end = std::min(groups.target_count, begin + block);
        Index targets[block] = {};
        for (std::size_t t = begin; t < end; ++t)
            targets[t - begin] = groups.target(t);
        float absolute_forces[block];
        absolute_force_(some(targets, end - begin), absolute_forces);
        for (std::size_t t = begin; t < end; ++t) {
            const double a =
                norm_of_any_size(output.acceleration.load_vector(octree.order[targets[t - begin]]));
            cancels_[t] =
                std::abs(output.acceleration_unit) * double(absolute_forces[t - begin]) > limit * a;
        }
    });
}

/// Finds pairs too close for two floats among neighbours along the curve, close in space.
void CancellingTargets::find_blurred(const TargetGroups& groups, const InternalScale& scale)
{
    const std::size_t n = sources_.size();
    const double eps2 = softening_length_ * softening_length_;
#pragma omp parallel for if (groups.target_count > worth_threads) schedule(dynamic, 16)
    for (std::size_t g = 0; g < groups.groups.size(); ++g) {
        const Group& group = groups.groups[g];
        const Vec3<double> center = (1 / scale.length) * group.center;
        for (std::size_t t = group.begin; t < group.end; ++t) {
            const std::size_t k = groups.target(t);
            const Vec3<double>& x = sources_[k].position;
            const double r2 = norm_squared(x - center);
            const auto blurs = [&](std::size_t j) {
                const double own = own_softening_.empty()
                                       ? eps2
                                       : pair_softening_squared(own_softening_[k],
                                                                own_softening_[j], softening_.rule);
                return is_blurred(norm_squared(sources_[j].position - x, own), r2);
            };
            if ((k > 0 && blurs(k - 1)) || (k + 1 < n && blurs(k + 1)))
                cancels_[t] = true;
        }
    }
}

std::size_t CancellingTargets::sum_again(const Octree& octree, const TargetGroups& groups,
                                         const InternalScale& scale, const ForceOutput& output)
{
    set_sources(octree, scale);
    find(octree, groups, output);
    find_blurred(groups, scale);
    targets_.clear();
    for (std::size_t t = 0; t < groups.target_count; ++t)
        if (cancels_[t])
            targets_.push_back(groups.target(t));
    LawChoice law = LawChoice::of(softening_, !own_softening_.empty());
    law.with_potential = bool(output.potential);
    const DoubleKernel sum = few_targets_(law);
    parallel_loop((targets_.size() + targets_at_once - 1) / targets_at_once, 1, [&](std::size_t b) {
        const std::size_t begin = b * targets_at_once;
        const std::size_t count = std::min(targets_at_once, targets_.size() - begin);
        TargetSum sums[targets_at_once];
        sum(some(&targets_[begin], count), sums);
        for (std::size_t k = 0; k < count; ++k)
            store_sum(output, octree.order[targets_[begin + k]], sums[k]);
    });
    return targets_.size();
}

} // namespace chamomile
