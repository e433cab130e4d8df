// Particles of a leapfrog in the caller's arrays, moved by all threads.
#include <algorithm>
#include <utility>

#include "chamomile/core/filter_indices.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/core/parallel_copy.hpp"
#include "chamomile/core/resize_discarding.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/integrate/light_cone.hpp"
#include "chamomile/integrate/rungs/host_nested_sets.hpp"
#include "chamomile/integrate/step_store.hpp"

namespace chamomile {
namespace {

constexpr int level_count = BlockLevels::deepest + 1;

using Vectors = std::vector<Vec3<double>>;
using Numbers = std::vector<double>;

class HostStore final : public StepStore<HostStore, StepArrays<Vectors, Numbers>> {
public:
    using StepStore::StepStore;

    StepArrays<Vectors&, Numbers&> now()
    {
        Particles& p = *particles_;
        return {p.position,  p.velocity, p.acceleration, now_.long_range,
                p.potential, now_.step,  now_.measured,  now_.orbit};
    }

    template <class T>
    static void copy(const std::vector<T>& from, std::vector<T>& to)
    {
        parallel_copy(from, to);
    }

    void load(StepColumns columns) override
    {
        const std::size_t n = particles_->size();
        now_ = std::move(columns);
        if (options_.individual) {
            now_.step.resize(n);
            now_.measured.resize(n);
            now_.orbit.resize(options_.potentials ? n : 0);
            level_.assign(n, 0);
        }
        begin_states();
        are_all_due_ = true;
        due_.clear();
        Particles& p = *particles_;
        resize_large(n, p.acceleration);
        if (options_.potentials)
            resize_large(n, p.potential);
        home_ = {p.position.data(), p.velocity.data(), p.acceleration.data(), p.potential.data()};
    }

    /// Moves the particles into the arrays they were loaded from, since others may hold pointers to
    /// these. A step swaps the arrays with the saved ones.
    void fetch() override
    {
        Particles& p = *particles_;
        return_values(p.position, saved_.position, home_.position);
        return_values(p.velocity, saved_.velocity, home_.velocity);
        return_values(p.acceleration, saved_.acceleration, home_.acceleration);
        return_values(p.potential, saved_.potential, home_.potential);
    }

    StepColumns columns() override { return now_; }
    Particles& here() override { return *particles_; }

    void set_due(int first, std::uint64_t count) override
    {
        due_.clear();
        first_due_ = first;
        are_all_due_ = count >= particles_->size();
        if (!are_all_due_ && options_.nested) {
            const std::span<const Index> members = sets_.members(sets_.first_due(first));
            due_.assign(members.begin(), members.end());
        } else if (!are_all_due_)
            list_where(
                level_.size(), [&](std::size_t i) { return level_[i] >= first; }, due_);
    }

    Request request(bool potentials) override
    {
        Request request = request_of(*particles_, potentials ? Quantities::acceleration_potential
                                                             : Quantities::acceleration);
        request.active = due_;
        has_potentials_ = potentials;
        return request;
    }

    void add_external(const ExternalField& field, double time) override
    {
        Particles& p = *particles_;
        if (due_count() == 0)
            return;
        if (!options_.individual)
            return field.add(time, p.position, {}, p.acceleration,
                             has_potentials_ ? std::span<double>(p.potential)
                                             : std::span<double>());
        measure_external(field, time);
        each_due([&](std::size_t i) {
            p.acceleration[i] += external_.acceleration[i];
            if (has_potentials_)
                p.potential[i] += external_.potential[i];
            return 0.;
        });
    }

    void measure_external(const ExternalField& field, double time) override
    {
        const Particles& p = *particles_;
        const bool has_potentials = has_potentials_ || options_.potentials;
        external_.acceleration.resize(p.size());
        external_.potential.resize(has_potentials ? p.size() : 0);
        external_.tidal.resize(p.size());
        if (due_count() == 0)
            return;
        each_due([&](std::size_t i) {
            external_.acceleration[i] = {};
            if (has_potentials)
                external_.potential[i] = 0;
            return 0.;
        });
        field.add(time, p.position, due_, external_.acceleration, external_.potential);
        field.tidal_times(time, p.position, due_, external_.tidal);
        external_.has_functions = field.has_functions();
    }

    NestedSets& sets() override { return sets_; }

    Request request_of_set(std::size_t set, bool potentials) override
    {
        has_potentials_ = potentials;
        return sets_.request(set, potentials);
    }

    void begin_sets(std::optional<double> long_range_kick, const ExternalField* field,
                    double time) override
    {
        Particles& p = *particles_;
        is_split_ = long_range_kick.has_value();
        each(is_split_ ? p.size() : 0, [&](std::size_t i) {
            p.velocity[i] += *long_range_kick * now_.long_range[i];
            p.acceleration[i] -= now_.long_range[i];
            return 0.;
        });
        has_potentials_ = options_.potentials;
        external_ = {};
        if (field)
            measure_external(*field, time);
        sets_.begin({p, level_, external_.acceleration, external_.potential, options_.box});
    }

    void begin_step() override
    {
        for (auto* vectors : {&saved_.position, &saved_.velocity, &saved_.acceleration})
            resize_discarding(*vectors, particles_->size());
        if (options_.potentials)
            resize_discarding(saved_.potential, particles_->size());
        StepStore::begin_step();
    }

    bool kick(const LevelFactors& factors) override
    {
        if (options_.nested)
            return sets_.kick(sets_.first_due(first_due_), factors);
        Particles& p = *particles_;
        return 0 == each_due([&](std::size_t i) {
                   const Vec3<double>& a = p.acceleration[i];
                   p.velocity[i] += factors[level(i)] * a;
                   return 0 * (a.x + a.y + a.z);
               });
    }

    bool has_finite_positions() override
    {
        return 0 == each(particles_->size(), [&](std::size_t i) {
                   const Vec3<double>& x = particles_->position[i];
                   return 0 * (x.x + x.y + x.z);
               });
    }

    LevelCounts place(double whole, int lowest) override
    {
        counts_ = {};
        std::uint64_t* count = counts_.data();
        const std::size_t n = level_.size();
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(+ : count[:level_count])
        for (std::size_t i = 0; i < n; ++i) {
            level_[i] = std::uint8_t(level_of(now_.step[i], whole, lowest));
            ++count[level_[i]];
        }
        return counts_;
    }

    LevelCounts change_levels(double whole, int lowest, std::uint64_t may_rise) override
    {
        std::uint64_t* count = counts_.data();
        const std::size_t n = due_count();
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(+ : count[:level_count])
        for (std::size_t k = 0; k < n; ++k) {
            std::uint8_t& level = level_[due(k)];
            --count[level]; // the sums are modulo 2^64
            level = std::uint8_t(next_level(level, level_of(now_.step[due(k)], whole, lowest),
                                            may_rise >> level & 1));
            ++count[level];
        }
        return counts_;
    }

    void choose_first_steps(const BlockRule& rule) override
    {
        each(particles_->size(), [&](std::size_t i) {
            now_.step[i] = now_.measured[i] = measure(rule, i, 0);
            return 0.;
        });
    }

    std::uint64_t choose_steps(const BlockRule& rule, double whole, int lowest) override
    {
        const double shortest = std::ldexp(whole, -lowest);
        const auto choose = [&](std::size_t i) {
            const double last = std::ldexp(whole, -level(i)), now = measure(rule, i, last),
                         step = BlockRule::anticipated(now, std::exchange(now_.measured[i], now),
                                                       last);
            now_.step[i] = std::min(step, 2 * last); // grows by a factor of two at most
            return step < shortest ? 1. : 0.;
        };
        return std::uint64_t(each_due(choose));
    }

    StepCounts count_steps() override
    {
        StepCounts counts;
        const std::size_t n = now_.step.size();
#pragma omp parallel if (n > worth_threads)
        {
            StepCounts own;
#pragma omp for schedule(static) nowait
            for (std::size_t i = 0; i < n; ++i) {
                own.shortest = std::min(own.shortest, now_.step[i]);
                ++own.count[std::size_t(StepCounts::entry(now_.step[i]))];
            }
#pragma omp critical(step_counts)
            {
                counts.shortest = std::min(counts.shortest, own.shortest);
                for (std::size_t k = 0; k < own.count.size(); ++k)
                    counts.count[k] += own.count[k];
            }
        }
        return counts;
    }

    double shortest_time(const DynamicalTime& dynamical) override
    {
        return chamomile::shortest_time(*particles_, dynamical, external_);
    }

    void add_squared_velocities(ExactSums<double>& sums) override
    {
        sums.add(0, particles_->size(),
                 [&](std::size_t i) { return norm_squared(particles_->velocity[i]); });
    }

private:
    /// The addresses of the particles' arrays at load().
    struct Home {
        const Vec3<double>*position, *velocity, *acceleration;
        const double* potential;
    };

    template <class T>
    static void return_values(std::vector<T>& now, std::vector<T>& before, const T* home)
    {
        if (!home || now.data() == home || before.data() != home)
            return;
        now.swap(before);
        parallel_copy(before, now);
    }

    int level(std::size_t i) const
    {
        return options_.individual ? level_[i] : 0;
    }

    /// Returns the sum of all calls' results. It must not depend on the order.
    template <class Call>
    static double each(std::size_t n, const Call& call)
    {
        double sum = 0;
#pragma omp parallel for if (n > worth_threads) schedule(static) reduction(+ : sum)
        for (std::size_t i = 0; i < n; ++i)
            sum += call(i);
        return sum;
    }

    template <class Call>
    double each_due(const Call& call) const
    {
        return each(due_count(), [&](std::size_t k) { return call(due(k)); });
    }

    std::size_t due_count() const
    {
        return are_all_due_ ? particles_->size() : due_.size();
    }
    std::size_t due(std::size_t k) const
    {
        return are_all_due_ ? k : due_[k];
    }

    ArrayView zeroed_long_range() override
    {
        now_.long_range.assign(particles_->size(), {});
        return view_of(std::span(now_.long_range));
    }

    void kick_by_long_range(double kick) override
    {
        Particles& p = *particles_;
        const std::size_t n = p.size();
#pragma omp parallel for if (n > worth_threads) schedule(static)
        for (std::size_t i = 0; i < n; ++i) {
            if (kick != 0)
                p.velocity[i] += kick * now_.long_range[i];
            p.acceleration[i] += now_.long_range[i];
        }
    }

    void move_particles(const KickAndDrift& move, bool is_first) override
    {
        is_first ? move_all(move) : move_due(move);
    }

    void move_all(const KickAndDrift& move)
    {
        Particles& p = *particles_;
        each(p.size(), [&](std::size_t i) {
            Vec3<double> v = saved_.velocity[i], a = saved_.acceleration[i];
            if (move.long_range_kick) {
                v += *move.long_range_kick * now_.long_range[i];
                a = p.acceleration[i] -= now_.long_range[i];
            }
            v += move.kick[level(i)] * a;
            const Vec3<double> x = drifted(move, saved_.position[i], v);
            if (move.crossings)
                move.crossings->look({saved_.position[i], x, v, p.mass[i], p.id[i]});
            p.velocity[i] = v;
            p.position[i] = x;
            return 0 * (x.x + x.y + x.z);
        });
    }

    void move_due(const KickAndDrift& move)
    {
        Particles& p = *particles_;
        each_due([&](std::size_t i) {
            p.velocity[i] += move.kick[level(i)] * p.acceleration[i];
            return 0.;
        });
        each(p.size(), [&](std::size_t i) {
            const Vec3<double> x = drifted(move, p.position[i], p.velocity[i]);
            if (move.crossings)
                move.crossings->look({p.position[i], x, p.velocity[i], p.mass[i], p.id[i]});
            p.position[i] = x;
            return 0 * (x.x + x.y + x.z);
        });
    }

    /// Returns the position after the drift. In a rotating frame, changes the velocity too.
    Vec3<double> drifted(const KickAndDrift& move, Vec3<double> x, Vec3<double>& v) const
    {
        if (!move.turn)
            return options_.box.wrapped(x + move.drift * v);
        move.turn->drift(move.drift, x, v);
        return x;
    }

    double measure(const BlockRule& rule, std::size_t i, double elapsed)
    {
        double none = 0;
        double& orbit = now_.orbit.empty() ? none : now_.orbit[i];
        const Particles& p = *particles_;
        Vec3<double> a = p.acceleration[i];
        double phi = p.potential[i];
        BlockRule own = rule;
        own.dynamical.softening = own_softening(p, i, rule.dynamical);
        if (is_split_)
            a += now_.long_range[i];
        if (external_.acceleration.empty())
            return own.measure(norm_of_any_size(a), phi, elapsed, orbit);
        a -= external_.acceleration[i];
        phi -= external_.potential.empty() ? 0 : external_.potential[i];
        return std::min(own.measure(norm_of_any_size(a), phi, elapsed, orbit),
                        rule.step_of(external_.time(i, own.dynamical.softening)));
    }

    StepColumns now_;
    Home home_{};
    ExternalPart external_; ///< at due particles
    HostNestedSets sets_;
    std::vector<std::uint8_t> level_;
    LevelCounts counts_{};
    bool are_all_due_ = true;
    int first_due_ = 0;           ///< lowest level that is due
    std::vector<Index> due_;      ///< ascending; empty if all are due
    bool has_potentials_ = false; ///< the last request had potentials
};

} // namespace

std::unique_ptr<ParticleStore> make_host_store(const StoreOptions& options)
{
    return std::make_unique<HostStore>(options);
}

} // namespace chamomile
