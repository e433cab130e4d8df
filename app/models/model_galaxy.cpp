/// \file  `chamomile model galaxy` and `chamomile model merger`.
#include "app/models/model_galaxy.hpp"

#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/options.hpp"
#include "chamomile/io/models/galaxy.hpp"
#include "chamomile/io/models/merger.hpp"

namespace chamomile::app {
namespace {

/// ModelUnits holds the units of the written model.
struct ModelUnits {
    bool physical = false;
    double kpc = 3.5, mass = 5.6; ///< unit of length and mass (1e10 Msun)
};

void add_galaxy(Options& options, GalaxyOptions& galaxy)
{
    options.group("Galaxy, G = 1 (defaults: the Milky Way in units of its disk)");
    options.number("particles,n", galaxy.particles, at_least(1), "number of particles");
    options.number("seed", galaxy.seed, not_negative,
                   "same seed, same bytes, for any number of threads");
    options.number("disk-part", galaxy.disk_part, above(0, 1), "part of the particles in the disk");
    options.number("bulge-part", galaxy.bulge_part, between(0, 1),
                   "part of the particles in the bulge; the halo has the others");
    options.number("disk-mass", galaxy.disk_mass, positive, "mass of the exponential disk",
                   dimensions::mass);
    options.number("disk-scale", galaxy.disk_scale, positive, "its scale length R_d",
                   dimensions::length);
    options.number("disk-height", galaxy.disk_height, positive, "z0 of sech^2(z / z0)",
                   dimensions::length);
    options.number("toomre-q", galaxy.toomre_q, positive, "smallest Toomre Q of the disk");
    options.number("bulge-mass", galaxy.bulge_mass, not_negative, "mass of the bulge",
                   dimensions::mass);
    options.number("bulge-scale", galaxy.bulge_scale, positive, "its scale radius",
                   dimensions::length);
    options.number("halo-mass", galaxy.halo_mass, not_negative, "mass of the halo",
                   dimensions::mass);
    options.number("halo-scale", galaxy.halo_scale, positive, "its scale radius",
                   dimensions::length);
    options.number("halo-taper", galaxy.halo_taper, positive,
                   "its density falls as exp(-(r / taper)^2)", dimensions::length);
    options.choice("halo-profile", galaxy.halo_profile,
                   {{"hernquist", SphereKind::hernquist},
                    {"nfw", SphereKind::nfw},
                    {"einasto", SphereKind::einasto}},
                   "its density before the taper");
    options.choice("bulge-profile", galaxy.bulge_profile,
                   {{"hernquist", SphereKind::hernquist}, {"exponential", SphereKind::exponential}},
                   "exponential: of the surface density");
}

void add_units(Options& options, ModelUnits& units)
{
    options.group("Units");
    options.flag("physical", units.physical,
                 "write kpc, 1e10 Msun, km/s instead of G = 1; a quantity with a unit, such as "
                 "--halo-mass 1e12Msun, implies it");
    options.number("kpc", units.kpc, positive, "with --physical: kpc in one unit of length");
    options.number("mass", units.mass, positive, "with --physical: 1e10 Msun in one unit of mass");
}

/// Converts quantities with units to model units. The model is then written in physical units.
void set_units(Options& options, ModelUnits& units)
{
    units.physical = units.physical || options.has_units();
    refuse_idle(options, {{!units.physical, "kpc mass", "needs --physical"}});
    if (options.has_units())
        options.set_units({unit_system("--kpc", shortest(units.kpc) + " kpc," +
                                                    shortest(1e10 * units.mass) + " Msun")});
}

Snapshot scaled(Snapshot snapshot, const ModelUnits& units)
{
    if (units.physical)
        scale_to_physical(snapshot, units.kpc, units.mass);
    return snapshot;
}

void add_orientation(Options& options, const std::string& which, DiskOrientation& orientation)
{
    options.number("inclination" + which, orientation.inclination, any_number,
                   "degrees between the spins of disk " + which + " and orbit");
    options.number("omega" + which, orientation.argument, any_number,
                   "degrees from its ascending node to pericenter");
}

} // namespace

int model_galaxy(const std::vector<std::string>& arguments)
{
    GalaxyOptions galaxy;
    ModelUnits units;
    Output output;
    Options options("model galaxy",
                    "Writes a disk galaxy in equilibrium: halo (type 1), exponential disk (2) and "
                    "bulge (3).");
    add_galaxy(options, galaxy);
    add_units(options, units);
    add_output(options, output);
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    set_units(options, units);
    return write_output(options, output, [&] { return scaled(make_galaxy(galaxy), units); });
}

int model_merger(const std::vector<std::string>& arguments)
{
    MergerOptions merger;
    ModelUnits units;
    Output output;
    Options options("model merger",
                    "Writes two disk galaxies on a Kepler orbit, as Toomre & Toomre (1972) place "
                    "them.");
    options.group("Encounter");
    options.number("mass-ratio", merger.mass_ratio, positive, "of galaxy 2 to galaxy 1");
    options.number("eccentricity,e", merger.eccentricity, not_negative, "1 is a parabola");
    options.number("pericenter", merger.pericenter, positive, "nearest distance of the orbit",
                   dimensions::length);
    options.number("separation", merger.separation, positive, "distance of the centers at t = 0",
                   dimensions::length);
    add_orientation(options, "1", merger.first);
    add_orientation(options, "2", merger.second);
    add_galaxy(options, merger.galaxy);
    add_units(options, units);
    add_output(options, output);
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    set_units(options, units);
    return write_output(options, output, [&] { return scaled(make_merger(merger), units); });
}

} // namespace chamomile::app
