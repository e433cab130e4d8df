/// \file  A law given as text as C++ source of a type for pairs/law.hpp, to be compiled for a GPU.
#pragma once

#include <string>

#include "chamomile/pairs/text/law_text.hpp"
#include "chamomile/pairs/text/program.hpp"

namespace chamomile {

/// Returns the definition of `struct TextLaw`, from the instructions that the host runs: the same
/// sums in the same order. Its bytes are those of TextLawData and the shared numbers.
std::string device_source(const LawText& law, const CompiledText& compiled);

} // namespace chamomile
