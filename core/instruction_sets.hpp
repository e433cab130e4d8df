/// \file  Instruction sets of inner loops: compiled into this build, and supported by the
/// processor.
#pragma once

#include <string>
#include <vector>

namespace chamomile {

inline constexpr int instruction_set_count = 3;
inline constexpr const char* instruction_set_names[instruction_set_count] = {"baseline", "avx2",
                                                                             "avx512"};

/// Returns the instruction sets in this build that the processor can run, the fastest first.
std::vector<std::string> instruction_sets();

/// Returns the index of an instruction set; "auto": the fastest. Throws Error(device) if this
/// processor or this build lacks it.
int find_instruction_set(const std::string& name);

} // namespace chamomile
