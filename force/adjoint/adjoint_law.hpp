/// \file  The choice of the adjoint's pair law at run time.
#pragma once

#include <array>
#include <cstring>

#include "chamomile/force/law_choice.hpp"
#include "chamomile/force/pairs/law_code.hpp"
#include "chamomile/force/pairs/laws/gravity_adjoint.hpp"

namespace chamomile {

struct AdjointLaw {
    const LawCode* code = nullptr;
    std::array<char, 16> bytes{}; ///< the law

    /// `length`: of all pairs without per-particle softening, in the law's unit.
    static AdjointLaw of(const Softening& softening, bool per_particle, double length)
    {
        AdjointLaw chosen;
        const auto keep = [&]<class Law>(const Law& law) {
            static_assert(sizeof law <= sizeof chosen.bytes);
            chosen.code = &law_code<Law>();
            std::memcpy(chosen.bytes.data(), &law, sizeof law);
        };
        const LawNumbers numbers{.softening_length = length,
                                 .rule_weight = softening.rule_weight()};
        SofteningKernels::visit(LawChoice::of(softening, per_particle).kind,
                                [&]<class Kernel>(Kernel) {
                                    if (per_particle)
                                        keep(GravityAdjoint<Kernel, RuntimeRule>::of(numbers));
                                    else
                                        keep(GravityAdjoint<Kernel, OneLength>::of(numbers));
                                });
        return chosen;
    }
};

} // namespace chamomile
