#include "chamomile/analysis/halos/spherical_overdensity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "chamomile/core/box.hpp"

namespace chamomile {
namespace {

constexpr double sphere = 4 * std::numbers::pi / 3;

/// A Shell is a particle's mass and its distance from the center.
struct Shell {
    double radius, mass;
};

/// A CellGrid sorts particles into cells with a few particles each, to search spheres.
class CellGrid {
public:
    CellGrid(const Particles& particles, const Periodicity& periodicity)
        : particles_(particles), periodicity_(periodicity)
    {
        const std::size_t n = particles.size();
        Box box;
        for (const Vec3<double>& p : particles.position)
            box.add(p);
        const double longest =
            periodicity ? periodicity.side : std::max(box.longest_side(), 1e-300);
        low_ = periodicity ? Vec3<double>{} : box.low;
        along_ = std::clamp(int(std::cbrt(double(n) / 4)), 1, 1 << 10);
        cell_ = longest / along_;
        first_.assign(std::size_t(along_) * std::size_t(along_) * std::size_t(along_) + 1, 0);
        std::vector<std::uint32_t> cell(n);
#pragma omp parallel for
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3<double> p = periodicity.wrapped(particles.position[i]) - low_;
            cell[i] = std::uint32_t((clamped(p.x) * along_ + clamped(p.y)) * along_ + clamped(p.z));
        }
        for (std::size_t i = 0; i < n; ++i)
            ++first_[cell[i] + 1];
        for (std::size_t c = 1; c < first_.size(); ++c)
            first_[c] += first_[c - 1];
        order_.resize(n);
        std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
        for (std::size_t i = 0; i < n; ++i)
            order_[next[cell[i]]++] = Index(i);
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
        std::sort(shells.begin(), shells.end(), [](const Shell& a, const Shell& b) {
            return a.radius != b.radius ? a.radius < b.radius : a.mass < b.mass;
        });
        return shells;
    }

private:
    int clamped(double x) const
    {
        return std::clamp(int(x / cell_), 0, along_ - 1);
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

    const Particles& particles_;
    Periodicity periodicity_;
    Vec3<double> low_;
    int along_ = 1;
    double cell_ = 1;
    std::vector<std::uint32_t> first_;
    std::vector<Index> order_;
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

} // namespace

std::vector<OverdenseSphere> overdense_spheres(const Particles& particles,
                                               const Periodicity& periodicity,
                                               std::span<const Vec3<double>> centers,
                                               std::span<const double> estimated_masses,
                                               std::span<const double> densities)
{
    std::vector<OverdenseSphere> spheres(centers.size() * densities.size());
    if (spheres.empty())
        return spheres;
    const CellGrid grid(particles, periodicity);
    const double max = periodicity ? 0.5 * periodicity.side : Box::infinity;
    double total = 0;
    for (double m : particles.mass)
        total += m;
#pragma omp parallel for schedule(dynamic)
    for (std::size_t c = 0; c < centers.size(); ++c) {
        double radius = 0;
        std::vector<Shell> shells;
        for (std::size_t d = 0; d < densities.size(); ++d) {
            if (!(densities[d] > 0) || !(estimated_masses[c] > 0))
                continue;
            const double start =
                std::min(max, std::cbrt(estimated_masses[c] / (sphere * densities[d])));
            // No sphere is larger than one with the total mass.
            const double widest = std::min(max, 1.01 * std::cbrt(total / (sphere * densities[d])));
            double wanted = std::min(widest, 1.25 * start);
            for (;;) {
                if (radius < wanted) {
                    radius = wanted;
                    shells = grid.within(centers[c], radius);
                }
                OverdenseSphere& found = spheres[c * densities.size() + d];
                if (find_crossing(shells, radius, start, densities[d], found) || radius >= widest)
                    break;
                wanted = std::min(widest, 1.5 * radius);
            }
        }
    }
    return spheres;
}

} // namespace chamomile
