/// \file  Tables of transfer functions and power spectra in the formats of CAMB and CLASS.
#pragma once

#include <filesystem>
#include <vector>

namespace chamomile {

/// A PowerTableRow is a line of a table.
struct PowerTableRow {
    double k, value; ///< k in h/Mpc
};

/// A PowerColumn selects the column of the value.
enum class PowerColumn {
    second, ///< next to k
    matter  ///< second of two, seventh of seven or more: CAMB's T of all matter
};

/// Reads lines of numbers with ascending k. k and values must be positive (or all values negative,
/// as in CLASS; the sign is dropped). A transfer function is divided by its first value. Lines
/// beginning with # are skipped. Throws Error(input) naming file and line.
std::vector<PowerTableRow> read_power_table(const std::filesystem::path& file, PowerColumn column);

} // namespace chamomile
