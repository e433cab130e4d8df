/// \file  energy.csv: the diagnostics of a run, one line for each time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/integrate/layzer_irvine.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/run/line_file.hpp"

namespace chamomile {

class EnergyFile {
public:
    /// Of a comoving run: in physical coordinates, with the residue of Layzer and Irvine's
    /// equation.
    explicit EnergyFile(bool is_comoving) : is_comoving_(is_comoving) {}

    /// Writes the headings, or goes on after exchange(): LineFile::open(). Throws Error(output).
    std::string open(const std::filesystem::path& file);

    /// Writes the line of the present step unless it is there already, through to the file.
    void add(Simulation& simulation);

    bool is_open() const { return file_.is_open(); }
    void sync() { file_.sync(); }
    void exchange(Archive& archive);

    /// (E - E_0) / |E_0| of the last line, or its residue.
    double energy_error() const { return energy_error_; }
    double largest_error() const { return largest_error_; } ///< over all lines, absolute
    /// The energy error beyond which a run cannot be trusted, good ones staying far below: 0.01. In
    /// comoving runs up to 0.05 at first, where fluctuations hold little of the lattice's energy.
    double trusted_error() const;
    /// Whether an energy error is beyond that, as a part of |E_0|, or of the first kinetic energy
    /// if that is more, as where potentials nearly cancel it.
    bool is_doubtful(double error) const;
    /// What counts in the end: the largest error, but in comoving runs the last, which holds all
    /// that was lost.
    double lasting_error() const { return is_comoving_ ? energy_error_ : largest_error_; }
    /// "energy error" or "Layzer-Irvine error".
    const char* error_name() const;
    /// |P - P_0| of the last line over sqrt(2 K M), the momentum if all moved one way.
    double momentum_drift() const { return momentum_drift_; }

private:
    std::vector<double> plain_columns(const Diagnostics& now) const;
    std::vector<double> comoving_columns(const Diagnostics& now) const;

    bool is_comoving_;
    LineFile file_;
    LayzerIrvine cosmic_;
    std::optional<std::uint64_t> last_step_;
    Diagnostics first_;
    double energy_error_ = 0, largest_error_ = 0, momentum_drift_ = 0;
};

} // namespace chamomile
