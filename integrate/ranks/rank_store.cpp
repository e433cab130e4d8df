#include "chamomile/integrate/ranks/rank_store.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/core/ranks/column_exchange.hpp"
#include "chamomile/core/resize_discarding.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/ranks/distributed_solver.hpp"

namespace chamomile {
namespace {

/// Steps 1, 1 + n and so on report places. Particles migrate before the next step if more than this
/// fraction is misplaced.
constexpr std::uint64_t steps_between_places = 8;
constexpr double wrong_fraction = 0.05;

/// Calls store(k, values[places[k]]) for each place.
template <class T, class Store>
void pick(std::span<const T> values, std::span<const Index> places, const Store& store)
{
#pragma omp parallel for if (places.size() > worth_threads) schedule(static)
    for (std::size_t k = 0; k < places.size(); ++k)
        store(k, values[places[k]]);
}

} // namespace

/// Sends the values at `places`, and returns the received values. All columns share the buffers:
/// fresh memory costs a page fault for each 4 kB.
template <class T>
std::span<const T>
RankStore::Carrier::send(std::span<const T> values, std::span<const Index> places,
                         std::span<const std::size_t> begins, Communicator& ranks)
{
    const std::size_t bytes = places.size() * sizeof(T);
    T* const left = reinterpret_cast<T*>(leaving.make_room(std::span(&bytes, 1)));
    pick(values, places, [&](std::size_t k, const T& value) { left[k] = value; });
    ranks.all_to_all<T>(runs_of(std::span<const T>(left, places.size()), begins), arriving);
    return arriving.all<T>();
}

void RankStore::load(StepColumns columns)
{
    own_ = {};
    part_ = {};
    number_.clear();
    home_.reset();
    places_ = {};
    steps_ = 0;
    is_fetched_ = !is_alone_;
    for_each_column(
        [&](Column column, const std::string&, auto& home, auto& own) {
            if (is_alone_ && moves(column))
                own.swap(home); // leaves `home` empty
            else
                own = home;
        },
        *particles_, own_);
    own_.acceleration.resize(own_.size());
    own_.potential.resize(own_.size());
    homes_ = {0};
    for (const std::uint64_t count : ranks_.all_gather(std::uint64_t(own_.size())))
        homes_.push_back(homes_.back() + count);
    require_same_columns();
    part_ = DistributedSolver::part_of(request_of_sources(own_), ranks_, on_host_);
    if (has_domains_) {
        part_.arrangement = GlobalCounts::new_arrangement();
        number_.resize(own_.size());
        std::iota(number_.begin(), number_.end(), part_.first);
        const std::size_t n = part_.sources_at_home(own_.size());
        migrate(first_migration(std::span(own_.position).first(n), std::span(own_.mass).first(n),
                                ranks_),
                columns);
    }
    fill(std::move(columns));
}

/// Loads the local particles. Throws on all ranks if one has too little memory.
void RankStore::fill(StepColumns columns)
{
    inner_->attach(own_);
    ranks_.run_and_agree([&] { inner_->load(std::move(columns)); });
}

/// Returns the length of each column, summed over ranks: a rank may have no particle.
std::vector<std::uint64_t> RankStore::sizes_of(StepColumns& columns)
{
    std::vector<std::uint64_t> sizes;
    for_each_column(
        [&](Column, const std::string&, const auto& values) { sizes.push_back(values.size()); },
        own_);
    for_each_column([&](Column, const auto& values) { sizes.push_back(values.size()); }, columns);
    ranks_.sum(sizes);
    return sizes;
}

/// Throws on all ranks if names or lengths of columns differ.
void RankStore::require_same_columns()
{
    std::string names;
    for (const auto& [name, values] : own_.extra)
        names += name + '\n';
    const auto all = ranks_.all_gather(std::uint64_t(std::hash<std::string>()(names)));
    if (!std::ranges::all_of(all, [&](std::uint64_t hash) { return hash == all[0]; }))
        throw CollectiveError(Fault::usage,
                              "columns of particles: names: must be equal on all ranks");
    StepColumns none;
    const std::vector<std::uint64_t> sizes = sizes_of(none);
    ranks_.run_and_agree([&] {
        std::size_t k = 0;
        for_each_column(
            [&](Column column, const std::string& name, const auto& values) {
                if (sizes[k++] > 0 && values.size() != own_.size())
                    throw Error(Fault::usage, name_in_archives(column, name) + ": " +
                                                  std::to_string(values.size()) + " values for " +
                                                  std::to_string(own_.size()) +
                                                  " particles: must be one per particle");
            },
            own_);
    });
}

void RankStore::fetch()
{
    if (is_fetched_)
        return;
    here();
    const bool has_potentials = part_.has_potentials || options_.potentials || is_alone_;
    Carrier carrier;
    for_each_column(
        [&](Column column, const std::string&, const auto& own, auto& home) {
            if (moves(column) && (column != Column::potential || has_potentials))
                return_values(own, home, carrier);
        },
        own_, *particles_);
    is_fetched_ = true;
}

bool RankStore::has_steps(Column column) const
{
    return options_.individual && (column != Column::long_range || options_.long_range) &&
           (column != Column::orbit || options_.potentials);
}

StepColumns RankStore::columns()
{
    StepColumns columns = inner_->columns();
    Carrier carrier;
    for_each_column(
        [&](Column column, auto& values) {
            if (has_steps(column))
                return_values(values, values, carrier);
        },
        columns);
    return columns;
}

void RankStore::set_due(int first, std::uint64_t count)
{
    part_.active = count;
    // Unless all particles are due, a count below n makes the inner store select by level: this
    // rank may hold all due particles, or none.
    const std::uint64_t n = own_.size();
    inner_->set_due(first, count == part_.count ? n : std::min<std::uint64_t>(count, n - 1));
}

Request RankStore::request(bool potentials)
{
    return with_part(inner_->request(potentials), potentials);
}

/// Members keep the global order on a processor, so that sums have the bits of one rank, if
/// massless particles come last in the whole set.
Request RankStore::request_of_set(std::size_t set, bool potentials)
{
    Request request = inner_->request_of_set(set, potentials);
    if (sets().is_whole(set))
        return with_part(request, potentials);
    is_fetched_ = false;
    if (!on_host_) { // members in the order of the ranks, none a tracer
        Request sources = request;
        sources.softening = {};
        request.part = DistributedSolver::part_of(sources, ranks_, false);
        request.part->softenings = part_.softenings;
    } else if (part_.arrangement == 0) {
        request.part = DistributedSolver::part_of(request, ranks_);
    } else {
        const std::span<const Index> members = sets().members(set);
        const auto tracers = std::ranges::count_if(
            members, [&](Index i) { return number_[i] >= part_.count - part_.tracers; });
        request.part = DistributedSolver::part_of(request, ranks_, true, std::uint64_t(tracers));
        request.part->arrangement = part_.arrangement;
        request.part->number = set_number_ = numbers_among(members);
    }
    return request;
}

/// Returns the place of each of these local particles among those of all ranks, in the global
/// order.
std::vector<GlobalIndex> RankStore::numbers_among(std::span<const Index> members)
{
    std::vector<GlobalIndex> numbers(members.size());
    pick(std::span<const GlobalIndex>(number_), members,
         [&](std::size_t k, GlobalIndex number) { numbers[k] = number; });
    const Way way = way_home(numbers);
    const std::span<const Index> rows = way.to.all<Index>();
    std::vector<Index> order(rows.begin(), rows.end());
    std::ranges::sort(order);
    GlobalIndex first = 0;
    const std::vector<std::uint64_t> counts = ranks_.all_gather(std::uint64_t(rows.size()));
    for (int r = 0; r < ranks_.rank(); ++r)
        first += counts[std::size_t(r)];
    std::vector<std::vector<GlobalIndex>> places(counts.size());
    for (std::size_t r = 0; r < places.size(); ++r)
        for (const Index row : way.to.from<Index>(int(r)))
            places[r].push_back(first +
                                GlobalIndex(std::ranges::lower_bound(order, row) - order.begin()));
    const std::vector<std::span<const GlobalIndex>> to(places.begin(), places.end());
    Inbox inbox;
    ranks_.all_to_all<GlobalIndex>(to, inbox);
    const std::span<const GlobalIndex> found = inbox.all<GlobalIndex>();
    for (std::size_t k = 0; k < found.size(); ++k)
        numbers[way.from[k]] = found[k];
    return numbers;
}

/// Adds the part to a request for all local particles.
Request RankStore::with_part(Request request, bool potentials)
{
    is_fetched_ = false;
    part_.has_potentials = potentials;
    request.part = part_;
    request.part->number = number_;
    if (request.are_all_active() && steps_ % steps_between_places == 1)
        request.part->places = &places_;
    if (part_.tracers > 0 && !request.are_all_active()) {
        std::uint64_t& tracers = request.part->active_tracers;
        tracers = std::uint64_t(std::ranges::count_if(request.active, [&](Index i) {
            return request.part->number_of(i) >= part_.count - part_.tracers;
        }));
        ranks_.sum(std::span(&tracers, 1));
    }
    return request;
}

Request RankStore::request_here()
{
    is_fetched_ = false;
    part_.has_potentials = true;
    Request request = request_of(here(), Quantities::acceleration_potential);
    request.part = part_;
    request.part->active = part_.count;
    request.part->number = number_;
    if (!places_.begins.empty()) // they refer to the last evaluation
        request.part->places = &places_;
    return request;
}

void RankStore::begin_step()
{
    if (is_alone_) {
        is_fetched_ = false;
        drop_moving(*particles_);
    }
    ++steps_;
    if (!places_.begins.empty() && are_misplaced()) {
        here();
        StepColumns columns = inner_->columns();
        migrate({places_.leaving(), places_.begins, places_.arriving()}, columns);
        fill(std::move(columns));
    }
    places_ = {};
    inner_->begin_step();
}

void RankStore::restore()
{
    is_fetched_ = false;
    places_ = {};
    inner_->restore();
}

void RankStore::kick_and_drift(const KickAndDrift& move)
{
    is_fetched_ = false;
    inner_->kick_and_drift(move);
}

BlockEnd RankStore::end_block(const LevelFactors& factors, const std::optional<NextLevels>& next)
{
    is_fetched_ = false;
    BlockEnd end = inner_->end_block(factors, next);
    std::array<std::uint64_t, 2 + std::tuple_size_v<LevelCounts>> sums{!end.is_finite,
                                                                       end.below_shortest};
    std::ranges::copy(end.levels, sums.begin() + 2);
    ranks_.sum(sums);
    end.is_finite = sums[0] == 0;
    end.below_shortest = sums[1];
    std::copy(sums.begin() + 2, sums.end(), end.levels.begin());
    return end;
}

bool RankStore::has_finite_positions()
{
    std::uint64_t ranks = !inner_->has_finite_positions();
    ranks_.sum(std::span(&ranks, 1));
    return ranks == 0;
}

LevelCounts RankStore::place(double whole, int lowest)
{
    LevelCounts counts = inner_->place(whole, lowest);
    ranks_.sum(counts);
    return counts;
}

StepCounts RankStore::count_steps()
{
    StepCounts counts = inner_->count_steps();
    ranks_.sum(counts.count);
    ranks_.min(std::span(&counts.shortest, 1));
    return counts;
}

double RankStore::shortest_time(const DynamicalTime& dynamical)
{
    double shortest = inner_->shortest_time(dynamical);
    ranks_.min(std::span(&shortest, 1));
    return shortest;
}

void RankStore::add_squared_velocities(ExactSums<double>& sums)
{
    ExactSums<double> of_all;
    inner_->add_squared_velocities(of_all);
    ranks_.sum(of_all);
    sums += of_all;
}

/// True if too many particles are away from their domain.
bool RankStore::are_misplaced()
{
    const std::size_t rank = std::size_t(ranks_.rank()),
                      stay = places_.begins[rank + 1] - places_.begins[rank];
    std::uint64_t wrong = places_.begins.back() - stay;
    ranks_.sum(std::span(&wrong, 1));
    return double(wrong) > wrong_fraction * double(part_.count);
}

/// Sends sources to the rank of their domain, in tree order.
void RankStore::migrate(const Migration& way, StepColumns& columns)
{
    ++part_.arrangement;
    home_.reset();
    const std::vector<std::uint64_t> sizes = sizes_of(columns);
    Carrier carrier;
    migrate(way, number_, carrier);
    std::size_t k = 0;
    for_each_column(
        [&](Column, const std::string&, auto& values) {
            if (sizes[k++] > 0)
                migrate(way, values, carrier);
        },
        own_);
    for_each_column(
        [&](Column column, auto& values) {
            if (sizes[k++] > 0 && has_steps(column))
                migrate(way, values, carrier);
        },
        columns);
}

/// Migrates one column. Tracers stay, behind the sources.
template <class T>
void RankStore::migrate(const Migration& way, std::vector<T>& values, Carrier& carrier)
{
    const std::span<const T> arrived =
        carrier.send(std::span<const T>(values), way.leaving, way.begins, ranks_);
    const std::vector<T> tracers(values.begin() + std::ptrdiff_t(way.leaving.size()), values.end());
    resize_discarding(values, way.arriving.size() + tracers.size());
    pick(arrived, way.arriving, [&](std::size_t k, const T& value) { values[k] = value; });
    std::ranges::copy(tracers, values.end() - std::ptrdiff_t(tracers.size()));
}

/// Finds the home rows of particles with these global numbers.
RankStore::Way RankStore::way_home(std::span<const GlobalIndex> numbers)
{
    const std::size_t n = numbers.size();
    Way way;
    way.begins.assign(homes_.size(), 0);
    std::vector<Index> rank(n), to(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i)
        rank[i] = Index(std::ranges::upper_bound(homes_, numbers[i]) - homes_.begin() - 1);
    for (const Index r : rank)
        ++way.begins[r + 1];
    std::partial_sum(way.begins.begin(), way.begins.end(), way.begins.begin());
    std::vector<std::size_t> next = way.begins;
    way.from.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t k = next[rank[i]]++;
        way.from[k] = Index(i);
        to[k] = Index(numbers[i] - homes_[rank[i]]);
    }
    ranks_.all_to_all<Index>(runs_of(std::span<const Index>(to), way.begins), way.to);
    return way;
}

/// Gathers one column on its home ranks; `values` may be `home`.
template <class T>
void RankStore::return_values(const std::vector<T>& values, std::vector<T>& home, Carrier& carrier)
{
    if (part_.arrangement == 0) {
        if (&values != &home)
            home = values;
        return;
    }
    if (!home_)
        home_ = way_home(number_);
    const std::span<const T> arrived =
        carrier.send(std::span<const T>(values), home_->from, home_->begins, ranks_);
    const std::span<const Index> to = home_->to.all<Index>();
    resize_discarding(home, to.size());
#pragma omp parallel for if (to.size() > worth_threads) schedule(static)
    for (std::size_t k = 0; k < to.size(); ++k)
        home[to[k]] = arrived[k];
}

} // namespace chamomile
