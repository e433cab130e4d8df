#include "chamomile/run/structures/cosmology_options.hpp"

#include <cmath>

#include "chamomile/core/text/table.hpp"

namespace chamomile {
namespace {

using C = CosmologyRequest;

std::vector<OptionRow<C>> rows()
{
    OptionRows<C> t;
    t.group("Cosmology (comoving files)");
    t.number("z-end", &C::end_redshift, ranges::redshift, "redshift of the end; default 0");
    t.number("a-end", &C::end_scale_factor, ranges::scale_factor, "scale factor of the end");
    t.series("outputs-z", &C::output_redshifts, ranges::redshift,
             "redshifts of snapshots between start and end; 9:0:-1 means 9,8,...,0; may change on "
             "restart");
    t.series("outputs-a", &C::output_scale_factors, ranges::scale_factor,
             "scale factors of snapshots between start and end; may change on restart");
    t.number("dlna-max", &C::longest_step, ranges::above(0, 1),
             "longest adaptive step in ln a; {dt} sets a fixed step");
    t.number("eps-max", &C::physical_softening, ranges::positive,
             "max physical softening length: {eps} is comoving, at most this length over a")
        .in(dimensions::length);
    t.number("omega-m", &C::omega_matter, ranges::omega_matter,
             "matter today, in units of the critical density; default: value in the file")
        .as_setting("cosmology.omega-m");
    t.number("omega-l", &C::omega_lambda, ranges::omega_lambda,
             "dark energy today, in units of the critical density")
        .as_setting("cosmology.omega-l");
    t.number("omega-r", &C::omega_radiation, ranges::omega_radiation,
             "radiation today, in units of the critical density")
        .as_setting("cosmology.omega-r");
    t.number("w0", &C::w0, ranges::w0, "equation of state of dark energy, w = w0 + wa (1 - a)")
        .as_setting("cosmology.w0");
    t.number("wa", &C::wa, ranges::wa, "equation of state of dark energy, w = w0 + wa (1 - a)")
        .as_setting("cosmology.wa");
    t.number("hubble", &C::hubble, ranges::hubble, "H0 today, in 100 km/s/Mpc")
        .as_setting("cosmology.hubble");
    return t.take();
}

} // namespace

const std::vector<OptionRow<C>>& cosmology_options()
{
    static const std::vector<OptionRow<C>> all = rows();
    return all;
}

double end_of(const C& request)
{
    return std::log(
        request.end_scale_factor.value_or(scale_factor_of(request.end_redshift.value_or(0))));
}

Refusal resolve_cosmology(const C& request, Scheme& scheme, const GivenOptions& given)
{
    if (given.contains("dt") && given.contains("dlna-max"))
        return "{dlna-max}: contradicts {dt}, a fixed step";
    if (request.end_redshift && request.end_scale_factor)
        return "{z-end}: contradicts {a-end}; give one";
    if (!request.output_redshifts.empty() && !request.output_scale_factors.empty())
        return "{outputs-z}: contradicts {outputs-a}; give one";
    if (scheme.kind != SchemeKind::leapfrog)
        return "{integrator} hermite: must be leapfrog in a cosmological run";
    if (scheme.criterion == StepCriterion::potential)
        return "{step-criterion} potential: must be softening in comoving coordinates";
    scheme.adaptive = !scheme.fixed_length && !scheme.individual;
    scheme.criterion = StepCriterion::softening;
    if (!scheme.eta && !scheme.fixed_length)
        scheme.eta = comoving_eta;
    return {};
}

Refusal refuse_epochs(const C& request, double start, bool restarted)
{
    const double a = std::exp(start), end = end_of(request);
    const std::string at = formatted("a = %.6g, z = %.6g", a, redshift_of(a));
    if (!(end > start - 1e-9))
        return (request.end_scale_factor
                    ? "{a-end}: " + number_text(*request.end_scale_factor)
                    : "{z-end}: " + number_text(request.end_redshift.value_or(0))) +
               ": must not be before the start at " + at;
    for (double time : listed_outputs(request))
        if (!restarted && (time < start - 1e-9 || time > end + 1e-9))
            return (request.output_redshifts.empty() ? "{outputs-a}: " : "{outputs-z}: ") +
                   formatted("a = %.6g, z = %.6g: must be between the start at %s and the end at a "
                             "= %.6g",
                             std::exp(time), redshift_of(std::exp(time)), at.c_str(),
                             std::exp(end));
    return {};
}

} // namespace chamomile
