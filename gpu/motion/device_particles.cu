// Particles that stay on the device, moved as the host's leapfrog moves them.
// Contraction: none, so that the bits are the host's.
//
// A step moves 72 bytes up to the drift and 72 for the last kick: 10 ms for 512^3 on an H200.
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "chamomile/gpu/motion/device_motion.cuh"
#include "chamomile/integrate/device_particles.hpp"

namespace chamomile {
namespace {

constexpr unsigned block_size = motion_block_size;

__global__ void __launch_bounds__(block_size)
    kick_and_drift_all(std::size_t n, const Vec3<double>* position, const Vec3<double>* velocity,
                       const Vec3<double>* acceleration, Strides strides, Periodicity box,
                       Vec3<double>* new_position, Vec3<double>* new_velocity, unsigned* faults)
{
    const std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (i >= n)
        return;
    const Vec3<double> v = velocity[i] + strides.first_kick * acceleration[i];
    const Vec3<double> x = box.wrapped(position[i] + strides.drift * v);
    new_velocity[i] = v;
    new_position[i] = x;
    note_fault(x, faults);
}

__global__ void __launch_bounds__(block_size)
    kick_all(std::size_t n, const Vec3<double>* acceleration, double dt, Vec3<double>* velocity,
             unsigned* faults)
{
    const std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (i >= n)
        return;
    const Vec3<double> a = acceleration[i];
    velocity[i] += dt * a;
    note_fault(a, faults);
}

/// Of doubles that are not negative the bits are in the order of the numbers.
__global__ void __launch_bounds__(block_size)
    find_largest(std::size_t n, const Vec3<double>* acceleration, unsigned long long* largest)
{
    unsigned long long own = 0;
    for (std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * block_size)
        own = max(own, (unsigned long long)(__double_as_longlong(norm_squared(acceleration[i]))));
    for (int lane = 16; lane > 0; lane /= 2)
        own = max(own, __shfl_xor_sync(~0u, own, lane));
    if (threadIdx.x % 32 == 0)
        atomicMax(largest, own);
}

class CudaParticles final : public DeviceParticles, DeviceMotion {
public:
    explicit CudaParticles(int device) : DeviceMotion(device) { largest_.reserve(1); }
    ~CudaParticles() override { settle(); }

    void load(const Particles& particles) override
    {
        use_device();
        n_ = particles.size();
        for (auto* buffers : {position_, velocity_, acceleration_})
            for (int k = 0; k < 2; ++k)
                buffers[k].reserve_exactly(n_);
        staging_.upload(position_[now_], particles.position.data(), n_, *stream_);
        staging_.upload(velocity_[now_], particles.velocity.data(), n_, *stream_);
        staging_.upload(mass_, particles.mass.data(), n_, *stream_);
        has_potentials_ = false;
        staging_.upload(acceleration_[now_], particles.acceleration.data(), n_, *stream_);
        stream_->wait();
    }

    void store(Particles& particles) override
    {
        use_device();
        staging_.download(particles.position.data(), position_[now_].data(), n_, *stream_);
        staging_.download(particles.velocity.data(), velocity_[now_].data(), n_, *stream_);
        particles.acceleration.resize(n_);
        staging_.download(particles.acceleration.data(), acceleration_[now_].data(), n_, *stream_);
        if (!has_potentials_)
            return;
        particles.potential.resize(n_);
        staging_.download(particles.potential.data(), potential_.data(), n_, *stream_);
    }

    bool kick_and_drift(const Strides& strides, Periodicity box) override
    {
        const int last = std::exchange(now_, 1 - now_);
        use_device();
        return finite([&](unsigned* faults) {
            kick_and_drift_all<<<blocks(), block_size, 0, *stream_>>>(
                n_, position_[last].data(), velocity_[last].data(), acceleration_[last].data(),
                strides, box, position_[now_].data(), velocity_[now_].data(), faults);
        });
    }

    bool kick(double dt) override
    {
        use_device();
        return finite([&](unsigned* faults) {
            kick_all<<<blocks(), block_size, 0, *stream_>>>(n_, acceleration_[now_].data(), dt,
                                                            velocity_[now_].data(), faults);
        });
    }

    void undo() override
    {
        now_ = 1 - now_;
        has_potentials_ = false;
    }

    double largest_acceleration_squared() override
    {
        use_device();
        check(cudaMemsetAsync(largest_.data(), 0, sizeof(unsigned long long), *stream_),
              "clear a maximum");
        find_largest<<<1024, block_size, 0, *stream_>>>(n_, acceleration_[now_].data(),
                                                        largest_.data());
        check(cudaGetLastError(), "launch a maximum");
        unsigned long long* bits = host_largest_.reserve(1);
        download(bits, largest_.data(), 1, *stream_);
        stream_->wait();
        double value;
        std::memcpy(&value, bits, sizeof value);
        return value;
    }

    Request request(bool potentials) override
    {
        has_potentials_ = potentials;
        if (potentials)
            potential_.reserve_exactly(n_);
        Request request{.count = n_,
                        .position = on_device(position_[now_]),
                        .mass = on_device(mass_),
                        .acceleration = on_device(acceleration_[now_])};
        if (potentials)
            request.potential = on_device(potential_);
        return request;
    }

private:
    int now_ = 0; ///< which of two is the present state; the other is that before the step
    DeviceBuffer<Vec3<double>> position_[2], velocity_[2], acceleration_[2];
    DeviceBuffer<double> mass_, potential_;
    bool has_potentials_ = false; ///< of the present state
    DeviceBuffer<unsigned long long> largest_;
    PinnedBuffer<unsigned long long> host_largest_;
};

} // namespace

std::unique_ptr<DeviceParticles> make_device_particles(int device)
{
    return std::make_unique<CudaParticles>(device);
}

} // namespace chamomile
