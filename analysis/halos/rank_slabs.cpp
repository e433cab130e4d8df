#include "chamomile/analysis/halos/rank_slabs.hpp"

#include <algorithm>

#include <omp.h>

#include "chamomile/core/threads.hpp"

namespace chamomile {

RankSlabs::RankSlabs(std::span<const Vec3<double>> position, const Periodicity& periodicity,
                     const Box& all, Communicator& ranks)
    : periodicity_(periodicity)
{
    if (periodicity)
        width_ = periodicity.side;
    else if (all.longest_side() > 0) { // neither empty nor a single place
        const Vec3<double> d = all.high - all.low;
        width_ = all.longest_side();
        axis_ = d.x == width_ ? 0 : d.y == width_ ? 1 : 2;
        low_ = axis_ == 0 ? all.low.x : axis_ == 1 ? all.low.y : all.low.z;
    }
    std::vector<std::uint64_t> counts(planes);
    const std::size_t n = position.size(),
                      parts = n < worth_threads ? 1 : std::size_t(omp_get_max_threads());
    std::vector<std::vector<std::uint64_t>> own(parts, counts);
#pragma omp parallel for num_threads(int(parts)) schedule(static, 1)
    for (std::size_t part = 0; part < parts; ++part)
        for (std::size_t i = n * part / parts; i < n * (part + 1) / parts; ++i)
            ++own[part][std::size_t(plane(position[i]))];
    for (const std::vector<std::uint64_t>& part : own)
        for (std::size_t k = 0; k < counts.size(); ++k)
            counts[k] += part[k];
    ranks.sum(counts);
    std::uint64_t total = 0, below = 0;
    for (const std::uint64_t count : counts)
        total += count;
    begin_ = {0};
    for (int k = 0; k < planes; ++k) {
        while (int(begin_.size()) < ranks.size() &&
               below >= ranks.first_of_run(total, int(begin_.size())))
            begin_.push_back(k);
        below += counts[std::size_t(k)];
    }
    begin_.resize(std::size_t(ranks.size()) + 1, planes);
}

int RankSlabs::plane(const Vec3<double>& p) const
{
    return std::clamp(int((along(p) - low_) / width_ * planes), 0, planes - 1);
}

int RankSlabs::owner(const Vec3<double>& p) const
{
    return int(std::ranges::upper_bound(begin_, plane(p)) - begin_.begin()) - 1;
}

} // namespace chamomile
