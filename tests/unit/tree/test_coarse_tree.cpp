// The coarse tree of particles that exist only as counts, more than a machine holds.
#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/tree/domain/domains.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("coarse_tree");

TEST_CASE("domains count more particles than an Index holds")
{
    constexpr std::uint64_t all = std::uint64_t(1) << 36, max = all >> 8;
    run_ranks(4, [&](Communicator& ranks) {
        // 1 to 15 of 64 parts of the particles lie in the octants of the root, evenly, and a fourth
        // of them on each rank.
        const auto particles_in = [&](const KeyRange& cell) {
            const Key octant = cell.first >> 3 * (key_levels - 1);
            return cell.level == 0 ? all : (all >> 6) * (2 * octant + 1) >> 3 * (cell.level - 1);
        };
        const auto count = [&](std::span<const KeyRange> cells, std::span<OctantCounts> counts) {
            for (std::size_t k = 0; k < cells.size(); ++k)
                for (Key octant = 0; octant < 8; ++octant)
                    counts[k][octant] =
                        particles_in(
                            {cells[k].first + octant * cells[k].width() / 8, cells[k].level + 1}) /
                        4;
        };
        CoarseTree tree = CoarseTreeMaker().make(count, all, max, ranks);
        CHECK(tree.particles() == all);
        const std::size_t n = tree.leaves.size();
        LeafSums sums{std::vector<Box>(n, {{0, 0, 0}, {1, 1, 1}}), {}, {}};
        for (std::size_t leaf = 0; leaf < n; ++leaf) {
            CHECK(tree.particles_of(leaf) <= max);
            sums.work.push_back(tree.particles_of(leaf) / 4);
            sums.targets.push_back(tree.particles_of(leaf) / 8); // half of the particles
        }
        const double shares[] = {0, 0.25, 0.5, 0.75, 1};
        for (const bool has_targets : {false, true}) {
            tree.reduce(sums, has_targets, ranks);
            const std::uint64_t targets = has_targets ? all / 2 : all;
            const std::vector<DomainPiece> pieces =
                cut_pieces(tree, GroupSizes{64, 8}.limits_of_pieces(targets, all, 256));
            std::uint64_t next = 0;
            for (const DomainPiece& piece : pieces) {
                CHECK(piece.targets.begin == next);
                CHECK(piece.targets.count() <= targets >> 8);
                next = piece.targets.end;
            }
            CHECK(next == targets);
            const Domains domains = make_domains(tree, pieces, shares);
            for (std::size_t r = 0; r < 4; ++r) {
                const std::size_t first = domains.first_leaf[r], end = domains.first_leaf[r + 1];
                CHECK(std::abs(double(tree.particles_before[end] - tree.particles_before[first]) -
                               double(all / 4)) <= double(2 * max));
            }
            CHECK(keep_domains(tree, pieces, domains, domains).first_leaf == domains.first_leaf);
            // The cuts of the last domains stay where no piece crosses them, unless they are far.
            const auto cut_at = [&](std::size_t piece) {
                Domains other = domains;
                other.first_leaf[1] = std::size_t(
                    std::ranges::lower_bound(tree.targets_before, pieces[piece].targets.begin) -
                    tree.targets_before.begin());
                return other;
            };
            const Domains near = cut_at(domains.first_piece[1] + 2),
                          far = cut_at(domains.first_piece[1] + 20);
            CHECK(near.first_leaf != domains.first_leaf);
            CHECK(keep_domains(tree, pieces, domains, near).first_leaf == near.first_leaf);
            CHECK(keep_domains(tree, pieces, domains, far).first_leaf == domains.first_leaf);
        }
    });
}

TEST_SUITE_END();
