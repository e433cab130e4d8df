#include "chamomile/domain/domains.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace chamomile {

int Domains::owner(std::size_t leaf) const
{
    return int(std::upper_bound(first_leaf.begin(), first_leaf.end(), leaf) - first_leaf.begin()) -
           1;
}

namespace {

/// A PackedMessage must not be split between ranks: the leaves of a piece, or a leaf without
/// targets.
struct PackedMessage {
    std::size_t end_leaf, end_piece;
};

std::vector<PackedMessage> messages_of(const CoarseTree& tree, const std::vector<Piece>& pieces)
{
    std::vector<PackedMessage> messages;
    const std::vector<Index>& before = tree.targets_before;
    std::size_t leaf = 0;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
        while (before[leaf + 1] <= pieces[p].targets.begin)
            messages.push_back({++leaf, p});
        while (leaf < tree.leaves.size() && before[leaf] < pieces[p].targets.end)
            ++leaf;
        messages.push_back({leaf, p + 1});
    }
    while (leaf < tree.leaves.size())
        messages.push_back({++leaf, pieces.size()});
    return messages;
}

/// Assigns each message to the rank between whose cuts its middle lies. until[k]: total weight
/// before message k.
Domains scatter(const CoarseTree& tree, std::vector<Piece> pieces,
                const std::vector<PackedMessage>& messages, std::span<const double> until,
                std::span<const double> cuts)
{
    Domains domains;
    const std::size_t n = messages.size(), ranks = cuts.size() - 1;
    domains.first_piece.assign(ranks + 1, pieces.size());
    domains.first_leaf.assign(ranks + 1, tree.leaves.size());
    std::size_t k = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
        while (k < n && 0.5 * (until[k] + until[k + 1]) < cuts[r])
            ++k;
        domains.first_piece[r] = k == 0 ? 0 : messages[k - 1].end_piece;
        domains.first_leaf[r] = k == 0 ? 0 : messages[k - 1].end_leaf;
    }
    domains.pieces = std::move(pieces);
    return domains;
}

} // namespace

Domains make_domains(const CoarseTree& tree, std::vector<Piece> pieces,
                     std::span<const double> shares)
{
    const std::vector<PackedMessage> messages = messages_of(tree, pieces);
    const std::uint64_t all = std::accumulate(tree.work.begin(), tree.work.end(), std::uint64_t(0));
    const double mean = tree.octree.size > 0 ? double(all) / double(tree.octree.size) : 0;
    std::vector<double> until{0};
    std::size_t leaf = 0;
    for (const PackedMessage& message : messages) {
        double work = 0;
        for (; leaf < message.end_leaf; ++leaf)
            work += std::max(double(tree.work[leaf]), 0.5 * mean * double(tree.leaf(leaf).count));
        until.push_back(until.back() + work);
    }
    std::vector<double> cuts(shares.begin(), shares.end());
    for (double& cut : cuts)
        cut *= until.back();
    return scatter(tree, std::move(pieces), messages, until, cuts);
}

Domains keep_domains(const CoarseTree& tree, std::vector<Piece> pieces, const Domains& domains)
{
    const std::vector<PackedMessage> messages = messages_of(tree, pieces);
    const auto particles_before = [&](std::size_t leaf) {
        return double(leaf < tree.leaves.size() ? tree.leaf(leaf).begin : tree.octree.size);
    };
    std::vector<double> until{0}, cuts;
    for (const PackedMessage& message : messages)
        until.push_back(particles_before(message.end_leaf));
    for (const std::size_t leaf : domains.first_leaf)
        cuts.push_back(particles_before(leaf));
    return scatter(tree, std::move(pieces), messages, until, cuts);
}

} // namespace chamomile
