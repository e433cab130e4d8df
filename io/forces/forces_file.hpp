/// \file  Files with accelerations and potentials of other codes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

class InputFile;

/// A ForcesFile holds the rows of a file. Each column has one entry per row, or is empty.
struct ForcesFile {
    std::string format; ///< such as "numpy array of ax ay az"
    std::vector<std::uint64_t> id;
    std::vector<Vec3<double>> position, acceleration;
    std::vector<double> potential;
    /// Units and the like of a snapshot; none for plain columns, in the units of the particles.
    std::optional<SnapshotFacts> facts;

    std::size_t size() const
    {
        return acceleration.empty() ? potential.size() : acceleration.size();
    }
};

/// Reads a snapshot with accelerations or potentials, GADGET's forcetest.txt, SWIFT's
/// gravity_checks_*, Tipsy's text arrays, any text with named columns, or numpy's .npy and .npz
/// arrays. docs/reference/formats.md has the columns. `units` are for a snapshot: its values are
/// converted, unless either side has none. Throws Error with Fault::input.
ForcesFile read_forces(const std::filesystem::path& path, const Snapshot& units);

/// Names of columns by their number, where a file does not name them; "-" is left out, and a name
/// given twice is summed. None: no such number of columns is known.
std::optional<std::vector<std::string>> known_columns(std::size_t number);

/// Returns the name of a column, "x", "ax", "id", "potential" or the like, for a word such as
/// "pos[0]", "a_swift[1]", "acc_z", "phi" or "ParticleID"; without axis, "position" and
/// "acceleration"; else "-".
std::string column_name(std::string_view word);

/// Returns the column_name() of each word, or nothing if none is an acceleration or potential.
std::vector<std::string> named_columns(const std::vector<std::string_view>& words);

/// Sets columns from values in rows of names.size().
void set_columns(ForcesFile& file, const std::vector<std::string>& names,
                 const std::vector<double>& values);

// Return the rows of a text and of a numpy file.
ForcesFile read_force_text(const InputFile& file);
bool is_numpy(const InputFile& file);
ForcesFile read_numpy(const InputFile& file);

} // namespace chamomile
