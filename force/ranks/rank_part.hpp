/// \file  What each rank does of an evaluation of all: its part of the tree, lists and sums.
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/domain/domain_tree.hpp"
#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/lists/list_batches.hpp"
#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/parallel/communicator.hpp"

namespace chamomile {

/// An Order tells the other ranks what rank 0 wants of all.
struct Order {
    enum class Task {
        prepare, ///< make what evaluates the lists, which is refused where it cannot be
        evaluate,
        guest, ///< something of the guests alone
        end    ///< nothing more will come
    };
    Task task = Task::evaluate;
    std::uint64_t count = 0; ///< of the sources of all ranks, which come first
    /// Particles without mass after the last source are points beside a tree, as on one rank: this
    /// many of all ranks are to be summed at.
    std::uint64_t tracers = 0;
    bool has_sources = true;  ///< some rank has one
    bool sums_sources = true; ///< some source is to be summed at
    Quantities quantities = Quantities::acceleration;
    CubePlacement placement = {};
    Softening softening = {};
    /// Where sources have softening lengths of their own, this is the shortest and softening.length
    /// the longest; `most_softening` is that to which all are cut.
    std::optional<double> least_softening = {};
    double most_softening = HUGE_VAL;
    double gravitational_constant = 1;
    SolverKind solver = SolverKind::tree;
    ListOptions lists = {};
    Precision precision = Precision::single_precision;
    bool share_gpu = false;
    bool has_own_rows = false;   ///< each rank has a request, of particles of its own
    bool has_targets = false;    ///< the request names its targets; else all sources are
    std::uint64_t kept_tree = 0; ///< the number of the evaluation whose cells may stay; 0: none
    std::uint64_t number = 0;    ///< of this evaluation among those of rank 0's process, from 1
    int threads = 1;             ///< of each rank
    double time_limit = 600;     ///< Communicator::time_limit()
    char instruction_set[16] = {};
    char device[256] = {}; ///< cpu, or the GPUs of each machine (choose_gpus())

    /// Returns the order to prepare for options that are resolved, without a device.
    static Order of(const SolverOptions& resolved);
    /// Returns that to evaluate a request.
    static Order of(const SolverOptions& resolved, const Request& request);
    /// Says which of a request's particles are to be summed at, where `count` is known.
    void take_targets(const Request& request);
};

/// Throws Error(usage) for a request of particles that are not on the host, Error(input) for an
/// active particle that is none of them.
void refuse_arrays(const Request& request);

/// Makes those results of a request anew that are not finite, because particles are closer to
/// another than float can tell; the part tells their numbers among all, of which so many are
/// sources. Throws as repair_singular_targets() does, Error(numeric) naming a tracer.
void repair_not_finite(Particles& all, std::size_t sources, const RequestPart& part,
                       const Request& request, const Order& order);

/// Returns the options that ranks have from an order.
SolverOptions options_of(const Order& order);

/// Returns the n items of an array where they are, or a copy.
template <class T>
std::span<const T> dense_items(const ArrayView& array, std::size_t n, std::pmr::vector<T>& copy);

/// A DirectSum is what one rank tells of a particle.
struct DirectSum {
    Index particle;
    double potential;
    Vec3<double> acceleration;
};

/// A RankPart does the same on each rank. It keeps memory between evaluations, and the work that
/// each particle took, by which the next domains are cut.
class RankPart {
public:
    explicit RankPart(Communicator& ranks) : ranks_(ranks) {}

    /// Carries out an order; rank 0 gives its request, if it has one, or each rank its own. Throws
    /// the same Error on all ranks, after which they can go on, or PeerFailed.
    ForceStatistics carry_out(const Order& order, const Request* request = nullptr);

    /// Returns the name of what sums on this rank.
    std::string device() const
    {
        return evaluator_ ? evaluator_->device() : direct_solver_->device();
    }

    /// Returns the number of the evaluation that made the cells which a request of so many
    /// particles may keep; 0: none.
    std::uint64_t cells_for(SolverKind solver, std::uint64_t count) const
    {
        const std::uint64_t in_cells = solver == SolverKind::tree ? in_cells_
                                       : direct_ ? direct_->masses.all<double>().size()
                                                 : 0;
        return count == in_cells ? made_by(solver) : 0;
    }

private:
    /// Figures are what one rank did, as numbers of one kind.
    struct Figures {
        std::uint64_t particle_particle = 0, particle_cell = 0, expansions = 0, groups = 0,
                      cells = 0, not_finite = 0, cancelling = 0, imported_particles = 0,
                      imported_cells = 0, bytes = 0, work = 0, bytes_to_device = 0,
                      bytes_from_device = 0, partners = 0, import_bytes = 0, memory = 0;
        double device_busy = 0, device_span = 0, device_wait = 0;
    };
    /// These decide what a rank is made of.
    struct Machine {
        std::string instruction_set, device;
        Precision precision;
        bool operator==(const Machine&) const = default;
    };
    /// And these what sums directly is made of.
    struct DirectMachine {
        Machine machine;
        SofteningKind softening_kind;
        SofteningRule softening_rule;
        double gravitational_constant;
        int group_size;
        bool operator==(const DirectMachine&) const = default;
    };

    /// These are a rank's tracers, as points beside the tree.
    struct Points {
        DomainTree tree;
        Inbox positions, softenings;
        std::vector<Vec3<double>> near; // that are not too far for lists
        std::vector<double> near_softenings, ones;
        std::vector<float> work; // of those, when they were last summed at
        std::vector<Vec3<double>> acceleration;
        std::vector<double> potential;

        Points(Communicator& ranks, const std::string& instruction_set)
            : tree(ranks, instruction_set)
        {}
    };

    /// This is what a direct sum has of all particles, as they were built, and of the targets of
    /// this rank's part.
    struct DirectSources {
        Inbox positions, masses, softenings, ids;
        bool has_softenings = false;
        std::uint64_t made_by = 0; ///< the number of the evaluation; 0: none
        std::vector<Index> numbers;
        std::vector<DirectSum> sums; ///< by rising number
    };

    std::uint64_t made_by(SolverKind solver) const
    {
        return solver == SolverKind::tree ? made_by_ : direct_ ? direct_->made_by : 0;
    }
    void take_machine(const Order& order);
    void take_direct_solver(const Order& order);
    int card_of(const std::string& device) const;
    void refuse_shared(const std::string& device);
    ForceStatistics evaluate(const Order& order, const Request* request);
    bool keeps_cells(const Order& order);
    ForceStatistics evaluate_directly(const Order& order, const Request* request);
    ForceStatistics sum_directly(const Order& order, bool keeps, std::span<const Index> active);
    void give_back_directly(std::span<const std::size_t> begin, const Request* request);
    std::vector<std::size_t> begins_of_rows() const;
    template <class T>
    std::span<const T> from_all(std::span<const T> mine, Inbox& inbox);
    void take_rows(const Order& order, const Request* request, bool keeps, Profile& profile);
    void take_softenings(const Order& order, const Request* request, bool keeps);
    void take_targets(const Order& order, const Request* request);
    void repair(const Order& order, const Request& request);
    void sum(const Order& order, const SolverOptions& options, ForceStatistics& statistics,
             Figures& figures, const DomainTree* points = nullptr);
    ForceStatistics sum_tracers(const Order& order, const Request* request,
                                const SolverOptions& options);
    std::vector<Index> sum_far(const Order& order, const SolverOptions& options,
                               std::span<const Vec3<double>> position,
                               std::span<const double> length);
    void bring_near(const Order& order, const std::vector<Index>& near);
    void sum_near(const Order& order, const SolverOptions& options, ForceStatistics& statistics,
                  Figures& figures);
    InternalScale scale(const SolverOptions& options) const;
    bool needs_repetition(ForceStatistics& statistics);
    std::size_t memory() const;
    void note_work(const InteractionLists& lists, int groups_per_cluster, const DomainTree& tree);
    void tell_places(PartPlaces& places);
    void give_back(const Order& order, const Request* request, Profile& profile);
    template <class T>
    void deal(std::span<const T> values, const Order& order, Inbox& inbox);
    template <class T>
    std::span<const T> to_caller(std::span<const T> values, const Order& order);
    template <class T>
    using Memory = std::pmr::vector<T>; // made with large_memory()
    template <class T, class Store>
    void bring(std::span<const T> sums, const Order& order, Memory<T>& rows, const Store& store);
    void add_figures(Figures mine, const Traffic& before, std::uint64_t targets,
                     ForceStatistics& statistics);

    Communicator& ranks_;
    std::optional<Machine> machine_;
    std::optional<DomainTree> tree_;
    std::unique_ptr<Evaluator> evaluator_;
    BatchLimit batch_limit_;
    Rows rows_; // this rank's particles: its run of those of rank 0, or its own
    Inbox positions_, masses_, softenings_; // of the run, as cells were made
    bool has_softenings_ = false;
    Inbox moved_, is_target_; // where they are now, if cells are kept; which are targets
    std::span<const Vec3<double>> built_;            // positions of the run as cells were made
    Memory<Vec3<double>> own_built_{large_memory()}; // those, of particles of its own
    bool are_own_rows_ = false;                      // of which cells were made
    std::uint64_t made_by_ = 0;      // the number of the evaluation that made cells; 0: none
    std::uint64_t in_cells_ = 0;     // particles of all ranks in them
    std::vector<char> marks_;        // of the targets of a request
    std::vector<Index> active_;      // the targets of a request by rising number
    std::vector<Index> target_rows_; // of this rank, by rising number
    std::unique_ptr<DirectSources> direct_;
    std::optional<DirectMachine> direct_machine_;
    std::unique_ptr<DirectSolver> direct_solver_;
    std::unique_ptr<Points> points_;
    Memory<Vec3<double>> asked_positions_{large_memory()}; // of a request that is not dense
    Memory<double> asked_masses_{large_memory()}, asked_softenings_{large_memory()};
    Memory<float> work_{large_memory()};                // of the run, when each was last a target
    Memory<float> placed_work_{large_memory()};         // of those that PartPlaces tell
    std::uint64_t exchanges_ = 0;                       // RequestPart::exchanges, of the run
    Memory<Vec3<double>> acceleration_{large_memory()}; // of this rank's targets
    Memory<double> potential_{large_memory()};
    Memory<float> arrived_work_{large_memory()}, work_of_target_{large_memory()};
    Memory<Vec3<double>> row_acceleration_{large_memory()}; // of the run, on the way to rank 0
    Memory<double> row_potential_{large_memory()};
    Inbox collected_;
};

} // namespace chamomile
