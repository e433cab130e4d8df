#include "chamomile/tree/domain/domains.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "chamomile/tree/piece_cutter.hpp"

namespace chamomile {

int Domains::owner(std::size_t leaf) const
{
    return int(std::upper_bound(first_leaf.begin(), first_leaf.end(), leaf) - first_leaf.begin()) -
           1;
}

namespace {

struct CoarseTargets {
    using Range = GlobalRange;
    const CoarseTree& tree;
    Range in(Index cell, Range) const { return tree.targets_of(cell); }
};

} // namespace

std::vector<DomainPiece> cut_pieces(const CoarseTree& tree, const PieceLimits& limits)
{
    std::vector<DomainPiece> pieces;
    const CoarseTargets targets{tree};
    if (tree.particles() > 0)
        PieceCutter(targets, tree.octree, tree.moments, limits)
            .cut_cell(0, tree.targets_of(0),
                      [&](const DomainPiece& piece) { pieces.push_back(piece); });
    return pieces;
}

namespace {

/// A block of consecutive leaves that one rank must own: the leaves of a piece, or one leaf without
/// targets. It ends before these indices and begins at the ends of the previous block.
struct LeafBlock {
    std::size_t end_leaf, end_piece;
};

std::vector<LeafBlock> blocks_of(const CoarseTree& tree, const std::vector<DomainPiece>& pieces)
{
    std::vector<LeafBlock> blocks;
    const std::vector<std::uint64_t>& before = tree.targets_before;
    std::size_t leaf = 0;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
        while (before[leaf + 1] <= pieces[p].targets.begin)
            blocks.push_back({++leaf, p});
        while (leaf < tree.leaves.size() && before[leaf] < pieces[p].targets.end)
            ++leaf;
        blocks.push_back({leaf, p + 1});
    }
    while (leaf < tree.leaves.size())
        blocks.push_back({++leaf, pieces.size()});
    return blocks;
}

/// Assigns each block to the rank between whose cuts its middle lies. weight_before[k]: total
/// weight of the blocks before block k; last entry: of all blocks.
Domains assign_blocks(const CoarseTree& tree, std::vector<DomainPiece> pieces,
                      const std::vector<LeafBlock>& blocks, std::span<const double> weight_before,
                      std::span<const double> cuts)
{
    Domains domains;
    const std::size_t n = blocks.size(), ranks = cuts.size() - 1;
    domains.first_piece.assign(ranks + 1, pieces.size());
    domains.first_leaf.assign(ranks + 1, tree.leaves.size());
    std::size_t k = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
        while (k < n && 0.5 * (weight_before[k] + weight_before[k + 1]) < cuts[r])
            ++k;
        domains.first_piece[r] = k == 0 ? 0 : blocks[k - 1].end_piece;
        domains.first_leaf[r] = k == 0 ? 0 : blocks[k - 1].end_leaf;
    }
    domains.pieces = std::move(pieces);
    return domains;
}

} // namespace

Domains make_domains(const CoarseTree& tree, std::vector<DomainPiece> pieces,
                     std::span<const double> shares)
{
    const std::vector<LeafBlock> blocks = blocks_of(tree, pieces);
    const std::uint64_t all = std::accumulate(tree.work.begin(), tree.work.end(), std::uint64_t(0));
    const double mean = tree.particles() > 0 ? double(all) / double(tree.particles()) : 0;
    std::vector<double> weight_before{0};
    std::size_t leaf = 0;
    for (const LeafBlock& block : blocks) {
        double work = 0;
        for (; leaf < block.end_leaf; ++leaf)
            work += std::max(double(tree.work[leaf]), 0.5 * mean * double(tree.particles_of(leaf)));
        weight_before.push_back(weight_before.back() + work);
    }
    std::vector<double> cuts(shares.begin(), shares.end());
    for (double& cut : cuts)
        cut *= weight_before.back();
    return assign_blocks(tree, std::move(pieces), blocks, weight_before, cuts);
}

Domains keep_domains(const CoarseTree& tree, std::vector<DomainPiece> pieces, const Domains& built,
                     const Domains& current)
{
    const std::vector<LeafBlock> blocks = blocks_of(tree, pieces);
    const auto particles_before = [&](std::size_t leaf) {
        return tree.particles() > 0 ? double(tree.particles_before[leaf]) : 0;
    };
    const auto is_cut = [&](std::size_t leaf) { // no piece crosses it
        return leaf == 0 || std::ranges::binary_search(blocks, leaf, {}, &LeafBlock::end_leaf);
    };
    const double far = double(tree.particles()) / (8.0 * double(built.first_leaf.size() - 1));
    std::vector<double> weight_before{0}, cuts;
    for (const LeafBlock& block : blocks)
        weight_before.push_back(particles_before(block.end_leaf));
    for (std::size_t r = 0; r < built.first_leaf.size(); ++r) {
        const std::size_t now = current.first_leaf[r];
        const double cut = particles_before(built.first_leaf[r]), at = particles_before(now);
        cuts.push_back(is_cut(now) && std::abs(at - cut) <= far ? at : cut);
    }
    return assign_blocks(tree, std::move(pieces), blocks, weight_before, cuts);
}

} // namespace chamomile
