#include "chamomile/analysis/halos/halo_properties.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace chamomile {
namespace {

constexpr std::size_t core_members = 128;

/// A SymmetricMatrix is a 3 x 3 matrix with eigenvalues in decreasing order (Smith 1961).
struct SymmetricMatrix {
    double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;

    void add(double m, const Vec3<double>& d)
    {
        xx += m * d.x * d.x;
        yy += m * d.y * d.y;
        zz += m * d.z * d.z;
        xy += m * d.x * d.y;
        xz += m * d.x * d.z;
        yz += m * d.y * d.z;
    }

    std::array<double, 3> eigenvalues() const
    {
        const double mean = (xx + yy + zz) / 3;
        const double a = xx - mean, b = yy - mean, c = zz - mean;
        const double p = std::sqrt((a * a + b * b + c * c + 2 * (xy * xy + xz * xz + yz * yz)) / 6);
        if (!(p > 0))
            return {mean, mean, mean};
        const double determinant =
            a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
        const double angle = std::acos(std::clamp(determinant / (2 * p * p * p), -1.0, 1.0)) / 3;
        const double first = mean + 2 * p * std::cos(angle);
        const double last = mean + 2 * p * std::cos(angle + 2 * std::numbers::pi / 3);
        return {first, 3 * mean - first - last, last};
    }
};

/// Members are the particles of one halo, with positions relative to the first member.
class Members {
public:
    Members(const HaloMatter& particles, std::span<const Index> members,
            const Periodicity& periodicity)
        : particles_(particles), members_(members), periodicity_(periodicity),
          origin_(periodicity.wrapped(particles.position[members[0]]))
    {
        place_.reserve(members.size());
        for (Index i : members) {
            const Vec3<double> d = particles.position[i] - origin_;
            place_.push_back(periodicity.nearest(d));
        }
    }

    Halo measure(double softening) const
    {
        Halo halo;
        halo.members = members_.size();
        Vec3<double> center_of_mass;
        for (std::size_t k = 0; k < members_.size(); ++k) {
            const Index i = members_[k];
            const double m = particles_.mass[i];
            const std::size_t type = particles_.type[i];
            halo.mass += m;
            halo.mass_of_type[type] += m;
            ++halo.members_of_type[type];
            halo.velocity += weight(k) * velocity(k);
            center_of_mass += weight(k) * place_[k];
        }
        const double all = total_weight();
        halo.velocity = (1 / all) * halo.velocity;
        center_of_mass = (1 / all) * center_of_mass;
        const Vec3<double> center = place_[lowest_potential(center_of_mass, softening)];
        halo.center = periodicity_.wrapped(origin_ + center);
        halo.center_of_mass = periodicity_.wrapped(origin_ + center_of_mass);
        measure_spread(halo, center, center_of_mass);
        return halo;
    }

private:
    /// Returns the member's mass, or 1 if all members are massless.
    double weight(std::size_t k) const { return massless_ ? 1 : particles_.mass[members_[k]]; }

    Vec3<double> velocity(std::size_t k) const
    {
        return particles_.velocity_factor * particles_.velocity[members_[k]];
    }

    double total_weight() const
    {
        double sum = 0;
        for (std::size_t k = 0; k < members_.size(); ++k)
            sum += weight(k);
        return sum;
    }

    bool is_massless() const
    {
        return std::all_of(members_.begin(), members_.end(),
                           [&](Index i) { return particles_.mass[i] == 0; });
    }

    void measure_spread(Halo& halo, const Vec3<double>& center,
                        const Vec3<double>& center_of_mass) const
    {
        SymmetricMatrix moments;
        double square = 0;
        std::vector<std::pair<double, double>> radii;
        radii.reserve(members_.size());
        for (std::size_t k = 0; k < members_.size(); ++k) {
            moments.add(weight(k), place_[k] - center_of_mass);
            square += weight(k) * norm_squared(velocity(k) - halo.velocity);
            radii.push_back({norm_squared(place_[k] - center), weight(k)});
        }
        const double all = total_weight();
        halo.dispersion = std::sqrt(square / (3 * all));
        std::sort(radii.begin(), radii.end());
        halo.radius = std::sqrt(radii.back().first);
        double inside = 0;
        for (const auto& [radius_squared, m] : radii)
            if ((inside += m) >= 0.5 * all) {
                halo.half_mass_radius = std::sqrt(radius_squared);
                break;
            }
        const auto [major, middle, minor] = moments.eigenvalues();
        if (major > 0) {
            halo.middle_to_major = std::sqrt(std::max(0.0, middle) / major);
            halo.minor_to_major = std::sqrt(std::max(0.0, minor) / major);
        }
    }

    std::size_t lowest_potential(const Vec3<double>& center_of_mass, double softening) const
    {
        const std::vector<std::size_t> core = shrink(center_of_mass);
        std::size_t lowest = core[0];
        double min = 0;
        for (std::size_t a : core) {
            double potential = 0;
            for (std::size_t b : core)
                if (a != b)
                    potential -= weight(b) / std::sqrt(norm_squared(place_[a] - place_[b],
                                                                    softening * softening));
            if (potential < min) {
                min = potential;
                lowest = a;
            }
        }
        return lowest;
    }

    /// Returns the core_members members closest to the last shrinking sphere's center,
    /// ascending. Smaller halos: all members.
    std::vector<std::size_t> shrink(Vec3<double> center) const
    {
        std::vector<std::size_t> kept(members_.size()), fewer;
        for (std::size_t k = 0; k < kept.size(); ++k)
            kept[k] = k;
        double limit = 0;
        for (const Vec3<double>& p : place_)
            limit = std::max(limit, norm_squared(p - center));
        for (int spheres = 0; kept.size() > core_members && spheres < 1000; ++spheres) {
            limit *= 0.9 * 0.9;
            fewer.clear();
            for (std::size_t k : kept)
                if (norm_squared(place_[k] - center) <= limit)
                    fewer.push_back(k);
            if (fewer.size() < core_members) // keep the last sphere with enough members
                break;
            kept.swap(fewer);
            double mass = 0;
            Vec3<double> sum;
            for (std::size_t k : kept) {
                mass += weight(k);
                sum += weight(k) * place_[k];
            }
            if (mass > 0)
                center = (1 / mass) * sum;
        }
        const auto nearer = [&](std::size_t a, std::size_t b) {
            const double to_a = norm_squared(place_[a] - center);
            const double to_b = norm_squared(place_[b] - center);
            return to_a != to_b ? to_a < to_b : a < b;
        };
        if (kept.size() > core_members) {
            std::nth_element(kept.begin(), kept.begin() + core_members, kept.end(), nearer);
            kept.resize(core_members);
        }
        std::sort(kept.begin(), kept.end());
        return kept;
    }

    const HaloMatter& particles_;
    std::span<const Index> members_;
    Periodicity periodicity_;
    Vec3<double> origin_;
    std::vector<Vec3<double>> place_; ///< relative to origin_, unwrapped
    bool massless_ = is_massless();
};

} // namespace

std::vector<Halo> halo_properties(const HaloMatter& particles, const ParticleGroups& groups,
                                  const Periodicity& periodicity, double softening)
{
    std::vector<Halo> halos(groups.size());
#pragma omp parallel for schedule(dynamic)
    for (std::size_t g = 0; g < groups.size(); ++g)
        halos[g] = Members(particles, groups[g], periodicity).measure(softening);
    return halos;
}

} // namespace chamomile
