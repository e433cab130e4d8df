#include "chamomile/integrate/ranks/rank_run.hpp"

#include <algorithm>

#include "chamomile/core/bounds.hpp"
#include "chamomile/core/files/memory_archive.hpp"
#include "chamomile/core/ranks/agreement.hpp"
#include "chamomile/core/ranks/rank_subset.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/integrate/ranks/home_rows.hpp"
#include "chamomile/io/file_rows.hpp"
#include "chamomile/io/hdf5/pieces.hpp"

namespace chamomile {
namespace {

/// Calls visit(values) with the array of one column.
template <class Visit>
void visit_column(Column which, Particles& particles, StepColumns& steps, const Visit& visit)
{
    const auto visit_it = [&](Column column, auto&... rest) { // columns of particles have a name
        if (column == which)
            visit(std::get<sizeof...(rest) - 1>(std::tie(rest...)));
    };
    for_each_column(visit_it, particles);
    for_each_column(visit_it, steps);
}

} // namespace

void RankRun::carry_out(Bytes message)
{
    ranks_.run_or_fail([&] { RankCalls::make(*this, message); });
}

void RankRun::make_solver(SentOptions forces)
{
    leapfrog_.reset();
    clock_.reset();
    solver_.reset();
    solver_ = std::make_unique<DistributedSolver>(forces.options(), ranks_);
}

void RankRun::solve(Quantities quantities)
{
    solver_->evaluate(request_of(home_, quantities));
}

void RankRun::make(SentOptions forces, RankSteps steps, std::optional<ComovingOptions> comoving)
{
    make_solver(forces);
    ranks_.run_and_agree([&] {
        if (comoving)
            clock_.emplace(*comoving);
        const Clock& clock = clock_ ? *clock_ : Clock::newtonian();
        std::visit(
            [&](const auto& one) {
                leapfrog_ =
                    std::make_unique<Leapfrog>(*solver_, one, clock, Residence::where_solved);
            },
            steps);
        leapfrog_->release_host_copy();
    });
}

void RankRun::put_into()
{
    ranks_.run_and_agree([&] {
        leapfrog_->put_into(
            std::make_shared<ExternalField>(unpacked_potentials(given_), "{potential}"));
    });
}

void RankRun::divide(std::uint64_t count, GlobalIndex first)
{
    const std::uint64_t max = largest_number * std::uint64_t(ranks_.size());
    agreed([&] {
        if (count > max)
            throw Error(Fault::input, "particles: number: " + std::to_string(count) +
                                          ": must be at most " + std::to_string(max) + " on " +
                                          std::to_string(ranks_.size()) + " ranks");
    });
    homes_.clear();
    for (int r = 0; r <= ranks_.size(); ++r)
        homes_.push_back(first + ranks_.first_of_run(count, r));
}

void RankRun::begin(std::uint64_t count, GlobalIndex first)
{
    divide(count, first);
    home_ = {};
    steps_.emplace();
}

void RankRun::take(Column column, std::uint64_t row)
{
    StepColumns none;
    visit_column(column, home_, steps_ ? *steps_ : none, [&](auto& values) {
        using T = typename std::remove_reference_t<decltype(values)>::value_type;
        ranks_.scatter(std::span(reinterpret_cast<const T*>(distributed.data()),
                                 distributed.size() / sizeof(T)),
                       count(), inbox_, row);
        const std::span<const T> part = inbox_.all<T>();
        values.reserve(home_end() - home());
        values.insert(values.end(), part.begin(), part.end());
    });
}

void RankRun::make_particles(InitialFacts facts)
{
    const auto side = std::uint64_t(facts.particles);
    divide(side * side * side, 0);
    InitialPlan plan{facts, {}, {}};
    read_sized(given_, plan.rms);
    read_sized(given_, plan.glass);
    home_ = make_initial_conditions(plan, &ranks_);
}

void RankRun::resume()
{
    MemoryArchive counts(given_);
    leapfrog_->resume(home_, std::move(*steps_));
    leapfrog_->exchange_counts(counts);
    steps_.reset();
}

/// Sends a range of home rows to rank 0.
template <class T>
void RankRun::answer(GlobalIndex first, GlobalIndex end, std::span<const T> values)
{
    const GlobalIndex from = std::clamp(first, home(), home_end());
    ranks_.gather(values.subspan(from - home(), std::clamp(end, home(), home_end()) - from),
                  inbox_);
    if (ranks_.rank() == 0)
        copy_bytes(inbox_.all<std::byte>(), asked.data());
}

/// Sends rank 0 value(k) for each home row k of the numbers in the message.
template <class T, class Value>
void RankRun::answer(const Value& value)
{
    std::vector<GlobalIndex> list(given_.size() / sizeof(GlobalIndex));
    std::memcpy(list.data(), given_.data(), given_.size());
    std::vector<T> mine;
    for (const GlobalIndex number : list)
        if (number >= home() && number < home_end())
            mine.push_back(value(std::size_t(number - home())));
    Inbox inbox;
    ranks_.gather(std::span<const T>(mine), inbox);
    std::vector<std::size_t> next(homes_.size()); // next value from each rank
    for (std::size_t k = 0; k < list.size() && ranks_.rank() == 0; ++k) {
        const auto r = std::ranges::upper_bound(homes_, list[k]) - homes_.begin() - 1;
        std::memcpy(asked.data() + k * sizeof(T), &inbox.from<T>(int(r))[next[std::size_t(r)]++],
                    sizeof(T));
    }
}

void RankRun::fetch(Column column, GlobalIndex first, GlobalIndex end)
{
    if (column < Column::step)
        update_home();
    else
        update_steps();
    StepColumns none;
    visit_column(column, home_, steps_ ? *steps_ : none, [&](auto& values) {
        using T = typename std::remove_reference_t<decltype(values)>::value_type;
        values.resize(home_.size()); // none if a start has failed
        if (given_.empty())
            answer(first, end, std::span<const T>(values));
        else
            answer<T>([&](std::size_t k) { return values[k]; });
    });
}

void RankRun::gather()
{
    leapfrog_->fetch(home_);
    answer<PhasePoint>([&](std::size_t k) {
        return PhasePoint{home_.position[k], home_.velocity[k]};
    });
}

PowerSpectrum RankRun::power_spectrum(PowerSpectrumOptions options, Periodicity box,
                                      std::uint8_t types)
{
    update_home();
    const auto measured = [&](const Particles& p) {
        return chamomile::power_spectrum(p.size(), view_of(std::span(p.position)),
                                         view_of(std::span(p.mass)), box, options, &ranks_);
    };
    if (types == all_types)
        return measured(home_);
    Particles chosen;
    for (std::size_t i = 0; i < home_.size(); ++i)
        if (types >> home_.type[i] & 1) {
            chosen.mass.push_back(home_.mass[i]);
            chosen.position.push_back(home_.position[i]);
        }
    return measured(chosen);
}

RankHalos RankRun::halos(RankHaloRequest request)
{
    update_home();
    std::vector<double> densities(given_.size() / sizeof(double));
    read_bytes(given_, densities.data(), densities.size());
    return halos_of_ranks({home_.position, home_.velocity, home_.mass, home_.type, home()}, request,
                          densities, ranks_);
}

SampledErrors RankRun::sample_errors(std::uint64_t targets, Quantities quantities, double time)
{
    update_home();
    SolverOptions own = solver_->options();
    own.device = solver_->array_device();
    return sampled_errors(own, leapfrog_->clock().softening(time, own.softening.length), home_,
                          targets, quantities, {leapfrog_->field(), time}, ranks_);
}

std::vector<double> RankRun::picture_sum(PictureRequest request)
{
    update_home();
    return chamomile::picture_sum(request, PicturedParticles(home_), ranks_);
}

RadialBins RankRun::radial_bins(ProfileRequest request)
{
    update_home();
    RowsInMemory rows(home_);
    return chamomile::radial_bins({home_, rows, RankSubset{ranks_, count(), rows_of_file().begin}},
                                  request, 0, 1);
}

bool RankRun::write_pieces(std::int32_t pieces, double velocity_factor)
{
    update_home();
    std::string path;
    read_sized(given_, path);
    MemoryArchive archive(given_);
    WholeSnapshot whole;
    whole.exchange(archive);
    HomeRows rows(home_, velocity_factor, ranks_);
    return chamomile::write_pieces(whole, rows, path, pieces, ranks_);
}

std::optional<CheckpointParts> RankRun::write_checkpoint_parts()
{
    std::string path;
    read_sized(given_, path);
    const Column last = leapfrog_->last_column();
    update_home();
    if (last >= Column::step)
        update_steps();
    home_.potential.resize(home_.size()); // none if a start has failed
    StepColumns none;
    const auto exchange = [&](Archive& archive) {
        const auto put = [&](Column column, const std::string& extra, auto& values) {
            using T = typename std::remove_reference_t<decltype(values)>::value_type;
            if constexpr (std::is_arithmetic_v<T>)
                archive(name_in_archives(column, extra), values);
            else
                archive.records(name_in_archives(column, extra), values);
        };
        for_each_column(put, home_);
        for_each_column(
            [&](Column column, auto& values) {
                if (column <= last)
                    put(column, {}, values);
            },
            steps_ ? *steps_ : none);
    };
    return chamomile::write_checkpoint_parts(path, exchange, ranks_);
}

bool RankRun::read_checkpoint(std::uint32_t sum)
{
    std::string path;
    read_sized(given_, path);
    std::vector<Column> columns(given_.size() / sizeof(Column));
    read_bytes(given_, columns.data(), columns.size());
    std::optional<CheckpointReader> checkpoint;
    std::uint64_t hidden = 0;
    try {
        checkpoint.emplace(path, CheckSums::heads);
        hidden = checkpoint->sum() != sum;
    } catch (const Error&) {
        hidden = 1;
    }
    ranks_.sum(std::span(&hidden, 1));
    if (hidden > 0)
        return false;
    const RowSelection own = rows_of_file();
    ranks_.run_and_agree([&] {
        for (const Column column : columns)
            visit_column(column, home_, *steps_, [&](auto& values) {
                using T = typename std::remove_reference_t<decltype(values)>::value_type;
                if constexpr (!std::is_integral_v<T>) {
                    values.resize(own.size());
                    checkpoint->part(name_in_archives(column), own.begin, std::span(values));
                }
            });
    });
    return true;
}

std::optional<Box> RankRun::read_file(bool has_velocities)
{
    const RowSelection own = rows_of_file();
    std::vector<Vec3<double>> position, velocity;
    Box box;
    std::uint64_t wrong = 0;
    try {
        const std::shared_ptr<FileRows> rows = FileRows::unpacked(given_);
        const auto read = [&](Column column, std::vector<Vec3<double>>& values) {
            resize_large(own.size(), values);
            rows->read(column, own.begin, std::span(values));
            const PointBounds found = bounds_of(values);
            wrong += found.first_not_finite < values.size();
            return found.box;
        };
        box = read(Column::position, position);
        if (has_velocities)
            read(Column::velocity, velocity);
        else // only checks them
            for (std::size_t at = own.begin; at < own.end; at += rows->max()) {
                const auto block =
                    rows->read_vectors(Column::velocity, {at, std::min(at + rows->max(), own.end)});
                wrong += bounds_of(block).first_not_finite < block.size();
            }
    } catch (const Error&) {
        wrong = 1;
    }
    Inbox found; // without a time limit: a slow disk is no failure
    ranks_.gather(std::as_bytes(std::span(&wrong, 1)), Communicator::Sizes::equal, found,
                  Timeout::endless);
    if (std::ranges::any_of(found.all<std::uint64_t>(), [](std::uint64_t one) { return one > 0; }))
        return {};
    home_.position = std::move(position);
    home_.velocity = std::move(velocity);
    return joined_box(box, ranks_);
}

std::vector<Crossing> RankRun::gather_crossings()
{
    const std::vector<Crossing> mine = leapfrog_->take_crossings();
    Inbox inbox;
    ranks_.gather(std::span<const Crossing>(mine), inbox);
    const std::span<const Crossing> all = inbox.all<Crossing>();
    return {all.begin(), all.end()};
}

void serve_particles(Communicator& ranks)
{
    RankRun run(ranks);
    serve_solver(ranks, &run);
}

} // namespace chamomile
