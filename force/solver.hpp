/// \file  The facade: accelerations and potentials of particles, whatever computes them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "chamomile/core/array_view.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/core/profile.hpp"
#include "chamomile/force/settings.hpp"

namespace chamomile {

class Archive;
class Communicator;

enum class Quantities { acceleration, acceleration_potential };

/// This says what becomes of gravity's smooth part in a periodic box, that of a mesh or of modes,
/// which changes slowly.
enum class LongRangePart {
    added,
    left_out, ///< It is not computed; criteria that compare with it take what was computed last.
    stored    ///< Accelerations of all particles go to an array of their own.
};

/// PartPlaces say to which rank's domain each source of this rank belongs.
struct PartPlaces {
    std::vector<std::size_t> begins; ///< first entry of leaving() per receiving rank, and the end
    /// Returns the local sources in tree order; before the next evaluation.
    std::function<std::vector<Index>()> leaving;
    /// Returns, for each source of this rank's domain, its index in the receive buffer, which is
    /// ordered by sending rank; likewise.
    std::function<std::vector<Index>()> arriving;
};

/// A RequestPart says that a request names the particles of one rank of several, each of which has
/// a request of its own. All particles are those of rank 0, then those of rank 1 and so on, unless
/// they have numbers.
struct RequestPart {
    std::uint64_t count = 0, active = 0; ///< of all ranks
    bool has_potentials = false; ///< asked for by all ranks, of which some may have no particles
    std::uint64_t first = 0;     ///< number of this rank's first particle among all
    /// Says how often the ranks have exchanged particles by the places of the evaluation before.
    /// Then each has sources in any order, tracers after them, and the numbers of both among all.
    std::uint64_t exchanges = 0;
    std::span<const Index> number = {};
    /// Where all ranks have sources alone that are active these get the places.
    PartPlaces* places = nullptr;
    /// Of all ranks so many are tracers, without mass at the end, and so many of these are active.
    std::uint64_t tracers = 0, active_tracers = 0;
    /// These are the shortest and the longest softening length of the sources of all ranks, if they
    /// have lengths of their own.
    std::optional<std::pair<double, double>> softenings = {};

    /// Returns the number of particle i of this rank among all.
    std::size_t number_of(std::size_t i) const { return number.empty() ? first + i : number[i]; }
};

/// A request describes one evaluation wholly: nothing that was said in an earlier one matters.
/// Vectors and numbers are doubles or floats, on the host or, all of them, on the solver's GPU.
struct Request {
    std::size_t count = 0;    ///< particles; every one is a source
    ArrayView position, mass; ///< On a device positions lie in the periodic box, if there is one.
    std::span<const std::uint64_t> id = {}; ///< by which messages name them; empty: by index

    ArrayView acceleration;   ///< of the targets; entry i belongs to particle i
    ArrayView potential = {}; ///< empty: it is not asked for
    /// These are the targets; empty: all. On a device they are instead those of at least the rung
    /// `first`.
    std::span<const Index> active = {};
    const std::uint8_t* rung = nullptr;
    int first = 0;
    /// Set if the particles are the local ones of a rank (Solver::ranks_of_parts()). `active` then
    /// names local particles, and may be empty.
    std::optional<RequestPart> part = {};
    /// For arrays on a device this is the cudaStream_t that makes them, after whose work so far the
    /// evaluation begins; null: after all work that the device has.
    void* stream = nullptr;

    /// Counts the evaluations of a run: places the root cube (`decorrelate`) and says when the
    /// error is measured (`accuracy`). A time loop numbers by steps, so that a restart goes on
    /// alike.
    std::uint64_t number = 0;
    /// This tells whether the order and the cells of the last tree, of the same particles before
    /// they moved a little, may stay while their moments are summed anew: cheaper where few are
    /// active, and as right, but cells that have spread make lists longer. Masses are then the same
    /// too.
    bool keeps_tree = false;
    /// This is set where it changes as a run goes on; none: that of the options.
    std::optional<double> softening_length = {};
    /// These are softening lengths of the particles' own in place of one for all; those above
    /// `softening_length` are cut to it. They lie on the host or beside the other arrays.
    ArrayView softening = {};
    /// This tells that particles without mass at the end are sources too, and no tracers.
    bool are_all_sources = false;

    LongRangePart long_range = LongRangePart::added;
    /// With LongRangePart::stored, where all particles are targets, the array holds zeros, to which
    /// the long range of each particle is added. Potentials hold both ranges.
    ArrayView long_range_acceleration = {};

    bool are_all_active() const { return part ? part->active == part->count : active.empty(); }
};

/// Throws Error(usage) for a request of a part, which none but the solvers of ranks take.
void require_whole(const Request& request);

/// Returns a request of all particles in arrays of the host without places and results.
Request request_of_sources(Particles& particles);

/// Returns a request of all particles in arrays of the host, which get room for the results.
Request request_of(Particles& particles, Quantities quantities);

/// These figures tell what several ranks did together.
struct RankStatistics {
    int ranks = 0;
    std::uint64_t imported_particles = 0, imported_cells = 0; ///< of other ranks, by all ranks
    std::uint64_t bytes = 0;                                  ///< sent between ranks
    std::uint64_t exchanges = 0, collectives = 0;             ///< calls of each rank
    double imbalance = 1; ///< work of the rank with the most, over the mean
    int partners = 0;     ///< that the rank with the most of them asks for cells
    std::uint64_t import_bytes = 0, most_import_bytes = 0; ///< sent for imports: by all, by one
    std::uint64_t most_memory = 0; ///< bytes of the largest rank's tree and sums; of direct sums 0
    std::uint64_t not_finite = 0;  ///< sums that were made again in double
};

/// These figures tell what an evaluation did.
struct ForceStatistics {
    std::uint64_t particle_particle = 0, particle_cell = 0; ///< pairs evaluated
    std::uint64_t expansions = 0; ///< cells expanded about the centre of a group or cluster
    std::uint64_t targets = 0, groups = 0, cells = 0;
    std::uint64_t batches = 0;    ///< of lists, each of which a GPU works off by up to five kernels
    std::uint64_t cancelling = 0; ///< targets of a direct sum in float that were summed in double
    std::uint64_t bytes_to_device = 0, bytes_from_device = 0;
    /// Of a sample of a tree's targets, where the criterion takes a tolerance and it was looked at:
    /// the part whose acceleration is less than an eighth of what the tolerance was taken of,
    /// because forces cancel there; their errors may be as many times larger than elsewhere.
    std::optional<double> cancelling_part;
    /// In a periodic box with a cut of pairs: softening_jump() of the longest pair.
    std::optional<double> softening_jump;
    std::optional<RankStatistics> ranks; ///< of several ranks
    bool kept_tree = false; ///< the cells were those of the last evaluation (Request::keeps_tree)
    double device_busy = 0; ///< seconds in which a kernel on lists ran; 0 on the host
    double device_span = 0; ///< from the start of the first of these kernels to the end of the last
    double device_wait = 0; ///< that the host waited for it after the last list
    Profile profile;        ///< seconds by phase of the host
    /// This is the error at the goal's percentile, where this evaluation measured it
    /// (SolverOptions::accuracy).
    std::optional<double> measured_error;
};

/// Adds what one evaluation did to a total.
void add(ForceStatistics& total, const ForceStatistics& one);

/// A report tells what a solver did about its AccuracyGoal.
struct AccuracyReport {
    enum class Event {
        chosen,  ///< by the first evaluation
        kept,    ///< the error lies where it may
        adjusted ///< it did not, and the limit of the criterion was changed
    };
    Event event;
    std::uint64_t evaluation;    ///< its number (Request::number)
    SolverOptions before, after; ///< in force; `before` of what was chosen says nothing
    double error_before, error;  ///< at the goal's percentile of the sample, measured with them
    int trials;                  ///< evaluations that choosing or adjusting took
    double seconds;              ///< of trials and direct sums
};

/// Computes the accelerations and potentials of the active particles from the positions of all.
/// Between evaluations it keeps memory and caches, and what exchange() names. A solver is not safe
/// for two threads at once; make one for each.
class Solver {
public:
    virtual ~Solver() = default;

    /// Writes what the request asks for. Throws Error(input) if a position or mass is not finite or
    /// two particles coincide without softening, Error(usage) for what it cannot do, Error(device)
    /// if the device fails.
    virtual ForceStatistics evaluate(const Request& request) = 0;

    /// Does the same for particles on the host, `active` or (empty) all; each call counts as one
    /// more evaluation.
    ForceStatistics solve(Particles& particles, Quantities quantities,
                          std::span<const Index> active = {});

    /// Tells whether requests may name arrays of its GPU.
    virtual bool takes_device_arrays() const { return false; }
    /// Returns the word that names that GPU.
    virtual std::string array_device() const { return options().device; }
    /// Returns the ranks each of which may have a part of a request (RequestPart); null: requests
    /// have no parts.
    virtual Communicator* ranks_of_parts() { return nullptr; }

    /// Keeps or restores what later evaluations depend on beside the particles.
    virtual void exchange(Archive&) {}

    /// Returns the name of what runs it, such as "CPU, avx512, 2 threads" or "NVIDIA H200".
    virtual std::string device() const = 0;

    /// Returns the options in force, with 0 and "auto" replaced by what was chosen. With a goal
    /// they change in evaluate().
    virtual const SolverOptions& options() const = 0;

private:
    std::uint64_t calls_ = 0;
};

/// Tells in a sentence why no solver computes these options; nothing if one does. It asks no
/// device.
std::optional<std::string> refusal(const SolverOptions& options);

/// Makes the solver. Throws Error(usage) with the refusal (with a goal, evaluate() does where even
/// the direct sum misses it), Error(device) if the device asked for is absent.
std::unique_ptr<Solver> make_solver(const SolverOptions& options);

} // namespace chamomile
