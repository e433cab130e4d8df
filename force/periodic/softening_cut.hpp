/// \file  What the cut of the short range does to softened forces in a periodic box.
///
/// Pairs are softened within r_cut only. Beyond it they are Newtonian: Plummer's force jumps there
/// by 1.5 (eps / r_cut)^2 of itself, and a spline that reaches farther loses its outer part.
#pragma once

#include <string>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/force/settings.hpp"

namespace chamomile {

/// The largest jump that leaves the 99 % error at the error of the mesh with the default options.
inline constexpr double harmless_softening_jump = 2e-3;

/// Returns the jump relative to the force, for the most softened pairs. It is 0 of a direct sum, an
/// isolated system or a mesh that is not chosen yet.
double softening_jump(const SolverOptions& options, const Softening& softening);

/// Refuses a length above a tenth of the box.
Refusal refuse_softening_in_box(double length, double box);

/// Refuses lengths above a tenth of the box, a spline that reaches beyond the cut, and a jump above
/// 5 %. `softening` is in use: in comoving coordinates it may be shorter than the options ask.
Refusal refuse_softening(const SolverOptions& options, const Softening& softening);

/// Returns a warning if `jump` is larger than harmless_softening_jump, with options that help; else
/// an empty text.
std::string softening_jump_text(const SolverOptions& options, double jump);

} // namespace chamomile
