/// \file  Reads and writes arrays on the host or on a solver's GPU, as rows of doubles.
#pragma once

#include <string>
#include <vector>

#include "chamomile/core/array_view.hpp"

namespace chamomile {

/// Returns the first n items, row by row; zeros for an empty view. `device`: the device word in the
/// solver's options. Throws Error(device).
std::vector<double> read_rows(const ArrayView& view, std::size_t n, int components,
                              const std::string& device);

/// Writes the rows to the view's first n items; ignores an empty view. Throws Error(device).
void write_rows(const std::vector<double>& rows, std::size_t n, const ArrayView& view,
                const std::string& device);

} // namespace chamomile
