// This solver sums all particles by a tree, or over all pairs.
#include "chamomile/force/lists/list_solver.hpp"

#include "chamomile/core/error.hpp"
#include "chamomile/force/lists/list_field.hpp"

namespace chamomile {
namespace {

class ListSolver final : public AdjustableSolver {
public:
    ListSolver(const SolverOptions& resolved, SolverParts parts,
               std::unique_ptr<LongRange> long_range)
        : field_(resolved, std::move(parts), std::move(long_range))
    {}

    ForceStatistics evaluate(const Request& request) override
    {
        if (request.position.on_device && !takes_device_arrays())
            throw Error(Fault::usage, "arrays on a device: need a GPU, and in boxes a mesh");
        if (request.rung && !request.position.on_device)
            throw Error(Fault::usage, "rungs: are those of arrays on a device; name active ones");
        TreeParticles sources{request.count, request.position, request.mass};
        sources.softening = request.softening;
        const ListField::Plan plan{.number = request.number,
                                   .softening_length = request.softening_length,
                                   .has_long_range = request.long_range != LongRangePart::left_out,
                                   .id = request.id};
        // Other cells would make other bits, also where an evaluation is tried again.
        const bool keeps =
            request.keeps_tree && request.count > 0 && field_.sources_in_cells() == request.count;
        sources.has_same_masses = keeps;
        for (;;)
            try {
                keeps ? field_.refit(sources, plan) : field_.build(sources, plan);
                return field_.at_sources({request.active, request.rung, request.first},
                                         {request.acceleration, request.potential,
                                          request.long_range, request.long_range_acceleration});
            } catch (const OutOfDeviceMemory&) {
                if (!field_.shrink_batches())
                    throw;
            }
    }

    /// Fourier modes are summed on the host.
    bool takes_device_arrays() const override
    {
        return options().device != "cpu" &&
               (!options().is_periodic() || options().periodic.long_range == LongRangeKind::mesh);
    }
    void adjust(const SolverOptions& resolved) override { field_.adjust(resolved); }
    void exchange(Archive& archive) override { field_.exchange(archive); }
    std::string device() const override { return field_.device(); }
    const SolverOptions& options() const override { return field_.options(); }

private:
    ListField field_;
};

} // namespace

GroupSizes group_sizes(const SolverOptions& options)
{
    GroupSizes sizes{options.group_size, groups_per_cluster};
    if (options.solver == SolverKind::tree) {
        const bool on_host = options.device == "cpu";
        sizes.least = on_host ? 16 : 0; // a pack; where a GPU would wait for the longest list, none
        sizes.sparse = 1000;
    }
    return sizes;
}

AcceptanceCriterion criterion_of(const SolverOptions& options)
{
    AcceptanceCriterion criterion;
    criterion.kind = options.criterion;
    criterion.theta = options.theta;
    criterion.tolerance = options.tolerance;
    criterion.order = options.order;
    criterion.local_order = options.local_order;
    criterion.softening = options.softening.length;
    criterion.softening_kind = options.softening.kind;
    criterion.softening_rule = options.softening.rule;
    if (options.softening.kind == SofteningKind::spline)
        criterion.clearance = options.softening.spline_radius();
    return criterion;
}

std::unique_ptr<AdjustableSolver> make_list_solver(const SolverOptions& resolved, SolverParts parts,
                                                   std::unique_ptr<LongRange> long_range)
{
    return std::make_unique<ListSolver>(resolved, std::move(parts), std::move(long_range));
}

} // namespace chamomile
