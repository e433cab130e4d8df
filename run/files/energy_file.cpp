#include "chamomile/run/files/energy_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/quantity.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/integrate/external/external_field.hpp"

namespace chamomile {

namespace {

/// A Column is a heading of energy.csv and what its numbers measure.
struct Column {
    const char* name;
    Dimension dimension = {};
};

constexpr Column comoving_headings[] = {{"scale_factor"},
                                        {"kinetic", dimensions::energy},
                                        {"potential", dimensions::energy},
                                        {"total", dimensions::energy},
                                        {"layzer_irvine"},
                                        {"momentum_x", dimensions::momentum},
                                        {"momentum_y", dimensions::momentum},
                                        {"momentum_z", dimensions::momentum},
                                        {"step"},
                                        {"pairs"}};
constexpr Column plain_headings[] = {{"time", dimensions::time},
                                     {"kinetic", dimensions::energy},
                                     {"potential", dimensions::energy},
                                     {"total", dimensions::energy},
                                     {"energy_error"},
                                     {"momentum_x", dimensions::momentum},
                                     {"momentum_y", dimensions::momentum},
                                     {"momentum_z", dimensions::momentum},
                                     {"angular_momentum_x", dimensions::angular_momentum},
                                     {"angular_momentum_y", dimensions::angular_momentum},
                                     {"angular_momentum_z", dimensions::angular_momentum},
                                     {"center_x", dimensions::length},
                                     {"center_y", dimensions::length},
                                     {"center_z", dimensions::length},
                                     {"virial_ratio"},
                                     {"r10", dimensions::length},
                                     {"r25", dimensions::length},
                                     {"r50", dimensions::length},
                                     {"r75", dimensions::length},
                                     {"r90", dimensions::length},
                                     {"step"},
                                     {"pairs"}};

} // namespace

EnergyFile::EnergyFile(bool is_comoving, const ExternalField* field)
    : is_comoving_(is_comoving), has_field_(field != nullptr),
      keeps_energy_(!field || field->without_energy().empty())
{}

std::string EnergyFile::open(const std::filesystem::path& file, const Units& units)
{
    std::string line;
    for (const Column& column : is_comoving_ ? std::span<const Column>(comoving_headings)
                                             : std::span<const Column>(plain_headings)) {
        line.append(line.empty() ? "" : ",").append(heading(column.name, column.dimension, units));
        if (has_field_ && std::string_view(column.name) == "potential")
            line.append(",").append(heading("external", dimensions::energy, units));
    }
    return file_.open(file, line + "\n");
}

void EnergyFile::add(Simulation& simulation)
{
    if (last_step_ == simulation.step())
        return;
    const Diagnostics& now = simulation.diagnostics();
    if (!last_step_)
        first_ = now;
    last_step_ = simulation.step();
    const double scale = std::abs(first_.energy());
    if (is_comoving_) {
        cosmic_.add(simulation.file_time(), now);
        energy_error_ = cosmic_.residue();
    } else
        energy_error_ = scale > 0 ? (now.energy() - first_.energy()) / scale : 0;
    largest_error_ =
        std::max(largest_error_, std::isnan(energy_error_) ? std::numeric_limits<double>::infinity()
                                                           : std::abs(energy_error_));
    const double momentum_scale = std::sqrt(2 * std::max(first_.kinetic, now.kinetic) * now.mass);
    momentum_drift_ =
        momentum_scale > 0 ? norm(now.momentum - first_.momentum) / momentum_scale : 0;

    std::string line = number_text(simulation.file_time());
    for (double value : is_comoving_ ? comoving_columns(now) : plain_columns(now)) {
        line += ',';
        line += number_text(value);
    }
    const ForceStatistics& forces = simulation.last_statistics();
    line += formatted(",%llu,%llu\n", (unsigned long long)simulation.step(),
                      (unsigned long long)(forces.particle_particle + forces.particle_cell));
    file_.write(line);
}

double EnergyFile::trusted_error() const
{
    return is_comoving_ ? 0.01 + 0.04 / cosmic_.growth() : 0.01;
}

bool EnergyFile::is_doubtful(double error) const
{
    if (!keeps_energy_)
        return false;
    const double energy = std::abs(first_.energy());
    const bool cancels = !is_comoving_ && energy < first_.kinetic;
    return !(std::abs(error) * (cancels ? energy / first_.kinetic : 1) <= trusted_error());
}

const char* EnergyFile::error_name() const
{
    return is_comoving_ ? "Layzer-Irvine error" : keeps_energy_ ? "energy error" : "energy change";
}

std::vector<double> EnergyFile::plain_columns(const Diagnostics& now) const
{
    std::vector<double> columns{now.kinetic, now.potential};
    if (has_field_)
        columns.push_back(now.external);
    columns.insert(columns.end(), {now.energy(), energy_error_});
    for (const Vec3<double>& vector : {now.momentum, now.angular_momentum, now.center_of_mass})
        for (double value : {vector.x, vector.y, vector.z})
            columns.push_back(value);
    columns.push_back(now.virial_ratio());
    columns.insert(columns.end(), now.lagrangian_radii.begin(), now.lagrangian_radii.end());
    return columns;
}

std::vector<double> EnergyFile::comoving_columns(const Diagnostics& now) const
{
    const double K = cosmic_.kinetic(), W = cosmic_.potential();
    return {K, W, K + W, energy_error_, now.momentum.x, now.momentum.y, now.momentum.z};
}

void EnergyFile::exchange(Archive& archive)
{
    file_.exchange(archive, "energies");
    archive("energies/last_step", last_step_);
    std::vector<Diagnostics> first{first_};
    archive.records("energies/first", first);
    if (first.size() != 1)
        throw Error(Fault::restart, "energies/first: has another length than it should");
    first_ = first.front();
    if (is_comoving_)
        cosmic_.exchange(archive);
    archive("energies/error", energy_error_);
    archive("energies/largest_error", largest_error_);
    archive("energies/momentum_drift", momentum_drift_);
}

} // namespace chamomile
