#include "app/energy_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "app/numbers.hpp"
#include "app/table.hpp"
#include "core/error.hpp"

namespace chamomile::app {

EnergyFile::~EnergyFile()
{
    if (file_)
        std::fclose(file_);
}

void EnergyFile::open(const std::filesystem::path& file)
{
    path_ = file;
    file_ = std::fopen(file.c_str(), "w");
    if (!file_)
        throw Error(Fault::output, file.string() + ": cannot be created: " + std::strerror(errno));
    std::fputs("time,kinetic,potential,total,energy_error,momentum_x,momentum_y,momentum_z,"
               "angular_momentum_x,angular_momentum_y,angular_momentum_z,center_x,center_y,"
               "center_z,virial_ratio,r10,r25,r50,r75,r90,step,pairs\n",
               file_);
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
    if (std::fputs(line.c_str(), file_) < 0 || std::fflush(file_) != 0)
        throw Error(Fault::output, path_.string() + ": cannot be written: " + std::strerror(errno));
}

} // namespace chamomile::app
