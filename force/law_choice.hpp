/// \file  The choice of a law of gravity at run time, for processors and GPUs.
#pragma once

#include "chamomile/core/softening.hpp"

namespace chamomile {

/// The properties by which a kernel of gravity is chosen.
struct LawChoice {
    SofteningKind kind = SofteningKind::plummer;
    bool per_particle = false; ///< softening; then pairs follow the rule
    SofteningRule rule = SofteningRule::larger;
    bool is_periodic = false;
    bool with_potential = false;
    bool in_double = false;
    int order = 2; ///< of the multipoles
    bool is_adjoint = false;

    /// Returns a choice for the softening in force: its length must be that of this evaluation.
    static LawChoice of(const Softening& softening, bool per_particle)
    {
        return {.kind = per_particle ? softening.kind : softening.kind_of_pairs(),
                .per_particle = per_particle,
                .rule = softening.rule};
    }
};

} // namespace chamomile
