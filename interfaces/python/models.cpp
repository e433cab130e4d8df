// Initial models as functions.
#include <map>
#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "chamomile/core/error.hpp"
#include "chamomile/initial/models/galaxy.hpp"
#include "chamomile/initial/models/merger.hpp"
#include "chamomile/initial/models/model_rows.hpp"
#include "chamomile/initial/models/spheres.hpp"
#include "interfaces/python/bindings.hpp"
#include "interfaces/python/faults.hpp"
#include "interfaces/python/options.hpp"
#include "interfaces/python/plain.hpp"

namespace chamomile::python {
namespace {

std::uint64_t number(std::int64_t n)
{
    if (n < 1)
        throw Error(Fault::usage, "number of particles: " + std::to_string(n) +
                                      ": must be at least 1 and below 2^32 - 1");
    return std::uint64_t(n);
}

/// Makes the model without holding the GIL.
template <class Make, class Options>
Snapshot made(Make make, const Options& options)
{
    require_own_threads();
    const Released released;
    return make(options);
}

/// Sets a keyword that applies to all spheres. Returns false for other keywords.
bool set_shape(SpheresOptions& options, const std::string& key, nb::handle value)
{
    if (key == "b_to_a")
        options.b_to_a = Number{value}.of(key);
    else if (key == "c_to_a")
        options.c_to_a = Number{value}.of(key);
    else if (key == "hubble")
        options.hubble = Number{value}.of(key);
    else if (key == "physical")
        options.physical = nb::cast<bool>(value);
    else
        return false;
    return true;
}

/// The options that the keywords of a model set.
template <class Settings>
struct Keywords {
    std::string model;
    const std::vector<OptionRow<Settings>>& rows;
    Settings& settings;
    GivenOptions given = {};
    bool have_units = false;

    void put(const std::string& key, nb::handle value)
    {
        const OptionRow<Settings>* row = find_row(rows, key);
        if (!row || row->name == "part")
            throw Error(Fault::usage, model + ": " + key + ": unknown keyword");
        if (value.is_none())
            return;
        given.insert(row->name);
        if (put_quantity(*row, settings, model + ": " + key, option_text(*row, key, value)))
            have_units = true;
    }

    /// Throws Error(usage) for keywords without effect. `n` is given if it is a number.
    void check(const StellarPopulation& stars, bool physical, const std::optional<std::int64_t>& n)
    {
        if (const auto idle = first_idle(
                idle_options(stars), [&](const std::string& name) { return given.contains(name); }))
            throw Error(Fault::usage, model + ": {" + idle->name + "}: " + idle->because);
        if (n && counts_stars(stars, physical))
            throw Error(Fault::usage, model + ": n: contradicts {imf} and {mass}, which give it");
    }

    std::string help(const std::string& what) const
    {
        std::string doc = what + " Keywords, quantities as numbers or as texts such as '600Msun', "
                                 "which give kpc, 1e10 Msun and km/s:\n\n";
        for (const auto& row : rows)
            if (row.name != "part")
                doc += row.plain_name() + ": " + in_python(row.help) + "\n";
        return doc;
    }
};

/// Binds the function of one kind, with keywords from its option table.
void bind_sphere(nb::module_& m, SphereKind kind)
{
    static std::map<SphereKind, std::vector<OptionRow<SphereOptions>>> tables;
    const auto& rows = tables[kind] = sphere_rows(kind);
    SphereOptions none;
    const std::string doc =
        Keywords<SphereOptions>{name_of(kind), rows, none}.help(
            "Sphere in equilibrium; by default G = M = 1 and scale 1. n: 10000 unless given.") +
        "b_to_a, c_to_a: axis ratios along y and z: stretched, near equilibrium\n"
        "physical: lengths are in kpc, masses in 1e10 Msun, velocities in km/s\n"
        "hubble: for m200: H0 in 100 km/s/Mpc";
    m.def(
        name_of(kind),
        [kind, &rows](std::optional<std::int64_t> n, std::uint64_t seed, const nb::kwargs& shape) {
            SpheresOptions options{.particles = number(n.value_or(10000)), .seed = seed};
            SphereOptions& sphere = options.spheres.front();
            sphere.kind = kind;
            Keywords<SphereOptions> keywords{name_of(kind), rows, sphere};
            for (const auto& [keyword, value] : shape) {
                const auto key = nb::cast<std::string>(keyword);
                require_plain(value, keywords.model + ": " + key);
                if (value.is_none() || !set_shape(options, key, value))
                    keywords.put(key, value);
            }
            options.physical = options.physical || keywords.have_units;
            keywords.check(sphere.stars, options.physical || sphere.virial_mass, n);
            return made(make_spheres, options);
        },
        nb::arg("n") = nb::none(), nb::arg("seed") = 1, nb::arg("shape"), doc.c_str());
}

/// Binds a model with a size.
template <class Options>
void bind_model(nb::module_& m, const char* name, const std::vector<OptionRow<Options>>& rows,
                Snapshot (*make)(const Options&), const char* what)
{
    const auto filled = [name, &rows, make](Options options, std::optional<std::int64_t> n,
                                            const nb::kwargs& shape) {
        Keywords<Options> keywords{name, rows, options};
        for (const auto& [key, value] : shape)
            keywords.put(nb::cast<std::string>(key), value);
        options.size.physical = keywords.have_units;
        if constexpr (requires { options.stars; })
            keywords.check(options.stars, options.size.physical, n);
        return made(make, options);
    };
    Options none;
    const std::string doc = Keywords<Options>{name, rows, none}.help(what);
    if constexpr (requires { none.particles; })
        m.def(
            name,
            [filled](std::optional<std::int64_t> n, std::uint64_t seed, const nb::kwargs& shape) {
                return filled({.particles = number(n.value_or(10000)), .seed = seed}, n, shape);
            },
            nb::arg("n") = nb::none(), nb::arg("seed") = 1, nb::arg("shape"), doc.c_str());
    else
        m.def(
            name, [filled](const nb::kwargs& shape) { return filled({}, {}, shape); },
            nb::arg("shape"), doc.c_str());
}

} // namespace

void bind_models(nb::module_& m)
{
    using nb::arg;
    bind_model(m, "plummer", plummer_rows(), make_plummer,
               "Plummer sphere, by default in N-body units: G = M = 1, E = -1/4 (Aarseth, Henon & "
               "Wielen 1974). n: 10000 unless given.");
    for (SphereKind kind : sphere_kinds())
        if (kind != SphereKind::plummer)
            bind_sphere(m, kind);
    m.def(
        "spheres",
        [](const std::vector<std::string>& spheres, std::int64_t n, std::uint64_t seed,
           const nb::kwargs& shape) {
            SpheresOptions options{.particles = number(n), .seed = seed, .spheres = {}};
            for (const std::string& text : spheres)
                options.spheres.push_back(parse_sphere(text));
            for (const auto& [key, value] : shape)
                if (!set_shape(options, nb::cast<std::string>(key), value))
                    throw Error(Fault::usage,
                                "spheres: " + nb::cast<std::string>(key) + ": unknown keyword");
            return made(make_spheres, options);
        },
        arg("spheres"), arg("n") = 10000, arg("seed") = 1, arg("shape"),
        "Concentric spheres, each in equilibrium in the total field. A sphere is a text such as "
        "'nfw,m200=100,concentration=12' or 'king,w0=7,mass=2,r_half=3,type=4'.\n\nshape: b_to_a, "
        "c_to_a, physical and hubble, as in the functions for one sphere.");
    bind_model(m, "disk", thin_disk_rows(), make_thin_disk,
               "Cold exponential disk on circular orbits, by default G = R_d = 1, mass 1 without "
               "truncation (Freeman 1970); not in equilibrium. n: 10000 unless given.");
    m.def(
        "galaxy",
        [](std::int64_t n, std::uint64_t seed, const std::string& halo, const std::string& bulge) {
            return made(make_galaxy,
                        GalaxyOptions{.particles = number(n),
                                      .seed = seed,
                                      .bulge_profile = sphere_kind("bulge_profile", bulge),
                                      .halo_profile = sphere_kind("halo_profile", halo)});
        },
        arg("n") = 100000, arg("seed") = 1, arg("halo_profile") = "hernquist",
        arg("bulge_profile") = "hernquist",
        "Disk galaxy with bulge and halo in the x-y plane, G = M_d = R_d = 1 (Hernquist 1993). "
        "Types: halo 1, disk 2, bulge 3.");
    m.def(
        "merger",
        [](std::int64_t n, std::uint64_t seed, Number mass_ratio, Number eccentricity,
           Number pericenter, Number separation) {
            MergerOptions options;
            options.galaxy.particles = number(n);
            options.galaxy.seed = seed;
            options.mass_ratio = mass_ratio.of("mass_ratio");
            options.eccentricity = eccentricity.of("eccentricity");
            options.pericenter = pericenter.of("pericenter");
            options.separation = separation.of("separation");
            return made(make_merger, options);
        },
        arg("n") = 100000, arg("seed") = 1, arg("mass_ratio") = 1, arg("eccentricity") = 1,
        arg("pericenter") = 2.5, arg("separation") = 20,
        "Two disk galaxies before an encounter (Toomre & Toomre 1972), G = 1.");
    bind_model(m, "cold_sphere", uniform_rows(), make_cold_sphere,
               "Uniform sphere at rest, by default G = M = R = 1. n: 10000 unless given.");
    bind_model(m, "cube", uniform_rows(), make_cube,
               "Uniform cube at rest, by default of side 1, G = M = 1. n: 10000 unless given.");
    bind_model(m, "two_body", two_body_rows(), make_two_body,
               "Two bodies at pericenter, by default of total mass 1, G = 1.");
}

} // namespace chamomile::python
