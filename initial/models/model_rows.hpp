/// \file  Options of models: masses, sizes and stars, for the command line and Python.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/initial/models/exponential_disk.hpp"
#include "chamomile/initial/models/kepler.hpp"
#include "chamomile/initial/models/plummer.hpp"
#include "chamomile/initial/models/uniform.hpp"

namespace chamomile {

/// Tables of the options in addition to `particles` and `seed`.
const std::vector<OptionRow<PlummerOptions>>& plummer_rows();
const std::vector<OptionRow<UniformOptions>>& uniform_rows();
const std::vector<OptionRow<ThinDiskOptions>>& thin_disk_rows();
const std::vector<OptionRow<TwoBodyOptions>>& two_body_rows();

/// Reads a text, which may have a unit, into the settings in kpc, 1e10 Msun and km/s. Returns
/// whether it has one. Throws Error(usage).
template <class Settings>
bool put_quantity(const OptionRow<Settings>& row, Settings& settings, const std::string& option,
                  const std::string& text)
{
    const bool with_unit = !row.dimension.is_pure() && has_unit(text);
    row.put(settings, option,
            with_unit ? in_frame(option, text, row.dimension, {Units::gadget(false)}) : text);
    return with_unit;
}

/// Adds the options of stars. `place` returns the StellarPopulation of some settings.
template <class Settings, class Place>
void append_population(OptionRows<Settings>& t, Place place)
{
    t.group("Stars");
    const auto binaries = [place](Settings & s) -> auto&
    {
        return place(s).binaries;
    };
    t.text(
        "imf", [place](Settings & s) -> auto& { return place(s).imf; }, "NAME|FILE",
        "stellar masses: kroupa, salpeter, chabrier or a table of m and dN/dm, times a factor "
        "that keeps the whole mass. With units the number is {mass} over their mean");
    t.number(
        "imf-min", [place](Settings & s) -> auto& { return place(s).min; }, ranges::positive,
        "smallest mass in Msun");
    t.number(
        "imf-max", [place](Settings & s) -> auto& { return place(s).max; }, ranges::positive,
        "largest mass in Msun");
    t.flag(
        "segregated", [place](Settings & s) -> auto& { return place(s).segregated; },
        "heavier stars have lower energies (Baumgardt et al. 2008)");
    t.number(
        "binaries", [binaries](Settings & s) -> auto& { return binaries(s).fraction; },
        ranges::between(0, 1),
        "fraction of binaries among stars and binaries; needs a {mass} with a unit");
    t.choice(
        "periods", [binaries](Settings & s) -> auto& { return binaries(s).periods; },
        {{"raghavan", Periods::raghavan},
         {"duquennoy", Periods::duquennoy},
         {"sana", Periods::sana},
         {"flat", Periods::flat}},
        "their distribution: Raghavan et al. (2010), Duquennoy & Mayor (1991), Sana et al. (2012), "
        "flat in the logarithm");
    t.number(
        "period-min", [binaries](Settings & s) -> auto& { return binaries(s).min_period; },
        ranges::at_least(1), "in days");
    t.number(
        "period-max", [binaries](Settings & s) -> auto& { return binaries(s).max_period; },
        ranges::positive, "in days");
    t.choice(
        "eccentricities", [binaries](Settings & s) -> auto& { return binaries(s).eccentricities; },
        {{"thermal", Eccentricities::thermal},
         {"uniform", Eccentricities::uniform},
         {"circular", Eccentricities::circular}},
        "thermal: 2 e de");
    t.choice(
        "mass-ratios", [binaries](Settings & s) -> auto& { return binaries(s).mass_ratios; },
        {{"uniform", MassRatios::uniform},
         {"random", MassRatios::random},
         {"equal", MassRatios::equal}},
        "uniform from 0.1 to 1, or of two stars of {imf}");
}

} // namespace chamomile
