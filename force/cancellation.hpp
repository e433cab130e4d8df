/// \file  When a target's force is so small beside what pulls at it that a sum in float loses
/// digits, or a neighbour so close.
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

/// Neighbouring particles as they pull from where they are and from afar: the sum of |m|, their
/// centre, and the mean square distance from it.
struct Clump {
    Vec3<double> center;
    double mass = 0, spread = 1;
};

/// Particles of a clump, so that the sum over clumps takes little of the time of that over all n.
inline std::size_t clump_size(std::size_t n)
{
    return n < 4096 ? 64 : n < 16384 ? 128 : 256;
}

/// Whether coordinates in two floats, to 2^-48 of the distance r from the centre, blur a pair whose
/// softened distance is u by more than 6e-8 of its force.
CHAMOMILE_HD bool is_blurred(double u_squared, double r_squared)
{
    return u_squared < 0x1p-48 * r_squared;
}

/// The sum of |m| and of m^2.
struct MassSums {
    double mass = 0, squares = 0;

    bool operator==(const MassSums&) const = default;
};

/// The largest S / |a| for which a sum in float has a relative error below 3e-7, if its error is
/// at most `scatter` S / sqrt(N). Of unequal masses N counts those that matter: (sum m)^2 / sum
/// m^2. A force that is most of what pulls is never doubtful.
inline double largest_cancellation(const MassSums& sums, double scatter)
{
    const double root_n = sums.squares > 0 ? sums.mass / std::sqrt(sums.squares) : 1;
    return std::max(1.5, 3e-7 / scatter * root_n);
}

} // namespace chamomile
