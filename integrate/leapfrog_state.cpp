// Initial state of a leapfrog, its checkpoints, and views of single particles.
#include <algorithm>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/ranks/rank_store.hpp"

namespace chamomile {
namespace {

Error unequal_columns()
{
    return Error(Fault::restart, "blocks: arrays of different lengths");
}

} // namespace

/// Wraps positions into the box, loads the state into the store and calls work(). If GPU memory is
/// short, it loads a host store and calls work() again, except on ranks.
template <class Work>
auto Leapfrog::load_and(Particles& particles, const StepColumns& columns, const Work& work)
{
    // Arrays on a GPU must lie in the box.
    const Periodicity box{forces().box};
#pragma omp parallel for if (box && particles.size() > worth_threads) schedule(static)
    for (std::size_t i = 0; i < (box ? particles.position.size() : 0); ++i)
        particles.position[i] = box.wrapped(particles.position[i]);
    const auto load = [&] {
        store_->attach(particles);
        run_and_agree([&] { store_->load(columns); });
        return work();
    };
    try {
        return load();
    } catch (const OutOfDeviceMemory&) {
        if (residence_ != Residence::where_solved || is_shared())
            throw;
        residence_ = Residence::host;
        make_store();
        return load();
    }
}

ForceStatistics Leapfrog::start(Particles& particles, Quantities quantities, Moment now)
{
    set_totals(particles);
    report_ = {};
    kept_trees_.clear();
    try {
        return load_and(particles, {}, [&] { return evaluate_first(quantities, now); });
    } catch (...) { // the caller may change the particles before it tries again
        count_ = 0;
        try {
            make_store();
        } catch (const Error&) { // the device is lost, which later calls report
        }
        throw;
    }
}

/// Evaluates the forces of all particles and chooses their first individual steps.
ForceStatistics Leapfrog::evaluate_first(Quantities quantities, Moment now)
{
    store_->set_due(0, count_);
    Request request =
        store_->request(needs_potentials() || quantities == Quantities::acceleration_potential);
    if (splits_forces()) {
        request.long_range = LongRangePart::stored;
        request.long_range_acceleration = store_->clear_long_range();
    }
    const ForceStatistics statistics = evaluate_request(request, now);
    if (splits_forces())
        store_->add_long_range(0);
    if (field_)
        store_->add_external(*field_, now.time);
    require_finite_now(Column::acceleration, now);
    if (blocks_)
        store_->choose_first_steps(rule(now.time));
    return statistics;
}

/// Reduces count, G M and softening lengths over ranks.
void Leapfrog::set_totals(const Particles& particles)
{
    Communicator& ranks = all_ranks();
    std::uint64_t count = particles.size();
    ranks.sum(std::span(&count, 1));
    count_ = std::size_t(count);
    set_softening(particles);
    ExactSums<double> GM = sum_of_GM(particles, forces().gravitational_constant);
    ranks.sum(GM);
    GM_ = GM.value();
}

/// Sets the softening length: with per-particle softening, the largest length.
void Leapfrog::set_softening(const Particles& particles)
{
    const std::vector<double>& own = particles.softening;
    double ends[] = {HUGE_VAL, HUGE_VAL}; // the min, and minus the max
    if (!own.empty()) {
        const auto [min, largest] = std::minmax_element(own.begin(), own.end());
        ends[0] = *min;
        ends[1] = -*largest;
    }
    all_ranks().min(ends);
    softening_ = ends[0] < HUGE_VAL ? -ends[1] : forces().softening.length;
    const bool by_softening = blocks_ ? blocks_->criterion == StepCriterion::softening
                                      : step_.kind == TimeStepKind::adaptive &&
                                            step_.criterion == StepCriterion::softening;
    if (by_softening && !(ends[0] > 0))
        throw CollectiveError(Fault::usage,
                              "time step: criterion 'softening' needs a softening length > 0 "
                              "for each particle; 'potential' needs none");
}

void Leapfrog::exchange(Archive& archive, Particles& particles)
{
    exchange_scheme(archive);
    store_->attach(particles);
    if (blocks_ || archive.is_reading())
        exchange_columns(archive, particles);
    exchange_counts(archive);
}

void Leapfrog::resume(Particles& particles, StepColumns columns)
{
    set_totals(particles);
    load_and(particles, columns, [] {});
}

void Leapfrog::exchange_counts(Archive& archive)
{
    solver_.exchange(archive);
    if (!blocks_)
        return;
    chamomile::exchange(archive, report_);
    kept_trees_.exchange(archive);
}

std::size_t Leapfrog::rows_of_steps(Column column, std::size_t count) const
{
    const bool has_column = column == Column::orbit        ? needs_potentials()
                            : column == Column::long_range ? splits_forces()
                                                           : true;
    return blocks_ && has_column ? count : 0;
}

/// Throws Error(restart) for a state of another BlockScheme.
void Leapfrog::exchange_scheme(Archive& archive) const
{
    if (!blocks_)
        return;
    bool hierarchical = !archive.is_reading() && is_nested();
    if (!archive.is_reading() || archive.has("blocks/hierarchical")) // not in earlier versions
        archive("blocks/hierarchical", hierarchical);
    if (hierarchical != is_nested())
        throw Error(Fault::restart, std::string("block scheme: ") +
                                        (is_nested() ? "hierarchical" : "all") +
                                        ": must be that of the checkpoint");
}

void Leapfrog::exchange_columns(Archive& archive, Particles& particles)
{
    StepColumns columns = archive.is_reading() ? StepColumns{} : store_->columns();
    if (blocks_)
        for_each_column(
            [&](Column column, auto& values) {
                if (column != Column::long_range || splits_forces())
                    archive.records(name_in_archives(column), values);
                if (values.size() != rows_of_steps(column, particles.size()))
                    throw unequal_columns();
            },
            columns);
    if (archive.is_reading())
        resume(particles, std::move(columns));
}

void Leapfrog::gather(Particles& particles, std::span<const GlobalIndex> which,
                      std::span<PhasePoint> into)
{
    store_->attach(particles);
    store_->gather(which, into);
}

void Leapfrog::after_blocks(std::uint64_t every, BlockObserver observer)
{
    if (!blocks_ || is_nested() || is_shared())
        return Integrator::after_blocks(every, std::move(observer));
    blocks_between_ = every;
    block_observer_ = std::move(observer);
}

void Leapfrog::record_crossings(LightCone cone)
{
    if (clock_.is_newtonian() || !forces().is_periodic())
        throw CollectiveError(Fault::usage, "{light-cone}: needs a cosmological run");
    if (residence_ == Residence::device)
        throw CollectiveError(Fault::usage, "{light-cone}: contradicts {resident}");
    if (residence_ != Residence::host && count_ > 0)
        throw CollectiveError(Fault::usage,
                              "{light-cone}: needs particles on the host from the start");
    finder_.emplace(cone);
    if (residence_ == Residence::host)
        return;
    residence_ = Residence::host;
    make_store();
}

std::vector<Crossing> Leapfrog::take_crossings()
{
    return finder_ ? finder_->take() : std::vector<Crossing>();
}

} // namespace chamomile
