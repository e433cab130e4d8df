#include "chamomile/run/structures/power_file.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/integrate/ranks/led_particles.hpp"
#include "chamomile/run/structures/analysed.hpp"

namespace chamomile {

PowerSpectrum measured_power(const Snapshot& snapshot, const PowerRequest& power,
                             const MatterOnRanks* ranks)
{
    if (!(snapshot.box_size > 0))
        throw Error(Fault::usage, "{box}: missing: needed because the file has no periodic box");
    const Particles& p = snapshot.particles;
    PowerSpectrumOptions options = power.measurement;
    const double twice = 2 * std::cbrt(double(p.size()));
    options.mesh = power.mesh.value_or(
        std::clamp(1 << int(std::lround(std::log2(std::max(twice, 1.0)))), 32, 1024));
    const Periodicity box{snapshot.box_size};
    if (ranks)
        return ranks->led.power_spectrum(options, box, ranks->type_bits());
    return power_spectrum(p.size(), view_of(std::span(p.position)), view_of(std::span(p.mass)), box,
                          options);
}

std::string power_table(const Snapshot& snapshot, const PowerSpectrum& spectrum,
                        const Theory* theory, const std::string& title)
{
    const AnalysisUnits units = analysis_units(snapshot.units);
    const double volume = units.length * units.length * units.length;
    const std::string length =
        units.length_name.empty() ? "the unit of length of the box" : units.length_name;
    std::string text = table_heading(snapshot, title);
    text += formatted(
        "# shot noise %.9g, in total but not in P; Nyquist wave number of the mesh %.9g\n",
        spectrum.shot_noise * volume, spectrum.nyquist / units.length);
    if (theory)
        text += theory->heading();
    text += "# k in radians per " + length + ", P in the cube of this length\n";
    text += std::string("# k P total error modes k_low k_high folding") +
            (theory ? " linear halofit\n" : "\n");
    for (const PowerBin& bin : spectrum.bins) {
        text += formatted("%.9g %.9g %.9g %.4g %llu %.9g %.9g %d", bin.k / units.length,
                          bin.power * volume, bin.total * volume, bin.error * volume,
                          static_cast<unsigned long long>(bin.modes), bin.low / units.length,
                          bin.high / units.length, bin.folding);
        if (theory) {
            const double h = theory->to_per_hubble(), k = bin.k / units.length / h;
            text += formatted(" %.7g %.7g", theory->linear(k) / (h * h * h),
                              theory->nonlinear(k) / (h * h * h));
        }
        text += '\n';
    }
    return text;
}

} // namespace chamomile
