/// \file  The long range by a mesh on the device (mesh/mesh_gravity.hpp).
#pragma once

#include "chamomile/core/array_view.hpp"
#include "chamomile/gpu/device/cufft.cuh"
#include "chamomile/mesh/mesh_gravity.hpp"
#include "chamomile/tree/octree.hpp"

namespace chamomile {

/// MeshTargets are targets of a field: item t has its position at item `from[t]` of `position` and
/// its results at item `to[t]` of the arrays that they are added to; without indices both are at t.
/// All arrays are on the device.
struct MeshTargets {
    std::size_t count = 0;
    ArrayView position;
    const Index* from = nullptr;
    const Index* to = nullptr;
};

/// FieldFactors are what a field is multiplied by when it is added.
struct FieldFactors {
    double acceleration, potential;
};

/// A DeviceMesh has density, potential and accelerations on meshes of doubles. Masses are shared as
/// multiples of a power of two, in integers of 64 bits, so that their sums have the same bits in
/// any order: those of one device are the same again, whatever runs beside. It takes 8 bytes per
/// cell and mesh, of which there are 4, or 1 with four_point, and as much as one again for cuFFT.
class DeviceMesh {
public:
    /// Makes the mesh on the current device. Throws as make_mesh_gravity() does, and Error(device).
    DeviceMesh(Periodicity box, const MeshOptions& options);

    /// Makes the field of sources on the device, in the order of the stream.
    void prepare(const Source* sources, std::size_t n, cudaStream_t stream);

    /// Adds the field to the targets' accelerations and, if there are any, potentials. The first
    /// call with potentials after prepare() makes them.
    void add(const MeshTargets& targets, const FieldFactors& factors, const ArrayView& acceleration,
             const ArrayView& potential, cudaStream_t stream);

    double split_radius() const { return split_; }
    std::size_t bytes() const; ///< of device memory, but for cuFFT's

private:
    std::size_t values() const; ///< of a mesh
    void assign(const Source* sources, std::size_t n, cudaStream_t stream);
    void multiply(cudaStream_t stream);

    Periodicity box_;
    MeshOptions options_;
    double split_;
    DeviceFourier fourier_;
    DeviceBuffer<double> potential_, component_[3];
    DeviceBuffer<double> rows_;          ///< GreenRows, one after the other
    DeviceBuffer<double> parts_, scale_; ///< of the sum of masses, and from masses to integers
    bool is_potential_ = false;
};

} // namespace chamomile
