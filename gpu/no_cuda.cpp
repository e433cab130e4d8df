// Stands in for the CUDA parts in a build without CUDA; CMake picks one or the other.
#include "core/error.hpp"

namespace chamomile {} // namespace chamomile
