#include "chamomile/force/periodic/softening_cut.hpp"

#include <cmath>

#include "chamomile/core/number_text.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/periodic/long_range_field.hpp"

namespace chamomile {
namespace {

constexpr double max_jump = 0.05;

/// Returns r_cut, or 0 if no pair is cut or the mesh is not chosen yet.
double cut_radius(const SolverOptions& o)
{
    const bool has_mesh = o.periodic.long_range == LongRangeKind::modes || o.periodic.mesh > 0;
    return o.is_periodic() && o.solver == SolverKind::tree && has_mesh
               ? o.periodic.cut * split_radius(o.periodic, o.box)
               : 0;
}

/// Returns the max softening length of a pair over the max length of a particle.
double pair_factor(const Softening& softening)
{
    return softening.per_particle && softening.rule == SofteningRule::root_of_squares
               ? std::sqrt(2.0)
               : 1;
}

/// Returns the cutoff radius, in softening lengths, at which the force jumps by `jump`.
double cut_for(double jump)
{
    return std::sqrt(1.5 / jump);
}

/// Like cut_for(), or the reach of a kernel that has one.
double cut_in_lengths(const Softening& softening, double jump)
{
    return softening.is_compact() ? form_of(softening.kind).reach : cut_for(jump);
}

/// Returns options that make a softening of `length` exact enough.
std::string cures(const SolverOptions& o, double length)
{
    const bool is_compact = o.softening.is_compact();
    const double needed = cut_in_lengths(o.softening, harmless_softening_jump) * length;
    std::string words;
    if (o.periodic.long_range == LongRangeKind::mesh && needed < max_of_periodic_box * o.box) {
        const double cells = o.periodic.cut * o.periodic.split * o.box / needed;
        if (cells >= 16) // the minimum of {mesh}
            words = "{mesh}=" + std::to_string(2 * int(cells / 2)) + ", ";
    }
    if (!is_compact && form_of(SofteningKind::spline).reach * length <= cut_radius(o))
        words += "{softening} spline, ";
    return words + (words.empty() ? "" : "or ") + "{solver} direct";
}

} // namespace

double softening_jump(const SolverOptions& options, const Softening& softening)
{
    const double cut = cut_radius(options), length = pair_factor(softening) * softening.length;
    if (cut == 0 || softening.is_compact())
        return 0;
    return 1.5 * (length / cut) * (length / cut);
}

double harmless_cut(const Softening& softening, double jump)
{
    return cut_in_lengths(softening, jump) * pair_factor(softening) * softening.length;
}

Refusal refuse_softening_in_box(double length, double box)
{
    if (length > 0.1 * box)
        return "{eps}: " + number_text(length) + ": must be at most a tenth of the box";
    return {};
}

Refusal refuse_softening(const SolverOptions& options, const Softening& softening)
{
    if (!options.is_periodic())
        return {};
    if (const Refusal line = refuse_softening_in_box(softening.length, options.box))
        return line;
    const double cut = cut_radius(options), factor = pair_factor(softening);
    const double max = cut / factor / cut_in_lengths(softening, max_jump);
    if (cut == 0 || softening.length <= max)
        return {};
    return formatted("{eps}: %.10g: must be at most %.3g, because pairs beyond %.4g are not "
                     "softened; or give ",
                     softening.length, max, cut) +
           cures(options, factor * softening.length);
}

std::string softening_jump_text(const SolverOptions& options, double jump)
{
    if (options.accuracy || !(jump > harmless_softening_jump))
        return "";
    const double cut = cut_radius(options), length = cut / cut_for(jump),
                 factor = pair_factor(options.softening);
    return formatted("softening: eps %.4g: pairs beyond %.4g are not softened: the 99 %% error of "
                     "forces is about %.2g; for less than 0.001 give {eps} %.3g, ",
                     length / factor, cut, jump, cut / cut_for(harmless_softening_jump) / factor) +
           cures(options, length);
}

} // namespace chamomile
