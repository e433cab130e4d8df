#include "chamomile/integrate/ranks/store_part.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <tuple>
#include <utility>

#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

using Call = StoreOrder::Call;

/// Every so manieth step, from the first on, tells where particles belong, and they are exchanged
/// before the next if more than this part of all is on the wrong rank.
constexpr std::uint64_t steps_between_places = 8;
constexpr double wrong_part = 0.05;

constexpr std::size_t largest_value = sizeof(Vec3<double>); // that is exchanged of a particle

/// Tells whether rank 0 waits for what the call returns.
bool has_answer(Call call)
{
    switch (call) {
    case Call::kick:
    case Call::has_finite_positions:
    case Call::place:
    case Call::change_levels:
    case Call::choose_steps:
    case Call::count_tracers:
    case Call::shortest_time:
        return true;
    default:
        return false;
    }
}

} // namespace

void StoreAnswer::add(const StoreAnswer& other)
{
    for (std::size_t k = 0; k < levels.size(); ++k)
        levels[k] += other.levels[k];
    count += other.count;
    least = std::min(least, other.least);
    is_finite = is_finite && other.is_finite;
}

void StorePart::carry_out(std::span<const std::byte> message)
{
    ranks_.as_one([&] {
        StoreAnswer mine;
        Call last{};
        for (; !message.empty(); message = message.subspan(sizeof(StoreOrder))) {
            StoreOrder order;
            std::copy_n(message.begin(), sizeof order, reinterpret_cast<std::byte*>(&order));
            mine = make(order);
            last = order.call;
        }
        if (!has_answer(last))
            return;
        ranks_.collect(std::span<const StoreAnswer>(&mine, 1), inbox_);
        answer_ = {};
        for (const StoreAnswer& one : inbox_.all<StoreAnswer>())
            answer_.add(one);
    });
}

Request StorePart::request()
{
    Request request = store_->request(asks_potentials_);
    request.part = {.count = count_,
                    .active = due_,
                    .has_potentials = asks_potentials_,
                    .first = ranks_.first_of_run(count_, ranks_.rank()),
                    .exchanges = exchanges_,
                    .number = number_};
    if (due_ == count_ && steps_ % steps_between_places == 1)
        request.part->places = &places_;
    return request;
}

/// Makes the call of this rank's store.
StoreAnswer StorePart::make(const StoreOrder& o)
{
    StoreAnswer answer;
    if (o.call != Call::rows && o.call != Call::take && o.call != Call::loaded)
        columns_.reset();
    switch (o.call) {
    case Call::load:
        load(o);
        break;
    case Call::take:
        take(o);
        break;
    case Call::loaded:
        end_load();
        break;
    case Call::gather:
        gather(o.origin);
        break;
    case Call::rows:
        send_rows(o);
        break;
    case Call::set_due: {
        due_ = o.count;
        // Of some of all, all that this rank has may be due, or none.
        const std::uint64_t n = own_.size();
        store_->set_due(o.first, due_ == count_ ? n : std::min<std::uint64_t>(due_, n - 1));
        break;
    }
    case Call::request:
        asks_potentials_ = o.potentials;
        break;
    case Call::count_tracers: {
        const Request own = request();
        for (const Index i : own.active)
            answer.count += own.part->number_of(i) >= o.count;
        break;
    }
    case Call::add_external:
        store_->add_external(ExternalField(o.terms), o.time);
        break;
    case Call::begin_step:
        begin_step();
        break;
    case Call::restore:
        store_->restore();
        break;
    case Call::kick_and_drift:
        store_->kick_and_drift(o.move);
        break;
    case Call::kick:
        answer.is_finite = store_->kick(o.factors);
        break;
    case Call::has_finite_positions:
        answer.is_finite = store_->has_finite_positions();
        break;
    case Call::place:
        answer.levels = store_->place(o.whole, o.lowest);
        break;
    case Call::change_levels:
        answer.levels = store_->change_levels(o.whole, o.lowest, o.may_rise);
        break;
    case Call::choose_first_steps:
        store_->choose_first_steps(o.rule);
        break;
    case Call::choose_steps:
        answer.count = store_->choose_steps(o.rule, o.whole, o.lowest);
        break;
    case Call::count_steps:
        count_steps();
        break;
    case Call::shortest_time:
        answer.least = store_->shortest_time(o.rule.dynamical);
        break;
    }
    return answer;
}

/// Gets this rank's run of the values of rank 0.
template <class T>
void StorePart::deal(const std::vector<T>* values, std::vector<T>& own)
{
    ranks_.deal(values ? std::span<const T>(*values) : std::span<const T>(), count_, inbox_);
    const std::span<const T> run = inbox_.all<T>();
    own.assign(run.begin(), run.end());
}

/// Begins to load: takes what does not move.
void StorePart::load(const StoreOrder& order)
{
    store_ = make_host_store(order.options);
    count_ = due_ = order.count;
    has_columns_ = order.options.individual;
    has_orbits_ = order.options.individual && order.options.potentials;
    own_ = {};
    columns_.emplace();
    deal(all ? &all->mass : nullptr, own_.mass);
    deal(all ? &all->softening : nullptr, own_.softening);
    deal(all ? &all->id : nullptr, own_.id);
    std::uint64_t has[] = {own_.softening.size(), own_.id.size()};
    ranks_.sum(has);
    has_softenings_ = has[0] > 0;
    has_ids_ = has[1] > 0;
    number_.clear();
    by_number_.clear();
    found_.clear();
    exchanges_ = steps_ = 0;
    places_ = {};
}

/// Takes this rank's part of the next block of a value, which rank 0 has.
template <class T>
void StorePart::take(std::uint64_t begin, std::vector<T>& own)
{
    const std::span<const T> values(reinterpret_cast<const T*>(block.data()),
                                    block.size() / sizeof(T));
    ranks_.deal(values, count_, inbox_, begin);
    const std::span<const T> part = inbox_.all<T>();
    own.reserve(own_.size());
    own.insert(own.end(), part.begin(), part.end());
}

void StorePart::take(const StoreOrder& o)
{
    switch (o.value) {
    case Column::position:
        return take(o.begin, own_.position);
    case Column::velocity:
        return take(o.begin, own_.velocity);
    case Column::acceleration:
        return take(o.begin, own_.acceleration);
    case Column::potential:
        return take(o.begin, own_.potential);
    case Column::step:
        return take(o.begin, columns_->step);
    case Column::measured:
        return take(o.begin, columns_->measured);
    case Column::orbit:
        return take(o.begin, columns_->orbit);
    default:
        assert(false); // others do not move, or are of boxes
    }
}

/// Begins with what all blocks have brought.
void StorePart::end_load()
{
    own_.acceleration.resize(own_.size());
    own_.potential.resize(own_.size());
    inbox_ = {}; // whose memory would lie idle
    store_->attach(own_);
    store_->load(std::move(*columns_));
    columns_.reset();
}

void StorePart::begin_step()
{
    ++steps_;
    if (!places_.begins.empty() && are_misplaced())
        exchange();
    places_ = {};
    store_->begin_step();
}

/// Tells whether particles are to be exchanged; they are once, so that they stand in the order of
/// the tree.
bool StorePart::are_misplaced()
{
    const std::size_t rank = std::size_t(ranks_.rank()),
                      stay = places_.begins[rank + 1] - places_.begins[rank];
    std::uint64_t wrong = places_.leaving.size() - stay;
    ranks_.sum(std::span(&wrong, 1));
    return exchanges_ == 0 || double(wrong) > wrong_part * double(count_);
}

/// Gives each rank the sources of its part of the tree, in their order.
void StorePart::exchange()
{
    if (exchanges_++ == 0) {
        number_.resize(own_.size());
        std::iota(number_.begin(), number_.end(),
                  Index(ranks_.first_of_run(count_, ranks_.rank())));
    }
    by_number_.clear();
    found_.clear();
    left_ = std::make_unique_for_overwrite<std::byte[]>(largest_value * places_.leaving.size());
    StepColumns columns = store_->columns();
    exchange(number_);
    exchange(own_.mass);
    exchange(own_.position);
    exchange(own_.velocity);
    exchange(own_.acceleration);
    exchange(own_.potential);
    exchange(own_.softening, has_softenings_);
    exchange(own_.id, has_ids_);
    exchange(columns.step, has_columns_);
    exchange(columns.measured, has_columns_);
    exchange(columns.orbit, has_orbits_);
    inbox_ = {};
    left_.reset();
    store_->attach(own_);
    store_->load(std::move(columns));
}

/// Does so with a value of each particle, if there are any. Tracers stay, behind the sources.
template <class T>
void StorePart::exchange(std::vector<T>& values, bool are_kept)
{
    if (!are_kept)
        return;
    const std::vector<Index>&leaving = places_.leaving, &arriving = places_.arriving;
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= largest_value);
    T* const left = reinterpret_cast<T*>(left_.get());
    const std::size_t leave = leaving.size(), arrive = arriving.size();
#pragma omp parallel for if (leave > worth_threads) schedule(static)
    for (std::size_t k = 0; k < leave; ++k)
        left[k] = values[leaving[k]];
    std::vector<std::span<const T>> runs;
    for (std::size_t r = 0; r + 1 < places_.begins.size(); ++r)
        runs.push_back({left + places_.begins[r], left + places_.begins[r + 1]});
    ranks_.all_to_all<T>(runs, inbox_);
    const std::span<const T> arrived = inbox_.all<T>();
    const std::vector<T> tracers(values.begin() + std::ptrdiff_t(leave), values.end());
    values.resize(arrive + tracers.size());
    std::copy(tracers.begin(), tracers.end(), values.begin() + std::ptrdiff_t(arrive));
#pragma omp parallel for if (arrive > worth_threads) schedule(static)
    for (std::size_t k = 0; k < arrive; ++k)
        values[k] = arrived[arriving[k]];
}

/// Puts own particles in the order of their numbers, once they have been exchanged.
void StorePart::sort_numbers()
{
    if (!by_number_.empty())
        return;
    by_number_.resize(number_.size());
    for (std::size_t i = 0; i < number_.size(); ++i)
        by_number_[i] = {number_[i], Index(i)};
    std::ranges::sort(by_number_);
}

template <class Pair>
void StorePart::Found::fill(std::size_t n, const Pair& pair)
{
    here.resize(n);
    asked.resize(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t k = 0; k < n; ++k)
        std::tie(here[k], asked[k]) = pair(k);
}

/// Finds those of a range, unless they were found for the value before.
void StorePart::find_range(std::uint64_t begin, std::uint64_t end)
{
    found_.is_new = found_.begin != begin || found_.end != end;
    if (!found_.is_new)
        return;
    found_.begin = begin;
    found_.end = end;
    if (exchanges_ == 0) {
        const std::uint64_t first = ranks_.first_of_run(count_, ranks_.rank()),
                            from = std::clamp(begin, first, first + own_.size()),
                            last = std::clamp(end, from, first + own_.size());
        found_.fill(last - from, [&](std::size_t k) {
            return std::pair{Index(from + k - first), Index(from + k - begin)};
        });
        return;
    }
    sort_numbers();
    const auto from = std::ranges::lower_bound(by_number_, begin, {}, &Numbered::number),
               last = std::ranges::lower_bound(by_number_, end, {}, &Numbered::number);
    found_.fill(std::size_t(last - from), [&](std::size_t k) {
        const Numbered& next = from[std::ptrdiff_t(k)];
        return std::pair{next.place, Index(next.number - begin)};
    });
}

/// Finds those of the list that rank 0 has. Where their numbers rise each is looked for from where
/// the one before was found, by strides that double.
void StorePart::find_list()
{
    std::vector<std::span<const Index>> to{std::size_t(ranks_.size())};
    if (ranks_.rank() == 0)
        std::ranges::fill(to, which);
    ranks_.all_to_all<Index>(to, inbox_);
    const std::span<const Index> list = inbox_.from<Index>(0);
    found_.clear();
    const std::uint64_t first = ranks_.first_of_run(count_, ranks_.rank());
    if (exchanges_ > 0)
        sort_numbers();
    std::size_t at = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
        const Index number = list[k];
        if (exchanges_ == 0) {
            if (number < first || number >= first + own_.size())
                continue;
            found_.push_back(Index(number - first), Index(k));
        } else {
            if (k > 0 && number < list[k - 1])
                at = 0;
            std::size_t stride = 1;
            while (at + stride < by_number_.size() && by_number_[at + stride].number < number)
                stride *= 2;
            const auto begin = by_number_.begin() + std::ptrdiff_t(at);
            const auto end = begin + std::ptrdiff_t(std::min(stride + 1, by_number_.size() - at));
            const auto place = std::ranges::lower_bound(begin, end, number, {}, &Numbered::number);
            at = std::size_t(place - by_number_.begin());
            if (at == by_number_.size() || place->number != number)
                continue;
            found_.push_back(place->place, Index(k));
        }
    }
}

/// Puts a value of each that all ranks have found to its place on rank 0.
template <class T>
void StorePart::send_found(std::span<const T> values, std::span<T> into)
{
    if (found_.is_new) {
        ranks_.collect(std::span<const Index>(found_.asked), inbox_);
        const std::span<const Index> to = inbox_.all<Index>();
        asked_of_all_.assign(to.begin(), to.end());
    }
    ranks_.collect(values, inbox_);
    const std::span<const T> all = inbox_.all<T>();
#pragma omp parallel for if (all.size() > worth_threads) schedule(static)
    for (std::size_t k = 0; k < all.size(); ++k)
        into[asked_of_all_[k]] = all[k];
}

/// Makes the points of those particles that are on this rank.
void StorePart::gather(const Vec3<double>& origin)
{
    find_list();
    std::vector<MovingPoint> own(found_.here.size());
    store_->gather(found_.here, origin, own);
    send_found(std::span<const MovingPoint>(own), points);
}

void StorePart::send_rows(const StoreOrder& o)
{
    if (o.count > 0)
        find_list();
    else
        find_range(o.begin, o.end);
    if (o.value >= Column::step && !columns_)
        columns_ = store_->columns();
    switch (o.value) {
    case Column::position:
        return send(own_.position, vectors_);
    case Column::velocity:
        return send(own_.velocity, vectors_);
    case Column::acceleration:
        return send(own_.acceleration, vectors_);
    case Column::potential:
        return send(own_.potential, reals_);
    case Column::step:
        return send(columns_->step, reals_);
    case Column::measured:
        return send(columns_->measured, reals_);
    case Column::orbit:
        return send(columns_->orbit, reals_);
    default:
        assert(false);
    }
}

template <class T>
void StorePart::send(const std::vector<T>& values, std::vector<T>& found)
{
    const std::size_t n = found_.here.size();
    found.resize(n);
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t k = 0; k < n; ++k)
        found[k] = values[found_.here[k]];
    send_found(std::span<const T>(found),
               std::span(reinterpret_cast<T*>(rows.data()), rows.size() / sizeof(T)));
}

void StorePart::count_steps()
{
    step_counts_ = store_->count_steps();
    ranks_.sum(step_counts_.count);
    ranks_.min(std::span(&step_counts_.shortest, 1));
}

void serve_particles(Communicator& ranks)
{
    StorePart part(ranks);
    serve_solver(ranks, &part);
}

} // namespace chamomile
