/// \file  Sentences about systematic errors in the forces of another code.
#pragma once

#include <string>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/force/accuracy/judge.hpp"

namespace chamomile {

/// What a factor on all accelerations may come from.
struct FactorContext {
    double gravitational_constant = 1;   ///< stated
    double hubble = 0, scale_factor = 0; ///< 0: unknown
};

/// Returns one line per systematic error, such as "all accelerations are 1.01 times the exact ones:
/// another G, other masses or units?". Empty if none is found.
std::vector<std::string> judgement_texts(const Judgement& judgement, const Softening& stated,
                                         const Particles& particles, const FactorContext& context);

/// Returns the law with which errors are smallest, such as "/ 1.01, axes y x z", in addition to
/// the softening.
std::string law_text(const Judgement& judgement);

} // namespace chamomile
