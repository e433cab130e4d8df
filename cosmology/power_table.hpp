/// \file  Tables of transfer functions and power spectra in the formats of CAMB and CLASS.
#pragma once

#include <filesystem>
#include <vector>

namespace chamomile {

/// A PowerTableRow is a line of a table.
struct PowerTableRow {
    double k, value; ///< k in h/Mpc
};

/// A PowerColumn is the column that holds the value.
enum class PowerColumn {
    second, ///< beside k
    matter  ///< the second of two, the seventh of seven or more: CAMB's transfer of all matter
};

/// Reads lines of numbers, k ascending, both k and the value positive (or all values negative, as
/// CLASS has it; the sign is dropped). A transfer function is divided by its first value. Lines
/// that begin with # are skipped. Throws Error(input) naming file and line.
std::vector<PowerTableRow> read_power_table(const std::filesystem::path& file, PowerColumn column);

} // namespace chamomile
