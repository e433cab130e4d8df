/// \file  The exponential disk: its field, and a razor-thin disk as a test model.
#pragma once

#include <vector>

#include "chamomile/core/random.hpp"
#include "chamomile/initial/models/model_size.hpp"

namespace chamomile {

/// Returns v_c^2 of the razor-thin exponential disk, G = M = R_d = 1 (Freeman 1970, eq. 10).
double thin_disk_circular_speed_squared(double radius);

/// Draws a position in the disk of scale length 1, truncated at radius `truncation`. The density is
/// exp(-R) sech^2(z / height) (van der Kruit & Searle 1981).
Vec3<double> draw_disk_position(RandomStream& random, double height, double truncation);

/// An ExponentialDiskField is the axisymmetric field of the density exp(-R) sech^2(z / height) / (4
/// pi height), G = M = R_d = 1, by Hankel transforms (Binney & Tremaine 2008, sec. 2.6.2),
/// tabulated for R < 12, |z| < 8 heights.
class ExponentialDiskField {
public:
    explicit ExponentialDiskField(double height);

    const std::vector<double>& radii() const { return radii_; }
    const std::vector<double>& heights() const { return heights_; } ///< z in units of the height

    /// Returns the inward acceleration at radii()[i], averaged over the vertical profile.
    double inward(std::size_t i) const { return inward_[i]; }
    /// Returns the acceleration towards the plane at radii()[i], z = heights()[j] height.
    double downward(std::size_t i, std::size_t j) const
    {
        return downward_[i * heights_.size() + j];
    }

private:
    std::vector<double> radii_, heights_, inward_, downward_;
};

/// Height and truncation are in units of the scale length.
struct ThinDiskOptions {
    std::uint64_t particles = 10000;
    std::uint64_t seed = 1;
    double height = 0.05;
    double truncation = 10;
    ModelSize size = {};
};

/// Returns a cold exponential disk, without a size G = R_d = 1 and mass 1 before truncation, with
/// circular orbits of the razor-thin disk. It is not in equilibrium: it is a test case in which
/// monopole treecodes fail first. Throws Error(usage) for N = 0, a non-positive height or a
/// truncation below 0.1.
Snapshot make_thin_disk(const ThinDiskOptions& options);

} // namespace chamomile
