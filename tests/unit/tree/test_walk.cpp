// Properties of the walk: every particle once, cells by the criterion, equal lists for any
// clusters, batches and instruction set.
#include <algorithm>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/tree/walk_decisions.hpp"
#include "tests/unit/group_lists.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("walk");

namespace {

InteractionLists lists_of(const GroupedTree& f, const AcceptanceCriterion& criterion,
                          const std::string& instruction_set = "auto")
{
    const GroupedTreeWalk on(f, criterion, instruction_set);
    const Walk& walk = on.walk;
    InteractionLists lists;
    walk.list(lists, f.groups, 0, f.groups.clusters.size());
    REQUIRE(lists.rows.size() == f.groups.groups.size());
    return lists;
}

AcceptanceCriterion geometric(double theta, int local_order = 0, double clearance = 0)
{
    return {.kind = Criterion::geometric,
            .theta = theta,
            .clearance = clearance,
            .local_order = local_order};
}

AcceptanceCriterion relative(double tolerance, int local_order = 0, double clearance = 0,
                             int order = 2)
{
    return {
        .tolerance = tolerance, .clearance = clearance, .order = order, .local_order = local_order};
}

AcceptanceCriterion minimum_distance(double theta, int local_order = 0, double clearance = 0)
{
    AcceptanceCriterion criterion = geometric(theta, local_order, clearance);
    criterion.kind = Criterion::minimum_distance;
    return criterion;
}

AcceptanceCriterion moments(double tolerance, int local_order = 0, double clearance = 0,
                            int order = 2)
{
    AcceptanceCriterion criterion = relative(tolerance, local_order, clearance, order);
    criterion.kind = Criterion::moments;
    return criterion;
}

bool same(const InteractionLists& a, const InteractionLists& b)
{
    if (a.rows.size() != b.rows.size() || a.cells != b.cells || a.far_cells != b.far_cells ||
        a.ranges.size() != b.ranges.size() || a.clusters.size() != b.clusters.size())
        return false;
    for (std::size_t r = 0; r < a.ranges.size(); ++r)
        if (a.ranges[r].first != b.ranges[r].first || a.ranges[r].before != b.ranges[r].before)
            return false;
    for (std::size_t r = 0; r < a.rows.size(); ++r)
        if (a.rows[r].cell_end != b.rows[r].cell_end || a.rows[r].far_end != b.rows[r].far_end ||
            a.rows[r].range_end != b.rows[r].range_end || a.rows[r].cluster != b.rows[r].cluster)
            return false;
    return true;
}

/// Returns the min distance between points in the box and x.
double distance(const Box& box, const Vec3<double>& x)
{
    return norm(x - Vec3<double>{std::clamp(x.x, box.low.x, box.high.x),
                                 std::clamp(x.y, box.low.y, box.high.y),
                                 std::clamp(x.z, box.low.z, box.high.z)});
}

/// Distances from a cell to targets, by independent criterion formulas.
struct Judge {
    const GroupedTree& f;
    AcceptanceCriterion criterion;
    double acceleration;

    double opening(Index c) const
    {
        const Multipole& m = f.moments.multipole[c];
        const Box& box = f.moments.bounds[c];
        const double b = farthest_corner(box, m.center), guard = b + criterion.clearance;
        const double limit = criterion.tolerance * acceleration;
        const Vec3<double> side = box.high - box.low, middle = 0.5 * (box.high + box.low);
        const double angle = std::max({side.x, side.y, side.z}) / criterion.theta;
        // Degree of the first omitted multipole: about the center of mass the dipole vanishes.
        const int n = criterion.order == 0 ? 2 : criterion.order + 1;
        const auto reach = [&](double moment) { return std::pow(moment / limit, 1.0 / (n + 2)); };
        switch (criterion.kind) {
        case Criterion::geometric:
            return std::max(guard, angle + norm(m.center - middle));
        case Criterion::minimum_distance:
            return std::max(guard, angle + b);
        case Criterion::relative:
            return std::max(guard, reach(m.mass * std::pow(b, n)));
        case Criterion::moments:
            break;
        }
        return std::max(guard, reach(spread_of(c) * std::pow(b, n - 2)) + 1.5 / (n + 2) * guard);
    }
    /// Sum of m d^2 over the particles, not from daughters.
    double spread_of(Index c) const
    {
        const Cell& cell = f.octree.cells[c];
        double sum = 0;
        for (Index k = cell.begin; k < cell.begin + cell.count; ++k) {
            const Source& s = f.octree.sources[k];
            const Vec3<double> d = s.position - f.moments.multipole[c].center;
            sum += s.mass * dot(d, d);
        }
        return sum;
    }
    bool is_accepted(Index c, const Box& box, double change) const
    {
        return distance(box, f.moments.multipole[c].center) > (1 + change) * opening(c);
    }
    bool is_far(Index c, const Box& box, double kappa, double change) const
    {
        const int P = criterion.local_order;
        const Vec3<double> center = 0.5 * (box.low + box.high);
        const double radius = farthest_corner(box, center);
        const double min =
            criterion.takes_tolerance()
                ? std::max(kappa * radius,
                           std::pow(f.moments.multipole[c].mass * std::pow(radius, P) /
                                        (0.02 * criterion.tolerance * acceleration),
                                    1.0 / (P + 2)))
                : kappa / criterion.theta * radius;
        return P > 0 && is_accepted(c, box, change) &&
               norm(f.moments.multipole[c].center - center) > (1 + change) * min;
    }
};

/// Checks that listed cells are far enough, and that their mothers and the leaves of listed
/// particles are not.
void check_distances(const Judge& judge, const Cluster& cluster, const Group& group,
                     const GroupList& list)
{
    const Octree& octree = judge.f.octree;
    std::vector<int> kind(octree.cells.size()); // 1: cluster_far, 2: far, 3: cells
    for (Index c : list.cluster_far)
        kind[c] = 1;
    for (Index c : list.far)
        kind[c] = 2;
    for (Index c : list.cells)
        kind[c] = 3;
    std::vector<bool> near(octree.order.size());
    for (Index k : list.particles)
        near[k] = true;
    const bool relative = judge.criterion.takes_tolerance();
    std::size_t wrong = 0;
    for (Index c = 0; c < octree.cells.size();) {
        if (kind[c] == 1)
            wrong += !judge.is_far(c, cluster.box, relative ? 1.3 : 2, -1e-9);
        if (kind[c] == 2)
            wrong += !judge.is_far(c, group.box, relative ? 1.3 : 2.0, -1e-9);
        if (kind[c] == 3)
            wrong += !judge.is_accepted(c, group.box, -1e-9) ||
                     judge.is_far(c, group.box, relative ? 1.3 : 2.0, 1e-9);
        if (kind[c] == 0) {
            const bool leaf = octree.is_leaf(c);
            // With expansions a cluster may open cells not accepted by itself.
            const bool by_cluster = judge.criterion.local_order > 0 && !leaf;
            wrong += judge.is_accepted(c, by_cluster ? cluster.box : group.box, 1e-9) ||
                     (leaf && !near[octree.cells[c].begin]);
        }
        c = kind[c] == 0 ? c + 1 : octree.cells[c].next;
    }
    CHECK(wrong == 0);
}

} // namespace

TEST_CASE("every group's list contains every particle once")
{
    for (const Particles& p : clouds())
        for (const bool all : {true, false}) {
            const std::vector<Index> active = all ? std::vector<Index>() : every_third(p.size());
            const GroupedTree f(p, {64, 5}, active);
            for (const AcceptanceCriterion& criterion :
                 {geometric(0.6), geometric(1, 5), relative(0.01), relative(0.01, 5),
                  relative(1e-4, 3, 0.3), relative(0.01, 4, 0, 0), minimum_distance(0.8),
                  minimum_distance(1, 5), moments(0.01), moments(1e-4, 3, 0.3),
                  moments(0.01, 4, 0, 0)}) {
                const InteractionLists lists = lists_of(f, criterion);
                std::size_t complete = 0;
                for (const ListRow& row : lists.rows)
                    complete += every_particle_once(f, group_list(lists, row));
                CHECK(complete == f.groups.groups.size());
            }
        }
}

TEST_CASE("a geometric walk by clusters matches a plain walk for each group")
{
    for (const Particles& p : clouds())
        for (const int cluster : {1, 7, 64})
            for (const double clearance : {0.0, 0.3}) {
                const GroupedTree f(p, {64, cluster}, every_third(p.size()));
                const InteractionLists lists = lists_of(f, geometric(0.6, 0, clearance));
                CHECK(lists.far_cells.empty());
                std::size_t equal = 0;
                for (std::size_t g = 0; g < lists.rows.size(); ++g) {
                    const GroupList list = group_list(lists, lists.rows[g]);
                    const GroupList plain = plain_walk(f, f.groups.groups[g], 0.6, clearance);
                    equal += list.particles == plain.particles && list.cells == plain.cells;
                }
                CHECK(equal == lists.rows.size());
            }
}

TEST_CASE("cells are accepted by the criterion and opened otherwise")
{
    for (const Particles& p : {plummer(5003), two_clumps(4001)})
        for (const AcceptanceCriterion& criterion :
             {geometric(0.6), geometric(0.8, 5), geometric(0.6, 5, 0.3), relative(0.01),
              relative(0.003, 5), relative(0.01, 3, 0.3), relative(0.01, 4, 0, 0),
              relative(0.001, 5, 0, 3), relative(0.001, 6, 0, 4), minimum_distance(0.8),
              minimum_distance(1, 5, 0.3), moments(0.01), moments(0.003, 5), moments(0.01, 3, 0.3),
              moments(0.01, 4, 0, 0), moments(0.001, 5, 0, 3), moments(0.001, 6, 0, 4)}) {
            const GroupedTree f(p, {32, 8});
            const GroupedTreeWalk on(f, criterion);
            const Walk& walk = on.walk;
            InteractionLists lists;
            walk.list(lists, f.groups, 0, f.groups.clusters.size());
            for (const Cluster& cluster : f.groups.clusters) {
                const Judge judge{f, criterion, walk.acceleration(cluster)};
                for (Index g = cluster.first_group; g < cluster.last_group; ++g)
                    check_distances(judge, cluster, f.groups.groups[g],
                                    group_list(lists, lists.rows[g]));
            }
            CHECK(lists.cells.size() > 10 * lists.rows.size());
            CHECK(lists.far_cells.empty() == (criterion.local_order == 0));
        }
}

TEST_CASE("all instruction sets give equal lists")
{
    for (const Particles& p : clouds())
        for (const AcceptanceCriterion& criterion :
             {geometric(0.6), geometric(1, 5), relative(0.003), relative(0.003, 5),
              minimum_distance(0.8), minimum_distance(1, 5), moments(0.003), moments(0.003, 5)}) {
            const GroupedTree f(p, {64, 8});
            const InteractionLists baseline = lists_of(f, criterion, "baseline");
            for (const std::string& set : instruction_sets())
                CHECK_MESSAGE(same(lists_of(f, criterion, set), baseline), set);
        }
    CHECK_THROWS_WITH_AS(Walk("mmx"), doctest::Contains("mmx"), Error);
}

TEST_CASE("lists do not depend on batches or on power-of-two units")
{
    Particles p = plummer(5003);
    const GroupedTree f(p, {32, 8});
    for (const AcceptanceCriterion& criterion :
         {geometric(0.8, 5), relative(0.003, 5), minimum_distance(1, 5), moments(0.003, 5)}) {
        const InteractionLists together = lists_of(f, criterion);
        const GroupedTreeWalk on(f, criterion);
        const Walk& walk = on.walk;
        for (std::size_t c = 0; c < f.groups.clusters.size(); ++c) {
            InteractionLists one;
            walk.list(one, f.groups, c, c + 1);
            std::size_t g = f.groups.clusters[c].first_group;
            for (const ListRow& row : one.rows) {
                const GroupList a = group_list(one, row);
                const GroupList b = group_list(together, together.rows[g++]);
                CHECK(a.particles == b.particles);
                CHECK(a.cells == b.cells);
                CHECK(a.far == b.far);
                CHECK(a.cluster_far == b.cluster_far);
            }
            CHECK(g == f.groups.clusters[c].last_group);
        }
        Particles scaled = moved(p, 0x1p57, {});
        for (double& m : scaled.mass)
            m *= 0x1p91;
        CHECK(same(lists_of(GroupedTree(scaled, {32, 8}), criterion), together));
    }
}

TEST_CASE("open lists, finished cell by cell, match the walk")
{
    const std::size_t min = 100;
    for (const Particles& p : clouds())
        for (const Periodicity period : {Periodicity{}, Periodicity{2e9}})
            for (AcceptanceCriterion criterion :
                 {geometric(0.6), geometric(1, 5), relative(0.003, 5), minimum_distance(0.8),
                  moments(0.003), moments(1e-4, 6), moments(0.01, 3, 0.3)}) {
                if (period) {
                    criterion.periodicity = period;
                    criterion.cut = 0.1;
                    criterion.local_order = 0;
                }
                const GroupedTree f(p, {64, 8}, every_third(p.size()));
                const GroupedTreeWalk on(f, criterion);
                InteractionLists whole, open;
                on.walk.list(whole, f.groups, 0, f.groups.clusters.size());
                on.walk.open(open, f.groups, 0, f.groups.clusters.size());
                REQUIRE(open.rows.size() == whole.rows.size());
                CHECK(open.are_open());
                CHECK(open.open.size() > std::min(min, open.clusters.size() - 1));
                std::size_t equal = 0;
                for (std::size_t r = 0; r < open.rows.size(); ++r) {
                    const GroupList a = finished_list(open, open.rows[r], f, on.nodes, criterion),
                                    b = group_list(whole, whole.rows[r]);
                    equal += a.particles == b.particles && a.cells == b.cells && a.far == b.far &&
                             a.cluster_far == b.cluster_far;
                }
                CHECK(equal == open.rows.size());
            }
}

TEST_CASE("no criterion accepts a cell in contact with its targets")
{
    // A heavy particle in one corner: centers of mass are as far off as possible.
    Particles p = uniform_cube(2003);
    p.mass[7] = 1e6;
    for (const AcceptanceCriterion& generous :
         {geometric(1.5), minimum_distance(1.5), relative(1), relative(1, 0, 0, 0), moments(1),
          moments(1, 0, 0, 0)})
        for (const double clearance : {0.0, 0.2}) {
            AcceptanceCriterion criterion = generous;
            criterion.clearance = clearance;
            criterion.tolerance *= 1e6; // beyond the range of options
            criterion.theta *= 1e6;
            const GroupedTree f(p, {32, 8});
            const InteractionLists lists = lists_of(f, criterion);
            std::size_t touching = 0;
            for (const ListRow& row : lists.rows) {
                const Box& box = f.groups.groups[&row - lists.rows.data()].box;
                for (Index c : group_list(lists, row).cells) {
                    const Cell& cell = f.octree.cells[c];
                    for (Index k = cell.begin; k < cell.begin + cell.count; ++k)
                        touching += distance(box, f.octree.sources[k].position) <= clearance;
                }
            }
            CHECK(touching == 0);
            CHECK(lists.cells.size() > lists.rows.size());
        }
}

TEST_CASE("cluster accelerations are estimated within a factor of three")
{
    for (const Particles& p : {plummer(5003), two_clumps(4001)}) {
        const GroupedTree f(p, {32, 8});
        const GroupedTreeWalk on(f, relative(0.003));
        const Walk& walk = on.walk;
        for (const Cluster& cluster : f.groups.clusters) {
            std::vector<double> sizes;
            for (Index k = f.groups.groups[cluster.first_group].begin;
                 k < f.groups.groups[cluster.last_group - 1].end; ++k) {
                Vec3<double> sum;
                for (const Source& s : f.octree.sources) {
                    const Vec3<double> d = s.position - f.octree.sources[k].position;
                    if (const double r = norm(d); r > 0)
                        sum += s.mass / (r * r * r) * d;
                }
                sizes.push_back(norm(sum));
            }
            std::nth_element(sizes.begin(), sizes.begin() + sizes.size() / 2, sizes.end());
            const double ratio = walk.acceleration(cluster) / sizes[sizes.size() / 2];
            CHECK(ratio > 1.0 / 3);
            CHECK(ratio < 3);
        }
    }
}

TEST_SUITE_END();
