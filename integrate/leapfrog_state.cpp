// What a leapfrog takes of its particles when it begins or goes on, and what a checkpoint keeps.
#include <algorithm>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/archive.hpp"
#include "chamomile/integrate/leapfrog.hpp"

namespace chamomile {

/// Loads the state into the store, or into one on the host where the GPU has too little memory.
void Leapfrog::fill_store(Particles& particles, const StepColumns& columns)
{
    store_->attach(particles);
    try {
        store_->load(columns);
    } catch (const OutOfDeviceMemory&) {
        if (residence_ != Residence::where_solved)
            throw;
        residence_ = Residence::host;
        make_store();
        store_->attach(particles);
        store_->load(columns);
    }
}

/// Loads the particles first, so that no other memory of them is needed for the forces.
ForceStatistics Leapfrog::start_where_they_live(Particles& particles, Quantities quantities,
                                                Moment now)
{
    fill_store(particles, {});
    store_->set_due(0, count_);
    const ForceStatistics statistics = evaluate(
        store_->request(needs_potentials() || quantities == Quantities::acceleration_potential),
        now);
    if (field_)
        store_->add_external(*field_, now.time);
    require_finite_rows(*store_->rows(), RowValue::acceleration, "acceleration", now);
    if (blocks_)
        store_->choose_first_steps(rule(now.time));
    return statistics;
}

/// Particles with softening lengths of their own are bounded by the largest, as the clock changes
/// it.
void Leapfrog::take_softening(const Particles& particles)
{
    softening_ = forces().softening.length;
    const std::vector<double>& own = particles.softening;
    if (own.empty())
        return;
    const auto [least, largest] = std::minmax_element(own.begin(), own.end());
    softening_ = *largest;
    const bool by_softening = blocks_ ? blocks_->criterion == StepCriterion::softening
                                      : step_.kind == TimeStepKind::adaptive &&
                                            step_.criterion == StepCriterion::softening;
    if (by_softening && !(*least > 0))
        throw Error(Fault::usage, "time step: the criterion 'softening' needs a softening length > "
                                  "0 of every particle; 'potential' does not");
}

void Leapfrog::exchange(Archive& archive, Particles& particles)
{
    solver_.exchange(archive);
    if (archive.is_reading()) {
        count_ = particles.size();
        take_softening(particles);
        GM_ = total_GM(particles, forces().gravitational_constant);
    }
    if (!blocks_) {
        if (archive.is_reading())
            fill_store(particles, {});
        return;
    }
    store_->attach(particles);
    if (ParticleRows* rows = store_->rows(); rows && !archive.is_reading())
        keep_columns(archive, *rows);
    else
        exchange_columns(archive, particles);
    chamomile::exchange(archive, report_);
    kept_trees_.exchange(archive);
}

/// Keeps the columns of individual steps that live elsewhere.
void Leapfrog::keep_columns(Archive& archive, ParticleRows& rows) const
{
    const auto keep = [&](const char* name, RowValue value, std::size_t count) {
        archive.keep<double>(name, count, rows.most(), [&](std::size_t begin, std::size_t end) {
            return rows.reals(value, {begin, end});
        });
    };
    keep("blocks/wish", RowValue::step, count_);
    keep("blocks/time", RowValue::measured, count_);
    keep("blocks/orbit", RowValue::orbit, needs_potentials() ? count_ : 0);
}

void Leapfrog::exchange_columns(Archive& archive, Particles& particles)
{
    const std::size_t n = count_;
    StepColumns columns = archive.is_reading() ? StepColumns{} : store_->columns();
    archive("blocks/wish", columns.step);
    archive("blocks/time", columns.measured);
    archive("blocks/orbit", columns.orbit);
    if (splits_forces())
        archive.records("blocks/long_range", columns.long_range);
    if (columns.step.size() != n || columns.measured.size() != n ||
        columns.orbit.size() != (needs_potentials() ? n : 0) ||
        columns.long_range.size() != (splits_forces() ? n : 0))
        throw Error(Fault::restart, "blocks: arrays of different lengths");
    if (archive.is_reading())
        fill_store(particles, columns);
}

} // namespace chamomile
