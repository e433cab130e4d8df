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
    t.number(
        "binaries", [](StellarPopulation & p) -> auto& { return p.binaries.fraction; },
        ranges::between(0, 1),
        "fraction of binaries among stars and binaries; needs a --mass with a unit");
    t.choice(
        "periods", [](StellarPopulation & p) -> auto& { return p.binaries.periods; },
        {{"raghavan", Periods::raghavan},
         {"duquennoy", Periods::duquennoy},
         {"sana", Periods::sana},
         {"flat", Periods::flat}},
        "their distribution: Raghavan et al. (2010), Duquennoy & Mayor (1991), Sana et al. (2012), "
        "flat in the logarithm");
    t.number(
        "period-min", [](StellarPopulation & p) -> auto& { return p.binaries.min_period; },
        ranges::at_least(1), "in days");
    t.number(
        "period-max", [](StellarPopulation & p) -> auto& { return p.binaries.max_period; },
        ranges::positive, "in days");
    t.choice(
        "eccentricities", [](StellarPopulation & p) -> auto& { return p.binaries.eccentricities; },
        {{"thermal", Eccentricities::thermal},
         {"uniform", Eccentricities::uniform},
         {"circular", Eccentricities::circular}},
        "thermal: 2 e de");
    t.choice(
        "mass-ratios", [](StellarPopulation & p) -> auto& { return p.binaries.mass_ratios; },
        {{"uniform", MassRatios::uniform},
         {"random", MassRatios::random},
         {"equal", MassRatios::equal}},
        "uniform from 0.1 to 1, or of two stars of --imf");
    options.add(t.take(), population);
}

std::uint64_t number_of_stars(const Options& options, const StellarPopulation& population,
                              bool physical, const std::optional<double>& mass,
                              std::uint64_t particles)
{
    const bool is_named =
        population.imf == "kroupa" || population.imf == "salpeter" || population.imf == "chabrier";
    const PrimordialBinaries& binaries = population.binaries;
    const bool has_imf = !population.imf.empty(), counts = has_imf && physical;
    if (has_imf && !is_named)
        record_input(population.imf);
    refuse_idle(options,
                {{!has_imf, "imf-min imf-max segregated", "needs --imf"},
                 {!(binaries.fraction > 0),
                  "periods period-min period-max eccentricities mass-ratios", "needs --binaries"},
                 {!physical || !mass, "binaries", "needs --mass with a unit"},
                 {has_imf && !is_named, "imf-min imf-max", "contradicts the table of --imf"},
                 {counts && !mass, "imf", "needs --mass where quantities have units"},
                 {counts, "particles", "contradicts --imf and --mass, which give it"}});
    if (!(binaries.min_period < binaries.max_period))
        throw Error(Fault::usage, "--period-min: " + number_text(binaries.min_period) +
                                      ": must be below --period-max, " +
                                      number_text(binaries.max_period));
    if (!counts)
        return particles;
    const InitialMassFunction imf("--imf", population.imf, population.min, population.max);
    const double second = binaries.mass_ratios == MassRatios::uniform ? 0.55 : 1; // of a primary
    const double f = binaries.fraction;
    return std::max<std::uint64_t>(
        1, std::llround(1e10 * *mass / imf.mean() * (1 + f) / (1 + f * second)));
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
