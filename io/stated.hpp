/// \file  The numbers that describe a snapshot beside its particles: one table of what each may be,
/// whatever file they come from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/options/range.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Returns the number, which must lie in the range up to rounding, since a run may end a little
/// beyond it. Throws Error with Fault::input otherwise, in the words of the command line.
double checked(const std::filesystem::path& file, const std::string& field, double value,
               const Range& range);

/// Throws Error with Fault::input unless time, box, units, G, softening and background of the
/// snapshot are within the ranges of the options for the same quantities.
void check_stated(const Snapshot& snapshot, const std::filesystem::path& file);

/// Throws Error with Fault::input unless these numbers of a piece are those of the first piece.
void check_same(const Snapshot& first, const Snapshot& piece, const std::filesystem::path& file);

/// Returns the word for a kind of softening in this program's files.
const char* word_of(SofteningKind kind);

/// Returns a softening as this program's files state it, by its kind and its length. A file must
/// state both or neither.
std::optional<Softening> stated_softening(const std::filesystem::path& file,
                                          const std::optional<std::string>& kind,
                                          const std::optional<double>& length);

} // namespace chamomile
