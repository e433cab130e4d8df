#include "chamomile/integrate/measures/encounters.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <vector>

#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {

ClosePair closest_pair(std::span<const MovingSource> sources)
{
    std::vector<Index> order(sources.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = Index(i);
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
        const double xa = sources[a].position.x, xb = sources[b].position.x;
        return xa < xb || (xa == xb && a < b);
    });
    ClosePair closest;
    for (std::size_t k = 0; k < order.size(); ++k)
        for (std::size_t l = k + 1; l < order.size(); ++l) {
            const Vec3<double> r = sources[order[l]].position - sources[order[k]].position;
            if (r.x > closest.distance)
                break;
            const double distance = norm(r);
            if (distance < closest.distance)
                closest = {std::min(order[k], order[l]), std::max(order[k], order[l]), distance, 0};
        }
    return closest;
}

ClosePair nearest_to(std::span<const MovingSource> sources, Index i)
{
    double nearest = std::numeric_limits<double>::infinity();
    Index other = i;
    for (std::size_t j = 0; j < sources.size(); ++j) {
        const double r2 = norm_squared(sources[j].position - sources[i].position);
        if (r2 < nearest && j != i) {
            nearest = r2;
            other = Index(j);
        }
    }
    return {std::min(i, other), std::max(i, other), std::sqrt(nearest), 0};
}

namespace {

/// The cells, of a side of `reach`, around some sources.
class CellsAround {
public:
    CellsAround(double reach, std::span<const MovingSource> sources, std::span<const Index> some)
        : inverse_(1 / reach), seen_(std::bit_ceil(512 * some.size()))
    {
        for (std::size_t k = 0; k < some.size(); ++k) {
            const Vec3<double> at = cell(sources[some[k]].position);
            for (int c = 0; c < 27; ++c)
                near_.emplace_back(key({at.x + c % 3 - 1, at.y + c / 3 % 3 - 1, at.z + c / 9 - 1}),
                                   k);
        }
        std::sort(near_.begin(), near_.end());
        for (const auto& [key, k] : near_)
            seen_[key % seen_.size()] = true;
    }

    /// Calls use(k) for each of these sources in the cells around a position, and some more.
    template <class Use>
    void near(const Vec3<double>& position, const Use& use) const
    {
        const std::uint64_t own = key(cell(position));
        if (!seen_[own % seen_.size()])
            return;
        for (auto at = std::lower_bound(near_.begin(), near_.end(), std::pair{own, std::size_t(0)});
             at != near_.end() && at->first == own; ++at)
            use(at->second);
    }

private:
    Vec3<double> cell(const Vec3<double>& x) const
    {
        return {std::floor(inverse_ * x.x), std::floor(inverse_ * x.y), std::floor(inverse_ * x.z)};
    }
    /// Cells may share a key.
    static std::uint64_t key(const Vec3<double>& cell)
    {
        std::uint64_t key = 0;
        for (const double c : {cell.x, cell.y, cell.z}) {
            key = (key ^ std::bit_cast<std::uint64_t>(c + 0.0)) * 0x9e3779b97f4a7c15;
            key ^= key >> 32;
        }
        return key;
    }

    double inverse_;
    std::vector<std::pair<std::uint64_t, std::size_t>> near_; // keys with sources
    std::vector<char> seen_;                                  // by key
};

} // namespace

std::vector<ClosePair> nearest_within(double reach, std::span<const MovingSource> sources,
                                      std::span<const Index> some)
{
    constexpr std::size_t few = 4; // a pass over all sources for each is faster
    std::vector<ClosePair> pairs;
    if (some.size() <= few || !(reach > 0 && std::isfinite(1 / reach))) {
        for (const Index i : some)
            pairs.push_back(nearest_to(sources, i));
        return pairs;
    }
    struct Neighbor { ///< at a distance of infinity: none
        double r2 = std::numeric_limits<double>::infinity();
        Index j = 0;
    };
    std::vector<Neighbor> nearest(some.size());
    const CellsAround cells(reach, sources, some);
#pragma omp parallel for if (sources.size() > worth_threads) schedule(static)
    for (std::size_t j = 0; j < sources.size(); ++j)
        cells.near(sources[j].position, [&](std::size_t k) {
            const double r2 = norm_squared(sources[j].position - sources[some[k]].position);
            const std::atomic_ref min(nearest[k].r2);
            if (j == some[k] || r2 > reach * reach || r2 > min.load(std::memory_order_relaxed))
                return;
#pragma omp critical(nearest_within)
            if (std::pair(r2, Index(j)) < std::pair(min.load(), nearest[k].j)) {
                min = r2;
                nearest[k].j = Index(j);
            }
        });
    for (std::size_t k = 0; k < some.size(); ++k)
        pairs.push_back({std::min(some[k], nearest[k].j), std::max(some[k], nearest[k].j),
                         std::sqrt(nearest[k].r2), 0});
    return pairs;
}

Encounters::Encounters(std::span<const MovingSource> sources, double eps2, double eta_over_G,
                       double time)
    : closest_(closest_pair(sources)), softening_squared_(eps2), eta_over_G_(eta_over_G)
{
    closest_.time = time;
    for (const MovingSource& source : sources)
        mean_mass_ += std::abs(source.mass) / double(sources.size());
}

void Encounters::exchange(Archive& archive)
{
    archive("encounters/i", closest_.i);
    archive("encounters/j", closest_.j);
    archive("encounters/distance", closest_.distance);
    archive("encounters/time", closest_.time);
    archive("encounters/softening_squared", softening_squared_);
    archive("encounters/eta_over_G", eta_over_G_);
    archive("encounters/mean_mass", mean_mass_);
    std::vector<Index> approaching;
    for (const auto& [i, j] : approaching_)
        approaching.insert(approaching.end(), {i, j});
    if (!archive.is_reading() || archive.has("encounters/approaching"))
        archive("encounters/approaching", approaching);
    approaching_.clear();
    for (std::size_t k = 0; k + 1 < approaching.size(); k += 2)
        approaching_.emplace_back(approaching[k], approaching[k + 1]);
}

void Encounters::record_passages(double distance, double G)
{
    passage_distance_ = distance;
    G_ = G;
}

bool Encounters::may_be_within(double distance, double time_step, double mass) const
{
    const double s2 = distance * distance + softening_squared_;
    return !(time_step * time_step * mass > 16 * eta_over_G_ * s2 * std::sqrt(s2));
}

void Encounters::note(std::span<const MovingSource> sources, std::span<const Index> moved,
                      std::span<const double> time_step, double time)
{
    const double reach = std::max(closest_.distance, passage_distance_);
    std::vector<Index> some;
    for (const Index i : moved) {
        const double mass = std::abs(sources[i].mass) > 0 ? std::abs(sources[i].mass) : mean_mass_;
        if (may_be_within(reach, time_step[i], mass))
            some.push_back(i);
    }
    for (const ClosePair& pair : nearest_within(reach, sources, some)) {
        if (pair.distance < closest_.distance) {
            closest_ = pair;
            closest_.time = time;
        }
        if (passage_distance_ > 0)
            note_passages(sources, pair, time);
    }
}

/// Marks the pair as approaching, and records pairs of its particles that now recede.
void Encounters::note_passages(std::span<const MovingSource> sources, const ClosePair& nearest,
                               double time)
{
    const auto is_approaching = [&](const std::pair<Index, Index>& pair) {
        const MovingSource &a = sources[pair.first], &b = sources[pair.second];
        return dot(b.position - a.position, b.velocity - a.velocity) < 0;
    };
    std::erase_if(approaching_, [&](const std::pair<Index, Index>& pair) {
        if (is_approaching(pair))
            return false;
        const MovingSource &a = sources[pair.first], &b = sources[pair.second];
        const KeplerOrbit orbit =
            kepler_orbit(G_ * (a.mass + b.mass), b.position - a.position, b.velocity - a.velocity);
        if (!orbit.is_bound() && orbit.pericenter < passage_distance_)
            passages_.push_back({pair.first, pair.second, time, orbit});
        return true;
    });
    const std::pair<Index, Index> now{nearest.i, nearest.j};
    if (nearest.distance < passage_distance_ && is_approaching(now) &&
        std::ranges::find(approaching_, now) == approaching_.end())
        approaching_.push_back(now);
}

} // namespace chamomile
