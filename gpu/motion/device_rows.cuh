/// \file  Rows and sums of particles in device memory.
#pragma once

#include <array>
#include <vector>

#include "chamomile/core/moving_point.hpp"
#include "chamomile/core/particle_reader.hpp"
#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/device/staging.cuh"

namespace chamomile {

/// A DeviceRows reads and sums positions, velocities, accelerations and potentials in GPU memory.
/// Results match rows in host memory bitwise. Throws Error(device).
class DeviceRows final : public ParticleReader {
public:
    /// Current arrays of all particles, on the stream's device.
    struct Arrays {
        std::size_t count = 0;
        std::array<const Vec3<double>*, 3> vectors{}; ///< positions, velocities, accelerations
        const double *potential = nullptr, *mass = nullptr;
    };

    DeviceRows(int device, Staging& staging) : device_(device), staging_(staging) {}

    /// Sets the arrays. They are valid until particles move.
    void show(const Arrays& arrays, cudaStream_t stream)
    {
        all_ = arrays;
        stream_ = stream;
    }

    bool is_on_host() const override { return false; }
    std::size_t max() const override { return rows_of_block; }
    std::span<const Vec3<double>> read_vectors(Column value, const RowSelection& rows) override;
    std::span<const double> read_scalars(Column value, const RowSelection& rows) override;
    bool add_motion(const Vec3<double>& typical, ExactSums<MotionSums>& sums) override;
    std::span<const std::uint16_t> bins_of_distances(const Vec3<double>& center,
                                                     const ValueBins& bins) override;
    /// Copies some particles, as gather_points().
    void gather(std::span<const GlobalIndex> which, std::span<PhasePoint> into);
    void add_squared_velocities(ExactSums<double>& sums);

private:
    template <class T>
    std::span<const T> brought(const T* all, const RowSelection& rows, DeviceBuffer<T>& gathered,
                               PinnedBuffer<T>& into);

    /// Adds term(0), term(1), ... of all particles.
    template <class Record, class Term>
    void add_terms(const Term& term, ExactSums<Record>& sums);

    int device_;
    Staging& staging_;
    cudaStream_t stream_ = {};
    Arrays all_;
    DeviceBuffer<Index> which_;
    DeviceBuffer<Vec3<double>> some_vectors_;
    DeviceBuffer<double> some_reals_;
    DeviceBuffer<std::uint16_t> bins_;
    PinnedBuffer<std::uint16_t> bins_here_;
    DeviceBuffer<PhasePoint> points_;
    DeviceBuffer<std::int64_t> digits_;                 // of exact sums
    std::array<PinnedBuffer<Vec3<double>>, 3> vectors_; // at most most() rows
    PinnedBuffer<double> potentials_;
};

} // namespace chamomile
