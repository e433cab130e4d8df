/// \file  energy.csv: the diagnostics of a run, one line for each time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/line_file.hpp"
#include "integrate/simulation.hpp"

namespace chamomile::app {

class EnergyFile {
public:
    /// Writes the headings, or goes on after exchange(): LineFile::open(). Throws Error(output).
    std::string open(const std::filesystem::path& file);

    /// Writes the line of the present step unless it is there already, through to the file.
    void add(Simulation& simulation);

    bool is_open() const { return file_.is_open(); }
    void sync() { file_.sync(); }
    void exchange(Archive& archive);

    double energy_error() const { return energy_error_; }   ///< (E - E_0) / |E_0| of the last line
    double largest_error() const { return largest_error_; } ///< over all lines, absolute
    /// |P - P_0| of the last line over sqrt(2 K M), the momentum if all moved one way.
    double momentum_drift() const { return momentum_drift_; }

private:
    LineFile file_;
    std::optional<std::uint64_t> last_step_;
    Diagnostics first_;
    double energy_error_ = 0, largest_error_ = 0, momentum_drift_ = 0;
};

} // namespace chamomile::app
