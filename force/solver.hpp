/// \file  The facade: accelerations and potentials of particles, whatever computes them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "chamomile/core/array_view.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/core/profile.hpp"
#include "chamomile/core/softening.hpp"
#include "chamomile/force/accuracy/goal.hpp"
#include "chamomile/tree/acceptance.hpp"

namespace chamomile {

class Archive;

enum class SolverKind { tree, direct };
enum class Precision {
    /// Pair sums in float about the group's centre, tiles added in double. Direct sums whose terms
    /// cancel (force/cancellation.hpp) are made again in double.
    single_precision,
    double_precision
};
enum class Quantities { acceleration, acceleration_potential };

/// Where the smooth part of periodic gravity comes from.
enum class LongRangeKind {
    mesh, ///< TreePM (Bagla 2002, Springel 2005): density and potential on a mesh
    modes ///< Ewald's sum over Fourier modes, without a mesh; r_cut is then 0.45 of the side
};

/// A periodic cube [0, box)^3 with a uniform background of the opposite mass.
struct PeriodicOptions {
    double box = 0; ///< its side; 0: isolated, and none of the following counts
    LongRangeKind long_range = LongRangeKind::mesh;
    int mesh = 0;        ///< cells along a side; 0: chosen by the number of particles
    double split = 1.25; ///< r_s in cells of the mesh
    double cut = 5;      ///< r_cut in r_s: pairs farther apart have no short range

    explicit operator bool() const { return box > 0; }
};

/// All that decides a force; the defaults are what `chamomile --help` shows.
struct SolverOptions {
    SolverKind solver = SolverKind::tree;
    Criterion criterion = Criterion::moments;
    /// Of Criterion::relative and moments (Salmon & Warren 1994, Dehnen 2014): a cell is accepted
    /// where the first term that its multipoles leave out, such as M b^(p+1) / d^(p+3) to order p,
    /// stays below tolerance times the acceleration there, estimated.
    double tolerance = 0.001;
    /// Of Criterion::geometric and minimum_distance: a cell of size l is accepted beyond l / theta.
    double theta = 0.6;
    int local_order = 6; ///< of the expansions of distant cells' field about a group; 0: none
    int order = 2;       ///< of the multipoles: 0, 2 (quadrupole), 3 (octupole) or 4 (hexadecapole)
    int group_size = 0;  ///< most particles that share one interaction list; 0: chosen by device
    int leaf_size = 0;   ///< most particles of a cell without daughters; 0: chosen by device
    int batch_size = 0; ///< groups whose lists go to the device together; 0: chosen. Changes no bit
    Softening softening;
    double gravitational_constant = 1;
    PeriodicOptions periodic;
    Precision precision = Precision::single_precision;
    /// Of a tree: the seed of a root cube at a random place in each evaluation, so that the errors
    /// of successive evaluations are not those of the same cells; none: the smallest cube.
    std::optional<std::uint64_t> decorrelate;
    /// An error to keep: the solver chooses criterion, tolerance or theta, orders and sizes.
    std::optional<AccuracyGoal> accuracy;
    std::string device = "auto";          ///< auto, cpu, gpu or gpu:n
    std::string instruction_set = "auto"; ///< of the CPU: auto, avx512, avx2 or baseline
};

/// Particles in arrays of a solver's GPU: vectors and numbers that are doubles.
struct DeviceArrays {
    std::size_t count = 0;
    ArrayView position, mass, acceleration;
    ArrayView potential = {};  ///< empty: is not asked for
    ArrayView long_range = {}; ///< of LongRangePart::apart: zeros, to which that of all is added
    /// On the device too: targets are the particles of at least the level `first`; null: all.
    const std::uint8_t* level = nullptr;
    int first = 0;
};

/// Thrown where arrays on a device are not enough, such as for particles that coincide: the same
/// particles in arrays of the host are looked at more closely.
struct NeedsHost {};

/// What the last evaluation did.
struct ForceStatistics {
    std::uint64_t particle_particle = 0, particle_cell = 0; ///< pairs evaluated
    std::uint64_t expansions = 0; ///< cells expanded about the centre of a group or cluster
    std::uint64_t targets = 0, groups = 0, cells = 0;
    std::uint64_t cancelling = 0; ///< targets of a direct sum in float that were summed in double
    std::uint64_t bytes_to_device = 0, bytes_from_device = 0;
    /// Of a sample of a tree's targets, where the criterion takes a tolerance and it was looked at:
    /// the part whose acceleration is less than an eighth of what the tolerance was taken of,
    /// because forces cancel there; their errors may be as many times larger than elsewhere.
    std::optional<double> cancelling_part;
    bool kept_tree = false; ///< the cells were those of the last evaluation (Solver::keep_tree)
    double device_busy = 0; ///< seconds in which a kernel on lists ran; 0 on the host
    double device_span = 0; ///< from the start of the first of these kernels to the end of the last
    double device_wait = 0; ///< that the host waited for it after the last list
    Profile profile;        ///< seconds by phase of the host
    /// At the goal's percentile, where this evaluation measured it (SolverOptions::accuracy).
    std::optional<double> measured_error;
};

/// What a solver did about its AccuracyGoal.
struct AccuracyReport {
    enum class Event {
        chosen,  ///< by the first evaluation
        kept,    ///< the error lies where it may
        adjusted ///< it did not, and the limit of the criterion was changed
    };
    Event event;
    std::uint64_t evaluation;    ///< its number (Solver::number_next)
    SolverOptions before, after; ///< in force; `before` of what was chosen says nothing
    double error_before, error;  ///< at the goal's percentile of the sample, measured with them
    int trials;                  ///< evaluations that choosing or adjusting took
    double seconds;              ///< of trials and direct sums
};

/// Gravity's smooth part in a periodic box, that of a mesh or of modes, changes slowly.
enum class LongRangePart {
    added,
    left_out, ///< and not computed: criteria that compare with it take what was computed last
    apart     ///< computed of all particles, to sums of its own
};

struct LongRangeSums {
    std::vector<Vec3<double>> acceleration;
    std::vector<double> potential; ///< where potentials are asked for
};

/// Computes the accelerations and potentials of the active particles from the positions of all.
/// Not safe for two threads at once; make one solver for each.
class Solver {
public:
    virtual ~Solver() = default;

    /// Writes acceleration (and potential, if asked for) of the particles `active` (indices;
    /// empty: of all). Throws Error(input) if a position or mass is not finite or two particles
    /// coincide without softening, Error(device) if the device fails.
    virtual ForceStatistics solve(Particles& particles, Quantities quantities,
                                  std::span<const Index> active = {}) = 0;

    /// Whether it has the following.
    virtual bool takes_device_arrays() const { return false; }
    /// Of particles in arrays of its GPU, with the bits of the above.
    /// Positions lie in the periodic box, if there is one, and masses are always the same. Throws
    /// NeedsHost before or after the accelerations are written, else as the above.
    virtual ForceStatistics solve_there(const DeviceArrays&) { throw NeedsHost(); }

    /// The number of the next evaluation, by which its root cube is placed (`decorrelate`) and its
    /// error is checked; else each counts on from 0. A time loop numbers by steps, so that a
    /// restart goes on alike.
    virtual void number_next(std::uint64_t) {}

    /// Whether the next evaluation may keep the order and cells of the last one's tree, of the same
    /// particles before they moved a little, and sum the moments of these cells anew: cheaper where
    /// few are active, and as right, but cells that have spread make lists longer. Stays as it is
    /// said until it is said again; at first trees are built.
    virtual void keep_tree(bool) {}

    /// Whether it has the following two: in periodic boxes with a mesh or modes.
    virtual bool has_long_range() const { return false; }
    /// What becomes of the long range in evaluations to come; at first it is added.
    virtual void use_long_range(LongRangePart, LongRangeSums* /*apart*/ = nullptr) {}
    /// r_s, by which the ranges part; known after the first evaluation.
    virtual double split_radius() const { return 0; }

    /// The softening length of the next evaluations, where that changes as a simulation goes on.
    /// Throws Error(usage) where it cannot.
    virtual void soften(double length);

    /// Keeps or restores what later evaluations depend on beside the particles.
    virtual void exchange(Archive&) {}

    /// What runs it, such as "CPU, avx512, 2 threads" or "NVIDIA H200".
    virtual std::string device() const = 0;

    /// The options in force, with 0 and "auto" replaced by what was chosen. With a goal they change
    /// in solve().
    virtual const SolverOptions& options() const = 0;
};

/// Throws Error(usage) for options out of range (with a goal, solve() does where even the direct
/// sum misses it), Error(device) if the device asked for is absent.
std::unique_ptr<Solver> make_solver(const SolverOptions& options);

} // namespace chamomile
