#include "app/energy_file.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/numbers.hpp"
#include "app/table.hpp"
#include "core/archive.hpp"

namespace chamomile::app {

std::string EnergyFile::open(const std::filesystem::path& file)
{
    return file_.open(file,
                      "time,kinetic,potential,total,energy_error,momentum_x,momentum_y,momentum_z,"
                      "angular_momentum_x,angular_momentum_y,angular_momentum_z,center_x,center_y,"
                      "center_z,virial_ratio,r10,r25,r50,r75,r90,step,pairs\n");
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
    energy_error_ = scale > 0 ? (now.energy() - first_.energy()) / scale : 0;
    largest_error_ = std::max(largest_error_, std::abs(energy_error_));
    const double momentum_scale = std::sqrt(2 * std::max(first_.kinetic, now.kinetic) * now.mass);
    momentum_drift_ =
        momentum_scale > 0 ? norm(now.momentum - first_.momentum) / momentum_scale : 0;

    std::string line = shortest(simulation.time());
    const auto column = [&](double value) {
        line += ',';
        line += shortest(value);
    };
    for (double value : {now.kinetic, now.potential, now.energy(), energy_error_})
        column(value);
    for (const Vec3<double>& vector : {now.momentum, now.angular_momentum, now.center_of_mass})
        for (double value : {vector.x, vector.y, vector.z})
            column(value);
    column(now.virial_ratio());
    for (double radius : now.lagrangian_radii)
        column(radius);
    const ForceStatistics& forces = simulation.last_statistics();
    line += formatted(",%llu,%llu\n", (unsigned long long)simulation.step(),
                      (unsigned long long)(forces.particle_particle + forces.particle_cell));
    file_.write(line);
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
    archive("energies/error", energy_error_);
    archive("energies/largest_error", largest_error_);
    archive("energies/momentum_drift", momentum_drift_);
}

} // namespace chamomile::app
