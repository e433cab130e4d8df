// The particles of a leapfrog on ranks: each has a run of them, in the order of the caller, and
// makes the calls of a store for those.
#include <algorithm>
#include <array>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"
#include "chamomile/integrate/ranks/store_part.hpp"

namespace chamomile {
namespace {

using Call = StoreOrder::Call;

class RanksStore final : public ParticleStore {
public:
    RanksStore(Solver& solver, const StoreOptions& options)
        : ParticleStore(options), solver_(solver), ranks_(*solver.ranks_of_parts()), part_(ranks_)
    {}

    void load(StepColumns columns) override
    {
        begin_load();
        const Particles& p = *particles_;
        deal(Column::position, p.position);
        deal(Column::velocity, p.velocity);
        deal(Column::acceleration, p.acceleration);
        deal(Column::potential, p.potential);
        deal(Column::step, columns.step);
        deal(Column::measured, columns.measured);
        deal(Column::orbit, columns.orbit);
        tell({.call = Call::loaded});
        is_fetched_ = true;
        if (is_alone_)
            empty();
    }

    void load_rows(ParticleRows& rows, std::span<const Column> values) override
    {
        begin_load();
        for (const Column value : values)
            rows.for_blocks(particles_->size(), [&](std::size_t begin, std::size_t end) {
                if (is_vector(value))
                    deal_block(value, begin, rows.vectors(value, {begin, end}));
                else
                    deal_block(value, begin, rows.reals(value, {begin, end}));
            });
        tell({.call = Call::loaded});
        empty();
    }

    void fetch() override
    {
        if (is_fetched_)
            return;
        Particles& p = *particles_;
        fetch(Column::position, p.position);
        fetch(Column::velocity, p.velocity);
        fetch(Column::acceleration, p.acceleration);
        if (has_potentials_ || options_.potentials || is_alone_)
            fetch(Column::potential, p.potential);
        is_fetched_ = true;
    }

    ParticleRows* rows() override { return &rows_; }

    void keep_alone() override { is_alone_ = true; }

    void gather(std::span<const Index> which, const Vec3<double>& origin,
                std::span<MovingPoint> into) override
    {
        part_.which = which;
        part_.points = into;
        tell({.call = Call::gather, .origin = origin});
        part_.which = {};
        part_.points = {};
    }

    StepColumns columns() override
    {
        StepColumns columns;
        fetch(Column::step, columns.step);
        fetch(Column::measured, columns.measured);
        if (options_.potentials)
            fetch(Column::orbit, columns.orbit);
        return columns;
    }

    void set_due(int first, std::uint64_t count) override
    {
        note({.call = Call::set_due, .count = count, .first = first});
    }

    Request request(bool potentials) override
    {
        is_fetched_ = false;
        has_potentials_ = potentials;
        tell({.call = Call::request, .potentials = potentials});
        Request request = part_.request();
        request.part->tracers = request.part->active_tracers = tracers_;
        if (tracers_ > 0 && !request.are_all_active())
            request.part->active_tracers =
                tell({.call = Call::count_tracers, .count = particles_->size() - tracers_}).count;
        request.part->softenings = softenings_;
        return request;
    }

    void add_external(const ExternalField& field, double time) override
    {
        note({.call = Call::add_external, .time = time, .terms = field.terms_at(time)});
    }

    ArrayView clear_long_range() override { refuse_box(); }
    void add_long_range(double) override { refuse_box(); }
    double sum_of_squared_velocities() override { refuse_box(); }

    void begin_step() override
    {
        if (is_alone_)
            empty();
        note({.call = Call::begin_step});
    }
    void restore() override
    {
        is_fetched_ = false;
        note({.call = Call::restore});
    }

    void kick_and_drift(const KickAndDrift& move) override
    {
        is_fetched_ = false;
        note({.call = Call::kick_and_drift, .move = move});
    }
    bool kick(const LevelFactors& factors) override
    {
        is_fetched_ = false;
        return tell({.call = Call::kick, .factors = factors}).is_finite;
    }
    bool has_finite_positions() override
    {
        return tell({.call = Call::has_finite_positions}).is_finite;
    }

    LevelCounts place(double whole, int lowest) override
    {
        return tell({.call = Call::place, .lowest = lowest, .whole = whole}).levels;
    }
    LevelCounts change_levels(double whole, int lowest, std::uint64_t may_rise) override
    {
        return tell({.call = Call::change_levels,
                     .lowest = lowest,
                     .whole = whole,
                     .may_rise = may_rise})
            .levels;
    }

    void choose_first_steps(const BlockRule& rule) override
    {
        note({.call = Call::choose_first_steps, .rule = rule});
    }
    std::uint64_t choose_steps(const BlockRule& rule, double whole, int lowest) override
    {
        return tell({.call = Call::choose_steps, .lowest = lowest, .whole = whole, .rule = rule})
            .count;
    }
    StepCounts count_steps() override
    {
        tell({.call = Call::count_steps});
        return part_.step_counts();
    }
    double shortest_time(const DynamicalTime& dynamical) override
    {
        BlockRule rule{};
        rule.dynamical = dynamical;
        return tell({.call = Call::shortest_time, .rule = rule}).least;
    }

private:
    /// Rows are taken from the ranks.
    class Rows final : public ParticleRows {
    public:
        explicit Rows(RanksStore& store) : store_(store) {}

        bool are_here() const override { return store_.is_fetched_; }
        std::size_t most() const override { return rows_of_block; }
        std::span<const Vec3<double>> vectors(Column value, const RowsAsked& rows) override
        {
            return store_.take(value, rows, vectors_[std::size_t(value)]);
        }
        std::span<const double> reals(Column value, const RowsAsked& rows) override
        {
            return store_.take(value, rows, reals_[std::size_t(value)]);
        }

    private:
        RanksStore& store_;
        std::array<std::vector<Vec3<double>>, vector_columns> vectors_;
        std::array<std::vector<double>, moving_columns> reals_;
    };

    /// Has the ranks take what does not move, and await the rest, a block after another.
    void begin_load()
    {
        find_tracers();
        tell({.call = Call::load, .count = particles_->size(), .options = options_});
    }

    /// Gives each rank what is its own of the rows from `begin` on.
    template <class T>
    void deal_block(Column value, std::size_t begin, std::span<const T> block)
    {
        part_.block = std::as_bytes(block);
        tell({.call = Call::take, .begin = begin, .value = value});
        part_.block = {};
    }

    /// Does so with all rows of a value, if there are any.
    template <class T>
    void deal(Column value, const std::vector<T>& all)
    {
        rows_.for_blocks(all.size(), [&](std::size_t begin, std::size_t end) {
            deal_block(value, begin, std::span(all).subspan(begin, end - begin));
        });
    }

    /// Takes rows from all ranks.
    template <class T>
    std::span<const T> take(Column value, const RowsAsked& rows, std::vector<T>& into)
    {
        into.resize(rows.size());
        part_.which = rows.list;
        part_.rows = std::as_writable_bytes(std::span(into));
        tell({.call = Call::rows,
              .count = rows.list.size(),
              .begin = rows.begin,
              .end = rows.end,
              .value = value});
        part_.which = {};
        part_.rows = {};
        return into;
    }

    /// Fills an array with all rows of a value.
    template <class T>
    void fetch(Column value, std::vector<T>& all)
    {
        std::vector<T> block;
        all.resize(particles_->size());
        rows_.for_blocks(all.size(), [&](std::size_t begin, std::size_t end) {
            std::ranges::copy(take(value, {begin, end}, block), all.begin() + begin);
        });
    }

    /// Leaves what moves to the ranks alone.
    void empty()
    {
        is_fetched_ = false;
        for (auto* vectors :
             {&particles_->position, &particles_->velocity, &particles_->acceleration})
            std::vector<Vec3<double>>().swap(*vectors); // which gives the memory back
        std::vector<double>().swap(particles_->potential);
    }

    /// Throws what calls of boxes end with, which have a long range.
    [[noreturn]] static void refuse_box()
    {
        throw Error(Fault::usage, "particles on ranks: are not for periodic boxes");
    }

    /// Notes a call that returns nothing, for the ranks to make before the next that is told.
    void note(const StoreOrder& order) { noted_.push_back(order); }

    /// Has all ranks make the calls that are noted and this one, and returns what this returns.
    const StoreAnswer& tell(const StoreOrder& order)
    {
        note(order);
        const std::vector<StoreOrder> orders = std::move(noted_);
        noted_.clear();
        part_.all = particles_;
        lead_guests(ranks_, std::as_bytes(std::span(orders)), part_);
        return part_.answer();
    }

    /// Finds which particles are sources, and the softening lengths of these.
    void find_tracers()
    {
        const Request all = request_of_sources(*particles_);
        std::vector<double> lengths;
        const std::size_t sources = solver_.options().device == "cpu"
                                        ? sources_of(all, solver_.options(), lengths)
                                        : all.count;
        tracers_ = all.count - sources;
        softenings_.reset();
        if (all.softening && sources > 0)
            softenings_ = span_of_softenings(all.softening, sources, {}, "cpu");
    }

    Solver& solver_;
    Communicator& ranks_;
    StorePart part_;
    std::uint64_t tracers_ = 0;
    std::optional<std::pair<double, double>> softenings_;
    std::vector<StoreOrder> noted_;
    bool is_fetched_ = false;     ///< the caller's particles are those of now
    bool has_potentials_ = false; ///< the last request had them
    bool is_alone_ = false;       ///< keep_alone()
    Rows rows_{*this};
};

} // namespace

std::unique_ptr<ParticleStore> make_ranks_store(Solver& solver, const StoreOptions& options)
{
    return std::make_unique<RanksStore>(solver, options);
}

} // namespace chamomile
