/// \file  The field of fixed sources: one tree for many evaluations, at any points.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "chamomile/core/array_view.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

/// Sources: positions (3 components), masses (1), and velocities (3) if jerks are wanted.
/// FieldSolver::build() copies them.
struct FieldSources {
    std::size_t count = 0;
    ArrayView position, mass, velocity = {};
    ArrayView softening = {}; ///< per particle, on the host; empty: one length for all
};

/// Targets: points at which to evaluate the field.
struct FieldTargets {
    std::size_t count = 0;
    ArrayView position, velocity = {}; ///< velocities for jerks
    /// Index of the source at the target's place that the target does not feel; -1: none. Empty: no
    /// target is a source. Without softening, coincident sources exert no force in any case.
    std::span<const std::int64_t> self = {};
    /// Softening length per target. Empty: a target that is a source uses that source's length, any
    /// other target uses 0.
    ArrayView softening = {};
};

/// Result arrays, per unit mass, with G included. Empty arrays are not computed.
struct FieldResults {
    ArrayView acceleration = {}; ///< 3 components
    ArrayView potential = {};    ///< 1, negative
    ArrayView tidal = {};        ///< 6: d a_i / d x_j as xx, xy, xz, yy, yz, zz
    ArrayView jerk = {};         ///< 3: d a / dt along the target's path. At all sources a tree
                                 ///< sums tidal tensors and jerks by its lists, else over pairs

    explicit operator bool() const { return acceleration || potential || tidal || jerk; }
};

/// The derivatives of a loss L with respect to the fields at all sources, in the sources' order.
/// Empty arrays: 0.
struct FieldCotangents {
    ArrayView acceleration = {}; ///< 3 components: dL/da
    ArrayView potential = {};    ///< 1: dL/dphi
};

/// Result arrays: the derivatives of L with respect to the sources. Empty arrays are not computed.
struct FieldGradients {
    ArrayView position = {}; ///< 3 components: dL/dx
    ArrayView mass = {};     ///< 1: dL/dm
    /// Source indices; entry k in the arrays belongs to source active[k]. Empty: all sources.
    /// Direct sums take less time for a few; a tree does not.
    std::span<const Index> active = {};
};

/// A copy of the sources as given to build().
struct FieldCopy {
    std::vector<Vec3<double>> position, velocity; ///< velocity: empty if not given
    std::vector<double> mass;
    std::vector<double> softening = {}; ///< empty: one length for all

    FieldSources sources() const
    {
        return {mass.size(), view_of(std::span(position)), view_of(std::span(mass)),
                velocity.empty() ? ArrayView{} : view_of(std::span(velocity)),
                softening.empty() ? ArrayView{} : view_of(std::span(softening))};
    }
};

/// Accelerations, potentials, tidal tensors and jerks from sources given once. Not thread-safe: use
/// one solver per thread. Sums by evaluate_sources() are bitwise those by Solver::solve().
class FieldSolver {
public:
    virtual ~FieldSolver() = default;

    /// Copies the sources; for a tree, sorts them and sums moments. SolverOptions::decorrelate
    /// places the root cube at random in each build. Throws Error(input) naming the first
    /// non-finite value (or, for a tree, negative mass), Error(device).
    virtual void build(const FieldSources& sources) = 0;

    /// Replaces the sources by equally many, moved ones: keeps their order and cells and sums
    /// moments again. Results stay within the criterion; time grows with the distances moved.
    virtual void refit(const FieldSources& sources) = 0;

    /// Returns the number of sources of the last build; 0 before.
    virtual std::size_t size() const = 0;

    /// Returns a copy of the sources. Throws Error(device).
    virtual FieldCopy copy_of_sources() = 0;

    /// Evaluates the field at the targets. Without sources the field is 0. Throws Error(usage)
    /// before build() or for unsupported results, Error(input) for a non-finite point or a self
    /// index out of range, Error(device).
    virtual ForceStatistics evaluate(const FieldTargets& targets, const FieldResults& results) = 0;

    /// Evaluates the field at the sources with indices `active` (empty: all), each without itself.
    /// Entry k in the results belongs to source active[k]. Throws Error(input) also if two sources
    /// coincide without softening.
    virtual ForceStatistics evaluate_sources(std::span<const Index> active,
                                             const FieldResults& results) = 0;

    /// Computes the gradient of a loss L of the fields that evaluate_sources() computes at all
    /// sources: by the same lists, with moments one degree higher, or directly. Softening lengths
    /// count as constants. A tree on a GPU may be replaced by one on the host. Throws Error(input)
    /// for a non-finite value and like evaluate_sources(), Error(usage) on several ranks.
    virtual ForceStatistics evaluate_adjoint(const FieldCotangents& given,
                                             const FieldGradients& gradients) = 0;

    /// Finds exactly the sources within a radius around each target, without the target's self. Not
    /// for periodic boxes. Indices for target i start at list[i * max], ascending. count[i] is
    /// their number and may exceed `max`; indices beyond `max` are dropped.
    virtual void neighbours(const FieldTargets& targets, const ArrayView& radius, std::size_t max,
                            std::span<std::int64_t> count, std::span<std::int64_t> list) = 0;

    /// Returns a name such as "CPU, avx512, 2 threads" or "NVIDIA H200".
    virtual std::string device() const = 0;

    /// Returns the options with 0 and "auto" replaced by the values chosen.
    virtual const SolverOptions& options() const = 0;
};

/// Returns options for a field from these sources: `options`, or with an accuracy goal the options
/// that a solver with this goal chooses. Throws like make_solver(), and Error(usage) for a goal and
/// sources on a device.
SolverOptions options_for(const FieldSources& sources, const SolverOptions& options);

/// Returns a sentence that says why no field exists for these options; nothing if one does.
std::optional<std::string> field_refusal(const SolverOptions& options);

/// Makes the field of a tree or, with SolverKind::direct, of all pairs. In a periodic box it yields
/// accelerations and potentials only, and a direct sum only at the sources. For options with a goal
/// call options_for() first. Throws like make_solver(), and Error(usage) with the refusal.
std::unique_ptr<FieldSolver> make_field_solver(const SolverOptions& options);

} // namespace chamomile
