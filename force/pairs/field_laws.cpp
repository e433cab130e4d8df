#include "chamomile/force/pairs/field_laws.hpp"

#include "chamomile/core/interruption.hpp"
#include "chamomile/force/pairs/laws/gravity_jerk_varied.hpp"
#include "chamomile/force/pairs/laws/gravity_tidal_varied.hpp"

namespace chamomile {

FieldLaws::FieldLaws(const SolverOptions& resolved)
    : options_{.precision = resolved.precision,
               .device = resolved.device,
               .instruction_set = resolved.instruction_set}
{}

void FieldLaws::take(const Softening& softening, bool varied)
{
    if (tidal_ && varied == varied_ && softening.length == softening_.length)
        return;
    softening_ = softening;
    varied_ = varied;
    const bool spline = softening.kind == SofteningKind::spline && softening.length > 0;
    const RuntimeRule rule{softening.rule_weight()};
    if (varied) {
        tidal_ = spline ? make_pair_solver(GravityTidalSplineVaried{rule}, options_)
                        : make_pair_solver(GravityTidalPlummerVaried{rule}, options_);
        jerk_ = make_pair_solver(GravityJerkVaried{rule}, options_);
    } else {
        tidal_ = spline
                     ? make_pair_solver(GravityTidalSpline{1 / softening.spline_radius()}, options_)
                     : make_pair_solver(GravityTidal{softening.length}, options_);
        jerk_ = make_pair_solver(GravityJerk{softening.length}, options_);
    }
}

std::vector<double> joined(std::size_t n, std::initializer_list<std::span<const double>> parts)
{
    look_for_interruption();
    std::size_t values = 0;
    for (const std::span<const double> part : parts)
        values += part.size();
    std::vector<double> rows;
    rows.reserve(values);
    for (std::size_t k = 0; k < n; ++k)
        for (const std::span<const double> part : parts) {
            const std::size_t width = part.size() / n;
            rows.insert(rows.end(), part.begin() + std::ptrdiff_t(width * k),
                        part.begin() + std::ptrdiff_t(width * (k + 1)));
        }
    return rows;
}

} // namespace chamomile
