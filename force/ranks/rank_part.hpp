/// \file  What each rank does of an evaluation of all: its part of the tree, lists and sums.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/domain/domain_tree.hpp"
#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/lists/list_batches.hpp"
#include "chamomile/parallel/communicator.hpp"

namespace chamomile {

/// An Order tells the other ranks what rank 0 wants of all.
struct Order {
    enum class Task {
        prepare, ///< make what evaluates the lists, which is refused where it cannot be
        evaluate,
        end ///< nothing more will come
    };
    Task task = Task::evaluate;
    std::uint64_t count = 0;
    Quantities quantities = Quantities::acceleration;
    CubePlacement placement = {};
    Softening softening = {};
    double gravitational_constant = 1;
    ListOptions lists = {};
    Precision precision = Precision::single_precision;
    bool share_gpu = false;
    int threads = 1;         ///< of each rank
    double time_limit = 600; ///< Communicator::time_limit()
    char instruction_set[16] = {};
    char device[256] = {}; ///< cpu, or the GPUs of each machine (choose_gpus())
};

/// A RankPart does the same on each rank. It keeps memory between evaluations, and the work that
/// each particle took, by which the next domains are cut.
class RankPart {
public:
    explicit RankPart(Communicator& ranks) : ranks_(ranks) {}

    /// Carries out an order; rank 0 gives its request, if it has one. Throws the same Error on all
    /// ranks, after which they can go on, or PeerFailed.
    ForceStatistics carry_out(const Order& order, const Request* request = nullptr);

    /// Returns the name of what evaluates the lists of this rank.
    std::string device() const { return evaluator_->device(); }

private:
    struct Figures;
    /// These decide what a rank is made of.
    struct Machine {
        std::string instruction_set, device;
        Precision precision;
        bool operator==(const Machine&) const = default;
    };

    void take_machine(const Order& order);
    void refuse_shared(const std::string& device);
    ForceStatistics evaluate(const Order& order, const Request* request);
    void take_run(const Order& order, const Request* request, Profile& profile);
    void sum(const Order& order, const SolverOptions& options, ForceStatistics& statistics,
             Figures& figures);
    bool needs_repetition(ForceStatistics& statistics);
    void note_work(const InteractionLists& lists, int groups_per_cluster);
    void give_back(const Order& order, const Request* request, Profile& profile);
    template <class T>
    void deal(const T* values, const Order& order, Inbox& inbox);
    template <class T, class Store>
    void collect(std::span<const T> values, const Store& store);
    void add_figures(const Figures& mine, ForceStatistics& statistics);

    Communicator& ranks_;
    std::optional<Machine> machine_;
    int card_ = -1; // -1: the processor
    std::optional<DomainTree> tree_;
    std::unique_ptr<Evaluator> evaluator_;
    BatchLimit batch_limit_;
    template <class T>
    using Memory = std::pmr::vector<T>;                    // made with large_memory()
    Inbox positions_, masses_;                             // this rank's run
    Memory<Vec3<double>> dealt_positions_{large_memory()}; // of rank 0, unless they are dense
    Memory<double> dealt_masses_{large_memory()};
    Memory<float> work_{large_memory()};                // of the run, in the last evaluation
    Memory<Vec3<double>> acceleration_{large_memory()}; // of this rank's targets
    Memory<double> potential_{large_memory()};
    Memory<float> arrived_work_{large_memory()}, work_of_target_{large_memory()};
    Memory<Vec3<double>> row_acceleration_{large_memory()}; // of the run
    Memory<double> row_potential_{large_memory()};
    Inbox collected_;
};

} // namespace chamomile
