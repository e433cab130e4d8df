/// \file  `chamomile model`: writes the built-in initial models.
#include <cmath>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/models/model_cosmology.hpp"
#include "app/models/model_galaxy.hpp"
#include "app/models/model_spheres.hpp"
#include "app/models/population_options.hpp"
#include "app/options/command_page.hpp"
#include "app/options/options.hpp"
#include "app/program.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/initial/models/exponential_disk.hpp"
#include "chamomile/initial/models/kepler.hpp"
#include "chamomile/initial/models/plummer.hpp"
#include "chamomile/initial/models/uniform.hpp"

namespace chamomile::app {
namespace {

using Arguments = std::vector<std::string>;

int plummer(const Arguments& arguments)
{
    PlummerOptions model;
    ModelSize size;
    StellarPopulation population;
    Output output;
    Options options("model plummer",
                    "Writes an isotropic Plummer sphere, in N-body units unless asked otherwise: G "
                    "= M = 1, E = -1/4. Quantities with units give kpc, 1e10 Msun and km/s.");
    options.add(number_and_seed_rows<decltype(model)>(), model);
    OptionRows<PlummerOptions> t;
    t.group("Model");
    t.number("truncation", &PlummerOptions::truncation, ranges::positive,
             "largest radius in units of the scale radius");
    t.number("exact-energy-limit", &PlummerOptions::exact_energy_limit, ranges::not_negative,
             "sums the energy over all pairs up to N particles, over shells above");
    options.add(t.take(), model);
    add_size_options(options, size);
    add_population_options(options, population);
    add_output(options, output);
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    const bool physical = options.has_units();
    options.set_units({Units::gadget(false)});
    const std::uint64_t n =
        number_of_stars(options, population, physical, size.mass, model.particles);
    return write_output(options, output, [&] {
        Snapshot snapshot =
            populated(population, systems_of(population, n), model.seed, [&](std::uint64_t count) {
                model.particles = count;
                return make_plummer(model);
            });
        if (population.is_asked() && n > 1)
            scale_to_henon(snapshot.particles, model.exact_energy_limit);
        scale_to(size, plummer_half_mass_radius, physical, snapshot);
        split_binaries(population, model.seed, snapshot);
        return snapshot;
    });
}

int cold_sphere(const Arguments& arguments)
{
    UniformOptions model;
    ModelSize size;
    Output output;
    Options options("model cold-sphere",
                    "Writes a uniform sphere at rest, G = M = R = 1 unless asked otherwise. "
                    "Quantities with units give kpc, 1e10 Msun and km/s.");
    options.add(number_and_seed_rows<decltype(model)>(), model);
    add_size_options(options, size);
    add_output(options, output);
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    const bool physical = options.has_units();
    options.set_units({Units::gadget(false)});
    return write_output(options, output, [&] {
        Snapshot snapshot = make_cold_sphere(model);
        scale_to(size, std::cbrt(0.5), physical, snapshot);
        return snapshot;
    });
}

int cube(const Arguments& arguments)
{
    UniformOptions model;
    Output output;
    Options options("model cube", "Writes particles at rest in a cube of side 1, G = M = 1.");
    options.add(number_and_seed_rows<decltype(model)>(), model);
    add_output(options, output);
    if (!options.parse(arguments))
        return 0;
    return write_output(options, output, [&] { return make_cube(model); });
}

int two_body(const Arguments& arguments)
{
    TwoBodyOptions model;
    Output output;
    Options options("model two-body",
                    "Writes two bodies on a Kepler orbit, at pericenter, G = m1 + m2 = 1.");
    OptionRows<TwoBodyOptions> t;
    t.group("Model");
    t.number("semi-major-axis,a", &TwoBodyOptions::semi_major_axis, ranges::positive,
             "the period is 2 pi a^(3/2)");
    t.number("eccentricity,e", &TwoBodyOptions::eccentricity, ranges::between(0, 0.9999999),
             "from 0 below 1");
    t.number("mass-ratio", &TwoBodyOptions::mass_ratio, ranges::positive, "m2 / m1");
    options.add(t.take(), model);
    add_output(options, output);
    if (!options.parse(arguments))
        return 0;
    return write_output(options, output, [&] { return make_two_body(model); });
}

int disk(const Arguments& arguments)
{
    ThinDiskOptions model;
    Output output;
    Options options("model disk",
                    "Writes a thin exponential disk on circular orbits, G = M = R_d = 1: a test of "
                    "forces, not in equilibrium.");
    options.add(number_and_seed_rows<decltype(model)>(), model);
    OptionRows<ThinDiskOptions> t;
    t.group("Model");
    t.number("height", &ThinDiskOptions::height, ranges::positive, "z0 of sech^2(z / z0)");
    t.number("truncation", &ThinDiskOptions::truncation, ranges::positive, "largest radius");
    options.add(t.take(), model);
    add_output(options, output);
    if (!options.parse(arguments))
        return 0;
    return write_output(options, output, [&] { return make_thin_disk(model); });
}

constexpr Command kinds[] = {
    {"plummer", "Plummer sphere in N-body units, E = -1/4", plummer},
    {"hernquist", "Hernquist sphere", model_hernquist},
    {"nfw", "NFW halo", model_nfw},
    {"einasto", "Einasto halo", model_einasto},
    {"king", "King sphere: a globular cluster", model_king},
    {"exponential", "sphere with an exponential surface density: a bulge", model_exponential},
    {"spheres", "several spheres in equilibrium with each other", model_spheres},
    {"cold-sphere", "uniform sphere at rest: cold collapse", cold_sphere},
    {"cube", "uniform cube at rest: a test of forces", cube},
    {"two-body", "Kepler orbit", two_body},
    {"disk", "thin exponential disk: a test of forces", disk},
    {"galaxy", "disk, bulge and halo in equilibrium", model_galaxy},
    {"merger", "two such galaxies on a Kepler orbit", model_merger},
    {"cosmology", "a periodic box at high redshift, by 2LPT", model_cosmology},
};

void show_kinds()
{
    CommandPage page{
        .command = "model", .summary = "Writes initial conditions.", .children_title = "Models"};
    page.arguments.push_back({"MODEL", "which; 'chamomile model MODEL --help' lists its options"});
    for (const Command& kind : kinds)
        page.children.emplace_back(kind.name, kind.summary);
    show_help(page, Extent::all);
}

} // namespace

int model(const std::vector<std::string>& arguments)
{
    const std::string name = arguments.empty() ? "" : arguments.front();
    if (name == "--help" || name == "--help-all" || name == "-h") {
        show_kinds();
        return 0;
    }
    std::vector<std::string> known;
    for (const Command& kind : kinds) {
        if (name == kind.name)
            return kind.run({arguments.begin() + 1, arguments.end()});
        known.emplace_back(kind.name);
    }
    if (name.empty() || name.front() == '-')
        throw Error(Fault::usage,
                    "model: missing: MODEL; 'chamomile model --help' lists the models");
    throw Error(Fault::usage, "model: " + name + ": unknown model" + suggestion(name, known) +
                                  "; 'chamomile model --help' lists all");
}

} // namespace chamomile::app
