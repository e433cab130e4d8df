// What a leapfrog takes of its particles when it begins or goes on, and what a checkpoint keeps.
#include <algorithm>
#include <array>

#include "chamomile/core/error.hpp"
#include "chamomile/integrate/archived_rows.hpp"
#include "chamomile/integrate/leapfrog.hpp"

namespace chamomile {
namespace {

/// FiniteRows are those of others, of which the first value that is not finite is named.
class FiniteRows final : public ParticleRows {
public:
    /// Keeps references.
    FiniteRows(ParticleRows& rows, const Particles& particles, Moment now)
        : rows_(rows), particles_(particles), now_(now)
    {}

    bool are_here() const override { return rows_.are_here(); }
    std::size_t most() const override { return rows_.most(); }
    std::span<const Vec3<double>> vectors(Column value, const RowsAsked& rows) override
    {
        const std::span<const Vec3<double>> found = rows_.vectors(value, rows);
        require_finite(particles_, found, value == Column::position ? "position" : "velocity", now_,
                       rows.begin);
        return found;
    }
    std::span<const double> reals(Column value, const RowsAsked& rows) override
    {
        return rows_.reals(value, rows);
    }

private:
    ParticleRows& rows_;
    const Particles& particles_;
    Moment now_;
};

Error unequal_columns()
{
    return Error(Fault::restart, "blocks: arrays of different lengths");
}

} // namespace

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
    if (const std::shared_ptr<ParticleRows> rows = std::move(source_)) {
        FiniteRows finite(*rows, particles, {now.step, clock_.file_time(now.time)});
        store_->attach(particles);
        store_->load_rows(finite, std::array{Column::position, Column::velocity});
    } else
        fill_store(particles, {});
    store_->set_due(0, count_);
    const ForceStatistics statistics = evaluate(
        store_->request(needs_potentials() || quantities == Quantities::acceleration_potential),
        now);
    if (field_)
        store_->add_external(*field_, now.time);
    require_finite_rows(*store_->rows(), Column::acceleration, "acceleration", now);
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
    store_->attach(particles);
    ParticleRows* const rows = store_->rows();
    if (rows && archive.is_reading() && particles.position.empty())
        load_from(archive);
    else if (rows && blocks_ && !archive.is_reading())
        keep_columns(archive, *rows);
    else if (blocks_)
        exchange_columns(archive, particles);
    else if (archive.is_reading())
        fill_store(particles, {});
    if (!blocks_)
        return;
    chamomile::exchange(archive, report_);
    kept_trees_.exchange(archive);
}

/// Returns how many entries a column of individual steps has.
std::size_t Leapfrog::rows_of_steps(Column column) const
{
    const bool has_column = column == Column::orbit        ? needs_potentials()
                            : column == Column::long_range ? splits_forces()
                                                           : true;
    return has_column ? count_ : 0;
}

/// Keeps the columns of individual steps that live elsewhere.
void Leapfrog::keep_columns(Archive& archive, ParticleRows& rows) const
{
    for (const Column column : {Column::step, Column::measured, Column::orbit})
        keep_rows(archive, column, rows_of_steps(column), rows);
}

/// Loads what moves, and the columns of individual steps, a block of the archive after another.
void Leapfrog::load_from(Archive& archive)
{
    std::vector<Column> values{Column::position, Column::velocity, Column::acceleration};
    const auto has_all = [&](Column value) { return count_rows(archive, value) == count_; };
    if (!std::ranges::all_of(values, has_all))
        throw unequal_lengths();
    if (has_all(Column::potential))
        values.push_back(Column::potential);
    if (blocks_) {
        for (const Column column : {Column::step, Column::measured, Column::orbit}) {
            if (count_rows(archive, column) != rows_of_steps(column))
                throw unequal_columns();
            if (rows_of_steps(column) > 0)
                values.push_back(column);
        }
    }
    ArchivedRows rows(archive);
    store_->load_rows(rows, values);
}

void Leapfrog::exchange_columns(Archive& archive, Particles& particles)
{
    StepColumns columns = archive.is_reading() ? StepColumns{} : store_->columns();
    for_each_column(
        [&](Column column, auto& values) {
            if (column != Column::long_range || splits_forces())
                archive.records(name_in_archives(column), values);
            if (values.size() != rows_of_steps(column))
                throw unequal_columns();
        },
        columns);
    if (archive.is_reading())
        fill_store(particles, columns);
}

} // namespace chamomile
