/// \file  A law given as text as C++ source for a type as in force/pairs/law.hpp, to compile for a
/// GPU.
#pragma once

#include <string>

#include "chamomile/force/pairs/text/law_text.hpp"
#include "chamomile/force/pairs/text/program.hpp"

namespace chamomile {

/// Returns the definition of `struct TextLaw`, from the host's instructions: the same sums in the
/// same order. Its memory layout is TextLawData, then the shared numbers.
std::string device_source(const LawText& law, const CompiledText& compiled);

} // namespace chamomile
