/// \file  The solver interface: accelerations and potentials of particles, by any method.
#pragma once

#include <algorithm>
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

/// What to do with the slowly changing smooth part of periodic gravity, from a mesh or modes.
enum class LongRangePart {
    added,
    left_out, ///< not computed; acceptance criteria use the last one computed
    stored    ///< accelerations of all particles go to a separate array
};

/// MigrationPlan assign each local source to a rank's domain.
struct MigrationPlan {
    std::vector<std::size_t> begins; ///< first index in leaving() per receiving rank, and the end
    /// Returns the local sources in tree order. Valid until the next evaluation.
    std::function<std::vector<Index>()> leaving;
    /// Returns, for each source in this rank's domain, its index in the receive buffer (ordered by
    /// sending rank). Valid until the next evaluation.
    std::function<std::vector<Index>()> arriving;
};

/// Marks a request for one rank's particles among several ranks; each rank makes a request. Global
/// order: particles of rank 0, then of rank 1 and so on, unless `number` gives it.
struct GlobalCounts {
    std::uint64_t count = 0, active = 0; ///< of all ranks
    bool has_potentials = false;         ///< all ranks want potentials; some may have no particles
    std::uint64_t first = 0;             ///< global number of this rank's first particle
    /// Identifies the order of particles: with an equal value, this rank has the same particles as
    /// before in the same order, or a set of them. A migration by a MigrationPlan adds 1. 0: global
    /// order. Else sources come in any order, tracers after them, and `number` holds global
    /// numbers.
    std::uint64_t arrangement = 0;
    std::span<const GlobalIndex> number = {};
    /// Output. Filled when every particle is a source and active; null: not wanted.
    MigrationPlan* places = nullptr;
    /// Global counts: tracers (massless, at the end), and active tracers.
    std::uint64_t tracers = 0, active_tracers = 0;
    /// Min and max softening length over the sources of all ranks; only with per-particle
    /// softening.
    std::optional<std::pair<double, double>> softenings = {};

    /// Returns an arrangement that this process has not used, nor the next 2^32 - 1.
    static std::uint64_t new_arrangement();
    /// Returns how many of this rank's particles, in the global order, are sources; tracers follow.
    std::size_t sources_at_home(std::size_t own) const
    {
        return std::size_t(std::min<std::uint64_t>(own, std::max(count - tracers, first) - first));
    }
    /// Returns the global number of local particle i.
    GlobalIndex number_of(std::size_t i) const { return number.empty() ? first + i : number[i]; }
};

/// Describes one evaluation completely, independently of earlier requests. Values are double or
/// float; arrays are on the host or, all of them, on the solver's GPU. A member for each part of
/// the question.
struct Request {
    std::size_t count = 0;    ///< particles; all are sources, except tracers
    ArrayView position, mass; ///< On a device positions lie in the periodic box, if any.
    std::span<const std::uint64_t> id = {}; ///< for messages; empty: index

    ArrayView acceleration;   ///< of targets; entry i belongs to particle i
    ArrayView potential = {}; ///< empty: not wanted
    /// Targets; empty: all. On a device, targets are instead the particles with a rung of at least
    /// `first` (`rung` null: all).
    std::span<const Index> active = {};
    const std::uint8_t* rung = nullptr;
    int first = 0;
    /// Set if the particles are the local ones of a rank (Solver::ranks_of_parts()). `active` then
    /// names local particles, and may be empty.
    std::optional<GlobalCounts> part = {};
    /// For device arrays: the cudaStream_t that produces them. The evaluation waits for the
    /// stream's work so far; null: for all work on the device.
    void* stream = nullptr;

    /// Evaluation number: places the root cube (`decorrelate`) and schedules error measurements
    /// (`accuracy`). A time loop counts steps, so that a restart continues identically.
    std::uint64_t number = 0;
    /// Whether to keep the order and cells of the last tree, for the same particles, moved a
    /// little, with the same masses. Moments are summed again. Cheaper if few particles are active,
    /// and as accurate, but cells that have spread make lists longer.
    bool keeps_tree = false;
    /// Softening length, if it changes during a run; none: the options' length.
    std::optional<double> softening_length = {};
    /// Per-particle softening, on the host or where the other arrays are. Lengths above
    /// `softening_length` are cut to it.
    ArrayView softening = {};
    /// Whether massless particles at the end count as sources, not as tracers.
    bool are_all_sources = false;

    LongRangePart long_range = LongRangePart::added;
    /// For LongRangePart::stored with all particles as targets: an array of zeros, to which each
    /// particle's long-range acceleration is added. Potentials hold both ranges.
    ArrayView long_range_acceleration = {};

    bool are_all_active() const { return part ? part->active == part->count : active.empty(); }
};

/// Throws Error(usage) for a request without masses, or with a part, which only solvers on ranks
/// accept.
void require_whole(const Request& request);

/// Returns a request with masses, ids and softening in host arrays, without positions and results.
Request request_of_sources(Particles& particles);

/// Returns a request for all particles, in host arrays; allocates the results.
Request request_of(Particles& particles, Quantities quantities);

/// Statistics over several ranks.
struct RankStatistics {
    int ranks = 0;
    std::uint64_t imported_particles = 0, imported_cells = 0; ///< summed over ranks
    std::uint64_t bytes = 0;                                  ///< sent between ranks
    std::uint64_t exchanges = 0, collectives = 0;             ///< calls per rank
    double imbalance = 1;                                     ///< max work per rank over the mean
    int partners = 0; ///< max number of ranks that one rank asks for cells
    std::uint64_t import_bytes = 0, max_import_bytes = 0; ///< sent: total, max per rank
    std::uint64_t max_memory = 0; ///< max bytes per rank for tree and sums; direct sums: 0
    std::uint64_t not_finite = 0; ///< sums repaired in double
};

/// Statistics for one evaluation. A member for each count and time.
struct ForceStatistics {
    std::uint64_t particle_particle = 0, particle_cell = 0; ///< pairs evaluated
    std::uint64_t expansions = 0; ///< cells expanded about a group's or cluster's center
    std::uint64_t targets = 0, groups = 0, cells = 0;
    std::uint64_t batches = 0;    ///< batches of lists; a GPU runs up to four kernels for each
    std::uint64_t cancelling = 0; ///< direct sums in float, repeated in double
    std::uint64_t bytes_to_device = 0, bytes_from_device = 0;
    /// Fraction of sampled tree targets whose acceleration is less than an eighth of the estimate
    /// used by the criterion, because forces cancel there. Their errors may exceed typical ones by
    /// the same factor. Only if a sample was taken and the criterion has a tolerance.
    std::optional<double> cancelling_part;
    /// softening_jump() for the longest pair, in a periodic box with a cutoff.
    std::optional<double> softening_jump;
    std::optional<RankStatistics> ranks; ///< with several ranks
    bool kept_tree = false; ///< cells from the last evaluation were kept (Request::keeps_tree)
    double device_busy = 0; ///< seconds during which a list kernel ran; 0 on the host
    double device_span = 0; ///< seconds from the first list kernel's start to the last one's end
    double device_wait = 0; ///< seconds that the host waited for the device after the last list
    Profile profile;        ///< host seconds by phase
    /// Error at the goal's percentile, if measured in this evaluation (SolverOptions::accuracy).
    std::optional<double> measured_error;
};

/// Adds the statistics of one evaluation to a total.
void add(ForceStatistics& total, const ForceStatistics& one);

/// Reports what a solver did about its AccuracyGoal.
struct AccuracyReport {
    enum class Event {
        chosen,  ///< by the first evaluation
        kept,    ///< the error is in the allowed range
        adjusted ///< it is not; the criterion's limit was changed
    };
    Event event;
    std::uint64_t evaluation;    ///< Request::number
    SolverOptions before, after; ///< in force; `before` is meaningless if `chosen`
    double error_before, error;  ///< at the goal's percentile of the sample, for both options
    int trials;                  ///< evaluations needed to choose or adjust
    double seconds;              ///< for trials and direct sums
};

/// Computes accelerations and potentials at active particles from the positions of all particles.
/// Between evaluations, a solver keeps memory, caches and the state of exchange(). Not thread-safe:
/// use one solver per thread.
class Solver {
public:
    virtual ~Solver() = default;

    /// Writes the requested results. Throws Error(input) for a non-finite position or mass or if
    /// two particles coincide without softening, Error(usage) for unsupported requests,
    /// Error(device) if the device fails.
    virtual ForceStatistics evaluate(const Request& request) = 0;

    /// Like evaluate(), for particles on the host; targets are `active` or (empty) all. Each call
    /// counts as one more evaluation.
    ForceStatistics solve(Particles& particles, Quantities quantities,
                          std::span<const Index> active = {});

    /// Returns whether requests may use arrays on the solver's GPU.
    virtual bool takes_device_arrays() const { return false; }
    /// Returns the device word for that GPU, as in SolverOptions::device.
    virtual std::string array_device() const { return options().device; }
    /// Returns the ranks whose requests have parts (GlobalCounts); null: requests have no parts.
    virtual Communicator* ranks_of_parts() { return nullptr; }

    /// Saves or restores all state, besides particles, that affects later evaluations.
    virtual void exchange(Archive&) {}

    /// Returns a device name such as "CPU, avx512, 2 threads" or "NVIDIA H200".
    virtual std::string device() const = 0;

    /// Returns the options in force, with 0 and "auto" replaced by the values chosen. With a goal,
    /// evaluate() may change them.
    virtual const SolverOptions& options() const = 0;

private:
    std::uint64_t calls_ = 0;
};

/// Returns a sentence that says why no solver computes these options; nothing if one does. Queries
/// no device.
std::optional<std::string> refusal(const SolverOptions& options);

/// Makes the solver. Throws Error(usage) with the refusal, Error(device) if the device is absent.
/// With a goal that even a direct sum misses, evaluate() throws.
std::unique_ptr<Solver> make_solver(const SolverOptions& options);

} // namespace chamomile
