/// \file  The softening of the force between two particles.
#pragma once

#include "chamomile/core/host_device.hpp"

namespace chamomile {

/// The form of the softened force. Formulas are in force/softening_kernels.hpp.
enum class SofteningKind {
    plummer, ///< 1/r becomes 1/sqrt(r^2 + eps^2)
    spline   ///< cubic spline of Monaghan & Lattanzio (1985) as in GADGET: Newtonian beyond 2.8 eps
};

/// A kind without its formula: words and reach.
struct SofteningForm {
    SofteningKind kind;
    const char* word; ///< in options and files
    const char* name; ///< in sentences: a capital for a person
    /// Radius over eps beyond which the force is Newton's; it follows from a potential of -G m /
    /// eps at r = 0. 0: softened everywhere.
    double reach;
};

/// All kinds, in the order of SofteningKind.
inline constexpr SofteningForm softening_forms[] = {
    {SofteningKind::plummer, "plummer", "Plummer", 0},
    {SofteningKind::spline, "spline", "spline", 2.8}}; // Springel (2005), eq. 4 ff.

constexpr const SofteningForm& form_of(SofteningKind kind)
{
    return softening_forms[int(kind)];
}

/// How a pair's length follows from its two particles.
enum class SofteningRule {
    larger,         ///< the larger of the two, as in GADGET
    root_of_squares ///< square root of the sum of squares
};

/// A Softening applies to all pairs. `length` is the Plummer-equivalent eps, in units of length:
/// with each kind the potential at the position of a particle of mass m is -G m / eps. With
/// per-particle softening, pairs follow the rule.
struct Softening {
    SofteningKind kind = SofteningKind::plummer;
    double length = 0; ///< common length, or the largest per-particle length
    SofteningRule rule = SofteningRule::larger;
    bool per_particle = false; ///< each particle has its length (Particles::softening)

    /// Returns the factor with which the rule adds the smaller square to the larger one.
    double rule_weight() const { return rule == SofteningRule::root_of_squares ? 1 : 0; }

    /// Returns the distance beyond which the force is Newton's; 0 if it is softened everywhere.
    double reach() const { return form_of(kind).reach * length; }
    /// Returns whether pairs are softened at any distance, so that cells are too.
    bool softens_cells() const { return form_of(kind).reach == 0; }
    bool is_compact() const { return !softens_cells(); }
    /// Returns the kind; Plummer without softening, because all kinds are then Newton's law.
    SofteningKind kind_of_pairs() const { return length > 0 ? kind : SofteningKind::plummer; }
};

/// Returns the squared softening length of a pair from the squares a and b of its particles.
CHAMOMILE_HD double pair_softening_squared(double a, double b, SofteningRule rule)
{
    return rule == SofteningRule::root_of_squares ? a + b : a < b ? b : a;
}

} // namespace chamomile
