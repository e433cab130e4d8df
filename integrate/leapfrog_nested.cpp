// Hierarchical steps: each block kicks by the nested sets of due particles.
#include <cstdint>
#include <vector>

#include "chamomile/integrate/leapfrog.hpp"

namespace chamomile {

void Leapfrog::move_nested(double length, Quantities quantities, Moment now)
{
    double integration = -wall_clock_seconds();
    begin_ = now.time;
    block_ = 0;
    choose_rungs(length);
    store_->begin_sets(splits_forces() ? std::optional(long_range_factor(Half::first))
                                       : std::nullopt,
                       field_.get(), now.time);
    while (!levels_.at_end()) {
        integration -= open_sets(now);
        store_->end_block(kick_factors(Half::first), {});
        levels_.advance();
        store_->set_due(levels_.longest_due(), levels_.due_count());
        const Moment reached{now.step, begin_ + levels_.elapsed()};
        NestedSets& sets = store_->sets();
        LevelDrifts drifts = drifts_of_levels();
        if (finder_ && finder_->begin_drift(clock_.file_time(reached.time), levels_.longest_due()))
            drifts.crossings = &*finder_;
        if (!sets.drift(sets.first_due(levels_.longest_due()), drifts))
            refuse(reached);
        integration -= close_sets(quantities, now);
        const BlockEnd end = close_block(reached);
        record_steps();
        if (!levels_.at_end())
            levels_.set_counts(end.levels);
    }
    statistics_.profile.add(integration_phase, integration + wall_clock_seconds());
}

/// Makes the sets of due particles by their new levels, and evaluates the changed ones. Returns the
/// seconds of evaluations.
double Leapfrog::open_sets(Moment now)
{
    NestedSets& sets = store_->sets();
    std::vector<int> levels;
    for (int level = levels_.longest_due(); level <= levels_.lowest(); ++level)
        if (levels_.count(level) > 0)
            levels.push_back(level);
    if (levels.empty()) // no particles
        return 0;
    const std::size_t first = sets.first_due(levels_.longest_due());
    sets.open(first, levels);
    double seconds = 0;
    for (std::size_t set = first + 1; set < sets.count(); ++set) {
        if (!sets.is_known(set))
            seconds += evaluate_set(set, needs_potentials(), now);
        sets.hold(set);
    }
    return seconds;
}

/// Evaluates due sets, the largest last. Returns the seconds of evaluations.
double Leapfrog::close_sets(Quantities quantities, Moment now)
{
    NestedSets& sets = store_->sets();
    const std::size_t first = sets.first_due(levels_.longest_due());
    const bool ends = levels_.at_end();
    double seconds = 0;
    for (std::size_t set = sets.count(); set-- > first;)
        seconds +=
            evaluate_set(set,
                         needs_potentials() || (ends && set == first &&
                                                quantities == Quantities::acceleration_potential),
                         now);
    sets.add_held(first, needs_potentials());
    return seconds;
}

double Leapfrog::evaluate_set(std::size_t set, bool potentials, Moment now)
{
    const double start = wall_clock_seconds();
    NestedSets& sets = store_->sets();
    const bool ends_step = sets.is_whole(set) && levels_.at_end();
    Request request = store_->request_of_set(set, potentials);
    const std::uint64_t members = request.part ? request.part->count : request.count;
    // The last block of a whole step has the number of the whole step.
    request.number = now.step + (ends_step ? 0 : (block_ + 1) << 32);
    ++block_;
    request.softening_length = softening(begin_ + levels_.elapsed());
    if (splits_forces()) {
        request.long_range = ends_step ? LongRangePart::stored : LongRangePart::left_out;
        if (ends_step)
            request.long_range_acceleration = store_->clear_long_range();
    }
    const Moment reached{now.step, begin_ + levels_.elapsed()};
    ForceStatistics forces;
    std::vector<std::uint64_t> ids;
    try {
        forces = evaluate_block(request, reached);
    } catch (const Error&) {
        if (is_shared() || !request.id.empty())
            throw;
        ids = sets.ids(set); // the error names them
        request.id = ids;
        forces = evaluate_block(request, reached);
    }
    add(statistics_, forces);
    const double seconds = wall_clock_seconds() - start;
    record_block(std::ilogb(levels_.length(sets.level(set))), members, forces, seconds, 0);
    return seconds;
}

/// Returns the drifts of due particles over the steps that end now.
LevelDrifts Leapfrog::drifts_of_levels() const
{
    LevelDrifts drifts;
    const double now = levels_.elapsed();
    for (int level = levels_.longest_due(); level <= levels_.lowest(); ++level) {
        const double step = levels_.length(level);
        drifts.factor[std::size_t(level)] =
            clock_.is_newtonian() ? step : clock_.drift(begin_ + (now - step), begin_ + now);
        if (field_)
            drifts.turn[std::size_t(level)] = field_->turn(step);
    }
    return drifts;
}

} // namespace chamomile
