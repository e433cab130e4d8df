// The nearest source, and all sources within a radius, exactly in double.
#include "chamomile/core/first_exception.hpp"
#include "chamomile/interfaces/grape6/cluster.hpp"

namespace chamomile {
namespace {

constexpr std::size_t block = 256; ///< sources per block
constexpr std::size_t lanes = 8;

/// Computes squared distances from a point to n sources, in whole lanes. Returns the min.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("default", "avx2", "avx512f")))
#endif
double
measure(const double* x, const double* y, const double* z, const double* place, std::size_t n,
        double* r2)
{
    double min[lanes];
    for (double& l : min)
        l = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < n; j += lanes)
        for (std::size_t k = 0; k < lanes; ++k) {
            const double dx = x[j + k] - place[0], dy = y[j + k] - place[1],
                         dz = z[j + k] - place[2];
            const double d2 = dx * dx + dy * dy + dz * dz;
            r2[j + k] = d2;
            min[k] = d2 < min[k] ? d2 : min[k];
        }
    for (std::size_t k = 1; k < lanes; ++k)
        min[0] = min[k] < min[0] ? min[k] : min[0];
    return min[0];
}

} // namespace

void Cluster::split_places()
{
    if (split_)
        return;
    for (auto* component : {&x_, &y_, &z_})
        component->assign((sources_.size() + lanes - 1) / lanes * lanes,
                          std::numeric_limits<double>::infinity());
    for (std::size_t j = 0; j < sources_.size(); ++j) {
        x_[j] = sources_[j].position.x;
        y_[j] = sources_[j].position.y;
        z_[j] = sources_[j].position.z;
    }
    split_ = true;
}

void Cluster::find_nearest(const ForceResults& results)
{
    split_places();
    const std::size_t n = places_.size();
#pragma omp parallel for schedule(dynamic, 1) if (n * seen_ > 1 << 16)
    for (std::size_t i = 0; i < n; ++i) {
        double r2[block], best = std::numeric_limits<double>::infinity();
        int id = -1;
        for (std::size_t first = 0; first < seen_; first += block) {
            const std::size_t count = std::min(block, seen_ - first);
            if (!(measure(&x_[first], &y_[first], &z_[first], places_[i].x, count, r2) < best))
                continue; // padded lanes can only lower this min
            for (std::size_t j = 0; j < count; ++j)
                if (r2[j] < best && ids_[first + j] != places_[i].id) {
                    best = r2[j];
                    id = ids_[first + j];
                }
        }
        results.nearest[i] = id;
        if (results.distance)
            results.distance[i] = float(std::sqrt(best));
    }
}

void Cluster::find_neighbours()
{
    if (!has_targets_)
        throw Error(Fault::usage,
                    "order of calls: no neighbours: call g6calc_lasthalf first, with success");
    if (!has_radii_)
        throw Error(Fault::usage, "no neighbours: h2 must not be a null pointer");
    if (lists_known_)
        return;
    split_places();
    const std::size_t n = places_.size();
    lists_.assign(n, {});
    FirstException first_exception;
#pragma omp parallel for schedule(dynamic, 1) if (n * seen_ > 1 << 16)
    for (std::size_t i = 0; i < n; ++i)
        first_exception.run([&] {
            const double h2 = places_[i].h2;
            double r2[block];
            for (std::size_t first = 0; h2 > 0 && first < seen_; first += block) {
                const std::size_t count = std::min(block, seen_ - first);
                if (measure(&x_[first], &y_[first], &z_[first], places_[i].x, count, r2) > h2)
                    continue;
                for (std::size_t j = 0; j < count; ++j)
                    if (r2[j] <= h2 && ids_[first + j] != places_[i].id)
                        lists_[i].push_back(ids_[first + j]);
            }
            std::sort(lists_[i].begin(), lists_[i].end());
        });
    if (first_exception.caught())
        first_exception.rethrow();
    lists_known_ = true;
}

const std::vector<int>& Cluster::neighbours(int i)
{
    find_neighbours();
    if (i < 0 || std::size_t(i) >= lists_.size())
        throw Error(Fault::usage, "ipipe: " + std::to_string(i) + ": must be 0 to " +
                                      std::to_string(std::ptrdiff_t(lists_.size()) - 1));
    return lists_[std::size_t(i)];
}

} // namespace chamomile
