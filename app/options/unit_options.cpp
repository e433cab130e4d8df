#include "app/options/unit_options.hpp"

#include <cstdio>

#include "chamomile/core/error.hpp"
#include "chamomile/io/tipsy/box_units.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/structures/comoving_run.hpp"

namespace chamomile::app {

void add_unit_system(Options& options, std::string& system)
{
    options.text("units", "SYSTEM", system,
                 "galactic (kpc, 1e10 Msun, km/s), stellar (pc, Msun, km/s), planetary (AU, Msun, "
                 "G = 1), cosmological (Mpc/h, 1e10 Msun/h, km/s), gadget (kpc/h), or your own as "
                 "LENGTH,MASS,VELOCITY, or LENGTH,MASS with G = 1. A file that states units is "
                 "converted; one that states none has its numbers in these");
}

void add_file_units(Options& options, FileUnits& units)
{
    add_unit_system(options, units.system);
    options.text("box-length", "LENGTH", units.box_length,
                 "of a comoving Tipsy file as ChaNGa and PKDGRAV have them, whose box has side 1: "
                 "its side, such as 50Mpc/h; needs --h");
    options.number("h", units.hubble, ranges::hubble, "beside --box-length: H0 in 100 km/s/Mpc");
}

void set_file_units(const FileUnits& units, Snapshot& snapshot)
{
    if (units.box_length.empty() != !units.hubble)
        throw Error(Fault::usage,
                    units.hubble ? "--h: needs --box-length LENGTH" : "--box-length: needs --h X");
    if (units.hubble) {
        if (!has_unit(units.box_length))
            throw Error(Fault::usage, "--box-length: " + units.box_length +
                                          ": a length with its unit is needed, such as 50 Mpc/h");
        const Units cm{1, 1, 1, true, false};
        const std::string plain =
            in_frame("--box-length", units.box_length, dimensions::length, {cm, *units.hubble});
        set_box_scale(snapshot,
                      {parse_number<double>("--box-length", plain, positive), *units.hubble},
                      "--box-length");
    }
    if (units.system.empty())
        return;
    choose_units(snapshot, unit_system("--units", units.system), "--units: " + units.system);
    set_density(snapshot);
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
