#include "chamomile/tree/walk.hpp"

#include <cassert>
#include <cmath>

#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/tree/own_softenings.hpp"
#include "chamomile/tree/simd/walk_kernel.hpp"

namespace chamomile {
namespace {

WalkKernels find_kernels(const std::string& instruction_set)
{
    switch (find_instruction_set(instruction_set)) {
#ifdef CHAMOMILE_X86
    case 2:
        return avx512::walk_kernels();
    case 1:
        return avx2::walk_kernels();
#endif
    default:
        return baseline::walk_kernels();
    }
}

/// Makes room for n entries.
template <class T>
void reserve(WalkArray<T>& array, std::size_t n)
{
    if (array.capacity >= n)
        return;
    delete[] array.data;
    array.data = nullptr;
    array.data = new T[n];
    array.capacity = n;
}

template <class T>
void append(std::vector<T>& to, const WalkArray<T>& from)
{
    to.insert(to.end(), from.data, from.data + from.size);
}

/// Which cells a cluster opens for all groups. With expansions: every cell that it does not accept,
/// since it may expand the daughters once for all groups. It spares cells with an opening radius
/// below this fraction of the cluster's radius, since few groups would open them. Without
/// expansions: only cells that every group would open.
constexpr double spared_part = 1;

/// Constants of the estimated acceleration. `smoothing`: square of (smoothing length / d), where d
/// is Cluster::extent. `own_part`: the cluster's field at d, in units of mass / d^2 (0.46 for a
/// homogeneous sphere).
constexpr double smoothing = 0.3, own_part = 0.4;

} // namespace

Walk::Walk(const std::string& instruction_set)
    : kernels_(std::make_unique<WalkKernels>(find_kernels(instruction_set)))
{}

Walk::~Walk() = default;

void Walk::prepare(const Octree& octree, const WalkNodes& nodes,
                   const AcceptanceCriterion& criterion)
{
    octree_ = &octree;
    nodes_ = &nodes;
    criterion_ = criterion;
}

void Walk::list(InteractionLists& lists, const TargetGroups& groups, std::size_t first_cluster,
                std::size_t last_cluster) const
{
    auto scratch = acquire_scratch();
    for (std::size_t c = first_cluster; c < last_cluster; ++c) {
        walk(groups, groups.clusters[c], true, *scratch);
        append_rows(lists, groups, groups.clusters[c], *scratch);
    }
    give_back(std::move(scratch));
}

void Walk::open(InteractionLists& lists, const TargetGroups& groups, std::size_t first_cluster,
                std::size_t last_cluster) const
{
    auto scratch = acquire_scratch();
    for (std::size_t c = first_cluster; c < last_cluster; ++c) {
        walk(groups, groups.clusters[c], false, *scratch);
        append_open_rows(lists, groups, groups.clusters[c], *scratch);
    }
    give_back(std::move(scratch));
}

/// Walks for one cluster. If `finishes`, also for the groups in it.
void Walk::walk(const TargetGroups& groups, const Cluster& cluster, bool finishes,
                WalkScratch& scratch) const
{
    const std::size_t number_of_cluster = std::size_t(&cluster - groups.clusters.data());
    const double a = !criterion_.takes_tolerance()  ? 0
                     : groups.accelerations.empty() ? scaled_acceleration(cluster, scratch)
                                                    : groups.accelerations[number_of_cluster];
    const double relative_factor = criterion_.relative_factor(a);
    const auto region = [&](const Box& box, const Vec3<double>& center, double radius,
                            double kappa) {
        const bool expands = criterion_.local_order > 0;
        return WalkRegion{box.low,
                          box.high,
                          center,
                          relative_factor,
                          criterion_.guard_part(),
                          expands ? kappa * radius : Box::infinity,
                          criterion_.expansion_factor(radius, a, nodes_->units)};
    };
    const auto soften = [&](WalkRegion& region, const SofteningSpan& span) {
        region.clearance = own_clearance(criterion_, span);
        region.min_expansion = std::max(region.min_expansion, softened_expansion(criterion_, span));
        const double factor = softened_expansion_factor(criterion_, span, a, nodes_->units);
        if (criterion_.local_order == 6)
            region.softened_factor = factor;
        else
            region.expansion_factor = std::max(region.expansion_factor, factor);
    };
    const bool per_particle = !groups.group_softening.empty();
    const std::size_t count = cluster.last_group - cluster.first_group;
    reserve(scratch.regions, count);
    for (std::size_t g = 0; g < count; ++g) {
        const Group& group = groups.groups[cluster.first_group + g];
        scratch.regions.data[g] =
            region(group.box, group.center, group.radius, criterion_.group_kappa());
        if (per_particle)
            soften(scratch.regions.data[g], groups.group_softening[cluster.first_group + g]);
    }
    WalkRegion whole =
        region(cluster.box, cluster.center, cluster.radius, criterion_.cluster_kappa());
    if (per_particle)
        soften(whole, groups.cluster_softening[number_of_cluster]);
    const auto walk_cluster =
        criterion_.periodicity ? kernels_->walk_periodic_cluster : kernels_->walk_cluster;
    walk_cluster({{nodes_->nodes.data(), octree_->cells.data()},
                  whole,
                  finishes ? count : 0,
                  criterion_.local_order > 0 ? spared_part * cluster.radius : -1,
                  period()},
                 scratch);
}

/// Appends the rows of groups with complete lists.
void Walk::append_rows(InteractionLists& lists, const TargetGroups& groups, const Cluster& cluster,
                       WalkScratch& scratch) const
{
    const bool per_particle = !groups.group_softening.empty();
    const std::size_t number_of_cluster = std::size_t(&cluster - groups.clusters.data());
    const std::size_t count = cluster.last_group - cluster.first_group;
    const Index far = Index(lists.far_cells.size()), cells = Index(lists.cells.size()),
                ranges = Index(lists.ranges.size());
    GroupEnds begin = scratch.ends.data[0];
    const Index number = begin.far_cells > 0 ? Index(lists.clusters.size()) : no_cluster;
    if (begin.far_cells > 0)
        lists.clusters.push_back(
            {far, far + begin.far_cells, cluster.center, cluster.radius,
             per_particle ? groups.cluster_softening[number_of_cluster] : SofteningSpan{}});
    for (std::size_t g = 0; g < count; ++g) {
        const Group& group = groups.groups[cluster.first_group + g];
        const GroupEnds end = scratch.ends.data[g + 1];
        assert(begin.far_cells <= end.far_cells && begin.cells <= end.cells &&
               begin.ranges <= end.ranges && end.particle_count <= octree_->size);
        lists.rows.push_back(
            {group.begin,
             group.end,
             number,
             far + begin.far_cells,
             far + end.far_cells,
             cells + begin.cells,
             cells + end.cells,
             ranges + begin.ranges,
             ranges + end.ranges,
             end.particle_count,
             group.center,
             group.radius,
             {},
             per_particle ? groups.group_softening[cluster.first_group + g] : SofteningSpan{}});
        begin = end;
    }
    assert(begin.cells == scratch.cells.size && begin.ranges == scratch.ranges.size &&
           begin.far_cells == scratch.far_cells.size);
    append(lists.far_cells, scratch.far_cells);
    append(lists.cells, scratch.cells);
    append(lists.ranges, scratch.ranges);
}

/// Appends the rows of groups whose lists an evaluator finishes, with their regions.
void Walk::append_open_rows(InteractionLists& lists, const TargetGroups& groups,
                            const Cluster& cluster, const WalkScratch& scratch) const
{
    const bool per_particle = !groups.group_softening.empty();
    const std::size_t number_of_cluster = std::size_t(&cluster - groups.clusters.data());
    const Index far = Index(lists.far_cells.size()), open = Index(lists.open.size()),
                number = Index(lists.clusters.size());
    lists.clusters.push_back(
        {far, far + Index(scratch.far_cells.size), cluster.center, cluster.radius,
         per_particle ? groups.cluster_softening[number_of_cluster] : SofteningSpan{}, open,
         open + Index(scratch.left_open.size)});
    for (std::size_t g = cluster.first_group; g < cluster.last_group; ++g) {
        ListRow row{};
        row.target_begin = groups.groups[g].begin;
        row.target_end = groups.groups[g].end;
        row.cluster = number;
        row.center = groups.groups[g].center;
        row.radius = groups.groups[g].radius;
        row.softening = per_particle ? groups.group_softening[g] : SofteningSpan{};
        lists.rows.push_back(row);
        lists.regions.push_back(scratch.regions.data[g - cluster.first_group]);
    }
    append(lists.far_cells, scratch.far_cells);
    append(lists.open, scratch.left_open);
}

double Walk::acceleration(const Cluster& cluster) const
{
    const WalkUnits& units = nodes_->units;
    return scaled_acceleration(cluster) * (units.mass / units.length / units.length);
}

double Walk::scaled_acceleration(const Cluster& cluster) const
{
    auto scratch = acquire_scratch();
    const double a = scaled_acceleration(cluster, *scratch);
    give_back(std::move(scratch));
    return a;
}

double ClusterField::acceleration(double field_squared, double min) const
{
    return std::max(std::sqrt(field_squared + own * own), min);
}

ClusterField Walk::field_of(const Cluster& cluster) const
{
    const WalkUnits& units = nodes_->units;
    const double eps = criterion_.softening / units.length,
                 distance = cluster.extent / units.length, softening = eps * eps,
                 extent = distance * distance, u_squared = extent + softening;
    return {cluster.center_of_mass, smoothing * extent + softening,
            extent > 0 ? own_part * (cluster.mass / units.mass) * distance /
                             (u_squared * std::sqrt(u_squared))
                       : 0};
}

double Walk::clearance() const
{
    return criterion_.clearance + shared_clearance(criterion_);
}

double Walk::scaled_acceleration(const Cluster& cluster, WalkScratch& scratch) const
{
    const ClusterField field = field_of(cluster);
    const auto field_at = [&](const Vec3<double>& place) {
        return kernels_->field({{nodes_->nodes.data(), octree_->cells.data()},
                                place,
                                1 / nodes_->units.length,
                                field.softening_squared,
                                clearance(),
                                period()},
                               scratch);
    };
    const Vec3<double> whole = field_at(cluster.center_of_mass);
    if (cluster.mass == 0 && cluster.extent > 0) { // massless: add the field differences around
        double around = 0;
        for (int side = 0; side < 6; ++side) {
            Vec3<double> place = cluster.center_of_mass;
            double& x = side < 2 ? place.x : side < 4 ? place.y : place.z;
            x += side % 2 == 0 ? cluster.extent : -cluster.extent;
            around += norm_squared(field_at(place) - whole) / 6;
        }
        return std::max(std::sqrt(norm_squared(whole) + around),
                        criterion_.scaled_min_acceleration(nodes_->units));
    }
    return field.acceleration(norm_squared(whole),
                              criterion_.scaled_min_acceleration(nodes_->units));
}

std::unique_ptr<WalkScratch> Walk::acquire_scratch() const
{
    const std::lock_guard lock(mutex_);
    if (idle_.empty())
        return std::make_unique<WalkScratch>();
    auto scratch = std::move(idle_.back());
    idle_.pop_back();
    return scratch;
}

void Walk::give_back(std::unique_ptr<WalkScratch> scratch) const
{
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(scratch));
}

} // namespace chamomile
