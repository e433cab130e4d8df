#include "app/options/unit_options.hpp"

#include <cstdio>

#include "chamomile/core/error.hpp"
#include "chamomile/io/tipsy/box_units.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/structures/comoving_run.hpp"

namespace chamomile::app {

OptionRow<std::string> unit_system_row(const std::string& group)
{
    OptionRows<std::string> rows;
    rows.group(group);
    rows.text("units", std::identity(), "SYSTEM",
              "galactic (kpc, 1e10 Msun, km/s), stellar (pc, Msun, km/s), planetary (AU, Msun, "
              "G = 1), cosmological (Mpc/h, 1e10 Msun/h, km/s), gadget (kpc/h), or your own as "
              "LENGTH,MASS,VELOCITY, or LENGTH,MASS with G = 1. A file that states units is "
              "converted; one that states none has its numbers in these");
    return rows.take().front();
}

void add_file_units(Options& options, FileUnits& units, const std::string& group)
{
    options.add(unit_system_row(group), units.system);
    OptionRows<FileUnits> rows;
    rows.group(group);
    rows.text("box-length", &FileUnits::box_length, "LENGTH",
              "side of a comoving Tipsy box of ChaNGa or PKDGRAV, which has side 1 in the file; "
              "such as 50Mpc/h; needs {h}");
    rows.number("h", &FileUnits::hubble, ranges::hubble, "beside {box-length}: H0 in 100 km/s/Mpc");
    options.add(rows.take(), units);
}

void set_file_units(const FileUnits& units, Snapshot& snapshot)
{
    if (units.box_length.empty() != !units.hubble)
        throw Error(Fault::usage,
                    units.hubble ? "--h: needs --box-length LENGTH" : "--box-length: needs --h X");
    if (units.hubble) {
        if (!has_unit(units.box_length))
            throw Error(Fault::usage, "--box-length: " + units.box_length +
                                          ": must be a length with a unit, such as 50 Mpc/h");
        const Units cm{1, 1, 1, true, false};
        const std::string plain =
            in_frame("--box-length", units.box_length, dimensions::length, {cm, *units.hubble});
        set_box_scale(
            snapshot,
            {parse_number<double>("--box-length", plain, ranges::positive), *units.hubble},
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
