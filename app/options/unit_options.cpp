#include "app/options/unit_options.hpp"

#include <cstdio>

#include "chamomile/io/unit_conversion.hpp"

namespace chamomile::app {

void add_unit_system(Options& options, std::string& system)
{
    options.text("units", "SYSTEM", system,
                 "galactic (kpc, 1e10 Msun, km/s), stellar (pc, Msun, km/s), planetary (AU, Msun, "
                 "G = 1), cosmological (Mpc/h, 1e10 Msun/h, km/s), gadget (kpc/h), or your own as "
                 "LENGTH,MASS,VELOCITY, or LENGTH,MASS with G = 1. A file that states units is "
                 "converted; one that states none has its numbers in these");
}

void take_unit_system(const std::string& system, Snapshot& snapshot)
{
    if (!system.empty())
        choose_units(snapshot, unit_system("--units", system), "--units: " + system);
}

std::vector<std::string> quantity_lines(const Options& options)
{
    std::vector<std::string> lines;
    for (const std::string& line : options.quantities())
        lines.push_back("quantity     " + line);
    return lines;
}

void print_quantities(const Options& options)
{
    if (options.verbosity() != Verbosity::quiet)
        for (const std::string& line : options.quantities())
            std::printf("%s\n", line.c_str());
}

} // namespace chamomile::app
