#include "chamomile/domain/domains.hpp"

#include <algorithm>
#include <cassert>

namespace chamomile {

int Domains::owner(std::size_t leaf) const
{
    return int(std::upper_bound(first_leaf.begin(), first_leaf.end(), leaf) - first_leaf.begin()) -
           1;
}

Domains make_domains(const CoarseTree& tree, std::uint64_t most, int ranks)
{
    std::vector<double> shares;
    for (int r = 0; r <= ranks; ++r)
        shares.push_back(double(r) / ranks);
    return make_domains(tree, most, shares);
}

Domains make_domains(const CoarseTree& tree, std::uint64_t most, std::span<const double> shares)
{
    Domains domains;
    domains.pieces = cut_pieces(tree.octree, tree.moments, most);
    const std::size_t n = domains.pieces.size(), ranks = shares.size() - 1;
    double all = 0;
    for (const double work : tree.work)
        all += work;
    const double mean = tree.octree.size > 0 ? all / double(tree.octree.size) : 0;
    std::vector<std::size_t> end_leaf(n);
    std::vector<double> until{0}; // the work of the pieces before each
    std::size_t leaf = 0;
    for (std::size_t p = 0; p < n; ++p) {
        double work = 0;
        for (; leaf < tree.leaves.size() && tree.leaf(leaf).begin < domains.pieces[p].targets.end;
             ++leaf)
            work += std::max(tree.work[leaf], 0.5 * mean * double(tree.leaf(leaf).count));
        end_leaf[p] = leaf;
        until.push_back(until.back() + work);
    }
    assert(leaf == tree.leaves.size());
    // A piece belongs to the rank in whose share its middle lies.
    domains.first_piece.assign(ranks + 1, n);
    domains.first_leaf.assign(ranks + 1, tree.leaves.size());
    std::size_t p = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
        while (p < n && 0.5 * (until[p] + until[p + 1]) < shares[r] * until[n])
            ++p;
        domains.first_piece[r] = p;
        domains.first_leaf[r] = p == 0 ? 0 : end_leaf[p - 1];
    }
    return domains;
}

} // namespace chamomile
