/// \file  Kernels of HostKernels, in separate source files.
#pragma once

#include "chamomile/core/simd.hpp"
#include "chamomile/force/simd/host_kernel.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

/// By the length of a pair.
HostKernel one_length_kernel(const LawChoice& choice);
HostKernel larger_length_kernel(const LawChoice& choice);
HostKernel root_of_squares_kernel(const LawChoice& choice);

DoubleKernel double_kernel(const LawChoice& choice);

AdjointKernels adjoint_kernels();
AdjointPairKernel adjoint_pairs(const LawChoice& choice, AdjointPart part, bool with_mu);
void sum_dual_moments(const DualParticles& particles, int order, double* moments);
/// AdjointKernels::expand, for float and double.
template <class T>
void expand_duals(const DualCell* cells, std::size_t count, int order, DualExpansion& expansion);

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
