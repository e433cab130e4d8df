/// \file  Chooses the Chamomile kernel of an evaluation.
#pragma once

#include "chamomile/force/law_choice.hpp"
#include "chamomile/gpu/lists/chamomile.cuh"

namespace chamomile {

using ListKernel = void (*)(DeviceBatch);

/// By the length of a pair, in separate source files.
ListKernel one_length_kernel(const LawChoice& choice);
ListKernel larger_length_kernel(const LawChoice& choice);
ListKernel root_of_squares_kernel(const LawChoice& choice);
/// For gradients, with one length.
ListKernel adjoint_kernel(const LawChoice& choice);

inline ListKernel find_list_kernel(const LawChoice& choice)
{
    return choice.is_adjoint                      ? adjoint_kernel(choice)
           : !choice.per_particle                 ? one_length_kernel(choice)
           : choice.rule == SofteningRule::larger ? larger_length_kernel(choice)
                                                  : root_of_squares_kernel(choice);
}

namespace {

template <class Law, class T>
ListKernel kernel_of_law(const LawChoice& choice)
{
    return choice.is_periodic  ? chamomile<ShortRange<Law>, T, 2>
           : choice.order <= 2 ? chamomile<Law, T, 2>
           : choice.order == 3 ? chamomile<Law, T, 3>
                               : chamomile<Law, T, 4>;
}

template <class Rule>
ListKernel kernel_by_rule(const LawChoice& choice)
{
    return visit_gravity<Rule>(choice.kind, choice.with_potential, [&]<class Law>() {
        return choice.in_double ? kernel_of_law<Law, double>(choice)
                                : kernel_of_law<Law, float>(choice);
    });
}

} // namespace
} // namespace chamomile
