/// \file  What turns interaction lists into sums, and the two ways to get one.
#pragma once

#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "force/scale.hpp"
#include "force/solver.hpp"
#include "tree/interaction_lists.hpp"

namespace chamomile {

/// What the lists of one evaluation refer to; all of it outlives the evaluation.
struct EvaluationInput {
    const Octree* octree = nullptr;
    const Moments* moments = nullptr;
    const TargetGroups* groups = nullptr;
    InternalScale scale;
    Softening softening;
    int order = 2;
    Quantities quantities = Quantities::acceleration_potential;
    /// Of the local expansions of the lists' far cells, 3 to 6; 0 if the lists have none.
    int local_order = 0;
};

/// The sum of one target in the units of EvaluationInput::scale, G = 1.
struct TargetSum {
    Vec3<double> acceleration;
    double potential = 0;
};

/// Evaluates interaction lists by summation over all pairs of a group and its list. A target's sum
/// depends on its list alone: not on threads, batches or the order of completion.
class Evaluator {
public:
    virtual ~Evaluator() = default;

    virtual void begin(const EvaluationInput& input) = 0;

    /// Empty lists in the memory that this evaluator reads fastest. Safe for several threads.
    virtual std::unique_ptr<InteractionLists> new_lists() = 0;

    /// How many groups a batch should hold at most; each walking thread fills its own.
    virtual std::size_t batch_size() const = 0;

    /// Takes the lists and may return before they are evaluated. Safe for several threads.
    virtual void submit(std::unique_ptr<InteractionLists> lists) = 0;

    /// Waits for everything submitted since begin(); entry t is the sum of target t. Valid until
    /// the next begin().
    virtual std::span<const TargetSum> finish() = 0;

    /// Such as "CPU, avx512, 2 threads".
    virtual std::string device() const = 0;

    /// What the device itself did since begin(), such as kernel time; nothing on the host.
    virtual void add_statistics(Profile&) const {}
};

/// Evaluates on the processor's cores, one SIMD lane to a target. `instruction_set` is auto or one
/// of the names in instruction_sets(); Error(device) if this processor lacks it.
std::unique_ptr<Evaluator> make_host_evaluator(Precision precision,
                                               const std::string& instruction_set = "auto");

/// Those that this build holds and this processor can run, the fastest first.
std::vector<std::string> instruction_sets();

} // namespace chamomile
