#include "app/models/population_options.hpp"

#include <cmath>

#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "chamomile/initial/models/galaxy.hpp"

namespace chamomile::app {

void add_population_options(Options& options, StellarPopulation& population)
{
    OptionRows<StellarPopulation> t;
    t.group("Stars");
    t.text("imf", &StellarPopulation::imf, "NAME|FILE",
           "stellar masses: kroupa, salpeter, chabrier or a table of m and dN/dm, times a factor "
           "that keeps the whole mass. With units the number is --mass over their mean");
    t.number("imf-min", &StellarPopulation::min, ranges::positive, "smallest mass in Msun");
    t.number("imf-max", &StellarPopulation::max, ranges::positive, "largest mass in Msun");
    t.flag("segregated", &StellarPopulation::segregated,
           "heavier stars have lower energies (Baumgardt et al. 2008)");
    options.add(t.take(), population);
}

std::uint64_t number_of_stars(const Options& options, const StellarPopulation& population,
                              bool physical, const std::optional<double>& mass,
                              std::uint64_t particles)
{
    const bool is_named =
        population.imf == "kroupa" || population.imf == "salpeter" || population.imf == "chabrier";
    if (population.is_asked() && !is_named)
        record_input(population.imf);
    const bool counts = population.is_asked() && physical;
    refuse_idle(options, {{!population.is_asked(), "imf-min imf-max segregated", "needs --imf"},
                          {!is_named, "imf-min imf-max", "contradicts the table of --imf"},
                          {counts && !mass, "imf", "needs --mass where quantities have units"},
                          {counts, "particles", "contradicts --imf and --mass, which give it"}});
    if (!counts)
        return particles;
    const InitialMassFunction imf("--imf", population.imf, population.min, population.max);
    return std::max<std::uint64_t>(1, std::llround(1e10 * *mass / imf.mean()));
}

void add_size_options(Options& options, ModelSize& size)
{
    OptionRows<ModelSize> t;
    t.group("Model");
    t.number("mass", &ModelSize::mass, ranges::positive, "total mass")
        .in(dimensions::mass)
        .shown("1");
    t.number("r-half", &ModelSize::half_mass_radius, ranges::positive, "half-mass radius")
        .in(dimensions::length);
    options.add(t.take(), size);
}

void scale_to(const ModelSize& size, double half_mass_radius, bool physical, Snapshot& snapshot)
{
    const double mass = size.mass.value_or(1);
    const double length = size.half_mass_radius.value_or(half_mass_radius) / half_mass_radius;
    if (mass == 1 && length == 1 && !physical)
        return;
    const Units units = snapshot.units;
    scale_to_physical(snapshot, length, mass);
    if (physical)
        return;
    const double G = snapshot.units.gravitational_constant();
    for (Vec3<double>& v : snapshot.particles.velocity)
        v = (1 / std::sqrt(G)) * v;
    snapshot.units = units;
}

} // namespace chamomile::app
