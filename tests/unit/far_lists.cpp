#include "tests/unit/far_lists.hpp"

#include <doctest/doctest.h>

#include "chamomile/force/accuracy/force_errors.hpp"
#include "chamomile/tree/acceptance.hpp"
#include "tests/unit/grouped_tree.hpp"

namespace chamomile::tests {
namespace {

constexpr std::size_t groups_in_cluster = 5;

/// Treatment of cells that may be expanded.
enum class FarCells { expanded, one_by_one };

struct Scene {
    Particles particles;
    Octree octree;
    Moments moments;
    TargetGroups groups;

    explicit Scene(Particles p) : particles(std::move(p))
    {
        KeySorter sorter;
        build_octree(octree, particles.position, particles.mass, 8, sorter);
        compute_moments(moments, octree, 4);
        make_groups(groups, octree, moments, {}, {48}); // not a multiple of any vector width
    }

    /// Distance over size beyond which a cell may be expanded, or used as a multipole.
    static bool is_far(double distance, double cell, double targets)
    {
        return distance > 3 * (cell + targets);
    }
    static bool is_multipole(double distance, double cell) { return distance > 3 * cell; }

    double size(Index c) const
    {
        return moments.bounds[c].farthest_distance(moments.multipole[c].center);
    }

    void list(InteractionLists& lists, std::size_t first, std::size_t last, FarCells kind) const
    {
        Box box;
        for (std::size_t g = first; g < last; ++g)
            box.add(groups.groups[g].box);
        ClusterRow cluster{0, 0, box.center(), 0, {}};
        cluster.radius = norm(box.high - cluster.center);
        cluster.far_begin = Index(lists.far_cells.size());
        const bool expanded = kind == FarCells::expanded;
        std::vector<Index> of_cluster, rest{0};
        if (first % 2 == 0) { // some groups without cluster
            rest.clear();
            walk(0, [&](Index c) {
                const double distance = norm(moments.multipole[c].center - cluster.center);
                const bool far = is_far(distance, size(c), cluster.radius);
                const bool small = octree.is_leaf(c) || size(c) < 0.5 * cluster.radius;
                if (far || small)
                    (far ? of_cluster : rest).push_back(c);
                return far || small;
            });
        }
        const bool with_cluster = expanded && !of_cluster.empty();
        if (with_cluster) {
            lists.far_cells.insert(lists.far_cells.end(), of_cluster.begin(), of_cluster.end());
            cluster.far_end = Index(lists.far_cells.size());
            lists.clusters.push_back(cluster);
        }
        for (std::size_t g = first; g < last; ++g) {
            ListRow row = open_row(lists, groups.groups[g]);
            if (with_cluster)
                row.cluster = Index(lists.clusters.size()) - 1;
            else
                lists.cells.insert(lists.cells.end(), of_cluster.begin(), of_cluster.end());
            for (Index c : rest)
                list_group(lists, row, groups.groups[g].box, c, expanded);
            row.far_end = Index(lists.far_cells.size());
            row.cell_end = Index(lists.cells.size());
            row.range_end = Index(lists.ranges.size());
            lists.rows.push_back(row);
        }
    }

private:
    static ListRow open_row(const InteractionLists& lists, const Group& group)
    {
        ListRow row{};
        row.target_begin = group.begin;
        row.target_end = group.end;
        row.center = group.center;
        row.radius = norm(group.box.high - group.center);
        row.cluster = no_cluster;
        row.far_begin = Index(lists.far_cells.size());
        row.cell_begin = Index(lists.cells.size());
        row.range_begin = Index(lists.ranges.size());
        return row;
    }

    /// Visits the cells under `root`. Does not open a cell if visit() returns true.
    template <class Visit>
    void walk(Index root, Visit visit) const
    {
        for (Index c = root; c < octree.cells[root].next;)
            c = visit(c) ? octree.cells[c].next : c + 1;
    }

    void list_group(InteractionLists& lists, ListRow& row, const Box& box, Index root,
                    bool expanded) const
    {
        walk(root, [&](Index c) {
            const Vec3<double>& x = moments.multipole[c].center;
            if (is_far(norm(x - row.center), size(c), row.radius)) {
                (expanded ? lists.far_cells : lists.cells).push_back(c);
                return true;
            }
            if (is_multipole(std::sqrt(box.distance_squared(x)), size(c))) {
                lists.cells.push_back(c);
                return true;
            }
            if (octree.is_leaf(c)) {
                lists.ranges.push_back({octree.cells[c].begin, row.particle_count});
                row.particle_count += octree.cells[c].count;
            }
            return false;
        });
    }
};

struct Setup {
    Softening softening{};
    Quantities quantities = Quantities::acceleration_potential;
    int local_order = 5;
    int order = 2;
    FarCells far_cells = FarCells::expanded;
};

/// The sums in sorted order and in the scene's units.
std::vector<TargetSum> evaluate(Evaluator& evaluator, const Scene& scene, const Setup& setup)
{
    double mass = 0;
    for (const Source& source : scene.octree.sources)
        mass += source.mass;
    const auto scale =
        InternalScale::of(scene.moments.bounds[0].longest_side(), setup.softening.length, mass);
    const bool expanded = setup.far_cells == FarCells::expanded;
    const std::size_t n = scene.particles.size();
    std::vector<Vec3<double>> acceleration(n);
    std::vector<double> potential(n);
    ForceOutput output{view_of(std::span(acceleration)), view_of(std::span(potential))};
    if (setup.quantities == Quantities::acceleration)
        output.potential = {};
    output.potential_unit = scale.mass / scale.length;
    output.acceleration_unit = output.potential_unit / scale.length;
    evaluator.begin({&scene.octree, &scene.moments, &scene.groups, scale, setup.softening,
                     setup.order, setup.quantities, expanded ? setup.local_order : 0, output});
    for (std::size_t g = 0; g < scene.groups.groups.size(); g += groups_in_cluster) {
        auto lists = evaluator.new_lists();
        scene.list(*lists, g, std::min(scene.groups.groups.size(), g + groups_in_cluster),
                   setup.far_cells);
        evaluator.submit(std::move(lists));
    }
    CHECK(evaluator.finish() == 0);
    std::vector<TargetSum> result(n);
    for (std::size_t t = 0; t < n; ++t)
        result[t] = {acceleration[scene.octree.order[t]], potential[scene.octree.order[t]]};
    return result;
}

struct Difference {
    Percentiles acceleration, potential;
};

Difference difference(const std::vector<TargetSum>& a, const std::vector<TargetSum>& b)
{
    std::vector<double> acceleration, potential;
    for (std::size_t t = 0; t < a.size(); ++t) {
        acceleration.push_back(norm(a[t].acceleration - b[t].acceleration) /
                               norm(b[t].acceleration));
        potential.push_back(std::fabs(a[t].potential / b[t].potential - 1));
    }
    return {percentiles(acceleration), percentiles(potential)};
}

std::vector<TargetSum> direct_sum(const Scene& scene, const Softening& softening)
{
    const ReferenceSums sums = reference_sum(scene.particles, scene.octree.order, softening, 1);
    std::vector<TargetSum> result(scene.octree.order.size());
    for (std::size_t t = 0; t < result.size(); ++t)
        result[t] = {sums.acceleration[t], sums.potential[t]};
    return result;
}

/// Returns the sum of all |attractions| per target: the scale for rounding errors, independent of
/// cancellation. Treats splines like Plummer softening.
std::vector<double> summed_amounts(const Scene& scene, double softening)
{
    const Particles& p = scene.particles;
    const std::vector<Index> order(scene.octree.order.begin(), scene.octree.order.end());
    std::vector<double> amounts(order.size());
#pragma omp parallel for
    for (std::size_t t = 0; t < order.size(); ++t)
        for (std::size_t i = 0; i < p.size(); ++i)
            if (i != order[t])
                amounts[t] += p.mass[i] / (norm_squared(p.position[i] - p.position[order[t]]) +
                                           softening * softening);
    return amounts;
}

Percentiles rounding_errors(const std::vector<TargetSum>& a, const std::vector<TargetSum>& b,
                            const std::vector<double>& amounts)
{
    std::vector<double> errors;
    for (std::size_t t = 0; t < a.size(); ++t)
        errors.push_back(norm(a[t].acceleration - b[t].acceleration) / amounts[t]);
    return percentiles(errors);
}

} // namespace

void check_far_cells(const EvaluatorMaker& make)
{
    const auto single = make(Precision::single_precision),
               twice = make(Precision::double_precision);
    const Scene scenes[] = {Scene(plummer(5003)), Scene(moved(thin_disk(2999), 1e-12, {}))};
    for (const Scene& scene : scenes)
        for (int order : {0, 2, 3, 4})
            for (Softening softening :
                 {Softening{SofteningKind::plummer, 0}, Softening{SofteningKind::plummer, 0.1},
                  Softening{SofteningKind::spline, 0.002}}) {
                softening.length *= scene.moments.bounds[0].longest_side() / 40;
                Setup setup{softening};
                setup.order = order;
                CAPTURE(order);
                CAPTURE(int(softening.kind));
                CAPTURE(softening.length);
                Setup felt = setup;
                felt.far_cells = FarCells::one_by_one;
                const auto cells = evaluate(*twice, scene, felt);
                const Difference tree = difference(cells, direct_sum(scene, softening));
                const std::vector<double> amounts = summed_amounts(scene, softening.length);
                double last = 1;
                for (int local_order = 3; local_order <= 6; ++local_order) {
                    CAPTURE(local_order);
                    setup.local_order = local_order;
                    const auto sums = evaluate(*twice, scene, setup);
                    const Difference left_out = difference(sums, cells);
                    // Cells and groups interact at a third of their distance.
                    const double bound = 0.5 * std::pow(0.25, local_order);
                    CHECK(left_out.acceleration.rms < bound);
                    CHECK(left_out.potential.rms < bound / 8);
                    CHECK(left_out.acceleration.rms < 0.5 * last);
                    last = left_out.acceleration.rms;
                    const Difference all = difference(sums, direct_sum(scene, softening));
                    CHECK(all.acceleration.rms < 1.2 * tree.acceleration.rms + bound);

                    const auto in_float = evaluate(*single, scene, setup);
                    const Percentiles of_amounts = rounding_errors(in_float, sums, amounts);
                    CHECK(of_amounts.p99 < 4e-7);
                    CHECK(of_amounts.max < 1.5e-6);
                    const Difference rounding = difference(in_float, sums);
                    CHECK(rounding.acceleration.max < 1e-5);
                    CHECK(rounding.potential.max < 1e-6);
                }
            }
}

void check_scaled_far_cells(const EvaluatorMaker& make)
{
    const double length = 0x1p40, mass = 0x1p-30;
    const Particles p = plummer(1009);
    Particles scaled = moved(p, length, {});
    for (double& m : scaled.mass)
        m *= mass;
    const Scene scene(p), other(scaled);
    for (auto precision : {Precision::single_precision, Precision::double_precision}) {
        const auto evaluator = make(precision);
        Setup setup{{SofteningKind::plummer, 0.01}};
        const auto sums = evaluate(*evaluator, scene, setup);
        setup.quantities = Quantities::acceleration;
        const auto without = evaluate(*evaluator, scene, setup);
        setup.quantities = Quantities::acceleration_potential;
        setup.softening.length *= length;
        const auto scaled_sums = evaluate(*evaluator, other, setup);
        for (std::size_t t = 0; t < sums.size(); ++t) {
            CHECK(without[t].acceleration == sums[t].acceleration);
            CHECK(length * length / mass * scaled_sums[t].acceleration == sums[t].acceleration);
            CHECK(length / mass * scaled_sums[t].potential == sums[t].potential);
        }
    }
}

} // namespace chamomile::tests
