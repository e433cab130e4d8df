// Particles of a leapfrog on the device, moved as on the host. Contraction: none, so that results
// match the host's bitwise.
//
// A shared step moves 120 bytes of each particle up to the drift, and 72 for the last kick. A block
// of individual steps moves 73 bytes of each particle, and 190 more of each due particle. External
// potentials read and write 72 bytes, 88 with potentials, and take some 30 to 100 flops each;
// steps in them take the pull again and three jerks.
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/device/staging.cuh"
#include "chamomile/gpu/motion/device_rows.cuh"
#include "chamomile/gpu/motion/nested_sets.cuh"
#include "chamomile/gpu/motion/store_kernels.cuh"
#include "chamomile/integrate/step_store.hpp"

namespace chamomile {
namespace {

using Arrays = StepArrays<DeviceBuffer<Vec3<double>>, DeviceBuffer<double>>;

/// Particles in GPU memory. Large: it has a member for each array and each state of the arrays.
class DeviceStore final : public StepStore<DeviceStore, Arrays> {
public:
    DeviceStore(int device, const StoreOptions& options)
        : StepStore(options), device_(device), staging_(device), rows_(device, staging_)
    {
        use_device();
        stream_ = std::make_unique<Stream>();
        fault_.reserve(1);
        host_fault_.reserve(1);
    }
    ~DeviceStore() override { synchronize_device(device_); }

    Arrays& now() { return now_; }

    template <class T>
    void copy(DeviceBuffer<T>& from, DeviceBuffer<T>& to)
    {
        check(cudaMemcpyAsync(to.data(), from.data(), n_ * sizeof(T), cudaMemcpyDeviceToDevice,
                              *stream_),
              "copy within the device");
    }

    void load(StepColumns columns) override
    {
        request_of_sources(*particles_); // throws for a wrong number of softening lengths
        use_device();
        is_lost_ = true; // until all data have arrived
        const Particles& p = *particles_;
        n_ = p.size();
        for (Arrays* arrays : {&now_, &saved_}) {
            for (auto* vectors : {&arrays->position, &arrays->velocity, &arrays->acceleration})
                vectors->reserve_exactly(n_);
            if (options_.potentials)
                arrays->potential.reserve_exactly(n_);
            if (options_.long_range)
                arrays->long_range.reserve_exactly(n_);
            if (options_.individual)
                for (auto* numbers : {&arrays->step, &arrays->measured})
                    numbers->reserve_exactly(n_);
            if (options_.individual && options_.potentials)
                arrays->orbit.reserve_exactly(n_);
        }
        if (options_.nested) // throws now rather than during a step
            DeviceBuffer<char>().reserve_exactly(DeviceNestedSets::bytes_of(n_));
        upload(now_.position, p.position);
        upload(now_.velocity, p.velocity);
        upload(now_.acceleration, p.acceleration);
        upload(mass_, p.mass);
        per_particle_ = !p.softening.empty();
        upload(softening_, p.softening);
        if (options_.potentials)
            upload(now_.potential, p.potential);
        if (options_.individual) {
            clear(level_.reserve_exactly(n_), n_);
            if (options_.potentials)
                clear(now_.orbit.data(), n_);
        }
        upload(now_.step, columns.step);
        upload(now_.measured, columns.measured);
        upload(now_.orbit, columns.orbit);
        upload(now_.long_range, columns.long_range);
        stream_->wait();
        first_ = 0;
        due_all_ = true;
        begin_states();
        is_lost_ = has_potentials_ = potentials_are_of_now_ = false;
        is_fetched_ = true;
    }

    void fetch() override
    {
        require_state();
        Particles& p = *particles_;
        if (!is_fetched_) {
            use_device();
            p.acceleration.resize(n_);
            download(p.position, now_.position);
            download(p.velocity, now_.velocity);
            download(p.acceleration, now_.acceleration);
        }
        is_fetched_ = true;
        if (has_potentials_) {
            p.potential.resize(n_);
            download(p.potential, now_.potential);
        }
        has_potentials_ = false;
    }

    void gather(std::span<const GlobalIndex> which, std::span<PhasePoint> into) override
    {
        rows_of_now().gather(which, into);
    }

    ParticleReader* rows_to_measure() override
    {
        return potentials_are_of_now_ ? &rows_of_now() : nullptr;
    }

    StepColumns columns() override
    {
        require_state();
        use_device();
        StepColumns columns;
        if (options_.individual) {
            columns.step.resize(n_);
            columns.measured.resize(n_);
            download(columns.step, now_.step);
            download(columns.measured, now_.measured);
        }
        if (options_.individual && options_.potentials) {
            columns.orbit.resize(n_);
            download(columns.orbit, now_.orbit);
        }
        if (options_.long_range) {
            columns.long_range.resize(n_);
            download(columns.long_range, now_.long_range);
        }
        return columns;
    }

    void set_due(int first, std::uint64_t count) override
    {
        first_ = first;
        due_all_ = count == n_;
    }

    Request request(bool potentials) override
    {
        require_state();
        Request request{.count = n_,
                        .position = on_device(now_.position),
                        .mass = on_device(mass_),
                        .id = particles_->id,
                        .acceleration = on_device(now_.acceleration),
                        .stream = *stream_};
        if (per_particle_)
            request.softening = on_device(softening_);
        has_potentials_ = potentials_are_of_now_ = potentials;
        if (potentials) {
            now_.potential.reserve_exactly(n_);
            request.potential = on_device(now_.potential);
        }
        if (!due_all_) {
            request.rung = level_.data();
            request.first = first_;
        }
        is_fetched_ = false;
        return request;
    }

    void measure_external(const ExternalField& field, double time) override
    {
        terms_ = field.terms_at(time);
    }

    void add_external(const ExternalField& field, double time) override
    {
        const ExternalTerms terms = terms_ = field.terms_at(time);
        run("add external potentials", [&] {
            add_external_pull<<<blocks(), block_size, 0, *stream_>>>(
                arrays(now_), has_potentials_ ? now_.potential.data() : nullptr, terms);
        });
    }

    NestedSets& sets() override
    {
        require_state();
        use_device();
        sets_.show({arrays(now_), mass_.data(), per_particle_ ? softening_.data() : nullptr, terms_,
                    options_.box, particles_->id, *stream_});
        return sets_;
    }

    void begin_sets(std::optional<double> long_range_kick, const ExternalField* field,
                    double time) override
    {
        is_split_ = long_range_kick.has_value();
        if (is_split_)
            run("kick by the long range", [&, kick = *long_range_kick] {
                kick_and_split<<<blocks(), block_size, 0, *stream_>>>(arrays(now_), kick);
            });
        terms_ = field ? field->terms_at(time) : ExternalTerms{};
        sets_.begin(n_);
    }

    Request request_of_set(std::size_t set, bool potentials) override
    {
        if (sets_.is_whole(set))
            return request(potentials);
        has_potentials_ = potentials;
        is_fetched_ = potentials_are_of_now_ = false;
        return sets().request(set, potentials);
    }

    void begin_step() override
    {
        require_state();
        use_device();
        StepStore::begin_step();
        is_fetched_ = potentials_are_of_now_ = false;
    }

    void restore() override
    {
        StepStore::restore();
        is_fetched_ = false;
        has_potentials_ = potentials_are_of_now_ = options_.potentials;
    }

    bool kick(const LevelFactors& kick) override
    {
        if (options_.nested)
            return sets().kick(sets_.first_due(first_), kick);
        run("kick",
            [&] { kick_due<<<blocks(), block_size, 0, *stream_>>>(arrays(now_), factors(kick)); });
        return true;
    }

    bool has_finite_positions() override
    {
        use_device();
        clear(fault_.data(), 1);
        run("check positions",
            [&] { find_fault<<<blocks(), block_size, 0, *stream_>>>(arrays(now_)); });
        chamomile::download(host_fault_.data(), fault_.data(), 1, *stream_);
        stream_->wait();
        return *host_fault_.data() == 0;
    }

    LevelCounts place(double whole, int lowest) override
    {
        return levels_counted([&](unsigned long long* counts) {
            place_all<<<histogram_blocks, block_size, 0, *stream_>>>(n_, now_.step.data(), whole,
                                                                     lowest, level_.data(), counts);
        });
    }

    LevelCounts change_levels(double whole, int lowest, std::uint64_t may_rise) override
    {
        return levels_counted([&](unsigned long long* counts) {
            change_due<<<histogram_blocks, block_size, 0, *stream_>>>(
                n_, now_.step.data(), whole, lowest, first_, may_rise, level_.data(), counts);
        });
    }

    void choose_first_steps(const BlockRule& rule) override
    {
        const auto choose = per_particle_ ? choose_first<true> : choose_first<false>;
        run("choose the first steps", [&] {
            choose<<<blocks(), block_size, 0, *stream_>>>(arrays(now_), rule, softening_.data(),
                                                          terms_);
        });
        stream_->wait();
    }

    std::uint64_t choose_steps(const BlockRule& rule, double whole, int lowest) override
    {
        const auto choose = per_particle_ ? choose_of_due<true> : choose_of_due<false>;
        return counted(1, [&](unsigned long long* below) {
            choose<<<blocks(), block_size, 0, *stream_>>>(arrays(now_), rule, softening_.data(),
                                                          whole, lowest, is_split_, terms_, below);
        })[0];
    }

    StepCounts count_steps() override
    {
        StepCounts result;
        const std::uint64_t* counts = counted(StepCounts::size, [&](unsigned long long* counts) {
            count_by_exponent<<<histogram_blocks, block_size, 0, *stream_>>>(n_, now_.step.data(),
                                                                             counts, cleared_min());
        });
        std::copy(counts, counts + StepCounts::size, result.count.begin());
        if (n_ > 0)
            result.shortest = min();
        return result;
    }

    double shortest_time(const DynamicalTime& dynamical) override
    {
        const auto find = per_particle_ ? find_shortest_time<true> : find_shortest_time<false>;
        run("find the shortest time", [&] {
            find<<<histogram_blocks, block_size, 0, *stream_>>>(
                arrays(now_), dynamical, softening_.data(), terms_, cleared_min());
        });
        const double time = n_ > 0 ? min() : HUGE_VAL;
        return time >= 0 ? time : HUGE_VAL; // all bits are set if no particle has a time
    }

    void add_squared_velocities(ExactSums<double>& sums) override
    {
        rows_of_now().add_squared_velocities(sums);
    }

private:
    ArrayView zeroed_long_range() override
    {
        require_state();
        use_device();
        clear(now_.long_range.data(), n_);
        stream_->wait();
        return on_device(now_.long_range);
    }

    void kick_by_long_range(double kick) override
    {
        run("add the long range", [&] {
            chamomile::add_long_range<<<blocks(), block_size, 0, *stream_>>>(arrays(now_), kick);
        });
        stream_->wait();
    }

    void move_particles(const KickAndDrift& move, bool is_first) override
    {
        const StoreArrays before = arrays(is_first ? saved_ : now_);
        if (move.turn)
            return run("kick and rotate", [&] {
                move_all_turning<<<blocks(), block_size, 0, *stream_>>>(
                    arrays(now_), before, factors(move.kick), move.drift, *move.turn);
            });
        run("kick and drift", [&] {
            move_all<<<blocks(), block_size, 0, *stream_>>>(
                arrays(now_), before, factors(move.kick), move.drift,
                move.long_range_kick.has_value(), move.long_range_kick.value_or(0), options_.box);
        });
    }

    void use_device() { check(cudaSetDevice(device_), "choose the device"); }
    unsigned blocks() const { return unsigned((n_ + block_size - 1) / block_size); }

    /// Throws if a step has failed and left no valid state.
    void require_state() const
    {
        if (is_lost_)
            throw Error(Fault::device, "resident: the state on the GPU is lost");
    }

    /// Launches, unless there are no particles.
    template <class Launch>
    void run(const char* what, const Launch& launch)
    {
        require_state();
        use_device();
        if (n_ > 0)
            launch();
        check(cudaGetLastError(), what);
    }

    DeviceRows& rows_of_now()
    {
        require_state();
        rows_.show({n_,
                    {now_.position.data(), now_.velocity.data(), now_.acceleration.data()},
                    now_.potential.data(),
                    mass_.data()},
                   *stream_);
        return rows_;
    }

    StoreArrays arrays(Arrays& a)
    {
        return {n_,
                a.position.data(),
                a.velocity.data(),
                a.acceleration.data(),
                a.long_range.data(),
                options_.potentials ? a.potential.data() : nullptr,
                a.step.data(),
                a.measured.data(),
                a.orbit.data(),
                level_.data(),
                first_,
                fault_.data()};
    }

    template <class T>
    void upload(DeviceBuffer<T>& to, const std::vector<T>& from)
    {
        if (!from.empty())
            staging_.upload(to, from.data(), from.size(), *stream_);
    }
    template <class T>
    void download(std::vector<T>& to, DeviceBuffer<T>& from)
    {
        staging_.download(to.data(), from.data(), n_, *stream_);
    }
    template <class T>
    void clear(T* items, std::size_t n)
    {
        check(cudaMemsetAsync(items, 0, n * sizeof(T), *stream_), "clear an array");
    }

    template <class T>
    ArrayView on_device(DeviceBuffer<T>& buffer) const
    {
        ArrayView view = view_of(std::span(buffer.data(), n_));
        view.on_device = true;
        return view;
    }

    /// Runs a kernel that adds to device counters. Returns the counters on the host.
    template <class Launch>
    const std::uint64_t* counted(int bins, const Launch& launch)
    {
        use_device();
        unsigned long long* counts = counts_.reserve(std::size_t(bins));
        clear(counts, std::size_t(bins));
        run("count particles", [&] { launch(counts); });
        unsigned long long* host = host_counts_.reserve(std::size_t(bins));
        chamomile::download(host, counts, std::size_t(bins), *stream_);
        stream_->wait();
        static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
        return reinterpret_cast<const std::uint64_t*>(host);
    }

    template <class Launch>
    LevelCounts levels_counted(const Launch& launch)
    {
        const std::uint64_t* counts = counted(level_count, launch);
        LevelCounts result;
        std::copy(counts, counts + level_count, result.begin());
        return result;
    }

    /// cleared_min() resets a min on the device; min() waits and returns its value.
    unsigned long long* cleared_min()
    {
        unsigned long long* bits = min_.reserve(1);
        check(cudaMemsetAsync(bits, 0xff, sizeof *bits, *stream_), "clear a minimum");
        return bits;
    }
    double min()
    {
        unsigned long long* bits = host_min_.reserve(1);
        chamomile::download(bits, min_.data(), 1, *stream_);
        stream_->wait();
        double value;
        std::memcpy(&value, bits, sizeof value);
        return value;
    }

    int device_;
    Staging staging_;
    std::unique_ptr<Stream> stream_;
    DeviceRows rows_;
    std::size_t n_ = 0; ///< particles
    Arrays now_;
    DeviceBuffer<double> mass_;
    DeviceBuffer<double> softening_; ///< per-particle softening lengths, if `per_particle_`
    bool per_particle_ = false;
    DeviceBuffer<std::uint8_t> level_;
    DeviceNestedSets sets_;
    int first_ = 0;       ///< lowest level that is due
    ExternalTerms terms_; ///< of the external field in the accelerations
    bool due_all_ = true;
    bool is_fetched_ = false;     ///< the host has the current motion
    bool has_potentials_ = false; ///< current potentials exist and are not on the host
    bool potentials_are_of_now_ = false;
    bool is_lost_ = false; ///< the device holds no valid state
    DeviceBuffer<unsigned> fault_;
    PinnedBuffer<unsigned> host_fault_;
    DeviceBuffer<unsigned long long> counts_, min_;
    PinnedBuffer<unsigned long long> host_counts_, host_min_;
};

} // namespace

std::unique_ptr<ParticleStore> make_device_store(int device, const StoreOptions& options)
{
    return std::make_unique<DeviceStore>(device, options);
}

} // namespace chamomile
