/// \file  Effects of the short range's cutoff on softened forces in a periodic box.
///
/// Pairs are softened within r_cut only and are Newtonian beyond. At r_cut, Plummer's force jumps
/// by a relative 1.5 (eps / r_cut)^2, and a kernel that reaches farther loses its outer part.
#pragma once

#include <string>

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/force/settings.hpp"

namespace chamomile {

/// Max jump for which the 99 % error stays at the mesh error with default options.
inline constexpr double harmless_softening_jump = 1e-3;

/// Returns the relative jump in force, for the most softened pairs. It is 0 for a direct sum, an
/// isolated system, a kernel with a reach, or a mesh not chosen yet.
double softening_jump(const SolverOptions& options, const Softening& softening);

/// Returns r_cut at which the force of the most softened pairs jumps by `jump`, or the reach of a
/// kernel that has one.
double harmless_cut(const Softening& softening, double jump);

/// Refuses a length above a tenth of the box.
Refusal refuse_softening_in_box(double length, double box);

/// Refuses lengths above a tenth of the box, a kernel that reaches beyond the cutoff, and a jump
/// above 5 %. `softening` is in use: in comoving coordinates it may be shorter than in the options.
Refusal refuse_softening(const SolverOptions& options, const Softening& softening);

/// Returns a warning with options that help, if `jump` exceeds harmless_softening_jump; else an
/// empty text.
std::string softening_jump_text(const SolverOptions& options, double jump);

} // namespace chamomile
