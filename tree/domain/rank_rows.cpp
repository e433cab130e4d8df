#include "chamomile/tree/domain/rank_rows.hpp"

#include <utility>

#include "chamomile/core/resize_discarding.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/tree/domain/memory_use.hpp"

namespace chamomile {

void RankRows::take(const TreeParticles& particles, bool keeps_cells)
{
    const RowsOfRank& of_rank = *particles.ranks;
    rows_.position = dense_.positions(particles);
    rows_.mass = dense_.masses(particles);
    rows_.has_numbers = of_rank.arrangement > 0;
    rows_.number = of_rank.number;
    if (of_rank.arrangement == arrangement_ + 1)
        work_.swap(placed_work_);
    else if (of_rank.arrangement != arrangement_)
        work_.clear();
    arrangement_ = of_rank.arrangement;
    if (work_.size() != rows_.size())
        work_.clear(); // of other particles
    rows_.work = work_;
    if (!keeps_cells) {
        resize_discarding(built_, rows_.size());
        copy_bytes(std::as_bytes(rows_.position), reinterpret_cast<std::byte*>(built_.data()));
    }
    rows_.built = keeps_cells ? std::span<const Vec3<double>>(built_) : rows_.position;
    if (keeps_cells && of_rank.box) { // cells stay small when particles leave the box
        resize_discarding(images_, rows_.size());
#pragma omp parallel for if (rows_.size() > worth_threads) schedule(static)
        for (std::size_t i = 0; i < images_.size(); ++i)
            images_[i] = of_rank.box.nearest_to(built_[i], rows_.position[i]);
        rows_.position = images_;
    }
    rows_.longest_softening = {};
    rows_.softening = {};
    if (of_rank.per_particle) {
        rows_.longest_softening = particles.longest_softening;
        rows_.softening = dense_.softenings(particles);
    }
    rows_.has_targets = of_rank.has_targets;
    is_target_.assign(of_rank.has_targets ? rows_.size() : 0, 0);
    for (const Index i : of_rank.targets)
        is_target_[i] = 1;
    rows_.is_target = is_target_;
}

std::span<float> RankRows::make_room_for_work(std::vector<float> placed)
{
    placed_work_ = std::move(placed);
    work_.resize(rows_.size());
    return work_;
}

std::size_t RankRows::held_bytes() const
{
    return chamomile::held_bytes(built_, images_, is_target_, work_, placed_work_);
}

} // namespace chamomile
