#include "chamomile/run/structures/mass_function_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/run/structures/analysed.hpp"

namespace chamomile {
namespace {

/// A MassBin counts halos of similar mass, by each mass definition.
struct MassBin {
    std::size_t halos = 0, corrected = 0, spheres = 0;
    double log_mass = 0; ///< sum over the halos
};

/// Returns the correction factor for the overestimated mass of groups with few members: N becomes N
/// (1 - N^-0.6) (Warren et al. 2006).
double corrected_part(std::size_t members)
{
    return 1 - std::pow(double(members), -0.6);
}

} // namespace

std::string mass_function_table(const Snapshot& snapshot, const HaloCatalogue& catalogue,
                                const Theory* theory, int bins_per_decade, const std::string& title)
{
    if (!(snapshot.box_size > 0))
        throw Error(Fault::usage, "{mass-function}: needs a periodic box");
    const AnalysisUnits units = analysis_units(snapshot.units);
    const double width = 1.0 / bins_per_decade;
    std::map<int, MassBin> bins;
    const auto bin_of = [&](double mass) { return int(std::floor(std::log10(mass) / width)); };
    const auto mean_200 =
        std::find_if(catalogue.thresholds.begin(), catalogue.thresholds.end(),
                     [](const DensityThreshold& t) { return t.name == "Mean200"; });
    const bool has_spheres = mean_200 != catalogue.thresholds.end();
    for (std::size_t h = 0; h < catalogue.halos.size(); ++h) {
        const double mass = catalogue.halos[h].mass * units.mass;
        if (!(mass > 0))
            continue;
        MassBin& bin = bins[bin_of(mass)];
        ++bin.halos;
        bin.log_mass += std::log(mass);
        if (const double part = corrected_part(catalogue.halos[h].members); part > 0)
            ++bins[bin_of(part * mass)].corrected;
        if (!has_spheres)
            continue;
        const auto t = std::size_t(mean_200 - catalogue.thresholds.begin());
        const double inside =
            catalogue.spheres[h * catalogue.thresholds.size() + t].mass * units.mass;
        if (inside > 0)
            ++bins[bin_of(inside)].spheres;
    }
    std::string text = table_heading(snapshot, title);
    text += units.mass_name.empty()
                ? "# M in the box's unit of mass, dn/dlnM per its unit of volume\n"
                : "# M in " + units.mass_name + ", dn/dlnM per cubic " + units.length_name + "\n";
    if (theory)
        text += theory->heading();
    text += "# M_low M_high M halos dn_dlnM error halos_corrected dn_dlnM_corrected "
            "error_corrected";
    if (has_spheres)
        text += " halos_200m dn_dlnM_200m error_200m";
    if (theory)
        text += " sigma sheth_tormen warren watson tinker";
    text += '\n';
    const double volume = std::pow(snapshot.box_size * units.length, 3) * width * std::log(10.0);
    const auto numbers = [&](std::size_t halos) {
        return formatted(" %zu %.6g %.4g", halos, double(halos) / volume,
                         std::sqrt(double(halos)) / volume);
    };
    for (const auto& [number, bin] : bins) {
        const double low = std::pow(10, number * width), high = std::pow(10, (number + 1) * width);
        const double mass =
            bin.halos > 0 ? std::exp(bin.log_mass / double(bin.halos)) : std::sqrt(low * high);
        text += formatted("%.7g %.7g %.7g", low, high, mass) + numbers(bin.halos) +
                numbers(bin.corrected);
        if (has_spheres)
            text += numbers(bin.spheres);
        if (theory) {
            const double scale = theory->to_per_hubble();
            text += formatted(" %.6g", theory->mass_function().sigma(mass * scale));
            for (MassFunctionFit fit : {MassFunctionFit::sheth_tormen, MassFunctionFit::warren,
                                        MassFunctionFit::watson, MassFunctionFit::tinker})
                text += formatted(" %.6g",
                                  std::pow(scale, 3) * theory->mass_function()(fit, mass * scale));
        }
        text += '\n';
    }
    return text;
}

} // namespace chamomile
