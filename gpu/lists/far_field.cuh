/// \file  Far cells on the device: expanded a lane to a cell, evaluated a lane to a target.
#pragma once

#include "chamomile/force/law_choice.hpp"
#include "chamomile/gpu/lists/chamomile.cuh"

namespace chamomile {

/// The far lists of a batch on the device.
struct DeviceFarField {
    const ClusterRow* clusters;
    Index cluster_count, row_count;
    const Index *far_cells, *group_far_cells;
    double softening_length; ///< in internal units; 0 if cells are Newtonian
    bool softens_cells;      ///< Softening::softens_cells()
    Index target_count;
    void* terms; ///< LocalExpansion of each cluster, then of each row; then their changes, or for
                 ///< gradients all expansions of dual fields
    void* sums;  ///< FarSum of each target
};

inline constexpr int far_field_block = 64;

/// The kernels in order, and the memory of an expansion and of a FarSum. The last writes the
/// far sums of all targets; the Chamomile kernel adds the rest.
struct FarFieldKernels {
    void (*expand)(DeviceBatch, DeviceFarField);   ///< a warp for each cluster and row
    void (*evaluate)(DeviceBatch, DeviceFarField); ///< a warp for each row
    std::size_t bytes_of_terms, bytes_of_sum;
    void (*expand_duals)(DeviceBatch, DeviceFarField) = nullptr; ///< for gradients, like `expand`
};

/// Returns the kernels for local expansions of order 3 to 6 of cells of order 0, 2, 3 or 4.
FarFieldKernels find_far_field_kernels(int local_order, const LawChoice& law);
/// Returns the kernels of gradients, of order 6 whatever the options say, as on the host.
FarFieldKernels find_adjoint_far_field_kernels(const LawChoice& law);

} // namespace chamomile
