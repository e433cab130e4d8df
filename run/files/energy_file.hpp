/// \file  energy.csv: the diagnostics of a run, one line per time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/units.hpp"
#include "chamomile/integrate/measures/layzer_irvine.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/run/files/line_file.hpp"

namespace chamomile {

/// An EnergyFile writes energy.csv and keeps the largest energy error.
class EnergyFile {
public:
    /// A comoving run has energies in physical coordinates and the residue of the Layzer-Irvine
    /// equation. A run in an external field has columns for it and for the internal energy; `field`
    /// may be null.
    EnergyFile(bool is_comoving, const ExternalField* field);

    /// Writes the headings with units, or continues the file after exchange(), see
    /// LineFile::open(). Throws Error(output).
    std::string open(const std::filesystem::path& file, const Units& units);

    /// Writes the line of the present step to the file, unless it exists already.
    void add(Simulation& simulation);

    bool is_open() const { return file_.is_open(); }
    void sync() { file_.sync(); }
    void exchange(Archive& archive);

    /// Returns (E - E_0) / |E_0| of the last line, or the Layzer-Irvine residue. If |E_0| is below
    /// 1 % of the first kinetic energy, the latter is the divisor. NaN: see summary().
    double energy_error() const { return energy_error_; }
    double largest_error() const { return largest_error_; } ///< max |error| over all lines
    /// Returns the max error of a run with trustworthy results: 0.01, far above the error of a good
    /// run. In comoving runs it falls from 0.05 with growth, since fluctuations have little energy
    /// at first.
    double trusted_error() const;
    /// Returns whether an energy error exceeds trusted_error(). The error is relative to |E_0|, or
    /// to the first kinetic energy if larger, for example if potentials nearly cancel |E_0|. For
    /// bound particles it is relative to their binding energy if smaller.
    bool is_doubtful(double error) const;
    /// Returns |error|, relative to the binding energy if is_doubtful() uses it.
    double judged(double error) const;
    /// Returns false if all energies are 0: the error is then undefined.
    bool is_measured() const;
    /// Returns the error for the final verdict: the largest one, but in comoving runs the last one,
    /// since the Layzer-Irvine residue accumulates all losses.
    double lasting_error() const { return is_comoving_ ? energy_error_ : largest_error_; }
    /// Returns "energy error", "Layzer-Irvine error" or, if an external field does work, "energy
    /// change".
    const char* error_name() const;
    /// Returns " of what binds the particles to each other" if judged() divides by the binding
    /// energy, otherwise "".
    std::string scale_name() const;
    /// Returns the last and the largest error, for the log.
    std::string summary() const;
    /// Returns the error of the last line, with its step number unless it is the present step.
    std::string latest(const Simulation& simulation) const;
    /// Returns |P - P_0| of the last line over sqrt(2 K M), the momentum of all particles moving in
    /// one direction.
    double momentum_drift() const { return momentum_drift_; }

private:
    std::optional<double> change(const Diagnostics& now) const;
    void record_error(std::optional<double> error);
    double energy_scale() const;
    double binding_energy(const ExternalState& external) const;
    std::vector<double> plain_columns(const Diagnostics& now) const;
    std::vector<double> comoving_columns(const Diagnostics& now) const;

    bool is_comoving_, has_field_, keeps_energy_;
    LineFile file_;
    LayzerIrvine cosmic_;
    std::optional<std::uint64_t> last_step_;
    Diagnostics first_;
    double binding_ = 0; ///< initial binding_energy()
    double energy_error_ = 0, largest_error_ = 0, momentum_drift_ = 0;
};

} // namespace chamomile
