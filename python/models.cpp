// Initial models as functions.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "chamomile/core/error.hpp"
#include "chamomile/io/models/exponential_disk.hpp"
#include "chamomile/io/models/galaxy.hpp"
#include "chamomile/io/models/kepler.hpp"
#include "chamomile/io/models/merger.hpp"
#include "chamomile/io/models/plummer.hpp"
#include "chamomile/io/models/spheres.hpp"
#include "chamomile/io/models/uniform.hpp"
#include "python/bindings.hpp"
#include "python/faults.hpp"
#include "python/options.hpp"
#include "python/plain.hpp"

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

/// Sets a keyword that applies to the whole model. Returns false for other keywords.
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

/// Binds the function of one kind, with keywords from its option table.
void bind_sphere(nb::module_& m, SphereKind kind)
{
    const std::string name = name_of(kind);
    std::string doc = "Sphere in equilibrium, G = M = 1 and scale 1 unless asked otherwise. "
                      "Keywords beside n and seed:\n\n";
    for (const auto& row : sphere_rows(kind))
        if (row.name != "part")
            doc += row.plain_name() + ": " + in_python(row.help) + "\n";
    doc += "b_to_a, c_to_a: axis ratios along y and z: stretched, near equilibrium\n"
           "physical: lengths are in kpc, masses in 1e10 Msun, velocities in km/s\n"
           "hubble: for m200: H0 in 100 km/s/Mpc";
    m.def(
        name.c_str(),
        [kind, name](std::int64_t n, std::uint64_t seed, const nb::kwargs& shape) {
            SpheresOptions options{.particles = number(n), .seed = seed};
            options.spheres.front().kind = kind;
            const std::vector<OptionRow<SphereOptions>> rows = sphere_rows(kind);
            for (const auto& [keyword, value] : shape) {
                const auto key = nb::cast<std::string>(keyword);
                require_plain(value, name + ": " + key);
                if (value.is_none() || set_shape(options, key, value))
                    continue;
                const OptionRow<SphereOptions>* row = find_row(rows, key);
                if (!row || row->name == "part")
                    throw Error(Fault::usage, name + ": " + key + ": unknown keyword");
                row->put(options.spheres.front(), name + ": " + key,
                         nb::cast<std::string>(nb::str(value)));
            }
            return made(make_spheres, options);
        },
        nb::arg("n") = 10000, nb::arg("seed") = 1, nb::arg("shape"), doc.c_str());
}

} // namespace

void bind_models(nb::module_& m)
{
    using nb::arg;
    m.def(
        "plummer",
        [](std::int64_t n, std::uint64_t seed, Number truncation) {
            return made(make_plummer, PlummerOptions{.particles = number(n),
                                                     .seed = seed,
                                                     .truncation = truncation.of("truncation")});
        },
        arg("n") = 10000, arg("seed") = 1, arg("truncation") = 22.8,
        "Plummer sphere in N-body units: G = M = 1, E = -1/4 (Aarseth, Henon & Wielen 1974).\n\n"
        "truncation: largest radius in units of the scale radius, which is about 3 pi / 16.");
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
        "Spheres about one center, each in equilibrium in the field of all. Each is a text such as "
        "'nfw,m200=100,concentration=12' or 'king,w0=7,mass=2,r_half=3,type=4'.\n\n"
        "shape: b_to_a, c_to_a, physical and hubble, as in the functions of one sphere.");
    m.def(
        "disk",
        [](std::int64_t n, std::uint64_t seed, Number height, Number truncation) {
            return made(make_thin_disk, ThinDiskOptions{.particles = number(n),
                                                        .seed = seed,
                                                        .height = height.of("height"),
                                                        .truncation = truncation.of("truncation")});
        },
        arg("n") = 10000, arg("seed") = 1, arg("height") = 0.05, arg("truncation") = 10,
        "Cold exponential disk on circular orbits, G = R_d = 1, mass 1 if it were not truncated "
        "(Freeman 1970); no equilibrium.");
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
        "Two such galaxies on their way to an encounter (Toomre & Toomre 1972), G = 1.");
    m.def(
        "cold_sphere",
        [](std::int64_t n, std::uint64_t seed) {
            return made(make_cold_sphere, UniformOptions{.particles = number(n), .seed = seed});
        },
        arg("n") = 10000, arg("seed") = 1, "Uniform sphere at rest, G = M = R = 1.");
    m.def(
        "cube",
        [](std::int64_t n, std::uint64_t seed) {
            return made(make_cube, UniformOptions{.particles = number(n), .seed = seed});
        },
        arg("n") = 10000, arg("seed") = 1, "Uniform cube of side 1 at rest, G = M = 1.");
    m.def(
        "two_body",
        [](Number semi_major_axis, Number eccentricity, Number mass_ratio) {
            return made(make_two_body,
                        TwoBodyOptions{.semi_major_axis = semi_major_axis.of("semi_major_axis"),
                                       .eccentricity = eccentricity.of("eccentricity"),
                                       .mass_ratio = mass_ratio.of("mass_ratio")});
        },
        arg("semi_major_axis") = 1, arg("eccentricity") = 0.5, arg("mass_ratio") = 1,
        "Two bodies of total mass 1 at pericenter, G = 1; the period is 2 pi a^1.5.");
}

} // namespace chamomile::python
