/// \file  `chamomile model` hernquist, nfw, einasto, king, exponential, and spheres.
#include "app/models/model_spheres.hpp"

#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/options.hpp"
#include "chamomile/initial/models/spheres.hpp"

namespace chamomile::app {
namespace {

using Arguments = std::vector<std::string>;

void add_shape_and_units(Options& options, SpheresOptions& model, bool has_virial_mass)
{
    OptionRows<SpheresOptions> t;
    t.group("Shape and units");
    t.number("b-to-a", &SpheresOptions::b_to_a, ranges::between(0.1, 10),
             "axis ratio along y: stretched, near equilibrium");
    t.number("c-to-a", &SpheresOptions::c_to_a, ranges::between(0.1, 10), "axis ratio along z");
    t.flag("physical", &SpheresOptions::physical,
           "lengths are in kpc, masses in 1e10 Msun, velocities in km/s; else G = 1. A quantity "
           "with a unit, such as 5kpc, implies it");
    if (has_virial_mass)
        t.number("hubble", &SpheresOptions::hubble, ranges::hubble, "for m200: H0 in 100 km/s/Mpc");
    options.add(t.take(), model);
}

/// Writes one sphere. Table rows become options.
int one_sphere(SphereKind kind, const std::string& what, const Arguments& arguments)
{
    SpheresOptions model;
    SphereOptions& sphere = model.spheres.front();
    sphere.kind = kind;
    Output output;
    Options options(std::string("model ") + name_of(kind), what);
    options.add(number_and_seed_rows<SpheresOptions>(), model);
    std::vector<OptionRow<SphereOptions>> rows = sphere_rows(kind);
    std::erase_if(rows, [](const auto& row) { return row.name == "part"; });
    bool has_virial_mass = false;
    for (OptionRow<SphereOptions>& row : rows) {
        has_virial_mass = has_virial_mass || row.name == "m200";
        if (row.name == "concentration")
            row.letter = "c";
        options.add(row, sphere);
    }
    add_shape_and_units(options, model, has_virial_mass);
    add_output(options, output);
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    model.physical = model.physical || options.has_units();
    options.set_units({Units::gadget(false)});
    const bool has_virial = sphere.virial_mass.has_value();
    const bool counts = counts_stars(sphere.stars, model.physical || has_virial);
    refuse_idle(options, idle_options(sphere.stars));
    refuse_idle(options, {{counts, "particles", "contradicts --imf and --mass, which give it"},
                          {!has_virial, "hubble", "needs --m200"},
                          {!has_virial && kind != SphereKind::nfw, "concentration", "needs --m200"},
                          {has_virial, "mass scale r-half", "contradicts --m200"},
                          {sphere.half_mass_radius.has_value(), "scale r-tidal",
                           "contradicts --r-half; give one length"},
                          {sphere.tidal_radius.has_value(), "scale",
                           "contradicts --r-tidal; give one length"}});
    record_population(sphere.stars);
    return write_output(options, output, [&] { return make_spheres(model); });
}

/// Returns the keys of every kind, then the others by kind, such as "; king r-tidal w0".
std::string keys_of_spheres()
{
    std::string text;
    for (const auto& row : sphere_table())
        text += row.needs ? "" : " " + row.name;
    for (const SphereKind kind : sphere_kinds()) {
        std::string own;
        for (const auto& row : sphere_rows(kind))
            own += row.needs ? " " + row.name : "";
        text += own.empty() ? "" : "; " + std::string(name_of(kind)) + own;
    }
    return text;
}

} // namespace

int model_hernquist(const Arguments& arguments)
{
    return one_sphere(SphereKind::hernquist,
                      "Writes a Hernquist sphere in equilibrium, G = M = a = 1 unless asked "
                      "otherwise.",
                      arguments);
}

int model_nfw(const Arguments& arguments)
{
    return one_sphere(SphereKind::nfw,
                      "Writes an NFW halo in equilibrium, G = r_s = 1 and mass 1 within the virial "
                      "radius unless asked otherwise, with an exponential end beyond it.",
                      arguments);
}

int model_einasto(const Arguments& arguments)
{
    return one_sphere(SphereKind::einasto,
                      "Writes an Einasto halo in equilibrium, G = M = r_-2 = 1 unless asked "
                      "otherwise.",
                      arguments);
}

int model_king(const Arguments& arguments)
{
    return one_sphere(SphereKind::king,
                      "Writes a King sphere in equilibrium, such as a globular cluster, G = M = "
                      "r_0 = 1 unless asked otherwise.",
                      arguments);
}

int model_exponential(const Arguments& arguments)
{
    return one_sphere(SphereKind::exponential,
                      "Writes a sphere in equilibrium with the surface density exp(-R / R_d), such "
                      "as a bulge, G = M = R_d = 1 unless asked otherwise.",
                      arguments);
}

void record_population(const StellarPopulation& stars)
{
    if (!stars.imf.empty() && !is_named(stars))
        record_input(stars.imf);
}

int model_spheres(const Arguments& arguments)
{
    SpheresOptions model;
    std::vector<std::string> texts;
    Output output;
    Options options(
        "model spheres",
        "Writes spheres about one center, each in equilibrium in the field of all: "
        "plummer, hernquist, nfw, einasto, king or exponential. Each is a text such as "
        "nfw,m200=100,concentration=12 or king,w0=7,mass=1e4Msun,r-half=3pc,imf=kroupa. "
        "All may have" +
            keys_of_spheres() + ". 'chamomile model KIND --help' explains them.");
    options.positional("SPHERE", texts, "a kind with its properties");
    options.add(number_and_seed_rows<SpheresOptions>(), model);
    add_shape_and_units(options, model, true);
    add_output(options, output);
    if (!options.parse(arguments))
        return 0;
    model.spheres.clear();
    bool has_virial_mass = false;
    for (const std::string& text : texts) {
        model.spheres.push_back(parse_sphere(text));
        has_virial_mass = has_virial_mass || model.spheres.back().virial_mass;
        record_population(model.spheres.back().stars);
    }
    refuse_idle(options, {{!has_virial_mass, "hubble", "needs a sphere with m200"}});
    return write_output(options, output, [&] { return make_spheres(model); });
}

} // namespace chamomile::app
