#include "chamomile/integrate/ranks/store_part.hpp"

#include <algorithm>

namespace chamomile {
namespace {

using Call = StoreOrder::Call;

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
                    .first = ranks_.first_of_run(count_, ranks_.rank())};
    return request;
}

/// Makes the call of this rank's store.
StoreAnswer StorePart::make(const StoreOrder& o)
{
    StoreAnswer answer;
    switch (o.call) {
    case Call::load:
        load(o);
        break;
    case Call::fetch:
        fetch(o.potentials);
        break;
    case Call::gather:
        gather(o.origin);
        break;
    case Call::columns:
        send_columns();
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
            answer.count += own.part->first + i >= o.count;
        break;
    }
    case Call::add_external:
        store_->add_external(ExternalField(o.terms), o.time);
        break;
    case Call::begin_step:
        store_->begin_step();
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

/// Puts the values of all ranks to those of rank 0.
template <class T>
void StorePart::collect(const std::vector<T>& own, std::vector<T>* values)
{
    ranks_.collect(std::span<const T>(own), inbox_);
    if (!values)
        return;
    values->resize(count_);
    copy_bytes(std::as_bytes(inbox_.all<T>()), reinterpret_cast<std::byte*>(values->data()));
}

void StorePart::load(const StoreOrder& order)
{
    store_ = make_host_store(order.options);
    count_ = due_ = order.count;
    has_orbits_ = order.options.individual && order.options.potentials;
    const auto each = [&](auto... members) {
        (deal(all ? &(all->*members) : nullptr, own_.*members), ...);
    };
    each(&Particles::mass, &Particles::position, &Particles::velocity, &Particles::acceleration,
         &Particles::potential, &Particles::softening, &Particles::id);
    own_.potential.resize(own_.size());
    StepColumns columns;
    const auto each_column = [&](auto... members) {
        (deal(all_columns ? &(all_columns->*members) : nullptr, columns.*members), ...);
    };
    each_column(&StepColumns::step, &StepColumns::measured, &StepColumns::orbit);
    inbox_ = {}; // whose memory would lie idle
    store_->attach(own_);
    store_->load(std::move(columns));
}

void StorePart::fetch(bool potentials)
{
    collect(own_.position, all ? &all->position : nullptr);
    collect(own_.velocity, all ? &all->velocity : nullptr);
    collect(own_.acceleration, all ? &all->acceleration : nullptr);
    if (potentials)
        collect(own_.potential, all ? &all->potential : nullptr);
    inbox_ = {};
}

/// Makes the points of those particles that are on this rank, in their order.
void StorePart::gather(const Vec3<double>& origin)
{
    const Inbox asked = ranks_.broadcast(std::as_bytes(which));
    const auto rank_of = [&](Index i) { return ranks_.rank_of_run(count_, i); };
    const std::size_t first = ranks_.first_of_run(count_, ranks_.rank());
    std::vector<Index> mine;
    for (const Index i : asked.from<Index>(0))
        if (rank_of(i) == ranks_.rank())
            mine.push_back(Index(i - first));
    std::vector<MovingPoint> found(mine.size());
    store_->gather(mine, origin, found);
    ranks_.collect(std::span<const MovingPoint>(found), inbox_);
    std::vector<std::size_t> next(std::size_t(ranks_.size()));
    for (std::size_t k = 0; k < points.size(); ++k) {
        const int r = rank_of(which[k]);
        points[k] = inbox_.from<MovingPoint>(r)[next[std::size_t(r)]++];
    }
}

void StorePart::send_columns()
{
    const StepColumns own = store_->columns();
    collect(own.step, all_columns ? &all_columns->step : nullptr);
    collect(own.measured, all_columns ? &all_columns->measured : nullptr);
    if (has_orbits_)
        collect(own.orbit, all_columns ? &all_columns->orbit : nullptr);
}

void StorePart::count_steps()
{
    step_counts_ = store_->count_steps();
    ranks_.sum(step_counts_.count);
    ranks_.least(std::span(&step_counts_.shortest, 1));
}

void serve_particles(Communicator& ranks)
{
    StorePart part(ranks);
    serve_solver(ranks, &part);
}

} // namespace chamomile
