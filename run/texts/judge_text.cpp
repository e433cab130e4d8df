#include "chamomile/run/texts/judge_text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "chamomile/core/text/spelling.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/run/texts/method_text.hpp"

namespace chamomile {
namespace {

std::string axes_text(const Judgement& judgement)
{
    std::string text;
    for (std::size_t k = 0; k < 3; ++k)
        text += std::string(k == 0 ? "" : " ") + (judgement.sign[k] < 0 ? "-" : "") +
                "xyz"[judgement.axis[k]];
    return text;
}

std::string axes_line(const Judgement& judgement)
{
    if (judgement.sign == std::array{-1, -1, -1} && judgement.axis == std::array{0, 1, 2})
        return "all accelerations have the opposite sign";
    return "axes are swapped: the accelerations along x y z are in columns " + axes_text(judgement);
}

std::string order_line(const Judgement& judgement)
{
    const std::string angle =
        formatted("median angle to the exact ones %.0f degrees", judgement.angle);
    switch (judgement.order) {
    case RowOrder::as_given:
        return "";
    case RowOrder::by_id:
        return "rows are in the order of ids, not of the particles";
    case RowOrder::by_row:
        return "ids or positions belong to other rows: row k has the force on particle k";
    case RowOrder::shuffled:
        return "the same accelerations in another order (" + angle +
               "): ids or positions are needed to match them";
    case RowOrder::unrelated:
        break;
    }
    return "accelerations do not belong to these particles (" + angle +
           "): another snapshot or order?";
}

std::string softening_line(const Judgement& judgement, const Softening& stated)
{
    const Softening& found = judgement.softening;
    const double ratio = judgement.softening_scale != 1 || stated.length == 0
                             ? judgement.softening_scale
                             : found.length / stated.length;
    if (found.kind == stated.kind && found.length == stated.length)
        return "";
    std::string line =
        found.length == 0 ? "forces fit no softening" : "softening fits " + describe(found);
    line += stated.length == 0 ? "; none is stated" : ", not " + describe(stated);
    if (stated.length > 0 && found.length > 0 && ratio != 1 && std::abs(ratio - 2.8) < 0.02)
        line +=
            ": 2.8 times the stated length; the radius h = 2.8 eps of the spline, given for eps?";
    else if (stated.length > 0 && std::abs(ratio * 2.8 - 1) < 0.01)
        line += ": the stated length, taken for the radius h = 2.8 eps of the spline?";
    else if (stated.length > 0 && found.length > 0 && std::abs(ratio - 1) > 1e-3)
        line += formatted(": %.4g times the stated length", ratio);
    return line;
}

/// Returns what the factor may be; empty: not known.
std::string factor_name(const Estimate& factor, const FactorContext& context)
{
    const double G = context.gravitational_constant;
    struct Known {
        double value;
        std::string name;
    };
    std::vector<Known> known{
        {-1, "the opposite sign"},
        {4 * std::numbers::pi, "4 pi"},
        {1 / (4 * std::numbers::pi), "1 / (4 pi)"},
        {1 / G, "G = 1 in place of " + formatted("%.6g", G)},
        {6.6743 / 6.672, "G of 6.6743e-8 in place of GADGET's 6.672e-8 cm^3 g^-1 s^-2"},
        {6.67408 / 6.672, "G of 6.67408e-8 in place of GADGET's 6.672e-8 cm^3 g^-1 s^-2"},
        {6.67384 / 6.672, "G of 6.67384e-8 in place of GADGET's 6.672e-8 cm^3 g^-1 s^-2"},
        {1.0227121650537077, "1 km/s in kpc/Gyr"},
        {1.0227121650537077 * 1.0227121650537077, "(km/s)^2 in (kpc/Gyr)^2"}};
    for (const auto& [value, name] : {std::pair(43007.1, "43007.1"),
                                      {43009.17, "43009.17"},
                                      {4.30091e-6, "4.30091e-6"},
                                      {4.30091e-3, "4.30091e-3"},
                                      {4.49850e-6, "4.4985e-6"},
                                      {39.4784176, "4 pi^2"}})
        known.push_back(
            {value / G, std::string("G = ") + name + " in place of " + formatted("%.6g", G)});
    const auto add_powers = [&](double base, const char* name) {
        for (const int power : {1, -1, 2, -2, 3, -3})
            if (base > 0 && base != 1)
                known.push_back(
                    {std::pow(base, power),
                     power == 1 ? name : std::string(name) + "^" + std::to_string(power)});
    };
    add_powers(context.hubble, "h");
    add_powers(context.scale_factor, "a");
    const Known* best = nullptr;
    const double tolerance =
        std::max(5 * factor.error / std::abs(factor.value), 1e-4); // a mesh errs in the mean
    double nearest = tolerance;
    for (const Known& one : known)
        if (const double distance = std::abs(factor.value / one.value - 1);
            one.value != 1 && distance < nearest && std::abs(one.value - 1) > 3 * tolerance) {
            nearest = distance;
            best = &one;
        }
    return best ? best->name : "";
}

std::string factor_line(const char* what, const Estimate& factor, const FactorContext& context)
{
    const std::string name = factor_name(factor, context);
    const int digits = std::clamp(
        int(-std::log10(std::max(factor.error / std::abs(factor.value), 1e-9))) + 1, 4, 9);
    return std::string("all ") + what + " are " + formatted("%.*g", digits, factor.value) +
           " times the exact ones: " +
           (name.empty() ? "another G, other masses or units?" : name + "?");
}

/// Returns a line about radii at which all accelerations are too large or too small.
std::string trend_line(const std::vector<ErrorBin>& bins)
{
    constexpr double significant = 5;
    const auto is_wrong = [&](const ErrorBin& bin) {
        const double excess = std::abs(bin.ratio.value - 1);
        return excess > significant * bin.ratio.error && excess > 0.7 * bin.median && excess > 1e-6;
    };
    const auto times = [](const ErrorBin& bin) {
        return formatted(std::abs(bin.ratio.value - 1) < 1e-3 ? "1 %+.2g" : "%.4g",
                         std::abs(bin.ratio.value - 1) < 1e-3 ? bin.ratio.value - 1
                                                              : bin.ratio.value);
    };
    if (bins.size() < 3)
        return "";
    const auto first = std::find_if(bins.begin(), bins.end(), is_wrong);
    if (first == bins.end())
        return "";
    std::string line = "trend with radius: accelerations are ";
    const ErrorBin &inner = bins.front(), &outer = bins.back();
    if (is_wrong(inner))
        line += times(inner) + " times the exact ones within " + formatted("%.4g", inner.to);
    if (is_wrong(outer))
        line += std::string(is_wrong(inner) ? " and " : "") + times(outer) +
                " times the exact ones beyond " + formatted("%.4g", outer.from);
    if (!is_wrong(inner) && !is_wrong(outer))
        line += times(*first) + " times the exact ones from " + formatted("%.4g", first->from) +
                " to " + formatted("%.4g", first->to);
    return line + (is_wrong(inner) && !is_wrong(outer)   ? ": another law of softening?"
                   : is_wrong(outer) && !is_wrong(inner) ? ": missing mass, a box or a cut?"
                                                         : "");
}

std::string outlier_line(const Judgement& judgement, const Particles& particles)
{
    const std::size_t n = judgement.outliers.size();
    const auto [worst, error] = judgement.outliers[0];
    return counted(n, "particle") + " far worse than all others: " +
           formatted("%s with index %s, id %llu, has an error of %.3g, all others at most %.3g",
                     n == 1 ? "it," : "the worst,", item(worst).c_str(),
                     static_cast<unsigned long long>(particles.id[worst]), error,
                     judgement.max_without_outliers);
}

void add_potential_lines(const Judgement& judgement, const FactorContext& context,
                         std::vector<std::string>& lines)
{
    const double tolerance =
        std::max(1e-5, 5 * (judgement.factor.error + judgement.potential_factor.error));
    if (std::abs(judgement.potential_factor.value / judgement.factor.value - 1) > tolerance)
        lines.push_back(judgement.potential_factor.value == 1
                            ? "the factor is not in the potentials"
                            : factor_line("potentials", judgement.potential_factor, context));
    if (judgement.has_self_energy)
        lines.push_back("potentials include the particle itself, -G m / eps");
    if (judgement.potential_offset != 0)
        lines.push_back(formatted("a constant of %.6g is added to all potentials",
                                  judgement.potential_factor.value * judgement.potential_offset));
}

} // namespace

std::vector<std::string> judgement_texts(const Judgement& judgement, const Softening& stated,
                                         const Particles& particles, const FactorContext& context)
{
    std::vector<std::string> lines{order_line(judgement)};
    if (judgement.has_axes())
        lines.push_back(axes_line(judgement));
    if (judgement.only_rows_attract)
        lines.push_back("only the particles in this file attract, not all " +
                        std::to_string(particles.size()));
    lines.push_back(softening_line(judgement, stated));
    if (judgement.factor.value != 1)
        lines.push_back(factor_line("accelerations", judgement.factor, context));
    const double f = judgement.factor.value;
    if (const Vec3<double>& a = judgement.added; norm_squared(a) > 0)
        lines.push_back(formatted("a constant acceleration (%.4g, %.4g, %.4g) is added to all: an "
                                  "external field, or an accelerated frame?",
                                  f * a.x, f * a.y, f * a.z));
    const bool is_related =
        judgement.order != RowOrder::shuffled && judgement.order != RowOrder::unrelated;
    if (is_related)
        lines.push_back(trend_line(judgement.by_radius));
    if (is_related && !judgement.outliers.empty())
        lines.push_back(outlier_line(judgement, particles));
    if (!judgement.found.potential.empty())
        add_potential_lines(judgement, context, lines);
    std::erase(lines, "");
    return lines;
}

std::string law_text(const Judgement& judgement)
{
    std::string text;
    if (judgement.factor.value != 1)
        text += formatted(" / %.6g", judgement.factor.value);
    if (norm_squared(judgement.added) > 0)
        text += " - constant";
    if (judgement.has_axes())
        text += ", axes " + axes_text(judgement);
    if (judgement.only_rows_attract)
        text += ", sources: its rows";
    return text.starts_with(", ") ? text.substr(1) : text;
}

} // namespace chamomile
