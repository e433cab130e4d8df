/// \file  The evaluator, which turns interaction lists into sums, and how one is made for the host.
#pragma once

#include <cmath>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

#include "chamomile/core/array_view.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/domain/arrival_sums.hpp"
#include "chamomile/force/scale.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/mesh/mesh_gravity.hpp"
#include "chamomile/tree/interaction_lists.hpp"

namespace chamomile {

struct ShortRangeForm;
struct WalkNodes;

/// The sums go to these arrays: entry i of each belongs to the caller's particle i.
struct ForceOutput {
    ArrayView acceleration;                           ///< 3 components
    ArrayView potential;                              ///< empty: not wanted
    double acceleration_unit = 1, potential_unit = 1; ///< from internal units to the caller's

    /// Sets the units for sums in the units of `scale`. Throws Error(numeric) where a double does
    /// not hold them.
    void set_units(double G, const InternalScale& scale)
    {
        potential_unit = G * scale.mass / scale.length;
        acceleration_unit = potential_unit / scale.length;
        if (!std::isfinite(potential_unit) || !std::isfinite(acceleration_unit))
            throw Error(Fault::numeric, "forces: not finite: G M / L^2 of all particles is more "
                                        "than a double holds");
    }
};

/// Separate targets are points that need not be sources and have an order of their own.
struct SeparateTargets {
    const Octree* octree = nullptr; ///< null: the targets are sources, among the sorted ones
    /// The sorted source that each target is, or no_source; null: none is one.
    const Index* self = nullptr;
};
inline constexpr Index no_source_here = 0xffffffff;

/// The lists of one evaluation refer to these data; all of them outlive the evaluation.
struct EvaluationInput {
    const Octree* octree = nullptr;
    const Moments* moments = nullptr;
    const TargetGroups* groups = nullptr;
    InternalScale scale;
    Softening softening;
    int order = 2;
    Quantities quantities = Quantities::acceleration_potential;
    /// This is the degree of the local expansions of the lists' far cells, 3 to 6; 0 if the lists
    /// have none.
    int local_order = 0;
    ForceOutput output = {}; ///< at least of the size of the particles, or of the separate targets
    SeparateTargets separate = {};
    /// These are the targets in the order in which sums are best written; empty: all.
    std::span<const Index> active = {};
    Periodicity periodicity = {};
    double cut = 0; ///< of periodic lists
    /// The form of gravity's short range is in internal units; null: Newton's law to any distance.
    const ShortRangeForm* form = nullptr;
    /// Of several ranks: the targets of all, by which a GPU shares targets among its warps, so that
    /// sums have the bits of one rank; 0: those of `groups`.
    std::size_t targets_of_ranks = 0;
    /// These are of use to an evaluator that finishes open lists of a tree that it has to copy;
    /// null: it takes whole lists of such a tree.
    const WalkNodes* nodes = nullptr;
    /// Where lists were open the work of each target goes here, as row_work() has it, on the host
    /// or on the device of the tree's builder; empty: it is not wanted.
    std::span<float> work = {};
    /// Of several ranks: where sums go beside `output`; without any of one rank.
    ArrivalSums arrivals = {};
    int groups_per_cluster = 1; ///< at most; for the work
    /// The mesh is one of Evaluator::make_mesh(), and its field is added to the sums; null: no
    /// field.
    const LongRange* mesh = nullptr;
};

/// This is the sum of one target in the units of EvaluationInput::scale, G = 1.
struct TargetSum {
    Vec3<double> acceleration;
    double potential = 0;
};

/// Writes one sum. Returns false if it is not finite in the caller's units.
inline bool store_sum(const ForceOutput& output, Index particle, const TargetSum& sum)
{
    const Vec3<double> a = output.acceleration_unit * sum.acceleration;
    const double potential = output.potential ? output.potential_unit * sum.potential : 0;
    output.acceleration.store_vector(particle, a);
    if (output.potential)
        output.potential.store(particle, 0, potential);
    return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z) &&
           std::isfinite(potential);
}

/// Evaluates interaction lists by summation over all pairs of a group and its list. A target's sum
/// depends on its list alone: not on threads, batches or the order of completion.
class Evaluator {
public:
    virtual ~Evaluator() = default;

    virtual void begin(const EvaluationInput& input) = 0;

    /// Returns empty lists, with the memory of some that it is done with. It is safe for several
    /// threads.
    virtual std::unique_ptr<InteractionLists> new_lists() = 0;

    /// Returns how many groups a batch should hold at most; each walking thread fills its own.
    virtual std::size_t batch_size() const = 0;

    /// Returns whether it takes lists that are open (InteractionLists::are_open()).
    virtual bool finishes_lists() const { return false; }

    /// Takes the lists and may return before they are evaluated. Their sums may be written at once
    /// or in finish(). It is safe for several threads.
    virtual void submit(std::unique_ptr<InteractionLists> lists) = 0;

    /// Returns whether open lists found too little room, which the next begin() makes. Then all
    /// must be submitted again in place of finish(). Waits for everything submitted.
    virtual bool needs_repetition() { return false; }

    /// Waits for everything submitted since begin(), until the sums of the targets are written, and
    /// of no other particle. Returns the number of targets whose sum is not finite.
    virtual std::size_t finish() = 0;

    /// Returns a name such as "CPU, avx512, 2 threads".
    virtual std::string device() const = 0;

    /// Returns a mesh on the evaluator's device, which takes the particles that are there for the
    /// tree's sake; null if the evaluator has no mesh of its own. Throws Error(device).
    virtual std::unique_ptr<LongRange> make_mesh(Periodicity, const MeshOptions&)
    {
        return nullptr;
    }

    /// Adds the work and the times of the device since the tree was begun; nothing on the host.
    virtual void add_statistics(ForceStatistics&) const {}
};

/// Evaluates on the processor's cores, one SIMD lane to a target. `instruction_set` is auto or one
/// of the names in instruction_sets(). Throws Error(device) if this processor lacks it.
std::unique_ptr<Evaluator> make_host_evaluator(Precision precision,
                                               const std::string& instruction_set = "auto");

} // namespace chamomile
