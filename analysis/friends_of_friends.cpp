#include "chamomile/analysis/friends_of_friends.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <span>

#include "chamomile/analysis/halos/linking_cells.hpp"
#include "chamomile/core/box.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/filter_indices.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

/// DisjointSets is a union-find structure for concurrent joins. The smallest member represents its
/// set, so the result is independent of the order of joins (Jayanti & Tarjan 2016).
class DisjointSets {
public:
    explicit DisjointSets(std::size_t n) : parent_(n)
    {
#pragma omp parallel for schedule(static) if (n >= worth_threads)
        for (std::size_t c = 0; c < n; ++c)
            parent_[c] = std::uint32_t(c);
    }

    std::uint32_t find(std::uint32_t x)
    {
        for (;;) {
            const std::uint32_t parent = load(x);
            if (parent == x)
                return x;
            const std::uint32_t above = load(parent);
            if (above == parent)
                return parent;
            std::atomic_ref(parent_[x]).store(above, relaxed);
            x = above;
        }
    }

    void join(std::uint32_t a, std::uint32_t b)
    {
        for (;;) {
            a = find(a);
            b = find(b);
            if (a == b)
                return;
            if (a < b)
                std::swap(a, b);
            std::uint32_t expected = a;
            if (std::atomic_ref(parent_[a]).compare_exchange_strong(expected, b))
                return;
        }
    }

private:
    std::uint32_t load(std::uint32_t x)
    {
        return std::atomic_ref(parent_[x]).load(relaxed);
    }

    UnsetArray<std::uint32_t> parent_;
};

/// A Linker joins linking cells that contain friends.
class Linker {
public:
    explicit Linker(const LinkingCells& cells) : cells_(cells), sets_(cells.cells()) {}

    /// Links touching cells first. Most farther cells are then joined and need no pair tests.
    void link()
    {
        link(0, 1);
        link(1, cells_.reach);
    }

    std::uint32_t set_of(std::uint32_t cell) { return sets_.find(cell); }

private:
    using Coordinate = LinkingCells::Coordinate;

    /// A RowCursor searches for a row, starting at the last hit.
    struct RowCursor {
        Coordinate dx, dy;
        std::size_t at = 0;

        bool move_to(std::span<const std::uint64_t> rows, std::uint64_t wanted)
        {
            for (int step = 0; at < rows.size() && rows[at] < wanted; ++at)
                if (++step == 16)
                    break;
            if (at == rows.size() || rows[at] < wanted || (at > 0 && rows[at - 1] >= wanted))
                at = std::size_t(std::lower_bound(rows.begin(), rows.end(), wanted) - rows.begin());
            return at < rows.size() && rows[at] == wanted;
        }
    };

    /// Links cells with coordinates that differ by more than `inner` and at most `outer`.
    void link(Coordinate inner, Coordinate outer)
    {
        constexpr std::size_t chunk = 256;
        const std::size_t chunks = (cells_.rows() + chunk - 1) / chunk;
#pragma omp parallel for schedule(dynamic) if (cells_.cells() >= worth_threads)
        for (std::size_t c = 0; c < chunks; ++c) {
            std::vector<RowCursor> cursors;
            for (Coordinate dx = 0; dx <= outer; ++dx)
                for (Coordinate dy = dx > 0 ? -outer : 0; dy <= outer; ++dy)
                    cursors.push_back({dx, dy});
            for (std::size_t r = c * chunk; r < std::min(cells_.rows(), (c + 1) * chunk); ++r)
                for (RowCursor& cursor : cursors) {
                    const bool is_inner = std::max(cursor.dx, std::abs(cursor.dy)) <= inner;
                    link_rows(r, cursor, is_inner ? inner : -1, outer);
                }
        }
    }

    void link_rows(std::size_t r, RowCursor& cursor, Coordinate inner, Coordinate outer)
    {
        Coordinate x = Coordinate(cells_.row[r]) / cells_.extent[1] + cursor.dx;
        Coordinate y = Coordinate(cells_.row[r]) % cells_.extent[1] + cursor.dy;
        Vec3<double> shift;
        if (!cells_.enter(x, 0, shift.x) || !cells_.enter(y, 1, shift.y) ||
            !cursor.move_to(cells_.row, std::uint64_t(x * cells_.extent[1] + y)))
            return;
        const std::uint32_t begin = cells_.row_cell[cursor.at];
        const std::uint32_t end = cells_.row_cell[cursor.at + 1];
        const Coordinate n = cells_.extent[2];
        std::uint32_t start = begin;
        for (std::uint32_t a = cells_.row_cell[r]; a < cells_.row_cell[r + 1]; ++a) {
            const auto z = Coordinate(cells_.z[a]);
            while (start < end && Coordinate(cells_.z[start]) < z - outer)
                ++start;
            for (std::uint32_t b = start; b < end && Coordinate(cells_.z[b]) <= z + outer; ++b)
                if (std::abs(Coordinate(cells_.z[b]) - z) > inner)
                    link_cells(a, b, shift);
            if (!cells_.periodicity || (z >= outer && z < n - outer))
                continue;
            Vec3<double> across = shift;
            across.z = -cells_.periodicity.side;
            for (std::uint32_t b = end; b-- > begin && Coordinate(cells_.z[b]) - n >= z - outer;)
                if (z + n - Coordinate(cells_.z[b]) > inner)
                    link_cells(a, b, across);
            across.z = cells_.periodicity.side;
            for (std::uint32_t b = begin; b < end && Coordinate(cells_.z[b]) + n <= z + outer; ++b)
                if (Coordinate(cells_.z[b]) + n - z > inner)
                    link_cells(a, b, across);
        }
    }

    void link_cells(std::uint32_t a, std::uint32_t b, const Vec3<double>& shift)
    {
        if (sets_.find(a) != sets_.find(b) && is_linked(a, b, shift))
            sets_.join(a, b);
    }

    /// Returns whether a particle of b, moved by `shift`, is a friend of a particle of a.
    bool is_linked(std::uint32_t a, std::uint32_t b, const Vec3<double>& shift) const
    {
        const Vec3<double>* const begin = cells_.place.data() + cells_.first[b];
        const Vec3<double>* const end = cells_.place.data() + cells_.first[b + 1];
        Box box;
        if (end - begin > 8)
            for (const Vec3<double>* q = begin; q < end; ++q)
                box.add(*q);
        for (std::uint32_t i = cells_.first[a]; i < cells_.first[a + 1]; ++i) {
            const Vec3<double> p = cells_.place[i] - shift;
            if (end - begin > 8 && !cells_.is_near(box, p))
                continue;
            for (const Vec3<double>* q = begin; q < end; ++q)
                if (cells_.are_friends(p, *q))
                    return true;
        }
        return false;
    }

    const LinkingCells& cells_;
    DisjointSets sets_;
};

/// A Group is a set with its member count and first member.
struct Group {
    std::uint32_t set;
    std::size_t count;
    Index min;
};

} // namespace

ParticleGroups friends_of_friends(std::span<const Vec3<double>> position,
                                  const Periodicity& periodicity, double linking_length,
                                  std::size_t min_members, std::size_t kept_from)
{
    require_linkable(position.size(), periodicity, linking_length);
    LinkingCells cells(position, periodicity, linking_length);
    Linker linker(cells);
    linker.link();
    cells.place.clear();
    cells.place.shrink_to_fit();

    const std::size_t n = cells.cells();
    UnsetArray<std::uint32_t> set(n), count(n);
    UnsetArray<std::uint8_t> is_kept(n);
#pragma omp parallel for schedule(static) if (n >= worth_threads)
    for (std::size_t c = 0; c < n; ++c) {
        set[c] = linker.set_of(std::uint32_t(c));
        count[c] = is_kept[c] = 0;
    }
#pragma omp parallel for schedule(static) if (n >= worth_threads)
    for (std::size_t c = 0; c < n; ++c) {
        std::atomic_ref(count[set[c]]).fetch_add(cells.first[c + 1] - cells.first[c], relaxed);
        if (cells.order[cells.first[c + 1] - 1] >= kept_from)
            std::atomic_ref(is_kept[set[c]]).store(1, relaxed);
    }

    // From here on, `count` of a set holds its index among the groups.
    constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    std::vector<Index> sets;
    list_where(
        n, [&](std::size_t c) { return count[c] > 0 && (count[c] >= min_members || is_kept[c]); },
        sets);
    std::vector<Group> groups;
    for (const Index c : sets)
        groups.push_back({c, count[c], none});
#pragma omp parallel for schedule(static) if (n >= worth_threads)
    for (std::size_t c = 0; c < n; ++c)
        count[c] = none;
    for (std::size_t g = 0; g < sets.size(); ++g)
        count[sets[g]] = std::uint32_t(g);
#pragma omp parallel for schedule(static) if (n >= worth_threads)
    for (std::size_t c = 0; c < n; ++c)
        if (const std::uint32_t g = count[set[c]]; g != none) {
            const Index here = cells.order[cells.first[c]];
            const std::atomic_ref min(groups[g].min);
            for (Index before = min.load(relaxed);
                 here < before && !min.compare_exchange_weak(before, here, relaxed);) {
            }
        }
    std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
        return a.count != b.count ? a.count > b.count : a.min < b.min;
    });

    ParticleGroups result;
    result.first.assign(1, 0);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        count[groups[g].set] = std::uint32_t(g);
        result.first.push_back(result.first.back() + groups[g].count);
    }
    resize_large(result.first.back(), result.members);
    std::vector<std::size_t> next = result.first;
#pragma omp parallel for schedule(static) if (n >= worth_threads)
    for (std::size_t c = 0; c < n; ++c)
        if (const std::uint32_t g = count[set[c]]; g != none) {
            const std::size_t members = cells.first[c + 1] - cells.first[c];
            std::copy_n(cells.order.begin() + cells.first[c], members,
                        result.members.begin() +
                            std::ptrdiff_t(std::atomic_ref(next[g]).fetch_add(members, relaxed)));
        }
#pragma omp parallel for schedule(dynamic, 16) if (result.members.size() >= worth_threads)
    for (std::size_t g = 0; g < result.size(); ++g)
        std::sort(result.members.begin() + std::ptrdiff_t(result.first[g]),
                  result.members.begin() + std::ptrdiff_t(result.first[g + 1]));
    return result;
}

} // namespace chamomile
