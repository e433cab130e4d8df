#include "chamomile/run/files/energy_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/option_row.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/run/files/table_columns.hpp"

namespace chamomile {

namespace {

using namespace dimensions;

/// Returns the columns; a field adds its energy and the internal one.
std::vector<TableColumn> columns_of(bool is_comoving, bool has_field)
{
    const std::vector<TableColumn> fields = {{"external", energy}, {"internal", energy}};
    std::vector<TableColumn> energies = {{"kinetic", energy}, {"potential", energy}};
    if (has_field)
        energies = joined_columns({energies, fields});
    const std::vector<TableColumn> total = {{"total", energy},
                                            {is_comoving ? "layzer_irvine" : "energy_error"}},
                                   cost = {{"step"}, {"pairs"}};
    if (is_comoving)
        return joined_columns(
            {{{"scale_factor"}}, energies, total, vector_columns_of("momentum", momentum), cost});
    return joined_columns({{{"time", dimensions::time}},
                           energies,
                           total,
                           vector_columns_of("momentum", momentum),
                           vector_columns_of("angular_momentum", angular_momentum),
                           vector_columns_of("center", length),
                           {{"virial_ratio"},
                            {"r10", length},
                            {"r25", length},
                            {"r50", length},
                            {"r75", length},
                            {"r90", length}},
                           cost});
}

} // namespace

EnergyFile::EnergyFile(bool is_comoving, const ExternalField* field)
    : is_comoving_(is_comoving), has_field_(field != nullptr),
      keeps_energy_(!field || field->without_energy().empty())
{}

std::string EnergyFile::open(const std::filesystem::path& file, const Units& units)
{
    return file_.open(file,
                      joined(headings_of(columns_of(is_comoving_, has_field_), units)) + "\n");
}

void EnergyFile::add(Simulation& simulation)
{
    if (last_step_ == simulation.step())
        return;
    const Diagnostics& now = simulation.diagnostics();
    if (!last_step_) {
        first_ = now;
        binding_ = binding_energy({simulation.integrator().field(), simulation.time()});
    }
    last_step_ = simulation.step();
    if (is_comoving_)
        cosmic_.add(simulation.file_time(), now);
    record_error(is_comoving_ ? std::optional(cosmic_.residue()) : change(now));
    const double momentum_scale = std::sqrt(2 * std::max(first_.kinetic, now.kinetic) * now.mass);
    momentum_drift_ =
        momentum_scale == 0 ? 0 : norm(now.momentum - first_.momentum) / momentum_scale;

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

/// Returns the energy change relative to its scale; none if all energies are 0.
std::optional<double> EnergyFile::change(const Diagnostics& now) const
{
    const double difference = now.energy() - first_.energy();
    const double scale = energy_scale() > 0 ? energy_scale() : now.kinetic;
    const bool is_known = difference != 0 || scale != 0; // true for NaN, too
    return is_known ? std::optional(difference / scale) : std::nullopt;
}

/// Records an error; none: not measurable.
void EnergyFile::record_error(std::optional<double> error)
{
    constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
    energy_error_ = error && !std::isnan(*error) ? *error : no_number;
    if (error)
        largest_error_ =
            std::max(largest_error_, std::isnan(*error) ? std::numeric_limits<double>::infinity()
                                                        : std::abs(*error));
}

/// Returns |E_0|, or the first kinetic energy if at least a hundred times larger.
double EnergyFile::energy_scale() const
{
    const double energy = std::abs(first_.energy());
    return 100 * energy > first_.kinetic ? energy : first_.kinetic;
}

/// Returns the mutual binding energy of the particles, plus the tide: the difference in external
/// energy over their extent. Returns 0 if this sum exceeds half of the energy scale. Below half,
/// the scale is mostly the energy of a common orbit or motion.
double EnergyFile::binding_energy(const ExternalState& external) const
{
    constexpr double min = 1e-6; // relative to the scale; below, the particles are unbound
    const double binding = -first_.internal_energy(), scale = energy_scale();
    if (is_comoving_ || !(binding > min * scale))
        return 0;
    double tide = 0;
    if (external.field) {
        Vec3<double> pull;
        double depth = external.field->centrifugal(first_.center_of_mass);
        external.field->add(external.time, {&first_.center_of_mass, 1}, {}, {&pull, 1},
                            {&depth, 1});
        tide = std::abs(first_.external - first_.mass * depth);
    }
    return binding + tide < scale / 2 ? binding + tide : 0;
}

double EnergyFile::trusted_error() const
{
    return is_comoving_ ? 0.01 + 0.04 / cosmic_.growth() : 0.01;
}

double EnergyFile::judged(double error) const
{
    return std::abs(error) * (binding_ > 0 ? energy_scale() / binding_ : 1);
}

bool EnergyFile::is_doubtful(double error) const
{
    if (!keeps_energy_ || !is_measured())
        return false;
    const double scale = energy_scale();
    const bool cancels = !is_comoving_ && !(binding_ > 0) && scale < first_.kinetic;
    return !(judged(error) * (cancels ? scale / first_.kinetic : 1) <= trusted_error());
}

bool EnergyFile::is_measured() const
{
    return !(std::isnan(energy_error_) && largest_error_ == 0);
}

const char* EnergyFile::error_name() const
{
    return is_comoving_ ? "Layzer-Irvine error" : keeps_energy_ ? "energy error" : "energy change";
}

std::string EnergyFile::scale_name() const
{
    return binding_ > 0 ? " of the binding energy of the particles" : "";
}

std::string EnergyFile::summary() const
{
    if (!is_measured())
        return formatted("%s not measured: all energies are 0", error_name());
    if (!std::isfinite(energy_error_))
        return formatted("%s not measured: the energy is not finite", error_name());
    std::string line =
        formatted("%s %.2e at the end, %.2e at most", error_name(), energy_error_, largest_error_);
    if (keeps_energy_ && binding_ > 0)
        line += formatted(", %.2e", judged(largest_error_)) + scale_name();
    return line;
}

std::string EnergyFile::latest(const Simulation& simulation) const
{
    if (!std::isfinite(energy_error_))
        return formatted("%s not measured", error_name());
    const std::string line = formatted("%s %.1e", error_name(), energy_error_);
    return last_step_ == simulation.step()
               ? line
               : line + formatted(" in step %llu", (unsigned long long)last_step_.value_or(0));
}

std::vector<double> EnergyFile::plain_columns(const Diagnostics& now) const
{
    std::vector<double> columns{now.kinetic, now.potential};
    if (has_field_)
        columns.insert(columns.end(), {now.external, now.internal_energy()});
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
    if (archive.has("energies/binding"))
        archive("energies/binding", binding_);
    archive("energies/error", energy_error_);
    archive("energies/largest_error", largest_error_);
    archive("energies/momentum_drift", momentum_drift_);
}

} // namespace chamomile
