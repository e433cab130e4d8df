/// \file  The field of sources that stay: one tree for many evaluations, at any points.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "chamomile/core/array_view.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {

/// The sources have positions (3 components) and masses (1), and velocities (3) where jerks are
/// asked for. FieldSolver::build() copies them.
struct FieldSources {
    std::size_t count = 0;
    ArrayView position, mass, velocity = {};
    ArrayView softening = {}; ///< lengths of their own, on the host; empty: one for all
};

/// The targets are the points at which the field is asked for.
struct FieldTargets {
    std::size_t count = 0;
    ArrayView position, velocity = {}; ///< velocities for jerks
    /// The source that a target is and does not feel, at the same place; -1: none. Empty: none is
    /// one. Without softening sources at a target's place pull at nothing in any case.
    std::span<const std::int64_t> self = {};
    /// Where sources have softening lengths of their own, those of the targets; empty: that of the
    /// source that a target is, and of others 0.
    ArrayView softening = {};
};

/// Results go to these arrays, per unit mass and with G included; those of empty arrays are not
/// computed.
struct FieldResults {
    ArrayView acceleration = {}; ///< 3 components
    ArrayView potential = {};    ///< 1, negative
    ArrayView tidal = {};        ///< 6: d a_i / d x_j as xx, xy, xz, yy, yz, zz
    ArrayView jerk = {};         ///< 3: d a / dt along the target's path

    explicit operator bool() const { return acceleration || potential || tidal || jerk; }
};

/// This is a copy of the sources as they were given.
struct FieldCopy {
    std::vector<Vec3<double>> position, velocity; ///< velocities: none if none were given
    std::vector<double> mass;
    std::vector<double> softening = {}; ///< none: one length for all

    FieldSources sources() const
    {
        return {mass.size(), view_of(std::span(position)), view_of(std::span(mass)),
                velocity.empty() ? ArrayView{} : view_of(std::span(velocity)),
                softening.empty() ? ArrayView{} : view_of(std::span(softening))};
    }
};

/// Accelerations, potentials, tidal tensors and jerks of sources that are given once. A solver is
/// not safe for two threads at once; make one for each. Sums at the sources, by evaluate_sources(),
/// are those of Solver::solve(), bit for bit.
class FieldSolver {
public:
    virtual ~FieldSolver() = default;

    /// Takes the sources and, for a tree, orders them and sums moments; SolverOptions::decorrelate
    /// places the root cube of each build anew. Throws Error(input) naming the first value that is
    /// not finite (or mass that is negative, for a tree), Error(device).
    virtual void build(const FieldSources& sources) = 0;

    /// Takes the same number of sources, which have moved: keeps their order and cells and sums the
    /// moments anew. Results stay within the criterion, while the time grows with the distances
    /// moved.
    virtual void refit(const FieldSources& sources) = 0;

    /// Returns the number of sources of the last build; 0 before.
    virtual std::size_t size() const = 0;

    /// Returns the sources themselves. Throws Error(device).
    virtual FieldCopy copy_of_sources() = 0;

    /// Evaluates the field at the targets; the field of no sources is 0. Throws Error(usage) before
    /// build() or for results that cannot be had, Error(input) for a point that is not finite or a
    /// self out of range, Error(device).
    virtual ForceStatistics evaluate(const FieldTargets& targets, const FieldResults& results) = 0;

    /// Evaluates the field at the sources `active` (their numbers; empty: at all), each without
    /// itself. Entry k of the results belongs to source active[k]. Throws Error(input) also if two
    /// coincide without softening.
    virtual ForceStatistics evaluate_sources(std::span<const Index> active,
                                             const FieldResults& results) = 0;

    /// Finds exactly the sources within a radius of each target (in periodic boxes there are none).
    /// The neighbours' numbers of target i stand ascending from list[i * most] on; count[i] is how
    /// many there are, which may be more than `most`; those beyond are left out. A target's self is
    /// left out.
    virtual void neighbours(const FieldTargets& targets, const ArrayView& radius, std::size_t most,
                            std::span<std::int64_t> count, std::span<std::int64_t> list) = 0;

    /// Returns a name such as "CPU, avx512, 2 threads" or "NVIDIA H200".
    virtual std::string device() const = 0;

    /// Returns the options with 0 and "auto" replaced by the choices.
    virtual const SolverOptions& options() const = 0;
};

/// Returns the options of a field of these sources: those that are given or, with a goal, those
/// that a solver which keeps it chooses for them. Throws like make_solver(), and Error(usage) for a
/// goal and sources on a device.
SolverOptions options_for(const FieldSources& sources, const SolverOptions& options);

/// Tells in a sentence why there is no field of these options; nothing if there is one.
std::optional<std::string> field_refusal(const SolverOptions& options);

/// Makes the field of a tree or, with SolverKind::direct, of all pairs. In a periodic box it has
/// accelerations and potentials alone, and that of all pairs has them at the sources alone.
/// options_for() makes options of a goal. Throws like make_solver(), and Error(usage) with the
/// refusal.
std::unique_ptr<FieldSolver> make_field_solver(const SolverOptions& options);

} // namespace chamomile
