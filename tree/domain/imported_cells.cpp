#include "chamomile/tree/domain/imported_cells.hpp"

#include <algorithm>
#include <cstring>

#include "chamomile/core/resize_discarding.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/tree/domain/memory_use.hpp"

namespace chamomile {
namespace {

/// Calls visit(record) for each record. Records may not be aligned.
template <class T>
void for_each(std::span<const std::byte> records, const auto& visit)
{
    for (T record; !records.empty(); records = records.subspan(sizeof record)) {
        std::memcpy(&record, records.data(), sizeof record);
        visit(record);
    }
}

/// Appends array k of each message.
void append_records(auto& to, std::span<const MessageOfCells> messages, std::size_t k)
{
    std::size_t more = 0, at = to.size();
    for (const MessageOfCells& message : messages)
        more += message.array[k].size() / sizeof to[0];
    resize_keeping(to, at + more);
    for (const MessageOfCells& message : messages) {
        copy_bytes(message.array[k], reinterpret_cast<std::byte*>(to.data() + at));
        at += message.array[k].size() / sizeof to[0];
    }
}

} // namespace

void ImportedCells::clear(Tree& tree, const TopOfTree& top, const OwnCells& own)
{
    const auto cut = [](auto& values, std::size_t n) { values.resize(std::min(values.size(), n)); };
    cut(tree.octree.cells, own.cells);
    cut(tree.moments.multipole, own.cells);
    cut(tree.moments.bounds, own.cells);
    cut(tree.moments.higher, own.cells);
    cut(tree.moments.softening, own.cells);
    cut(tree.octree.sources, own.sources);
    cut(tree.octree.softening, own.sources);
    tree.octree.size = own.sources;
    tree.octree.divided = own.nodes - 1; // a node is above the root
    top.plant_cells(tree.octree);        // leaves with imported particles name them
    leaves_.clear();
    imported_ = {};
}

void ImportedCells::import(Tree& tree, const ImportRequests& asked, const LocalCells& local,
                           Communicator& ranks)
{
    const auto answers = exports_.answer(asked, local, ranks.size());
    ranks.exchange(answers, inbox_, [&](Communicator::Messages messages) {
        append(tree, std::vector<MessageOfCells>(messages.begin(), messages.end()));
    });
}

void ImportedCells::append(Tree& tree, std::span<const MessageOfCells> messages)
{
    Octree& octree = tree.octree;
    Moments& moments = tree.moments;
    std::vector<std::span<const std::byte>> cells; // of each leaf
    Index first = Index(octree.cells.size()), particle = Index(octree.size);
    for (const MessageOfCells& message : messages) {
        imported_.cells += message.cells().size() / sizeof(EssentialCell);
        imported_.particles += message.particles().size() / sizeof(Source);
        check_number(octree.size + imported_.particles);
        std::size_t begin = 0;
        for_each<EssentialLeaf>(message.leaves(), [&](const EssentialLeaf& leaf) {
            const std::size_t bytes = leaf.cells * sizeof(EssentialCell);
            cells.push_back(message.cells().subspan(begin, bytes));
            leaves_.push_back({leaf.leaf, first, leaf.cells, particle});
            begin += bytes;
            first += leaf.cells;
            particle += leaf.particles;
        });
    }
    resize_keeping(octree.cells, first);
    resize_keeping(moments.multipole, first);
    resize_keeping(moments.bounds, first);
#pragma omp parallel for if (imported_.cells > worth_threads) schedule(dynamic, 1)
    for (std::size_t k = 0; k < cells.size(); ++k) {
        Index at = leaves_[k].first_cell, next = leaves_[k].first_particle;
        for_each<EssentialCell>(cells[k], [&](const EssentialCell& cell) {
            octree.cells[at] = {cell.has_particles ? next : absent_particles, cell.count,
                                at + cell.next, cell.octant};
            moments.multipole[at] = cell.multipole;
            moments.bounds[at] = cell.bounds;
            next += cell.has_particles ? cell.count : 0;
            ++at;
        });
    }
    append_records(moments.higher, messages, 1);
    append_records(moments.softening, messages, 2);
    append_records(octree.sources, messages, 3);
    append_records(octree.softening, messages, 4);
    octree.size = particle;
}

void ImportedCells::add_nodes(Tree& tree, const TopOfTree& top, const OwnCells& own,
                              const CoarseTree& coarse, const AcceptanceCriterion& criterion) const
{
    const std::vector<LeafLink> links = top.link(tree, coarse, leaves_, own.nodes);
    add_walk_nodes(tree.nodes, tree.octree, tree.moments, criterion, own.cells, own.nodes, links);
    tree.octree.divided = tree.nodes.nodes.size() - 1;
}

std::size_t ImportedCells::held_bytes() const
{
    return exports_.held_bytes() + inbox_.capacity() + chamomile::held_bytes(leaves_);
}

bool has_absent(const InteractionLists& lists)
{
    return std::any_of(lists.ranges.begin(), lists.ranges.end(),
                       [](const ParticleRange& range) { return range.first == absent_particles; });
}

} // namespace chamomile
