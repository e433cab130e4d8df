#include "chamomile/force/lists/dealt_sums.hpp"

#include <algorithm>

#include "chamomile/core/threads.hpp"

namespace chamomile {

ForceOutput DealtSums::begin(const DomainTreeBuilder& targets, const TargetGroups& groups,
                             const ForceOutput& to, bool with_potentials)
{
    const std::size_t n = targets.size();
    acceleration_.resize(n);
    potential_.resize(with_potentials ? n : 0);
    work_.resize(n);
    if (targets.has_targets()) // other particles take no work
        std::fill(work_.begin(), work_.end(), 0.0F);
    work_of_target_.resize(groups.target_count);
    ForceOutput here = to;
    here.acceleration = view_of(std::span(acceleration_));
    here.potential = with_potentials ? view_of(std::span(potential_)) : ArrayView{};
    return here;
}

void DealtSums::note_work(const DomainTreeBuilder& targets, const TargetGroups& groups,
                          const InteractionLists& lists, int groups_per_cluster)
{
    const auto& order = targets.own().order;
    for (const ListRow& row : lists.rows) {
        const ClusterRow* cluster =
            row.cluster == no_cluster ? nullptr : &lists.clusters[row.cluster];
        const double shared =
            cluster ? double(cluster->far_end - cluster->far_begin) / groups_per_cluster : 0;
        const float work =
            row_work(row.target_end - row.target_begin, row.particle_count,
                     row.cell_end - row.cell_begin, shared + row.far_end - row.far_begin);
        for (Index t = row.target_begin; t < row.target_end; ++t)
            work_[order[groups.target(t)]] = work;
    }
}

void DealtSums::note_work_of_targets(const DomainTreeBuilder& targets, const TargetGroups& groups)
{
    const auto& order = targets.own().order;
#pragma omp parallel for if (groups.target_count > worth_threads) schedule(static)
    for (std::size_t t = 0; t < groups.target_count; ++t)
        work_[order[groups.target(t)]] = work_of_target_[t];
}

void DealtSums::send_home(DomainTreeBuilder& targets, const ForceOutput& to, bool with_potentials)
{
    const auto store_acceleration = [&](std::size_t i, const Vec3<double>& a) {
        to.acceleration.store_vector(i, a);
    };
    const auto store_potential = [&](std::size_t i, double value) {
        to.potential.store(i, 0, value);
    };
    targets.send_home(
        work_,
        HomeColumn<Vec3<double>, decltype(store_acceleration)>{acceleration_, store_acceleration},
        HomeColumn<double, decltype(store_potential)>{potential_, store_potential,
                                                      with_potentials});
}

void DealtSums::count(const DomainTreeBuilder& tree, std::uint64_t not_finite)
{
    std::uint64_t work = 0;
#pragma omp parallel for if (work_.size() > worth_threads) schedule(static) reduction(+ : work)
    for (std::size_t i = 0; i < work_.size(); ++i)
        work += std::uint64_t(work_[i]);
    figures_.not_finite += not_finite;
    figures_.imported_particles += tree.essential().particles.size();
    figures_.imported_cells += tree.essential().cells.size();
    figures_.work += work;
    figures_.partners = std::max(figures_.partners, std::uint64_t(tree.essential().partners));
    figures_.import_bytes += tree.import_bytes();
    figures_.memory =
        tree.held_bytes() + held_bytes(acceleration_, potential_, work_, work_of_target_);
}

} // namespace chamomile
