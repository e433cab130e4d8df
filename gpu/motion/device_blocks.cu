// Individual steps on the device, as the host's leapfrog makes them.
// Contraction: none, so that the bits are the host's.
//
// A block reads and writes 72 bytes of each particle for the drift and a level of one; 160 more of
// those that are due. With a long range a whole step moves 240 of each besides.
#include <cmath>
#include <cstring>
#include <span>

#include "chamomile/gpu/motion/block_kernels.cuh"
#include "chamomile/gpu/motion/device_motion.cuh"
#include "chamomile/integrate/device_blocks.hpp"

namespace chamomile {
namespace {

class CudaBlocks final : public DeviceBlocks, DeviceMotion {
public:
    explicit CudaBlocks(int device) : DeviceMotion(device) {}
    ~CudaBlocks() override { settle(); }

    void load(const Particles& particles, const State& state) override
    {
        use_device();
        n_ = particles.size();
        has_orbits_ = !state.orbit.empty();
        has_potentials_ = has_orbits_;
        is_split_ = false;
        for (Arrays* arrays : {&now_, &before_}) {
            for (auto* vectors : {&arrays->position, &arrays->velocity, &arrays->acceleration})
                vectors->reserve_exactly(n_);
            for (auto* numbers : {&arrays->potential, &arrays->wish, &arrays->time})
                numbers->reserve_exactly(n_);
            if (has_orbits_)
                arrays->orbit.reserve_exactly(n_);
        }
        level_.reserve_exactly(n_);
        staging_.upload(now_.position, particles.position.data(), n_, *stream_);
        staging_.upload(now_.velocity, particles.velocity.data(), n_, *stream_);
        staging_.upload(mass_, particles.mass.data(), n_, *stream_);
        staging_.upload(now_.wish, state.wish.data(), n_, *stream_);
        staging_.upload(now_.time, state.time.data(), n_, *stream_);
        if (has_orbits_)
            staging_.upload(now_.orbit, state.orbit.data(), n_, *stream_);
        staging_.upload(now_.acceleration, particles.acceleration.data(), n_, *stream_);
        if (has_potentials_)
            staging_.upload(now_.potential, particles.potential.data(), n_, *stream_);
        stream_->wait();
    }

    void store(Particles& particles) override
    {
        use_device();
        staging_.download(particles.position.data(), now_.position.data(), n_, *stream_);
        staging_.download(particles.velocity.data(), now_.velocity.data(), n_, *stream_);
        particles.acceleration.resize(n_);
        staging_.download(particles.acceleration.data(), now_.acceleration.data(), n_, *stream_);
        if (!has_potentials_)
            return;
        particles.potential.resize(n_);
        staging_.download(particles.potential.data(), now_.potential.data(), n_, *stream_);
    }

    void store_state(const State& state) override
    {
        use_device();
        staging_.download(state.wish.data(), now_.wish.data(), n_, *stream_);
        staging_.download(state.time.data(), now_.time.data(), n_, *stream_);
        if (has_orbits_)
            staging_.download(state.orbit.data(), now_.orbit.data(), n_, *stream_);
    }

    void keep() override { copy(now_, before_); }
    void restore() override
    {
        copy(before_, now_);
        is_split_ = false;
    }

    double count_wishes(std::vector<std::uint64_t>& count) override
    {
        constexpr int bins = 2048, lowest = -1023;
        unsigned long long* bits = least_.reserve(1);
        check(cudaMemsetAsync(bits, 0xff, sizeof *bits, *stream_), "clear a minimum");
        const std::uint64_t* counts = counted(bins, [&](unsigned long long* counts) {
            count_exponents<bins, lowest>
                <<<histogram_blocks, block_size, 0, *stream_>>>(n_, now_.wish.data(), counts, bits);
            download(host_least_.reserve(1), bits, 1, *stream_);
        });
        count.assign(counts, counts + bins);
        double shortest = HUGE_VAL;
        if (n_ > 0)
            std::memcpy(&shortest, host_least_.data(), sizeof shortest);
        return shortest;
    }

    Counts place(double whole, int lowest) override
    {
        return levels_counted([&](unsigned long long* counts) {
            place_all<<<histogram_blocks, block_size, 0, *stream_>>>(n_, now_.wish.data(), whole,
                                                                     lowest, level_.data(), counts);
        });
    }

    Counts change(double whole, int lowest, int first, std::uint64_t may_rise) override
    {
        return levels_counted([&](unsigned long long* counts) {
            change_due<<<histogram_blocks, block_size, 0, *stream_>>>(
                n_, now_.wish.data(), whole, lowest, first, may_rise, level_.data(), counts);
        });
    }

    std::vector<std::uint8_t> levels() override
    {
        use_device();
        std::vector<std::uint8_t> levels(n_);
        staging_.download(levels.data(), level_.data(), n_, *stream_);
        return levels;
    }

    bool kick(const Factors& factors, int first) override
    {
        LevelFactors by_level;
        std::copy(factors.begin(), factors.end(), by_level.of);
        return finite([&](unsigned* faults) {
            kick_due<<<blocks(), block_size, 0, *stream_>>>(n_, level_.data(), first, by_level,
                                                            now_.acceleration.data(),
                                                            now_.velocity.data(), faults);
        });
    }

    bool drift(double factor, Periodicity box) override
    {
        return finite([&](unsigned* faults) {
            drift_all<<<blocks(), block_size, 0, *stream_>>>(n_, now_.velocity.data(), factor, box,
                                                             now_.position.data(), faults);
        });
    }

    std::uint64_t wish_anew(const BlockRule& rule, double whole, int lowest, int first) override
    {
        return counted(1, [&](unsigned long long* below) {
            wish_of_due<<<blocks(), block_size, 0, *stream_>>>(
                n_, level_.data(), first, rule, whole, lowest, now_.acceleration.data(),
                is_split_ ? now_.long_range.data() : nullptr,
                has_orbits_ ? now_.potential.data() : nullptr, now_.wish.data(), now_.time.data(),
                has_orbits_ ? now_.orbit.data() : nullptr, below);
        })[0];
    }

    void load_long_range(const std::vector<Vec3<double>>& accelerations) override
    {
        use_device();
        for (Arrays* arrays : {&now_, &before_})
            arrays->long_range.reserve_exactly(n_);
        staging_.upload(now_.long_range, accelerations.data(), n_, *stream_);
        stream_->wait();
    }

    void store_long_range(std::vector<Vec3<double>>& accelerations) override
    {
        use_device();
        accelerations.resize(n_);
        staging_.download(accelerations.data(), now_.long_range.data(), n_, *stream_);
    }

    void kick_by_long_range(double factor) override { add(factor, now_.velocity); }

    void split(bool apart) override
    {
        add(apart ? -1 : 1, now_.acceleration);
        is_split_ = apart;
    }

    ArrayView clear_long_range() override
    {
        use_device();
        check(cudaMemsetAsync(now_.long_range.data(), 0, n_ * sizeof(Vec3<double>), *stream_),
              "clear accelerations");
        stream_->wait();
        ArrayView view = on_device(now_.long_range);
        view.on_device = true;
        return view;
    }

    double sum_of_squared_velocities() override
    {
        use_device();
        const std::size_t parts = (n_ + ordered_sum_block - 1) / ordered_sum_block;
        if (parts == 0)
            return 0;
        sum_squares<<<unsigned((parts + block_size - 1) / block_size), block_size, 0, *stream_>>>(
            n_, now_.velocity.data(), sums_.reserve(parts));
        check(cudaGetLastError(), "launch a sum");
        double* sums = host_sums_.reserve(parts);
        download(sums, sums_.data(), parts, *stream_);
        stream_->wait();
        double total = 0;
        for (std::size_t k = 0; k < parts; ++k)
            total += sums[k];
        return total;
    }

    Request request(bool potentials, int first) override
    {
        has_potentials_ = potentials;
        Request request{.count = n_,
                        .position = on_device(now_.position),
                        .mass = on_device(mass_),
                        .acceleration = on_device(now_.acceleration)};
        if (potentials)
            request.potential = on_device(now_.potential);
        if (first > 0) {
            request.rung = level_.data();
            request.first = first;
        }
        return request;
    }

private:
    /// What a step changes.
    struct Arrays {
        DeviceBuffer<Vec3<double>> position, velocity, acceleration;
        DeviceBuffer<Vec3<double>> long_range; ///< in a periodic box; else empty
        DeviceBuffer<double> potential, wish, time, orbit;
    };

    template <class T>
    void copy(DeviceBuffer<T>& from, DeviceBuffer<T>& to)
    {
        check(cudaMemcpyAsync(to.data(), from.data(), n_ * sizeof(T), cudaMemcpyDeviceToDevice,
                              *stream_),
              "copy within the device");
    }

    void copy(Arrays& from, Arrays& to)
    {
        use_device();
        copy(from.position, to.position);
        copy(from.velocity, to.velocity);
        copy(from.acceleration, to.acceleration);
        copy(from.potential, to.potential);
        copy(from.wish, to.wish);
        copy(from.time, to.time);
        if (has_orbits_)
            copy(from.orbit, to.orbit);
        if (from.long_range.data())
            copy(from.long_range, to.long_range);
        stream_->wait();
    }

    /// vectors += factor times the long range
    void add(double factor, DeviceBuffer<Vec3<double>>& vectors)
    {
        if (n_ == 0)
            return;
        use_device();
        add_multiple<<<blocks(), block_size, 0, *stream_>>>(n_, factor, now_.long_range.data(),
                                                            vectors.data());
        check(cudaGetLastError(), "launch the long range");
        stream_->wait();
    }

    /// Counters of the host, when the kernel has counted in those of the device.
    template <class Launch>
    const std::uint64_t* counted(int bins, Launch launch)
    {
        use_device();
        unsigned long long* counts = counts_.reserve(std::size_t(bins));
        check(cudaMemsetAsync(counts, 0, std::size_t(bins) * sizeof *counts, *stream_),
              "clear counters");
        if (n_ > 0)
            launch(counts);
        check(cudaGetLastError(), "launch a count of particles");
        unsigned long long* host = host_counts_.reserve(std::size_t(bins));
        download(host, counts, std::size_t(bins), *stream_);
        stream_->wait();
        static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
        return reinterpret_cast<const std::uint64_t*>(host);
    }

    template <class Launch>
    Counts levels_counted(Launch launch)
    {
        const std::uint64_t* counts = counted(level_count, launch);
        Counts result;
        std::copy(counts, counts + level_count, result.begin());
        return result;
    }

    bool has_orbits_ = false, has_potentials_ = false;
    bool is_split_ = false; ///< accelerations are those of the short range
    Arrays now_, before_;
    DeviceBuffer<double> mass_;
    DeviceBuffer<std::uint8_t> level_;
    DeviceBuffer<unsigned long long> counts_, least_;
    DeviceBuffer<double> sums_;
    PinnedBuffer<double> host_sums_;
    PinnedBuffer<unsigned long long> host_counts_, host_least_;
};

} // namespace

std::unique_ptr<DeviceBlocks> make_device_blocks(int device)
{
    return std::make_unique<CudaBlocks>(device);
}

} // namespace chamomile
