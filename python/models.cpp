// Initial models as functions.
#include "chamomile/core/error.hpp"
#include "chamomile/io/models/exponential_disk.hpp"
#include "chamomile/io/models/galaxy.hpp"
#include "chamomile/io/models/hernquist.hpp"
#include "chamomile/io/models/kepler.hpp"
#include "chamomile/io/models/merger.hpp"
#include "chamomile/io/models/nfw.hpp"
#include "chamomile/io/models/plummer.hpp"
#include "chamomile/io/models/uniform.hpp"
#include "python/bindings.hpp"
#include "python/faults.hpp"

namespace chamomile::python {
namespace {

std::uint64_t number(std::int64_t n)
{
    if (n < 1)
        throw Error(Fault::usage, "number of particles: " + std::to_string(n) +
                                      ": must be at least 1 and below 2^32 - 1");
    return std::uint64_t(n);
}

/// Makes the model while other Python threads run.
template <class Make, class Options>
Snapshot made(Make make, const Options& options)
{
    require_own_threads();
    nb::gil_scoped_release released;
    return make(options);
}

} // namespace

void bind_models(nb::module_& m)
{
    using nb::arg;
    m.def(
        "plummer",
        [](std::int64_t n, std::uint64_t seed, double truncation) {
            return made(
                make_plummer,
                PlummerOptions{.particles = number(n), .seed = seed, .truncation = truncation});
        },
        arg("n") = 10000, arg("seed") = 1, arg("truncation") = 22.8,
        "Plummer sphere in N-body units: G = M = 1, E = -1/4 (Aarseth, Henon & Wielen 1974).\n\n"
        "truncation: largest radius in units of the scale radius, which is about 3 pi / 16.");
    m.def(
        "hernquist",
        [](std::int64_t n, std::uint64_t seed, double truncation) {
            return made(
                make_hernquist,
                HernquistOptions{.particles = number(n), .seed = seed, .truncation = truncation});
        },
        arg("n") = 10000, arg("seed") = 1, arg("truncation") = 100,
        "Isotropic Hernquist (1990) sphere, G = a = 1 and mass 1 of the infinite model, cut at "
        "`truncation` scale radii.");
    m.def(
        "nfw",
        [](std::int64_t n, std::uint64_t seed, double concentration) {
            return made(
                make_nfw,
                NfwOptions{.particles = number(n), .seed = seed, .concentration = concentration});
        },
        arg("n") = 10000, arg("seed") = 1, arg("concentration") = 10,
        "Halo of Navarro, Frenk & White (1997) in isotropic equilibrium, G = r_s = 1, mass 1 "
        "within the virial radius; ended exponentially beyond it.");
    m.def(
        "disk",
        [](std::int64_t n, std::uint64_t seed, double height, double truncation) {
            return made(make_thin_disk, ThinDiskOptions{.particles = number(n),
                                                        .seed = seed,
                                                        .height = height,
                                                        .truncation = truncation});
        },
        arg("n") = 10000, arg("seed") = 1, arg("height") = 0.05, arg("truncation") = 10,
        "Cold exponential disk on circular orbits, G = R_d = 1, mass 1 if it were not truncated "
        "(Freeman 1970); no equilibrium.");
    m.def(
        "galaxy",
        [](std::int64_t n, std::uint64_t seed) {
            return made(make_galaxy, GalaxyOptions{.particles = number(n), .seed = seed});
        },
        arg("n") = 100000, arg("seed") = 1,
        "Disk galaxy with bulge and halo in the x-y plane, G = M_d = R_d = 1 (Hernquist 1993). "
        "Types: halo 1, disk 2, bulge 3.");
    m.def(
        "merger",
        [](std::int64_t n, std::uint64_t seed, double mass_ratio, double eccentricity,
           double pericentre, double separation) {
            MergerOptions options;
            options.galaxy.particles = number(n);
            options.galaxy.seed = seed;
            options.mass_ratio = mass_ratio;
            options.eccentricity = eccentricity;
            options.pericentre = pericentre;
            options.separation = separation;
            return made(make_merger, options);
        },
        arg("n") = 100000, arg("seed") = 1, arg("mass_ratio") = 1, arg("eccentricity") = 1,
        arg("pericentre") = 2.5, arg("separation") = 20,
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
        [](double semi_major_axis, double eccentricity, double mass_ratio) {
            return made(make_two_body, TwoBodyOptions{.semi_major_axis = semi_major_axis,
                                                      .eccentricity = eccentricity,
                                                      .mass_ratio = mass_ratio});
        },
        arg("semi_major_axis") = 1, arg("eccentricity") = 0.5, arg("mass_ratio") = 1,
        "Two bodies of total mass 1 at pericentre, G = 1; the period is 2 pi a^1.5.");
}

} // namespace chamomile::python
