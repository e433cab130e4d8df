/// \file  Kernels for laws given as text, by instruction set, in single and double precision.
#pragma once

#include "chamomile/force/pairs/simd/group_work.hpp"

namespace chamomile {

namespace baseline {
PairKernel text_kernel(bool double_precision);
}
namespace avx2 {
PairKernel text_kernel(bool double_precision);
}
namespace avx512 {
PairKernel text_kernel(bool double_precision);
}

} // namespace chamomile
