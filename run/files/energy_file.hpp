/// \file  energy.csv: the diagnostics of a run, one line for each time.
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
    /// A comoving run has energies in physical coordinates, and the residue of the Layzer-Irvine
    /// equation. A run in an external field has a column of it; the field may be null.
    EnergyFile(bool is_comoving, const ExternalField* field);

    /// Writes the headings with their units, or continues the file after exchange(): see
    /// LineFile::open(). Throws Error(output).
    std::string open(const std::filesystem::path& file, const Units& units);

    /// Writes the line of the present step unless it exists already, through to the file.
    void add(Simulation& simulation);

    bool is_open() const { return file_.is_open(); }
    void sync() { file_.sync(); }
    void exchange(Archive& archive);

    /// Returns (E - E_0) / |E_0| of the last line, or its residue. The first kinetic energy divides
    /// if |E_0| is below 1 % of it. Not a number: see summary().
    double energy_error() const { return energy_error_; }
    double largest_error() const { return largest_error_; } ///< over all lines, absolute
    /// Returns the energy error beyond which a run cannot be trusted: 0.01, far above that of a
    /// good run. In comoving runs it is up to 0.05 at first, while fluctuations hold little of the
    /// lattice's energy.
    double trusted_error() const;
    /// Returns whether an energy error is beyond that, relative to |E_0|, or to the first kinetic
    /// energy if that is larger, as where potentials nearly cancel it. The errors of particles that
    /// bind each other are relative to their binding energy, if that is less.
    bool is_doubtful(double error) const;
    /// Returns |error|, relative to the binding energy if is_doubtful() compares with it.
    double judged(double error) const;
    /// Returns false if all energies are 0.
    bool is_measured() const;
    /// Returns the error that counts in the end: the largest one, but in comoving runs the last,
    /// which contains all losses.
    double lasting_error() const { return is_comoving_ ? energy_error_ : largest_error_; }
    /// Returns "energy error", "Layzer-Irvine error" or, where an external field does work,
    /// "energy change".
    const char* error_name() const;
    /// Returns " of what binds the particles to each other" if judged() divides by that, else "".
    std::string scale_name() const;
    /// Returns the errors at the end and at most, for the log.
    std::string summary() const;
    /// Returns the error of the last line, and its step if that is not the present one.
    std::string latest(const Simulation& simulation) const;
    /// Returns |P - P_0| of the last line over sqrt(2 K M), the momentum if all particles moved one
    /// way.
    double momentum_drift() const { return momentum_drift_; }

private:
    std::optional<double> change(const Diagnostics& now) const;
    void note_error(std::optional<double> error);
    double energy_scale() const;
    double binding_energy(const ExternalState& external) const;
    std::vector<double> plain_columns(const Diagnostics& now) const;
    std::vector<double> comoving_columns(const Diagnostics& now) const;

    bool is_comoving_, has_field_, keeps_energy_;
    LineFile file_;
    LayzerIrvine cosmic_;
    std::optional<std::uint64_t> last_step_;
    Diagnostics first_;
    double binding_ = 0; ///< binding_energy() at first
    double energy_error_ = 0, largest_error_ = 0, momentum_drift_ = 0;
};

} // namespace chamomile
