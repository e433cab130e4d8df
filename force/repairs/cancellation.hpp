/// \file  Tests for targets whose float sums lose digits: the force is small compared with the sum
/// of absolute terms, or a neighbour is very close.
///
/// A float sum over N pairs has an error from N roundings: proportional to S / sqrt(N) with the
/// absolute sum S = sum_j |m_j| / u_ij^2, whatever the result. Where forces cancel, |a| << S, a
/// small fraction of S is a large fraction of a. Such sums are repeated in double, also if
/// coordinates about a center are too coarse for a close pair.
#pragma once

#include <algorithm>
#include <cmath>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// A clump stands for neighbouring particles in an estimate for S: sum of |m|, center, and mean
/// square distance from it.
struct PseudoParticle {
    Vec3<double> center;
    double mass = 0, spread = 1;
};

/// Returns the number of particles per clump, so large that a sum over clumps takes little time
/// compared with the sum over n particles.
inline std::size_t clump_size(std::size_t n)
{
    return n < 4096 ? 64 : n < 16384 ? 128 : 256;
}

/// Returns whether coordinates in two floats, to 2^-48 of the distance r from the center, change
/// the force at softened distance u by more than 6e-8.
CHAMOMILE_HD bool is_blurred(double u_squared, double r_squared)
{
    return u_squared < 0x1p-48 * r_squared;
}

/// Sums of |m| and m^2 over all sources.
struct MassSums {
    double mass = 0, squares = 0;

    bool operator==(const MassSums&) const = default;
};

/// Returns the largest S / |a| at which a float sum has a relative error below 3e-7, if its error
/// is at most `scatter` S / sqrt(N). For unequal masses N is the effective particle number, (sum
/// m)^2 / sum m^2. At least 1.5: a force close to S needs no repair.
inline double largest_cancellation(const MassSums& sums, double scatter)
{
    const double root_n = sums.squares > 0 ? sums.mass / std::sqrt(sums.squares) : 1;
    return std::max(1.5, 3e-7 / scatter * root_n);
}

} // namespace chamomile
