/// \file  The long range by a mesh on the device (force/mesh/mesh_gravity.hpp).
#pragma once

#include "chamomile/core/array_view.hpp"
#include "chamomile/force/mesh/mesh_gravity.hpp"
#include "chamomile/gpu/mesh/device_slab_fourier.cuh"
#include "chamomile/tree/octree.hpp"

namespace chamomile {

/// Targets of a field. Target t has its position at item `from[t]` of `position`; results are added
/// at item `to[t]` of the output arrays. Null indices stand for t. Device arrays only.
struct MeshTargets {
    std::size_t count = 0;
    ArrayView position;
    const Index* from = nullptr;
    const Index* to = nullptr;
};

/// Multipliers of a field that is added.
struct FieldFactors {
    double acceleration, potential;
};

/// A DeviceMesh has potential and accelerations on meshes of T, float or double. Masses are
/// assigned as 64-bit integer multiples of a power of two: sums do not depend on order, and results
/// on one device are bitwise reproducible. Memory: sizeof(T) bytes per cell for each of 4 meshes (1
/// with four_point, 3 for float), and as much as one mesh for cuFFT. A rank has the planes of its
/// slab and the rows near its particles; it needs up to three of these for messages.
template <class T>
class DeviceMesh {
public:
    /// Makes the mesh on the current device. With `ranks`, each rank has a part of the sources, and
    /// the prepare functions are collective. Throws like make_mesh_gravity(), and Error(device).
    DeviceMesh(Periodicity box, const MeshOptions& options, Communicator* ranks = nullptr);

    /// Makes the field of sources on the device, in the order of the stream. On ranks the field is
    /// there at these sources and at `others`.
    void prepare(const Source* sources, std::size_t n, const MeshTargets& others,
                 const Stream& stream);
    /// Prepares potentials. One rank may omit this call.
    void prepare_potential(const Stream& stream);

    /// Adds the field to the targets' accelerations and optional potentials.
    void add(const MeshTargets& targets, const FieldFactors& factors, const ArrayView& acceleration,
             const ArrayView& potential, const Stream& stream);

    double split_radius() const { return split_; }

private:
    int meshes() const;                                                            ///< their number
    std::size_t values() { return fourier_.grid_rows() * fourier_.rows().length; } ///< of one
    bool differentiates() const { return options_.differentiation == Differentiation::four_point; }
    T* potential() { return meshes_.data(); }
    T* component(int d) { return differentiates() ? nullptr : mesh(1 + d); }
    T* mesh(int number) { return meshes_.data() + std::size_t(number) * values(); }
    unsigned long long* masses(); ///< the mesh of integers; later meshes replace it
    /// Returns where the spectrum of the potential is; on ranks another mesh replaces it.
    T* spectrum() { return fourier_.ranks() ? mesh(differentiates() ? 1 : 3) : potential(); }
    void assign(const Source* sources, std::size_t n, const MeshTargets& others,
                const Stream& stream);
    void cover(const MeshTargets& places, const Stream& stream);
    void share_sum(const Stream& stream);
    void multiply(const Stream& stream);

    Periodicity box_;
    MeshOptions options_;
    double split_;
    DeviceSlabFourier<T> fourier_;
    DeviceBuffer<T> meshes_;
    DeviceBuffer<double> rows_;          ///< GreenRows, one after the other
    DeviceBuffer<double> parts_, scale_; ///< partial sums of masses; MassScale
    DeviceBuffer<std::uint8_t> marks_;   ///< rows of the mesh, on ranks
    bool is_potential_ = false;
};

} // namespace chamomile
