/// \file  The long range by a mesh on the device (force/mesh/mesh_gravity.hpp).
#pragma once

#include "chamomile/core/array_view.hpp"
#include "chamomile/force/mesh/mesh_gravity.hpp"
#include "chamomile/gpu/device/phase_memory.cuh"
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

/// Multipliers of a field that is added, or of a gradient, dL/dx and dL/dm.
struct FieldFactors {
    double acceleration, potential;
};

/// A loss of the field at its sources, on the device: source k has item order[k].
struct MeshLoss {
    ArrayView lambda, mu; ///< dL/da and dL/dphi; empty: 0
    const Index* order;
    double unit; ///< a power of two, in which floats hold lambda, and mu per length
};

/// A mesh has masses in a unit, a power of two above the sum of |mass|, and lengths in box sides,
/// so that floats hold its values in any units of the caller.
struct MassScale {
    double unit;        ///< the caller's
    double to_integers; ///< 2^61 / unit
    double mean;        ///< of a cell, in the unit; without it a float holds small differences
    double sum;         ///< of this rank's masses, in the caller's unit
};

/// A DeviceMesh has potential and accelerations on meshes of T, float or double. Masses are
/// assigned as 64-bit integer multiples of a power of two: sums do not depend on order, and results
/// on one device are bitwise reproducible. Memory: sizeof(T) bytes per cell for each of 4 meshes (1
/// with four_point, 3 for float), and for some sizes as much as one mesh for cuFFT. A rank has the
/// planes of its slab and the rows near its particles. If ranks cannot read each other's memory,
/// messages take up to three meshes more.
template <class T>
class DeviceMesh {
public:
    /// Makes the mesh on the current device. Its values are in `memory` from prepare() until the
    /// next PhaseMemory::begin(). With `ranks`, each rank has a part of the sources, and the
    /// prepare functions are collective. Throws like make_mesh_gravity(), and Error(device).
    DeviceMesh(Periodicity box, const MeshOptions& options, PhaseMemory& memory,
               Communicator* ranks = nullptr);

    /// Makes the field of sources on the device, in the order of the stream. On ranks the field is
    /// there at these sources and at `others`.
    void prepare(const Source* sources, std::size_t n, const MeshTargets& others,
                 const Stream& stream);
    /// Prepares potentials. One rank may omit this call.
    void prepare_potential(const Stream& stream);

    /// Adds the field to the targets' accelerations and optional potentials.
    void add(const MeshTargets& targets, const FieldFactors& factors, const ArrayView& acceleration,
             const ArrayView& potential, const Stream& stream);

    /// Adds the gradient of a loss of the last field to the items of its sources: dL/dx, and dL/dm
    /// unless `mass` is empty. With mu, dL/dm has the offset of LongRangeField::add_adjoint().
    /// Memory: 16 bytes per cell and 32 per source. Throws Error(usage) by require_gradients().
    void add_adjoint(const Source* sources, std::size_t n, const MeshLoss& loss,
                     const FieldFactors& factors, const ArrayView& position, const ArrayView& mass,
                     const Stream& stream);

    double split_radius() const { return split_; }

private:
    int meshes() const;                                                            ///< their number
    std::size_t values() { return fourier_.grid_rows() * fourier_.rows().length; } ///< of one
    std::size_t bytes() { return std::size_t(meshes()) * values() * sizeof(T); }   ///< of all
    bool differentiates() const { return options_.differentiation == Differentiation::four_point; }
    T* potential() { return meshes_; }
    T* component(int d) { return differentiates() ? nullptr : mesh(1 + d); }
    T* mesh(int number) { return meshes_ + std::size_t(number) * values(); }
    unsigned long long* masses(); ///< the mesh of integers; later meshes replace it
    /// Returns the spectrum of the potential. On ranks a later mesh overwrites it.
    T* spectrum() { return fourier_.ranks() ? mesh(differentiates() ? 1 : 3) : potential(); }
    /// Returns the spectrum of the first component, which to_planes() sends to component(0).
    T* first_spectrum() { return component(fourier_.ranks() ? 1 : 0); }
    /// Returns the marks of the points that a particle may read, and one more on each side: images
    /// of a place may differ by rounding.
    RowMarks row_marks() const
    {
        return {options_.cells, int(options_.kernel) + 2 * (differentiates() ? 3 : 1)};
    }
    MassScale* scale() { return scale_.data(); } ///< of the field; next: of a loss
    MeshField<T> field(bool has_potential);
    void find_rows(const Source* sources, std::size_t n, const MeshTargets& others,
                   const Stream& stream);
    void assign(const Source* sources, std::size_t n, unsigned long long* integers,
                MassScale* scale, T* mesh, const Stream& stream);
    void cover(const MeshTargets& places, const Stream& stream);
    void share_sum(const Stream& stream);
    void multiply(const Stream& stream);
    void to_planes(const Stream& stream);
    void differentiate(int d, const Stream& stream);
    void share_components(const Stream& stream);

    Periodicity box_;
    MeshOptions options_;
    double split_;
    DeviceSlabFourier<T> fourier_;
    PhaseMemory& memory_;
    T* meshes_ = nullptr;        ///< in memory_
    DeviceBuffer<double> rows_;  ///< GreenRows, one after the other
    DeviceBuffer<double> parts_; ///< partial sums of |mass|, then of mass
    DeviceBuffer<MassScale> scale_;
    DeviceBuffer<T> dual_meshes_; ///< Psi, charges, and for floats integers
    DeviceBuffer<Source> charges_;
    DeviceBuffer<std::uint8_t> marks_; ///< rows of the mesh, on ranks
    bool is_potential_ = false;
};

} // namespace chamomile
