// The mesh of the device behind the interface of the host's: arrays go up and come down.
#include <cmath>
#include <vector>

#include "core/threads.hpp"
#include "force/gpu.hpp"
#include "gpu/device_mesh.cuh"
#include "gpu/staging.cuh"

namespace chamomile {
namespace {

/// Of the current device.
int use_device(int number)
{
    check(cudaSetDevice(number), "choose the device");
    return number;
}

class CudaMeshGravity final : public LongRange {
public:
    CudaMeshGravity(int device, Periodicity box, const MeshOptions& options)
        : device_(use_device(device)), staging_(device), mesh_(box, options)
    {}
    ~CudaMeshGravity() override
    {
        cudaSetDevice(device_);
        cudaDeviceSynchronize();
    }

    void prepare(std::size_t n, const ArrayView& position, const ArrayView& mass,
                 Profile& profile) override
    {
        use_device(device_);
        const TimedPhase phase(profile, "mesh: prepare");
        host_sources_.resize(n);
        std::size_t wrong = n;
#pragma omp parallel for if (n >= worth_threads) reduction(min : wrong)
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3<double> x = position.load_vector(i);
            host_sources_[i] = {x, mass ? mass.load(i) : 1};
            if (!std::isfinite(x.x + x.y + x.z + host_sources_[i].mass))
                wrong = std::min(wrong, i);
        }
        if (wrong < n)
            throw Error(Fault::input, "particle " + std::to_string(wrong) +
                                          ": position and mass: must be finite");
        staging_.upload(sources_, host_sources_.data(), n, stream_);
        mesh_.prepare(sources_.data(), n, stream_);
        stream_.wait();
    }

    void add(std::size_t n, const ArrayView& position, std::span<const std::uint32_t> active,
             double gravitational_constant, const ArrayView& acceleration,
             const ArrayView& potential, Profile& profile) const override
    {
        use_device(device_);
        const TimedPhase phase(profile, "mesh: interpolate");
        const std::size_t targets = active.empty() ? n : active.size();
        std::vector<Vec3<double>> items(targets);
        const auto item = [&](std::size_t t) { return active.empty() ? t : active[t]; };
#pragma omp parallel for if (targets >= worth_threads)
        for (std::size_t t = 0; t < targets; ++t)
            items[t] = position.load_vector(item(t));
        staging_.upload(positions_, items.data(), targets, stream_);
        Vec3<double>* sums = sums_.reserve(targets);
        double* wells = potential ? wells_.reserve(targets) : nullptr;
        check(cudaMemsetAsync(sums, 0, targets * sizeof *sums, stream_), "clear sums");
        if (wells)
            check(cudaMemsetAsync(wells, 0, targets * sizeof *wells, stream_), "clear sums");
        mesh_.add({targets, view_of(std::span(positions_.data(), targets))}, gravitational_constant,
                  view_of(std::span(sums, targets)), view_of(std::span(wells, wells ? targets : 0)),
                  stream_);
        staging_.download(items.data(), sums, targets, stream_);
        std::vector<double> host_wells(wells ? targets : 0);
        if (wells)
            staging_.download(host_wells.data(), wells, targets, stream_);
#pragma omp parallel for if (targets >= worth_threads)
        for (std::size_t t = 0; t < targets; ++t) {
            const std::size_t i = item(t);
            acceleration.store_vector(i, acceleration.load_vector(i) + items[t]);
            if (potential)
                potential.store(i, 0, potential.load(i) + host_wells[t]);
        }
    }

    double split_radius() const override
    {
        return mesh_.split_radius();
    }

private:
    int device_;
    mutable Staging staging_;
    Stream stream_;
    mutable DeviceMesh mesh_;
    std::vector<Source> host_sources_;
    DeviceBuffer<Source> sources_;
    mutable DeviceBuffer<Vec3<double>> positions_, sums_;
    mutable DeviceBuffer<double> wells_;
};

} // namespace

std::unique_ptr<LongRange> make_cuda_mesh_gravity(int device, Periodicity box,
                                                  const MeshOptions& options)
{
    return std::make_unique<CudaMeshGravity>(device, box, options);
}

} // namespace chamomile
