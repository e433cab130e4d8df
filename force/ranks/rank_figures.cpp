// What ranks tell of an evaluation: sums over all of them, and the largest of one.
#include <algorithm>

#include "chamomile/force/ranks/rank_part.hpp"

namespace chamomile {

/// Returns the bytes that this rank holds for tree and sums, without what rank 0 collects of all.
std::size_t RankPart::memory() const
{
    return tree_->memory() +
           held_bytes(positions_, masses_, softenings_, asked_positions_, asked_masses_,
                      asked_softenings_, work_, acceleration_, potential_, arrived_work_,
                      work_of_target_, own_built_) +
           held_bytes(row_acceleration_, row_potential_, marks_, active_, target_rows_) +
           (points_ ? points_->tree.memory() : 0);
}

void RankPart::add_figures(Figures mine, const Traffic& before, std::uint64_t targets,
                           ForceStatistics& statistics)
{
    const Traffic now = ranks_.traffic();
    mine.bytes = now.bytes - before.bytes;
    Figures all;
    Figures most;
    for (const Figures& one : ranks_.all_gather(mine)) {
        all.particle_particle += one.particle_particle;
        all.particle_cell += one.particle_cell;
        all.expansions += one.expansions;
        all.groups += one.groups;
        all.cells += one.cells;
        all.not_finite += one.not_finite;
        all.cancelling += one.cancelling;
        all.imported_particles += one.imported_particles;
        all.imported_cells += one.imported_cells;
        all.bytes += one.bytes;
        all.work += one.work;
        all.import_bytes += one.import_bytes;
        most.work = std::max(most.work, one.work);
        most.partners = std::max(most.partners, one.partners);
        most.import_bytes = std::max(most.import_bytes, one.import_bytes);
        most.memory = std::max(most.memory, one.memory);
        all.bytes_to_device += one.bytes_to_device;
        all.bytes_from_device += one.bytes_from_device;
        if (one.device_span > all.device_span) { // of the card that takes longest
            all.device_span = one.device_span;
            all.device_busy = one.device_busy;
            all.device_wait = one.device_wait;
        }
    }
    statistics.particle_particle = all.particle_particle;
    statistics.particle_cell = all.particle_cell;
    statistics.expansions = all.expansions;
    statistics.targets = targets;
    statistics.cancelling = all.cancelling;
    statistics.groups = all.groups;
    statistics.cells = all.cells;
    statistics.bytes_to_device = all.bytes_to_device;
    statistics.bytes_from_device = all.bytes_from_device;
    statistics.device_span = all.device_span;
    statistics.device_busy = all.device_busy;
    statistics.device_wait = all.device_wait;
    statistics.ranks = RankStatistics{
        .ranks = ranks_.size(),
        .imported_particles = all.imported_particles,
        .imported_cells = all.imported_cells,
        .bytes = all.bytes,
        .exchanges = now.exchanges - before.exchanges,
        .collectives = now.collectives - before.collectives,
        .imbalance = all.work > 0 ? double(most.work) * ranks_.size() / double(all.work) : 1,
        .partners = int(most.partners),
        .import_bytes = all.import_bytes,
        .most_import_bytes = most.import_bytes,
        .most_memory = most.memory,
        .not_finite = all.not_finite};
}

} // namespace chamomile
