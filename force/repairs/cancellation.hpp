/// \file  The tests for targets whose sums in float lose digits: the force is small beside the sum
/// of its terms' absolute values, or a neighbour is very close.
///
/// The error of a sum of N pairs in float is that of N roundings: about 1/sqrt(N) of the sum of
/// their absolute values S = sum_j |m_j| / u_ij^2, whatever the sum itself comes to. Where forces
/// cancel, |a| << S, a small part of S is a large part of a. The same targets' sums are made again
/// in double where coordinates about a centre are too coarse for a close pair.
#pragma once

#include <algorithm>
#include <cmath>

#include "chamomile/core/vec3.hpp"

namespace chamomile {

/// A clump stands for neighbouring particles in an estimate of S: it has the sum of |m|, their
/// centre, and the mean square distance from it.
struct Clump {
    Vec3<double> center;
    double mass = 0, spread = 1;
};

/// Returns the number of particles in a clump, chosen so that the sum over clumps takes little of
/// the time of the sum over all n.
inline std::size_t clump_size(std::size_t n)
{
    return n < 4096 ? 64 : n < 16384 ? 128 : 256;
}

/// Tells whether coordinates in two floats, to 2^-48 of the distance r from the centre, blur a pair
/// whose softened distance is u by more than 6e-8 of its force.
CHAMOMILE_HD bool is_blurred(double u_squared, double r_squared)
{
    return u_squared < 0x1p-48 * r_squared;
}

/// These are the sums of |m| and of m^2 over all sources.
struct MassSums {
    double mass = 0, squares = 0;

    bool operator==(const MassSums&) const = default;
};

/// Returns the largest S / |a| for which a sum in float has a relative error below 3e-7, if its
/// error is at most `scatter` S / sqrt(N). For unequal masses N is the effective number of
/// particles, (sum m)^2 / sum m^2. The result is at least 1.5: a force that is most of S needs no
/// repair.
inline double largest_cancellation(const MassSums& sums, double scatter)
{
    const double root_n = sums.squares > 0 ? sums.mass / std::sqrt(sums.squares) : 1;
    return std::max(1.5, 3e-7 / scatter * root_n);
}

} // namespace chamomile
