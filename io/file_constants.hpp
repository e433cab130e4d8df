/// \file  The numbers that describe a snapshot, with one table of allowed ranges for all formats.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/options/range.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Returns `value` if it lies in the range up to rounding, since a run may end slightly beyond the
/// range. Throws Error with Fault::input otherwise, worded as on the command line.
double checked(const std::filesystem::path& file, const std::string& field, double value,
               const Range& range);

/// Throws Error with Fault::input unless time, box, units, G, softening and background are within
/// the ranges of the command-line options for the same quantities.
void check_stated(const Snapshot& snapshot, const std::filesystem::path& file);

/// Throws Error with Fault::input if a number of this piece differs from the first piece.
void check_same(const Snapshot& first, const Snapshot& piece, const std::filesystem::path& file);

/// Returns a softening from the kind and length that Chamomile's files state. A file must state
/// both or neither.
std::optional<Softening> stated_softening(const std::filesystem::path& file,
                                          const std::optional<std::string>& kind,
                                          const std::optional<double>& length);

} // namespace chamomile
