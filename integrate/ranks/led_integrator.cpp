#include "chamomile/integrate/ranks/led_integrator.hpp"

#include <algorithm>
#include <functional>

#include "chamomile/core/files/memory_archive.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/integrate/archived_rows.hpp"

namespace chamomile {
namespace {

/// Makes rank 0's own call, where the other ranks get its message.
class OwnCall final : public RankGuest {
public:
    OwnCall(Communicator& ranks, std::function<void()> call) : ranks_(ranks), call_(std::move(call))
    {}
    void carry_out(RankRun::Bytes) override { ranks_.as_one(call_); }

private:
    Communicator& ranks_;
    std::function<void()> call_;
};

} // namespace

template <auto Call, class... Given>
auto LedIntegrator::lead(RankRun::Bytes given, const Given&... arguments)
{
    return make<Call>(Call, given, arguments...);
}

/// Has all ranks make a call, and returns what it returns on this one. What take() gets is rank 0's
/// alone.
template <auto Call, class Result, class... Parameter>
Result LedIntegrator::make(Result (RankRun::*call)(Parameter...), RankRun::Bytes given,
                           const std::type_identity_t<Parameter>&... arguments)
{
    constexpr bool is_told = !std::is_same_v<decltype(call), decltype(&RankRun::take)>;
    std::optional<std::conditional_t<std::is_void_v<Result>, bool, Result>> result;
    OwnCall own(ranks_, [&] {
        run_.given = given;
        if constexpr (std::is_void_v<Result>)
            (run_.*call)(arguments...);
        else
            result = (run_.*call)(arguments...);
    });
    lead_guests(ranks_, RankCalls::message<Call>(is_told ? given : RankRun::Bytes(), arguments...),
                own);
    if constexpr (!std::is_void_v<Result>)
        return std::move(*result);
}

LedIntegrator::LedIntegrator(const SolverOptions& options, const RankSteps& steps)
    : options_(resolved(of_first_rank(options))), ranks_(*options.ranks), run_(ranks_)
{
    ranks_.set_time_limit(options.peer_timeout);
    Order forces = Order::of(options_);
    forces.time_limit = options.peer_timeout;
    devices_of_ranks(options, options_).copy(forces.device, sizeof forces.device - 1);
    lead<&RankRun::make>({}, forces, options_.decorrelate, steps);
}

template <class T>
void LedIntegrator::deal(Column column, std::size_t first, std::span<const T> values)
{
    lead<&RankRun::take>(std::as_bytes(values), column, first);
}

/// Deals rows, a block after another.
void LedIntegrator::deal(Column column, ParticleRows& rows, std::size_t count)
{
    rows.for_blocks(count, [&](std::size_t begin, std::size_t end) {
        if (is_vector(column))
            deal(column, begin, rows.vectors(column, {begin, end}));
        else
            deal(column, begin, rows.reals(column, {begin, end}));
    });
}

/// Begins with what the ranks need of particles beside what moves.
void LedIntegrator::deal_lasting(const Particles& particles)
{
    lead<&RankRun::begin>({}, particles.size());
    for_each_column(
        [&](Column column, const std::string&, const auto& values) {
            if (column == Column::mass || column == Column::id || column == Column::softening)
                deal(column, 0, std::span(values));
        },
        particles);
}

ForceStatistics LedIntegrator::start(Particles& particles, Quantities quantities, Moment now)
{
    const std::size_t n = particles.size();
    RowsInMemory in_memory(particles);
    const std::shared_ptr<ParticleRows> source = std::move(source_);
    ParticleRows& rows = source ? *source : in_memory;
    deal_lasting(particles);
    for (const Column column : {Column::position, Column::velocity})
        rows.for_blocks(n, [&](std::size_t begin, std::size_t end) {
            const auto values = rows.vectors(column, {begin, end});
            require_finite(particles, values, column == Column::position ? "position" : "velocity",
                           {now.step, clock().file_time(now.time)}, begin);
            deal(column, begin, values);
        });
    note_change(particles, quantities);
    return lead<&RankRun::start>({}, quantities, now);
}

/// Leaves what moves to the ranks, where it changes now.
void LedIntegrator::note_change(Particles& particles, Quantities quantities)
{
    is_fetched_ = false;
    has_potentials_ = quantities == Quantities::acceleration_potential;
    if (is_alone_)
        drop_moving(particles);
}

Integrator::NextStep LedIntegrator::next_step(Moment now)
{
    return lead<&RankRun::next_step>({}, now);
}

ForceStatistics LedIntegrator::step(Particles& particles, double length, Quantities quantities,
                                    Moment now)
{
    note_change(particles, quantities);
    return lead<&RankRun::step>({}, length, quantities, now);
}

ForceStatistics LedIntegrator::evaluate(Particles&, Quantities quantities, Moment now)
{
    is_fetched_ = false;
    has_potentials_ = true;
    return lead<&RankRun::evaluate>({}, quantities, now);
}

Diagnostics LedIntegrator::diagnose(Particles&, LagrangianRadii which, double time)
{
    return lead<&RankRun::diagnose>({}, which, time);
}

void LedIntegrator::gather(Particles&, std::span<const Index> which, const Vec3<double>& origin,
                           std::span<MovingPoint> into)
{
    run_.asked = std::as_writable_bytes(into);
    lead<&RankRun::gather>(std::as_bytes(which), origin);
}

template <class T>
std::span<const T> LedIntegrator::bring(Column column, const RowsAsked& rows, std::vector<T>& into)
{
    into.resize(rows.size());
    run_.asked = std::as_writable_bytes(std::span(into));
    lead<&RankRun::bring>(std::as_bytes(rows.list), column, rows.begin, rows.end);
    return into;
}

void LedIntegrator::fetch(Particles& particles)
{
    if (is_fetched_)
        return;
    const bool has_potentials = has_potentials_ || run_.leapfrog().needs_potentials() || is_alone_;
    for_each_column(
        [&](Column column, const std::string&, auto& values) {
            if (!moves(column) || (column == Column::potential && !has_potentials))
                return;
            std::remove_cvref_t<decltype(values)> block;
            values.resize(particles.size());
            rows_.for_blocks(values.size(), [&](std::size_t begin, std::size_t end) {
                std::ranges::copy(bring(column, {begin, end}, block),
                                  values.begin() + std::ptrdiff_t(begin));
            });
        },
        particles);
    is_fetched_ = true;
}

void LedIntegrator::exchange(Archive& archive, Particles& particles)
{
    Leapfrog& own = run_.leapfrog();
    const std::size_t n = particles.size();
    if (archive.is_reading())
        deal_archived(archive, particles);
    for (const Column column : {Column::step, Column::measured, Column::orbit})
        if (const std::size_t rows = own.rows_of_steps(column, n); !own.block_steps())
            break;
        else if (!archive.is_reading())
            keep_rows(archive, column, rows, rows_);
        else if (count_rows(archive, column) != rows)
            throw Error(Fault::restart, "blocks: arrays of different lengths");
        else if (ArchivedRows archived(archive); rows > 0)
            deal(column, archived, rows);
    own.exchange_counts(archive);
    if (!archive.is_reading())
        return;
    MemoryArchive counts;
    own.exchange_counts(counts);
    lead<&RankRun::resume>(counts.bytes());
    is_fetched_ = !particles.position.empty();
}

/// Deals the particles of an archive, a block after another, unless the caller has what moves.
void LedIntegrator::deal_archived(Archive& archive, const Particles& particles)
{
    const std::size_t n = particles.size();
    const bool are_here = !particles.position.empty();
    ArchivedRows archived(archive);
    RowsInMemory in_memory(particles);
    ParticleRows& rows = are_here ? static_cast<ParticleRows&>(in_memory) : archived;
    deal_lasting(particles);
    for (const Column column :
         {Column::position, Column::velocity, Column::acceleration, Column::potential})
        if (are_here || count_rows(archive, column) == n)
            deal(column, rows, n);
        else if (column != Column::potential)
            throw unequal_lengths();
}

void LedIntegrator::put_into(std::shared_ptr<const ExternalField> field)
{
    if (field)
        lead<&RankRun::put_into>(packed(field->potentials()));
    Integrator::put_into(std::move(field));
}

std::string LedIntegrator::device() const
{
    return run_.leapfrog().device() + ", " + std::to_string(ranks_.size()) + " ranks of " +
           std::to_string(ranks_.share_of_threads(thread_count())) + " threads" +
           (options_.device == "cpu" ? ""
            : options_.share_gpu     ? ", which may share GPUs"
                                     : ", one GPU each");
}

} // namespace chamomile
