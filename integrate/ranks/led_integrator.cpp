#include "chamomile/integrate/ranks/led_integrator.hpp"

#include <algorithm>

#include "chamomile/core/files/memory_archive.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/integrate/archived_rows.hpp"
#include "chamomile/io/file_rows.hpp"

namespace chamomile {

/// Executes a call on all ranks; returns rank 0's result.
template <auto Call, class... Argument>
auto LedIntegrator::lead(RankRun::Bytes given, const Argument&... arguments)
{
    const auto choose = [this] { options_.periodic = leapfrog()->forces().periodic; };
    if constexpr (std::is_void_v<typename RankCall<decltype(Call)>::Result>) {
        led_.lead<Call>(given, arguments...);
        choose(); // the mesh
    } else {
        auto result = led_.lead<Call>(given, arguments...);
        choose();
        return result;
    }
}

LedIntegrator::LedIntegrator(const SolverOptions& options, const RankSteps& steps,
                             const Clock& clock)
    : options_(resolved(of_first_rank(options))), led_(*options.ranks)
{
    led_.ranks().set_time_limit(options.peer_timeout);
    std::optional<ComovingOptions> comoving;
    if (!clock.is_newtonian())
        comoving = dynamic_cast<const ComovingClock&>(clock).options();
    lead<&RankRun::make>({}, SentOptions::of(options_, devices_of_ranks(options, options_)), steps,
                         comoving);
}

/// Scatters the particles.
void LedIntegrator::scatter(const Particles& particles, ParticleReader& rows, Moment now)
{
    led_.scatter_lasting(particles);
    if (auto* const file = dynamic_cast<FileRows*>(&rows); file && led_.read(*file, true))
        return;
    for (const Column column : {Column::position, Column::velocity})
        rows.for_blocks(particles.size(), [&](std::size_t begin, std::size_t end) {
            const auto values = rows.read_vectors(column, {begin, end});
            require_finite(particles, values, column == Column::position ? "position" : "velocity",
                           {now.step, clock().file_time(now.time)}, begin);
            led_.scatter(column, begin, values);
        });
}

ForceStatistics LedIntegrator::start(Particles& particles, Quantities quantities, Moment now)
{
    RowsInMemory in_memory(particles);
    const std::shared_ptr<ParticleReader> source = std::move(source_);
    scatter(particles, source ? *source : in_memory, now);
    has_begun_ = true;
    record_change(particles, quantities);
    is_fetched_ = !is_alone_; // a failed start changes nothing
    const ForceStatistics statistics = lead<&Leapfrog::start>({}, quantities, now);
    is_fetched_ = false;
    return statistics;
}

/// Marks moving columns as out of date.
void LedIntegrator::record_change(Particles& particles, Quantities quantities)
{
    is_fetched_ = false;
    has_potentials_ = quantities == Quantities::acceleration_potential;
    drop_columns(particles);
}

/// Frees ids and moving columns if only ranks keep them.
void LedIntegrator::drop_columns(Particles& particles) const
{
    if (!is_alone_)
        return;
    drop_moving(particles);
    std::vector<std::uint64_t>().swap(particles.id);
}

Integrator::NextStep LedIntegrator::next_step(Moment now)
{
    return lead<&Leapfrog::next_step>({}, now);
}

ForceStatistics LedIntegrator::step(Particles& particles, double length, Quantities quantities,
                                    Moment now)
{
    record_change(particles, quantities);
    return lead<&Leapfrog::step>({}, length, quantities, now);
}

ForceStatistics LedIntegrator::evaluate(Particles& particles, Quantities quantities, Moment now)
{
    RowsInMemory in_memory(particles);
    if (!has_begun_)
        scatter(particles, in_memory, now);
    is_fetched_ = false;
    has_potentials_ = true;
    return lead<&Leapfrog::evaluate>({}, quantities, now);
}

Diagnostics LedIntegrator::diagnose(Particles&, LagrangianRadii which, double time)
{
    return lead<&Leapfrog::diagnose>({}, which, time);
}

SampledErrors LedIntegrator::sample_errors(Particles&, std::size_t targets, Quantities quantities,
                                           double time)
{
    return lead<&RankRun::sample_errors>({}, std::uint64_t(targets), quantities, time);
}

void LedIntegrator::gather(Particles&, std::span<const GlobalIndex> which,
                           std::span<PhasePoint> into)
{
    led_.run().asked = std::as_writable_bytes(into);
    lead<&RankRun::gather>(std::as_bytes(which));
}

void LedIntegrator::fetch(Particles& particles)
{
    if (is_fetched_)
        return;
    const bool has_potentials =
        has_potentials_ || led_.run().leapfrog().needs_potentials() || is_alone_;
    for_each_column(
        [&](Column column, const std::string&, auto& values) {
            const bool is_missing =
                column == Column::id
                    ? values.size() != particles.size()
                    : moves(column) && (column != Column::potential || has_potentials);
            if (!is_missing)
                return;
            std::remove_cvref_t<decltype(values)> block;
            values.resize(particles.size());
            for_blocks(values.size(), [&](std::size_t begin, std::size_t end) {
                std::ranges::copy(led_.fetch(column, {begin, end}, block),
                                  values.begin() + std::ptrdiff_t(begin));
            });
        },
        particles);
    is_fetched_ = true;
}

void LedIntegrator::exchange(Archive& archive, Particles& particles)
{
    Leapfrog& own = led_.run().leapfrog();
    ArchivedRows archived(archive);
    RowsInMemory in_memory(particles);
    const bool is_on_host = !particles.position.empty();
    if (archive.is_reading())
        led_.scatter_lasting(particles);
    const std::size_t n = particles.size();
    std::vector<Column> archived_columns; // to be read from the archive alone
    for (int c = 0; c <= int(own.last_column()); ++c) {
        const auto column = Column(c);
        const bool is_step = column >= Column::step;
        const std::size_t rows = is_step ? own.rows_of_steps(column, n) : n;
        if (!archive.is_reading()) {
            if (is_step) // Simulation keeps the other columns
                keep_rows(archive, column, rows, *this);
        } else if (is_on_host && !is_step)
            led_.scatter(column, in_memory, n);
        else if (count_rows(archive, column) != rows) {
            if (column != Column::potential)
                throw is_step ? Error(Fault::restart, "blocks: arrays of different lengths")
                              : unequal_lengths();
        } else if (rows > 0)
            archived_columns.push_back(column);
    }
    const auto* const checkpoint = dynamic_cast<const CheckpointReader*>(&archive);
    if (!archived_columns.empty() && !(checkpoint && led_.read(*checkpoint, archived_columns)))
        for (const Column column : archived_columns)
            led_.scatter(column, archived, n);
    own.exchange_counts(archive);
    if (!archive.is_reading())
        return;
    MemoryArchive counts;
    own.exchange_counts(counts);
    lead<&RankRun::resume>(counts.bytes());
    has_begun_ = true;
    is_fetched_ = is_on_host && !is_alone_;
    drop_columns(particles);
}

void LedIntegrator::put_into(std::shared_ptr<const ExternalField> field)
{
    if (field)
        lead<&RankRun::put_into>(packed(field->potentials()));
    Integrator::put_into(std::move(field));
}

void LedIntegrator::record_crossings(LightCone cone)
{
    lead<&Leapfrog::record_crossings>({}, cone);
}

std::vector<Crossing> LedIntegrator::take_crossings()
{
    return lead<&RankRun::gather_crossings>({});
}

std::string LedIntegrator::device() const
{
    return led_.run().leapfrog().device() + ", " + std::to_string(led_.ranks().size()) +
           " ranks of " + std::to_string(led_.ranks().share_of_threads(thread_count())) +
           " threads" +
           (options_.device == "cpu" ? ""
            : options_.share_gpu     ? ", GPUs may be shared"
                                     : ", one GPU each");
}

} // namespace chamomile
