#include "app/options/cosmology_options.hpp"

#include <cmath>

#include "app/options/option_uses.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/cosmology/background.hpp"

namespace chamomile::app {
namespace {

constexpr const char* names[] = {"a-end",    "z-end",   "outputs-a", "outputs-z",
                                 "dlna-max", "eps-max", "omega-m",   "omega-l",
                                 "omega-r",  "w0",      "wa",        "hubble"};

} // namespace

void add_cosmology_options(Options& options, CosmologyRequest& request)
{
    options.group("Cosmology, of comoving files");
    options.flag(
        "cosmology", request.asked,
        "evolve a comoving file in its periodic box, in the background that it states; any "
        "of the following means it too");
    options.number("z-end", request.end_redshift, ranges::redshift,
                   "redshift of the end; 0 unless given");
    options.number("a-end", request.end_scale_factor, ranges::scale_factor, "its scale factor");
    options.numbers("outputs-z", request.output_redshifts, ranges::redshift,
                    "redshifts of snapshots beside those of start and end");
    options.numbers("outputs-a", request.output_scale_factors, ranges::scale_factor,
                    "their scale factors");
    options.number("dlna-max", request.longest_step, above(0, 1),
                   "longest adaptive step in ln a; --dt gives a fixed one");
    options.number("eps-max", request.physical_softening, positive,
                   "largest physical softening length: --eps is comoving, and at most this over a");
    options.number("omega-m", request.omega_matter, ranges::omega_matter,
                   "matter today; these are those of the file unless given");
    options.number("omega-l", request.omega_lambda, ranges::omega_lambda, "dark energy today");
    options.number("omega-r", request.omega_radiation, ranges::omega_radiation, "radiation today");
    options.number("w0", request.w0, ranges::w0, "of dark energy, w = w0 + wa (1 - a)");
    options.number("wa", request.wa, ranges::wa, "of dark energy");
    options.number("hubble", request.hubble, ranges::hubble, "H0 in 100 km/s/Mpc");
}

void resolve_cosmology(const Options& options, CosmologyRequest& request,
                       std::optional<double>& end_time)
{
    const auto refuse = [](const std::string& line) { throw Error(Fault::usage, "run: " + line); };
    for (const char* name : names)
        if (options.given(name) && options.given("cosmology") && !request.asked)
            refuse("--" + std::string(name) + ": contradicts --cosmology=false");
    for (const char* name : names)
        request.asked |= options.given(name);
    if (!request.asked)
        return;
    refuse_idle(options,
                {{true, "t-end", "is of plain time; a cosmological run takes --z-end or --a-end"},
                 {true, "model",
                  "is of plain time; a cosmological run takes a FILE, which 'chamomile model "
                  "cosmology' makes"},
                 {options.given("dt"), "dlna-max",
                  "bounds adaptive and individual steps; --dt is a fixed one"}});
    if (request.end_redshift && request.end_scale_factor)
        refuse("--z-end: contradicts --a-end; give one");
    if (!request.output_redshifts.empty() && !request.output_scale_factors.empty())
        refuse("--outputs-z: contradicts --outputs-a; give one");
    if (options.given("snapshot-every") && !listed_outputs(request).empty())
        refuse("--snapshot-every: contradicts " +
               std::string(request.output_redshifts.empty() ? "--outputs-a" : "--outputs-z") +
               "; give one");
    const double a =
        request.end_scale_factor.value_or(scale_factor_of(request.end_redshift.value_or(0)));
    end_time = std::log(a);
}

void require_later(const CosmologyRequest& request, double start, bool restarted)
{
    const double a = std::exp(start);
    const std::string at = formatted("a = %.6g, z = %.6g", a, redshift_of(a));
    const bool by_redshift = !request.end_scale_factor;
    const double end =
        request.end_scale_factor.value_or(scale_factor_of(request.end_redshift.value_or(0)));
    if (!(end > a * (1 - 1e-9)))
        throw Error(Fault::usage,
                    (by_redshift ? "--z-end: " + shortest(request.end_redshift.value_or(0))
                                 : "--a-end: " + shortest(end)) +
                        ": lies before the start at " + at);
    for (double time : listed_outputs(request))
        if (!restarted && (time < start - 1e-9 || time > std::log(end) + 1e-9))
            throw Error(Fault::usage,
                        (request.output_redshifts.empty() ? "--outputs-a: " : "--outputs-z: ") +
                            formatted("a = %.6g, z = %.6g: lies not between the start at %s and "
                                      "the end at a = %.6g",
                                      std::exp(time), redshift_of(std::exp(time)), at.c_str(),
                                      end));
}

} // namespace chamomile::app
