// The walk of one cluster of groups: once from the root for the cluster, opening cells for all
// groups at once (ClusterTask::largest_spared), then for each group from the cells left to it. The
// daughters of a cell are tested side by side, one per lane. Contraction: none (no fused
// multiply-adds), so that all instruction sets agree.
#include "chamomile/tree/simd/walk_kernel.hpp"

#include "chamomile/tree/simd/node_decisions.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
namespace {

using namespace walk;

template <class T>
__attribute__((noinline)) void grow(WalkArray<T>& array, std::size_t more)
{
    const std::size_t capacity = 2 * (array.size + more) + 64;
    T* data = new T[capacity];
    if (array.size > 0)
        __builtin_memcpy(static_cast<void*>(data), array.data, array.size * sizeof(T));
    delete[] array.data;
    array.data = data;
    array.capacity = capacity;
}

template <class T>
CHAMOMILE_HD void make_room(WalkArray<T>& array, std::size_t more)
{
    if (__builtin_expect(array.size + more > array.capacity, 0))
        grow(array, more);
}

template <class T>
CHAMOMILE_HD void append(WalkArray<T>& array, const T& entry)
{
    make_room(array, 1);
    array.data[array.size++] = entry;
}

/// Appends the entries of `from` whose bits are set, in order.
CHAMOMILE_HD void append_lanes(WalkArray<Index>& array, const Index* from, unsigned bits)
{
    make_room(array, lanes);
    Index* to = array.data + array.size;
#if defined(__AVX512VL__)
    const __m256i all = _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_maskz_compress_epi32(__mmask8(bits), all));
    array.size += unsigned(__builtin_popcount(bits));
#else
    for (; bits != 0; bits &= bits - 1)
        *to++ = from[__builtin_ctz(bits)];
    array.size = std::size_t(to - array.data);
#endif
}

/// Makes the lists for one cluster and its groups.
template <class Region>
class ClusterWalk {
public:
    ClusterWalk(const ClusterTask& task, WalkScratch& scratch)
        : tree_(task.tree), period_(task.period), finishes_(task.groups > 0), scratch_(scratch)
    {}

    /// Lists the cells far from the whole cluster, and collects the cells left to its groups, both
    /// in tree order.
    void open(const WalkRegion& plain, double largest_spared)
    {
        const Region region(plain, period_);
        const WalkNode* const nodes = tree_.nodes;
        scratch_.stack.size = 0;
        scratch_.open.size = scratch_.left_open.size = 0;
        filled_ = lanes;
        append(scratch_.stack, {whole, 0});
        while (scratch_.stack.size > 0) {
            const WalkEntry entry = scratch_.stack.data[--scratch_.stack.size];
            const WalkNode& node = nodes[entry.node];
            if (entry.cell != whole) {
                leave_to_groups(node, int(entry.cell));
                continue;
            }
            const Decisions d = decide(node, region);
            append_lanes(scratch_.far_cells, node.cell, d.far);
            const unsigned rest = node.lanes & ~d.far & ~d.left_out;
            const unsigned spared = largest_spared < 0 ? acceptable(node, region)
                                                       : small(node, region, P(largest_spared));
            const unsigned opened = rest & node.inner & ~d.accepted & ~spared;
            if (opened == 0) {
                for (unsigned bits = rest; bits != 0; bits &= bits - 1)
                    leave_to_groups(node, __builtin_ctz(bits));
                continue;
            }
            make_room(scratch_.stack, lanes);
            for (unsigned bits = rest; bits != 0;) { // the first ends up on top
                const int lane = 31 - __builtin_clz(bits);
                bits ^= 1u << lane;
                scratch_.stack.data[scratch_.stack.size++] =
                    opened >> lane & 1 ? WalkEntry{whole, node.node[lane]}
                                       : WalkEntry{Index(lane), entry.node};
            }
        }
    }

    /// Finishes the walk for one group.
    GroupEnds list(const WalkRegion& plain)
    {
        const Region region(plain, period_);
        particle_count_ = 0;
        for (std::size_t b = 0; b < scratch_.open.size; ++b) {
            visit(scratch_.open.data[b], region);
            while (scratch_.stack.size > 0) {
                const WalkEntry entry = scratch_.stack.data[--scratch_.stack.size];
                if (entry.node == no_node)
                    list_particles(entry.cell);
                else
                    visit(tree_.nodes[entry.node], region);
            }
        }
        return {Index(scratch_.far_cells.size), Index(scratch_.cells.size),
                Index(scratch_.ranges.size), particle_count_};
    }

private:
    static constexpr Index whole = 0xffffffff; // stands for all lanes of a node

    void leave_to_groups(const WalkNode& node, int lane)
    {
        if (!finishes_)
            return append(scratch_.left_open, lane_of_node(Index(&node - tree_.nodes), lane));
        if (filled_ == lanes) {
            make_room(scratch_.open, 1);
            WalkNode& fresh = scratch_.open.data[scratch_.open.size++];
            __builtin_memset(static_cast<void*>(&fresh), 0, sizeof fresh);
            filled_ = 0;
        }
        WalkNode& to = scratch_.open.data[scratch_.open.size - 1];
        to.x[filled_] = node.x[lane];
        to.y[filled_] = node.y[lane];
        to.z[filled_] = node.z[lane];
        to.min[filled_] = node.min[lane];
        to.relative[filled_] = node.relative[lane];
        to.expansion[filled_] = node.expansion[lane];
        to.cell[filled_] = node.cell[lane];
        to.node[filled_] = node.node[lane];
        to.lanes |= 1u << filled_;
        to.inner |= (node.inner >> lane & 1u) << filled_;
        ++filled_;
    }

    CHAMOMILE_HD void visit(const WalkNode& node, const Region& region)
    {
        const Decisions d = decide(node, region);
        append_lanes(scratch_.far_cells, node.cell, d.far);
        append_lanes(scratch_.cells, node.cell, d.accepted & ~d.far);
        unsigned near = node.lanes & ~d.accepted & ~d.left_out;
        if ((near & node.inner) == 0) {
            for (; near != 0; near &= near - 1)
                list_particles(node.cell[__builtin_ctz(near)]);
            return;
        }
        make_room(scratch_.stack, lanes);
        while (near != 0) { // the first ends up on top, so that ranges stay in order
            const int lane = 31 - __builtin_clz(near);
            near ^= 1u << lane;
            scratch_.stack.data[scratch_.stack.size++] = {node.cell[lane], node.node[lane]};
        }
    }

    /// Lists a leaf's particles. Adjacent leaves share one range.
    CHAMOMILE_HD void list_particles(Index leaf)
    {
        const Cell& cell = tree_.cells[leaf];
        if (particle_count_ == 0 || cell.begin != last_end_)
            append(scratch_.ranges, {cell.begin, particle_count_});
        particle_count_ += cell.count;
        last_end_ = cell.begin + cell.count;
    }

    WalkTree tree_;
    WalkPeriod period_;
    const bool finishes_; // the lists of groups
    WalkScratch& scratch_;
    int filled_ = lanes; // lanes in use in the last open node
    Index particle_count_ = 0, last_end_ = 0;
};

template <class Region>
void walk_cluster(const ClusterTask& task, WalkScratch& scratch)
{
    ClusterWalk<Region> walk(task, scratch);
    scratch.far_cells.size = scratch.cells.size = scratch.ranges.size = scratch.ends.size = 0;
    walk.open(task.region, task.largest_spared);
    append(scratch.ends, {Index(scratch.far_cells.size), 0, 0, 0});
    for (std::size_t g = 0; g < task.groups; ++g)
        append(scratch.ends, walk.list(scratch.regions.data[g]));
}

Vec3<double> field(const FieldTask& task, WalkScratch& scratch)
{
    constexpr int packs = lanes / P::width;
    const Vec3<P> at{P(task.at.x), P(task.at.y), P(task.at.z)};
    const P inverse_length(task.inverse_length); // a power of two
    const P softening(task.softening_squared), clearance(task.clearance),
        opening(AcceptanceCriterion::estimate_opening);
    const NearestImage nearest(task.period.periodicity);
    const double cut = task.period.cut * task.inverse_length;
    const P cut_squared(cut > 0 ? cut * cut : __builtin_inf());
    // Lane k of eight gets the same sum for any register width.
    Vec3<P> sum[packs];
    scratch.stack.size = 0;
    append(scratch.stack, {0, 0});
    while (scratch.stack.size > 0) {
        const WalkNode& node = task.tree.nodes[scratch.stack.data[--scratch.stack.size].node];
        Vec3<P> d[packs];
        P u_squared[packs];
        unsigned opened = 0, cut_off = 0;
        for (int p = 0; p < packs; ++p) {
            const int k = p * P::width;
            d[p] = inverse_length * nearest({P::load(node.x + k) - at.x, P::load(node.y + k) - at.y,
                                             P::load(node.z + k) - at.z});
            u_squared[p] = squared(d[p]) + softening;
            const P size = opening * (inverse_length * (P::load(node.min + k) - clearance));
            opened |= less_bits(u_squared[p], size * size) << k;
            cut_off |= less_bits(cut_squared, u_squared[p]) << k;
        }
        opened &= node.inner;
        double mass[lanes];
        for (int k = 0; k < lanes; ++k)
            mass[k] = (opened | cut_off) >> k & 1 ? 0.0 : double(node.mass[k]);
        for (int p = 0; p < packs; ++p) {
            const P inv_u = inverse_sqrt(larger(u_squared[p], P(1e-180)));
            const P weight = P::load(mass + p * P::width) * (inv_u * inv_u * inv_u);
            sum[p] += Vec3<P>{weight * d[p].x, weight * d[p].y, weight * d[p].z};
        }
        make_room(scratch.stack, lanes);
        for (; opened != 0; opened &= opened - 1)
            scratch.stack.data[scratch.stack.size++] = {0, node.node[__builtin_ctz(opened)]};
    }
    double total[3] = {};
    for (int p = 0; p < packs; ++p)
        for (int lane = 0; lane < P::width; ++lane) {
            total[0] += sum[p].x.lanes[lane];
            total[1] += sum[p].y.lanes[lane];
            total[2] += sum[p].z.lanes[lane];
        }
    return {total[0], total[1], total[2]};
}

} // namespace

WalkKernels walk_kernels()
{
#define CHAMOMILE_NAME(set) CHAMOMILE_QUOTE(set)
#define CHAMOMILE_QUOTE(set) #set
    return {CHAMOMILE_NAME(CHAMOMILE_INSTRUCTION_SET), walk_cluster<Region>,
            walk_cluster<PeriodicRegion>, field};
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
