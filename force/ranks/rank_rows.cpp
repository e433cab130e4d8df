// How a rank gets the particles of an evaluation, its own or a run of rank 0's, and which are
// targets.
#include <algorithm>

#include "chamomile/core/options/list_where.hpp"
#include "chamomile/force/ranks/rank_part.hpp"

namespace chamomile {

/// Gets this rank's particles.
void RankPart::take_rows(const Order& order, const Request* request, bool keeps, Profile& profile)
{
    const TimedPhase phase(profile, "deal");
    std::span<const Vec3<double>> positions;
    std::span<const double> masses;
    if (request) {
        positions = dense_items(request->position, order.count, asked_positions_);
        masses = dense_items(request->mass, order.count, asked_masses_);
    }
    rows_.has_numbers = false;
    rows_.number = {};
    const std::uint64_t exchanges = order.has_own_rows ? request->part->exchanges : 0;
    if (exchanges == exchanges_ + 1)
        work_.swap(placed_work_);
    else if (exchanges != exchanges_)
        work_.clear();
    exchanges_ = exchanges;
    if (order.has_own_rows) {
        rows_.position = positions;
        rows_.mass = masses;
        rows_.has_numbers = exchanges > 0;
        if (rows_.has_numbers)
            rows_.number = request->part->number.first(order.count);
        if (!keeps && order.number > 0) // of cells that a later request may keep
            own_built_.assign(positions.begin(), positions.end());
        if (!keeps) {
            built_ = own_built_;
            for (Inbox* of_rank_0 : {&positions_, &masses_, &moved_, &collected_})
                *of_rank_0 = {}; // which would lie idle
        }
    } else if (keeps) {
        deal(positions, order, moved_);
        rows_.position = moved_.all<Vec3<double>>();
    } else {
        deal(positions, order, positions_);
        deal(masses, order, masses_);
        built_ = rows_.position = positions_.all<Vec3<double>>();
        rows_.mass = masses_.all<double>();
    }
    rows_.built = keeps ? built_ : std::span<const Vec3<double>>();
    if (rows_.size() != work_.size())
        work_.clear(); // of other particles
    rows_.work = work_;
    take_softenings(order, request, keeps);
    take_targets(order, request);
}

/// Gets the softening lengths of this rank's particles, unless they are here.
void RankPart::take_softenings(const Order& order, const Request* request, bool keeps)
{
    has_softenings_ = has_softenings_ && keeps;
    rows_.longest_softening = {};
    rows_.softening = {};
    if (!order.least_softening)
        return;
    rows_.longest_softening = order.softening.length;
    const std::span<const double> asked =
        request && order.count > 0 ? dense_items(request->softening, order.count, asked_softenings_)
                                   : std::span<const double>();
    if (order.has_own_rows) {
        rows_.softening = asked;
        return;
    }
    if (!has_softenings_)
        deal(asked, order, softenings_);
    has_softenings_ = true;
    rows_.softening = softenings_.all<double>();
}

/// Learns which of this rank's particles are targets.
void RankPart::take_targets(const Order& order, const Request* request)
{
    rows_.has_targets = order.has_targets;
    rows_.is_target = {};
    if (!order.has_targets)
        return;
    marks_.clear();
    if (request) {
        marks_.assign(order.count, 0);
        for (const Index i : request->active)
            if (i < order.count)
                marks_[i] = 1;
        list_where(
            marks_.size(), [&](std::size_t i) { return marks_[i]; }, active_);
    }
    if (order.has_own_rows) {
        rows_.is_target = marks_;
        target_rows_ = active_;
        return;
    }
    deal<char>(marks_, order, is_target_);
    rows_.is_target = is_target_.all<char>();
    list_where(
        rows_.size(), [&](std::size_t i) { return rows_.is_target[i]; }, target_rows_);
}

/// Sends each rank its run of what rank 0 has.
template <class T>
void RankPart::deal(std::span<const T> values, const Order& order, Inbox& inbox)
{
    ranks_.deal(values, order.count, inbox);
}

/// Returns what the caller on this rank gets: its own values, or those of all ranks in their order.
template <class T>
std::span<const T> RankPart::to_caller(std::span<const T> values, const Order& order)
{
    if (order.has_own_rows)
        return values;
    ranks_.collect(values, collected_);
    return collected_.all<T>();
}

template void RankPart::deal(std::span<const double>, const Order&, Inbox&);
template void RankPart::deal(std::span<const Vec3<double>>, const Order&, Inbox&);
template std::span<const double> RankPart::to_caller(std::span<const double>, const Order&);
template std::span<const Vec3<double>> RankPart::to_caller(std::span<const Vec3<double>>,
                                                           const Order&);

} // namespace chamomile
