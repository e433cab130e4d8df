#include "chamomile/force/ranks/rank_figures.hpp"

#include <algorithm>

namespace chamomile {
namespace {

/// A Report holds the statistics that one rank sends.
struct Report {
    std::uint64_t particle_particle, particle_cell, expansions, targets, groups, cells, cancelling,
        bytes_to_device, bytes_from_device, bytes;
    double device_busy, device_span, device_wait;
    RankFigures figures;
};

} // namespace

void share_figures(ForceStatistics& all, const RankFigures& mine, const Traffic& before,
                   Communicator& ranks)
{
    const Traffic now = ranks.traffic();
    const Report report{all.particle_particle,
                        all.particle_cell,
                        all.expansions,
                        all.targets,
                        all.groups,
                        all.cells,
                        all.cancelling,
                        all.bytes_to_device,
                        all.bytes_from_device,
                        now.bytes - before.bytes,
                        all.device_busy,
                        all.device_span,
                        all.device_wait,
                        mine};
    ForceStatistics sums;
    sums.profile = all.profile;
    sums.batches = all.batches;
    sums.kept_tree = all.kept_tree;
    sums.softening_jump = all.softening_jump; // equal on all ranks
    RankStatistics& of_ranks = sums.ranks.emplace();
    std::uint64_t work = 0, max_work = 0;
    for (const Report& one : ranks.all_gather(report)) {
        sums.particle_particle += one.particle_particle;
        sums.particle_cell += one.particle_cell;
        sums.expansions += one.expansions;
        sums.targets += one.targets;
        sums.groups += one.groups;
        sums.cells += one.cells;
        sums.cancelling += one.cancelling;
        sums.bytes_to_device += one.bytes_to_device;
        sums.bytes_from_device += one.bytes_from_device;
        if (one.device_span > sums.device_span) { // of the slowest GPU
            sums.device_span = one.device_span;
            sums.device_busy = one.device_busy;
            sums.device_wait = one.device_wait;
        }
        const RankFigures& figures = one.figures;
        of_ranks.not_finite += figures.not_finite;
        of_ranks.imported_particles += figures.imported_particles;
        of_ranks.imported_cells += figures.imported_cells;
        of_ranks.bytes += one.bytes;
        of_ranks.partners = std::max(of_ranks.partners, int(figures.partners));
        of_ranks.import_bytes += figures.import_bytes;
        of_ranks.max_import_bytes = std::max(of_ranks.max_import_bytes, figures.import_bytes);
        of_ranks.max_memory = std::max(of_ranks.max_memory, figures.memory);
        work += figures.work;
        max_work = std::max(max_work, figures.work);
    }
    of_ranks.ranks = ranks.size();
    of_ranks.exchanges = now.exchanges - before.exchanges;
    of_ranks.collectives = now.collectives - before.collectives;
    if (work > 0)
        of_ranks.imbalance = double(max_work) * ranks.size() / double(work);
    all = std::move(sums);
}

} // namespace chamomile
