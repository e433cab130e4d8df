/// \file  Judges forces of another code: errors of single forces, and systematic errors.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chamomile/force/accuracy/force_errors.hpp"
#include "chamomile/force/settings.hpp"

namespace chamomile {

/// Forces by another code for some particles.
struct OtherForces {
    std::vector<Index> particle;            ///< of each row, all different
    std::vector<Vec3<double>> acceleration; ///< one per row; empty: unknown
    std::vector<double> potential;          ///< one per row; empty: unknown
    bool by_row = false;                    ///< whether row k was taken for particle k
};

struct JudgeRequest {
    Physics physics; ///< stated for the particles
    /// Whether softening and G are known. Otherwise the judge finds those with the smallest errors.
    bool knows_softening = false, knows_gravity = false;
    std::size_t sample = 5000; ///< max number of targets
    /// Sums for targets, as exact_sums() returns them.
    std::function<ReferenceSums(Particles&, std::span<const Index>, const Physics&)> sums;
};

/// How rows belong to particles.
enum class RowOrder {
    as_given,
    by_id,    ///< the k-th row is the particle with the k-th smallest id
    by_row,   ///< the k-th row is the k-th particle, whatever the ids are
    shuffled, ///< the same accelerations in an unknown order
    unrelated ///< accelerations have other directions and other sizes
};

/// A number found in a sample, with its standard error.
struct Estimate {
    double value = 0, error = 0;
};

/// Errors in a range of radii or accelerations.
struct ErrorBin {
    double from = 0, to = 0;    ///< min and max in the bin
    double median = 0, p99 = 0; ///< of |da| / |a|
    Estimate ratio; ///< median of the acceleration along the exact one, over the exact one
};

/// An acceleration far worse than all others; |da| / |a|.
struct Outlier {
    Index particle = 0;
    double error = 0;
};

/// The law that explains the other forces best, with the systematic errors that remain. A member
/// for each finding.
struct Judgement {
    RowOrder order = RowOrder::as_given;
    double angle = 0; ///< median between exact and other accelerations as given, in degrees
    /// Component k of the exact acceleration is sign[k] times component axis[k] of the other.
    std::array<int, 3> axis{0, 1, 2}, sign{1, 1, 1};
    bool only_rows_attract = false; ///< whether only particles with a row are sources
    Softening softening;            ///< the largest length, if there is per-particle softening
    double softening_scale = 1;     ///< factor on stated per-particle softening
    Estimate factor{1, 0};          ///< accelerations are this times the exact ones
    Vec3<double> added;             ///< constant acceleration in addition, already over `factor`
    Estimate potential_factor{1, 0};
    double potential_offset = 0;  ///< constant in addition, already over `potential_factor`
    bool has_self_energy = false; ///< whether potentials include the particle itself, -G m / eps

    std::vector<Index> targets; ///< compared particles, ascending
    TargetErrors stated;        ///< by stated G and softening
    TargetErrors found;         ///< by the law above
    std::vector<double> radius; ///< of the targets, from the center of mass
    /// Bins of equally many targets, without outliers; by radius only if isolated.
    std::vector<ErrorBin> by_radius, by_acceleration;
    /// Few particles with much larger errors than all others; largest error first. In isolated
    /// systems also beyond the sample, where a tree finds them and exact sums confirm them.
    std::vector<Outlier> outliers;
    double max_without_outliers = 0;
    std::optional<double> net_force; ///< |sum m a| / sum m |a|, if all particles have rows

    bool has_axes() const { return axis != std::array{0, 1, 2} || sign != std::array{1, 1, 1}; }
    bool is_as_stated(const Softening& stated) const;
};

/// Judges the forces by direct sums in double. Overwrites the particles' accelerations and
/// potentials. Throws the errors of the sums.
Judgement judge(Particles& particles, const OtherForces& other, const JudgeRequest& request);

} // namespace chamomile
