#include "chamomile/analysis/halos/spherical_overdensity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "chamomile/core/box.hpp"
#include "chamomile/core/counting_sort.hpp"
#include "chamomile/core/exact_sum.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

constexpr double sphere = 4 * std::numbers::pi / 3;

/// A Shell is a particle's mass and its distance from the center.
struct Shell {
    double radius, mass;
};

void sort(std::vector<Shell>& shells)
{
    std::sort(shells.begin(), shells.end(), [](const Shell& a, const Shell& b) {
        return a.radius != b.radius ? a.radius < b.radius : a.mass < b.mass;
    });
}

/// A CellGrid sorts particles into cells with a few particles each, to search spheres.
class CellGrid {
public:
    /// Sorts the particles `chosen`, or all if null.
    CellGrid(const HaloMatter& particles, const std::span<const Index>* chosen,
             const Periodicity& periodicity)
        : particles_(particles), periodicity_(periodicity)
    {
        const std::size_t n = chosen ? chosen->size() : particles.size();
        const auto index = [&](std::size_t k) { return chosen ? (*chosen)[k] : Index(k); };
        if (periodicity)
            cell_ = periodicity.side;
        else {
            Box box;
#pragma omp parallel if (n > worth_threads)
            {
                Box part;
#pragma omp for schedule(static)
                for (std::size_t k = 0; k < n; ++k)
                    part.add(particles.position[index(k)]);
#pragma omp critical
                box.add(part);
            }
            low_ = box.low;
            cell_ = std::max(box.longest_side(), 1e-300);
        }
        along_ = std::clamp(int(std::cbrt(double(n) / 4)), 1, 1 << 10);
        cell_ /= along_;
        sort_particles(n, index);
    }

    /// Returns distance and mass of all particles within `radius` of `center`, sorted by distance.
    std::vector<Shell> within(const Vec3<double>& center, double radius) const
    {
        std::vector<Shell> shells;
        const Vec3<double> c = periodicity_.wrapped(center) - low_;
        const std::array<double, 3> middle{c.x, c.y, c.z};
        std::array<int, 3> from, to;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double min = std::floor((middle[axis] - radius) / cell_ - 1e-6);
            const double max = std::floor((middle[axis] + radius) / cell_ + 1e-6);
            if (periodicity_) {
                from[axis] = int(min);
                to[axis] = int(std::min(max, min + along_ - 1));
            } else {
                from[axis] = int(std::clamp(min, 0.0, along_ - 1.0));
                to[axis] = int(std::clamp(max, 0.0, along_ - 1.0));
            }
        }
        const auto wrapped = [&](int i) { return (i % along_ + along_) % along_; };
        for (int x = from[0]; x <= to[0]; ++x)
            for (int y = from[1]; y <= to[1]; ++y)
                for (int z = from[2]; z <= to[2]; ++z)
                    add((wrapped(x) * along_ + wrapped(y)) * along_ + wrapped(z), center, radius,
                        shells);
        sort(shells);
        return shells;
    }

private:
    int clamped(double x) const
    {
        return std::clamp(int(x / cell_), 0, along_ - 1);
    }

    /// Sorts into rows of cells, then each row into its cells, in cache.
    template <class AtIndex>
    void sort_particles(std::size_t n, const AtIndex& index)
    {
        const auto place = [&](std::size_t k) {
            return periodicity_.wrapped(particles_.position[index(k)]) - low_;
        };
        const std::size_t cells = std::size_t(along_), rows = cells * cells;
        const auto [order, begin] = sorted_by(n, rows, [&](std::size_t k) {
            const Vec3<double> p = place(k);
            return clamped(p.x) * along_ + clamped(p.y);
        });
        first_.resize(rows * cells + 1);
        first_.back() = std::uint32_t(n);
        order_.resize(n);
#pragma omp parallel
        {
            std::vector<int> cell;
#pragma omp for schedule(dynamic, 16)
            for (std::size_t row = 0; row < rows; ++row) {
                std::uint32_t* const first = &first_[row * cells];
                const auto at = [&](std::size_t k) -> std::uint32_t& {
                    return first[cell[k - begin[row]]];
                };
                std::fill_n(first, cells, 0);
                cell.clear();
                for (std::size_t k = begin[row]; k < begin[row + 1]; ++k) {
                    cell.push_back(clamped(place(order[k]).z));
                    ++at(k);
                }
                auto end = std::uint32_t(begin[row]);
                for (std::size_t c = 0; c < cells; ++c)
                    first[c] = end += first[c]; // for now, ends
                for (std::size_t k = begin[row]; k < begin[row + 1]; ++k)
                    order_[--at(k)] = index(order[k]);
            }
        }
    }

    void add(int cell, const Vec3<double>& center, double radius, std::vector<Shell>& shells) const
    {
        for (std::uint32_t k = first_[std::size_t(cell)]; k < first_[std::size_t(cell) + 1]; ++k) {
            const Index i = order_[k];
            const double r = norm(periodicity_.nearest(particles_.position[i] - center));
            if (r <= radius)
                shells.push_back({r, particles_.mass[i]});
        }
    }

    const HaloMatter& particles_;
    Periodicity periodicity_;
    Vec3<double> low_;
    int along_ = 1;
    double cell_ = 1;
    UnsetArray<std::uint32_t> first_; ///< in order_ per cell, and the end
    UnsetArray<Index> order_;         ///< by cell, in any order
};

/// Searches the crossing in shells up to `radius`. Returns false if it lies beyond.
bool find_crossing(const std::vector<Shell>& shells, double radius, double start, double density,
                   OverdenseSphere& found)
{
    // With k shells inside, the mean density equals `density` at radius_of(k).
    std::vector<double> mass(shells.size() + 1, 0);
    for (std::size_t k = 0; k < shells.size(); ++k)
        mass[k + 1] = mass[k] + shells[k].mass;
    const auto radius_of = [&](std::size_t k) { return std::cbrt(mass[k] / (sphere * density)); };
    const auto end_of = [&](std::size_t k) {
        return k < shells.size() ? shells[k].radius : radius;
    };
    std::size_t k = 0;
    while (k < shells.size() && shells[k].radius <= start)
        ++k;
    if (radius_of(k) >= start) { // dense enough: search outwards
        while (k <= shells.size() && radius_of(k) >= end_of(k))
            ++k;
        if (k > shells.size())
            return false;
    } else
        while (k > 0 && radius_of(k) < shells[k - 1].radius)
            --k;
    if (k > 0)
        found = {mass[k], radius_of(k)};
    return true;
}

/// What all searches have in common.
struct SearchLimits {
    std::span<const double> densities;
    double radius;     ///< max of a sphere
    double total_mass; ///< of all particles
};

/// A SphereSearch finds the spheres around one center. Its caller searches the particles.
class SphereSearch {
public:
    SphereSearch(const Vec3<double>& center, double estimated_mass, const SearchLimits& limits,
                 OverdenseSphere* found)
        : center_(center), mass_(estimated_mass), limits_(&limits), found_(found)
    {
        advance();
    }

    bool has_ended() const { return density_ == limits_->densities.size(); }
    const Vec3<double>& center() const { return center_; }
    /// Returns the radius of the particles that advance() needs.
    double wanted() const { return wanted_; }
    /// Continues with all shells within wanted(), sorted.
    void advance(std::vector<Shell>&& shells)
    {
        shells_ = std::move(shells);
        radius_ = wanted_;
        advance();
    }

private:
    void advance()
    {
        for (; !has_ended(); ++density_, wanted_ = 0) {
            const double density = limits_->densities[density_];
            if (!(density > 0) || !(mass_ > 0))
                continue;
            const double start = std::min(limits_->radius, std::cbrt(mass_ / (sphere * density)));
            // No sphere is larger than one with the total mass.
            const double widest = std::min(
                limits_->radius, 1.01 * std::cbrt(limits_->total_mass / (sphere * density)));
            if (wanted_ == 0)
                wanted_ = std::min(widest, 1.25 * start);
            for (;;) {
                if (radius_ < wanted_)
                    return;
                if (find_crossing(shells_, radius_, start, density, found_[density_]) ||
                    radius_ >= widest)
                    break;
                wanted_ = std::min(widest, 1.5 * radius_);
            }
        }
        shells_ = {};
    }

    Vec3<double> center_;
    double mass_;
    const SearchLimits* limits_;
    OverdenseSphere* found_; ///< per density
    std::size_t density_ = 0;
    double radius_ = 0, wanted_ = 0;
    std::vector<Shell> shells_; ///< within radius_
};

/// A request for the shells around a center.
struct ShellRequest {
    Vec3<double> center;
    double radius;
};

/// Searches spheres that reach other slabs. Each rank sends centers to the ranks with particles
/// near them, and receives shells.
class ShellExchange {
public:
    ShellExchange(const CellGrid& grid, const RankSlabs& slabs, Communicator& ranks)
        : grid_(grid), slabs_(slabs), ranks_(ranks)
    {}

    /// Returns false if another rank may have particles within the wanted radius.
    bool is_local(const SphereSearch& search) const
    {
        for (int r = 0; r < ranks_.size(); ++r)
            if (r != ranks_.rank() && slabs_.is_near(r, search.center(), search.wanted()))
                return false;
        return true;
    }

    /// Advances searches once. Collective.
    void advance(std::span<SphereSearch* const> searches)
    {
        const std::size_t size = std::size_t(ranks_.size());
        std::vector<std::vector<ShellRequest>> asked(size);
        std::vector<std::vector<std::size_t>> asking(size); // searches
        for (std::size_t s = 0; s < searches.size(); ++s)
            for (std::size_t r = 0; r < size; ++r)
                if (slabs_.is_near(int(r), searches[s]->center(), searches[s]->wanted())) {
                    asked[r].push_back({searches[s]->center(), searches[s]->wanted()});
                    asking[r].push_back(s);
                }
        Inbox requests, counts, shells;
        exchange(asked, requests);
        std::vector<std::vector<std::uint64_t>> numbers(size);
        std::vector<std::vector<Shell>> answers(size);
        for (std::size_t r = 0; r < size; ++r)
            answer(requests.from<ShellRequest>(int(r)), numbers[r], answers[r]);
        exchange(numbers, counts);
        exchange(answers, shells);
        std::vector<std::vector<Shell>> found(searches.size());
        for (std::size_t r = 0; r < size; ++r) {
            std::span<const Shell> rest = shells.from<Shell>(int(r));
            const auto count = counts.from<std::uint64_t>(int(r));
            for (std::size_t k = 0; k < count.size(); ++k) {
                std::vector<Shell>& all = found[asking[r][k]];
                all.insert(all.end(), rest.begin(), rest.begin() + std::ptrdiff_t(count[k]));
                rest = rest.subspan(count[k]);
            }
        }
#pragma omp parallel for schedule(dynamic)
        for (std::size_t s = 0; s < searches.size(); ++s) {
            sort(found[s]);
            searches[s]->advance(std::move(found[s]));
        }
    }

private:
    template <class T>
    void exchange(const std::vector<std::vector<T>>& to, Inbox& inbox)
    {
        ranks_.all_to_all<T>(std::vector<std::span<const T>>(to.begin(), to.end()), inbox);
    }

    void answer(std::span<const ShellRequest> requests, std::vector<std::uint64_t>& counts,
                std::vector<Shell>& shells) const
    {
        std::vector<std::vector<Shell>> found(requests.size());
#pragma omp parallel for schedule(dynamic)
        for (std::size_t k = 0; k < requests.size(); ++k)
            found[k] = grid_.within(requests[k].center, requests[k].radius);
        for (const std::vector<Shell>& one : found) {
            counts.push_back(one.size());
            shells.insert(shells.end(), one.begin(), one.end());
        }
    }

    const CellGrid& grid_;
    const RankSlabs& slabs_;
    Communicator& ranks_;
};

} // namespace

std::vector<OverdenseSphere>
overdense_spheres(const HaloMatter& particles, const Periodicity& periodicity,
                  std::span<const Vec3<double>> centers, std::span<const double> estimated_masses,
                  std::span<const double> densities, const SlabMatter* slab)
{
    std::vector<OverdenseSphere> spheres(centers.size() * densities.size());
    std::uint64_t wanted = spheres.size();
    if (slab)
        slab->ranks.sum(std::span(&wanted, 1));
    if (wanted == 0)
        return spheres;
    ExactSums<double> total;
    const std::span<const Index>* const chosen = slab ? &slab->particles : nullptr;
    total.add(0, chosen ? chosen->size() : particles.size(),
              [&](std::size_t k) { return particles.mass[chosen ? (*chosen)[k] : k]; });
    if (slab)
        slab->ranks.sum(total);
    const CellGrid grid(particles, chosen, periodicity);
    const SearchLimits limits{densities, periodicity ? 0.5 * periodicity.side : Box::infinity,
                              total.value()};
    std::vector<SphereSearch> searches;
    for (std::size_t c = 0; c < centers.size(); ++c)
        searches.emplace_back(centers[c], estimated_masses[c], limits,
                              spheres.data() + c * densities.size());
    std::optional<ShellExchange> exchange;
    if (slab)
        exchange.emplace(grid, slab->slabs, slab->ranks);
    for (;;) {
#pragma omp parallel for schedule(dynamic)
        for (std::size_t c = 0; c < searches.size(); ++c)
            while (!searches[c].has_ended() && (!exchange || exchange->is_local(searches[c])))
                searches[c].advance(grid.within(searches[c].center(), searches[c].wanted()));
        if (!exchange)
            return spheres;
        std::vector<SphereSearch*> open;
        for (SphereSearch& search : searches)
            if (!search.has_ended())
                open.push_back(&search);
        std::uint64_t all_open = open.size();
        slab->ranks.sum(std::span(&all_open, 1));
        if (all_open == 0)
            return spheres;
        exchange->advance(open);
    }
}

} // namespace chamomile
