/// \file  The evaluator, which sums over interaction lists, and its factory for the host.
#pragma once

#include <cmath>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

#include "chamomile/core/array_view.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/force/mesh/mesh_gravity.hpp"
#include "chamomile/force/scale.hpp"
#include "chamomile/force/solver.hpp"
#include "chamomile/tree/acceptance.hpp"
#include "chamomile/tree/domain/arrival_sums.hpp"
#include "chamomile/tree/interaction_lists.hpp"

namespace chamomile {

class Communicator;
struct LawChoice;
struct ShortRangeForm;
struct Tree;
struct WalkNodes;

/// Arrays for the sums; entry i belongs to the caller's particle i.
struct ForceOutput {
    ArrayView acceleration;                           ///< 3 components
    ArrayView potential;                              ///< empty: not wanted
    double acceleration_unit = 1, potential_unit = 1; ///< from internal units to the caller's

    /// Sets the units for sums in units of `scale`. Throws Error(numeric) if a double overflows.
    void set_units(double G, const InternalScale& scale)
    {
        potential_unit = G * scale.mass / scale.length;
        acceleration_unit = potential_unit / scale.length;
        if (!std::isfinite(potential_unit) || !std::isfinite(acceleration_unit))
            throw Error(
                Fault::numeric,
                "forces: not finite: G M / L^2 of all particles exceeds the range of a double");
    }
};

/// Separate targets are points sorted in a tree; they need not be sources.
struct SeparateTargets {
    const Octree* octree = nullptr; ///< null: targets are sorted sources
    /// Sorted source for each target, or no_source_here; null: no target is a source.
    const Index* self = nullptr;
};
inline constexpr Index no_source_here = 0xffffffff;

/// Data to which the lists refer. They must outlive the evaluation. A member for each array.
struct EvaluationInput {
    const Octree* octree = nullptr;
    const Moments* moments = nullptr;
    const TargetGroups* groups = nullptr;
    InternalScale scale;
    Softening softening;
    int order = 2;
    Quantities quantities = Quantities::acceleration_potential;
    /// Degree of local expansions from far cells, 3 to 6; 0: the lists have none.
    int local_order = 0;
    ForceOutput output = {}; ///< at least as long as the particles, or the separate targets
    SeparateTargets separate = {};
    /// Targets in the best order for writing sums; empty: all.
    std::span<const Index> active = {};
    Periodicity periodicity = {};
    double cut = 0; ///< for periodic lists
    /// Gravity's short range, in internal units; null: Newton's law at any distance.
    const ShortRangeForm* form = nullptr;
    /// Number of targets on all ranks; 0: those in `groups`. A GPU distributes targets to warps by
    /// this number, so that sums are bitwise those on one rank.
    std::size_t targets_of_ranks = 0;
    /// For an evaluator that must copy the tree to finish open lists; null: for such trees it
    /// accepts only complete lists.
    const WalkNodes* nodes = nullptr;
    /// Output, for open lists: each target's work, as in row_work(), on the host or on the tree
    /// builder's device; empty: not wanted.
    std::span<float> work = {};
    /// With several ranks: arrays for sums at particles from other ranks, in addition to `output`;
    /// unused on one rank.
    ArrivalSums arrivals = {};
    int groups_per_cluster = 1; ///< max number, for `work`
    /// A mesh from Evaluator::make_mesh(), whose field is added to the sums; null: none.
    const LongRange* mesh = nullptr;
    /// Gradients instead of fields: see Evaluator::begin_adjoint().
    bool is_adjoint = false;
};

/// A loss L of the sums at sources, for its gradient. With velocities, in place of it, the
/// derivatives of the targets' accelerations along their paths, where sources move by lambda / m.
struct AdjointInput {
    ArrayView lambda = {}, mu = {};     ///< dL/da and dL/dphi, in the caller's order; empty: 0
    ArrayView velocity = {};            ///< of the targets; empty: a gradient
    AcceptanceCriterion criterion = {}; ///< of the lists
};

struct AdjointStart {
    double unit = 1; ///< of lambda in the sums: a power of two; not finite: nor are lambda or mu
    /// With larger opening radii for cells whose masses say too little of lambda and mu; null: the
    /// tree's nodes serve. Valid until the next call.
    const WalkNodes* nodes = nullptr;
};

/// The sum at one target in units of EvaluationInput::scale, G = 1.
struct alignas(16) TargetSum { // a GPU writes it as two 16-byte stores
    Vec3<double> acceleration;
    double potential = 0;
};

/// Stores one sum in the caller's units. Returns false if it is not finite.
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
/// depends only on its list, not on threads, batches or completion order.
class Evaluator {
public:
    virtual ~Evaluator() = default;

    virtual void begin(const EvaluationInput& input) = 0;

    /// Returns whether the evaluator has gradients by this law.
    virtual bool has_adjoint(const LawChoice&) const { return false; }
    /// Takes a loss for the next evaluations with EvaluationInput::is_adjoint. To the output's
    /// acceleration goes dL/dx of each target, to its potential dL/dm. All sources are targets.
    virtual AdjointStart begin_adjoint(const AdjointInput&, const Tree&, const InternalScale&)
    {
        return {};
    }

    /// Returns empty lists, with memory from finished ones if possible. Thread-safe.
    virtual std::unique_ptr<InteractionLists> new_lists() = 0;

    /// Returns the max number of groups per batch; each walking thread fills a separate batch.
    virtual std::size_t batch_size() const = 0;

    /// Returns whether open lists are accepted (InteractionLists::are_open()).
    virtual bool finishes_lists() const { return false; }

    /// Accepts the lists; may return before their evaluation. Sums may be written now or in
    /// finish(). Thread-safe.
    virtual void submit(std::unique_ptr<InteractionLists> lists) = 0;

    /// Returns whether open lists ran out of room. If so, call begin(), which makes room, and
    /// submit all lists again instead of calling finish(). Waits for everything submitted.
    virtual bool needs_repetition() { return false; }

    /// Waits for everything submitted since begin(), until all sums are written, for targets only.
    /// Returns the number of targets with a non-finite sum.
    virtual std::size_t finish() = 0;

    /// Returns a device name such as "CPU, avx512, 2 threads".
    virtual std::string device() const = 0;

    /// Returns a mesh on the evaluator's device that reads the tree's particles there; null if the
    /// evaluator has no mesh. `ranks`, if not null, share the particles. Throws Error(device).
    virtual std::unique_ptr<LongRange> make_mesh(Periodicity, const MeshOptions&, Communicator*)
    {
        return nullptr;
    }

    /// Adds the device's work and times since the tree was begun; nothing on the host.
    virtual void add_statistics(ForceStatistics&) const {}
};

/// Evaluates on the processor's cores, one SIMD lane to a target. `instruction_set` is auto or one
/// of the names in instruction_sets(). Throws Error(device) if this processor lacks it.
std::unique_ptr<Evaluator> make_host_evaluator(Precision precision,
                                               const std::string& instruction_set = "auto");

} // namespace chamomile
