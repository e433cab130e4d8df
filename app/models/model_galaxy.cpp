/// \file  `chamomile model galaxy` and `chamomile model merger`.
#include "app/models/model_galaxy.hpp"

#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/options.hpp"
#include "chamomile/initial/models/galaxy.hpp"
#include "chamomile/initial/models/merger.hpp"

namespace chamomile::app {
namespace {

/// ModelUnits holds the units of the written model.
struct ModelUnits {
    bool physical = false;
    double kpc = 3.5, mass = 5.6; ///< unit of length and mass (1e10 Msun)
};

void add_galaxy(Options& options, GalaxyOptions& galaxy)
{
    OptionRows<GalaxyOptions> t;
    t.group("Galaxy, G = 1 (defaults: the Milky Way in units of its disk)");
    t.append(number_and_seed_rows<GalaxyOptions>());
    t.number("disk-part", &GalaxyOptions::disk_part, ranges::above(0, 1),
             "part of the particles in the disk");
    t.number("bulge-part", &GalaxyOptions::bulge_part, ranges::between(0, 1),
             "fraction of the particles in the bulge; the halo has the rest");
    t.number("disk-mass", &GalaxyOptions::disk_mass, ranges::positive,
             "mass of the exponential disk")
        .in(dimensions::mass);
    t.number("disk-scale", &GalaxyOptions::disk_scale, ranges::positive, "its scale length R_d")
        .in(dimensions::length);
    t.number("disk-height", &GalaxyOptions::disk_height, ranges::positive, "z0 of sech^2(z / z0)")
        .in(dimensions::length);
    t.number("toomre-q", &GalaxyOptions::toomre_q, ranges::positive,
             "smallest Toomre Q of the disk");
    t.number("bulge-mass", &GalaxyOptions::bulge_mass, ranges::not_negative, "mass of the bulge")
        .in(dimensions::mass);
    t.number("bulge-scale", &GalaxyOptions::bulge_scale, ranges::positive, "its scale radius")
        .in(dimensions::length);
    t.number("halo-mass", &GalaxyOptions::halo_mass, ranges::not_negative, "mass of the halo")
        .in(dimensions::mass);
    t.number("halo-scale", &GalaxyOptions::halo_scale, ranges::positive, "its scale radius")
        .in(dimensions::length);
    t.number("halo-taper", &GalaxyOptions::halo_taper, ranges::positive,
             "its density falls as exp(-(r / taper)^2)")
        .in(dimensions::length);
    t.choice("halo-profile", &GalaxyOptions::halo_profile,
             {{"hernquist", SphereKind::hernquist},
              {"nfw", SphereKind::nfw},
              {"einasto", SphereKind::einasto}},
             "its density before the taper");
    t.choice("bulge-profile", &GalaxyOptions::bulge_profile,
             {{"hernquist", SphereKind::hernquist}, {"exponential", SphereKind::exponential}},
             "exponential: of the surface density");
    options.add(t.take(), galaxy);
}

void add_units(Options& options, ModelUnits& units)
{
    OptionRows<ModelUnits> t;
    t.group("Units");
    t.flag("physical", &ModelUnits::physical,
           "write kpc, 1e10 Msun, km/s instead of G = 1; a quantity with a unit, such as "
           "--halo-mass 1e12Msun, implies it");
    t.number("kpc", &ModelUnits::kpc, ranges::positive,
             "with --physical: kpc in one unit of length");
    t.number("mass", &ModelUnits::mass, ranges::positive,
             "with --physical: 1e10 Msun in one unit of mass");
    options.add(t.take(), units);
}

/// Converts quantities with units to model units. The model is then written in physical units.
void set_units(Options& options, ModelUnits& units)
{
    units.physical = units.physical || options.has_units();
    refuse_idle(options, {{!units.physical, "kpc mass", "needs --physical"}});
    if (options.has_units())
        options.set_units({unit_system("--kpc", number_text(units.kpc) + " kpc," +
                                                    number_text(1e10 * units.mass) + " Msun")});
}

Snapshot scaled(Snapshot snapshot, const ModelUnits& units)
{
    if (units.physical)
        scale_to_physical(snapshot, units.kpc, units.mass);
    return snapshot;
}

constexpr const char* encounter = "Encounter";

void add_orientation(Options& options, const std::string& which, DiskOrientation& orientation)
{
    OptionRows<DiskOrientation> t;
    t.group(encounter);
    t.number("inclination" + which, &DiskOrientation::inclination, ranges::any,
             "degrees between the spins of disk " + which + " and orbit");
    t.number("omega" + which, &DiskOrientation::argument, ranges::any,
             "degrees from its ascending node to pericenter");
    options.add(t.take(), orientation);
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
    OptionRows<MergerOptions> t;
    t.group(encounter);
    t.number("mass-ratio", &MergerOptions::mass_ratio, ranges::positive, "of galaxy 2 to galaxy 1");
    t.number("eccentricity,e", &MergerOptions::eccentricity, ranges::not_negative,
             "1 is a parabola");
    t.number("pericenter", &MergerOptions::pericenter, ranges::positive,
             "nearest distance of the orbit")
        .in(dimensions::length);
    t.number("separation", &MergerOptions::separation, ranges::positive,
             "distance of the centers at t = 0")
        .in(dimensions::length);
    options.add(t.take(), merger);
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
