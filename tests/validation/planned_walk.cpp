#include "tests/validation/planned_walk.hpp"

#include <bit>

#include "chamomile/tree/keys.hpp"

namespace chamomile::tests {
namespace {

constexpr int leaf_size = 8, group_size = 64;

/// Returns the box that defines each cell's size.
std::vector<Box> measured_boxes(const GroupedTree& f, const Particles& p, CellMeasure measure)
{
    const auto& cells = f.octree.cells;
    std::vector<Box> boxes(f.moments.bounds.begin(), f.moments.bounds.end());
    if (measure == CellMeasure::tight_box)
        return boxes;
    const RootCube root = bounding_cube(p.position);
    const auto key = [&](Index k) { return morton_key(f.octree.sources[k].position, root); };
    // The deepest cube containing the whole cell; a leaf uses an octant of its mother's cube.
    std::vector<int> level(cells.size());
    for (Index c = 0; c < cells.size(); ++c) {
        if (!f.octree.is_leaf(c)) {
            const Key differ = key(cells[c].begin) ^ key(cells[c].begin + cells[c].count - 1);
            level[c] = (std::countl_zero(differ) - 1) / 3;
            for (Index d = c + 1; d < cells[c].next; d = cells[d].next)
                level[d] = level[c] + 1;
        }
        const double side = std::ldexp(root.size, -level[c]);
        const Vec3<double> x = f.octree.sources[cells[c].begin].position - root.low;
        const Vec3<double> low =
            root.low + side * Vec3<double>{std::floor(x.x / side), std::floor(x.y / side),
                                           std::floor(x.z / side)};
        boxes[c] = {low, low + Vec3<double>{side, side, side}};
    }
    return boxes;
}

struct Targets {
    Index begin, end;
    Box box;
};

std::vector<Targets> targets_of(const GroupedTree& f, GroupMaking making)
{
    std::vector<Targets> targets;
    if (making == GroupMaking::joined_cells) {
        for (const Group& group : f.groups.groups)
            targets.push_back({group.begin, group.end, group.box});
        return targets;
    }
    for (Index c = 0; c < f.octree.cells.size();) {
        const Cell& cell = f.octree.cells[c];
        const bool whole = cell.count <= group_size || f.octree.is_leaf(c);
        if (whole)
            targets.push_back({cell.begin, cell.begin + cell.count, f.moments.bounds[c]});
        c = whole ? cell.next : c + 1;
    }
    return targets;
}

Vec3<double> of_particle(const Vec3<double>& at, const Source& source)
{
    const Vec3<double> d = source.position - at;
    const double r = norm(d);
    return r > 0 ? source.mass / (r * r * r) * d : Vec3<double>{};
}

/// Monopole and, from Q = 3 S - tr(S) 1, quadrupole: phi = -M/r - d Q d / (2 r^5).
Vec3<double> of_cell(const Vec3<double>& at, const Multipole& m, bool quadrupole)
{
    const Vec3<double> d = at - m.center;
    const double r = norm(d);
    const Vec3<double> mono = -m.mass / (r * r * r) * d;
    if (!quadrupole)
        return mono;
    const SecondMoments& s = m.second;
    const double trace = s.xx + s.yy + s.zz;
    const Vec3<double> qd{3 * (s.xx * d.x + s.xy * d.y + s.xz * d.z) - trace * d.x,
                          3 * (s.xy * d.x + s.yy * d.y + s.yz * d.z) - trace * d.y,
                          3 * (s.xz * d.x + s.yz * d.y + s.zz * d.z) - trace * d.z};
    const double r5 = std::pow(r, 5);
    return mono + 1 / r5 * qd - 2.5 * dot(d, qd) / (r5 * r * r) * d;
}

} // namespace

PlannedForces planned_forces(const Particles& particles, std::span<const Index> asked,
                             const PlannedAlgorithm& algorithm)
{
    const GroupedTree f(particles, {group_size, 1}, {}, leaf_size);
    const std::vector<Box> boxes = measured_boxes(f, particles, algorithm.measure);
    const std::vector<Targets> groups = targets_of(f, algorithm.groups);
    PlannedForces forces;
    forces.acceleration.resize(particles.size());
    std::vector<bool> is_asked(particles.size());
    for (Index i : asked)
        is_asked[i] = true;
    double interactions = 0;
#pragma omp parallel for schedule(dynamic, 8) reduction(+ : interactions)
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const Targets& group = groups[g];
        std::vector<Index> near, far;
        for (Index c = 0; c < f.octree.cells.size();) {
            const Cell& cell = f.octree.cells[c];
            const Vec3<double>& center = f.moments.multipole[c].center;
            const double opening =
                boxes[c].longest_side() / algorithm.theta + norm(center - boxes[c].center());
            if (group.box.distance_squared(center) > opening * opening) {
                far.push_back(c);
                c = cell.next;
                continue;
            }
            if (f.octree.is_leaf(c))
                for (Index k = cell.begin; k < cell.begin + cell.count; ++k)
                    near.push_back(k);
            ++c;
        }
        for (Index t = group.begin; t < group.end; ++t) {
            if (!is_asked[f.octree.order[t]])
                continue;
            interactions += double(near.size() + far.size());
            const Vec3<double> at = f.octree.sources[t].position;
            Vec3<double> sum;
            for (Index k : near)
                if (k != t)
                    sum += of_particle(at, f.octree.sources[k]);
            for (Index c : far)
                sum += of_cell(at, f.moments.multipole[c], algorithm.order == 2);
            forces.acceleration[f.octree.order[t]] = sum;
        }
    }
    forces.interactions = interactions / double(asked.size());
    return forces;
}

} // namespace chamomile::tests
