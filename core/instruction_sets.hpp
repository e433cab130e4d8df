/// \file  The instruction sets that inner loops are compiled for, and which of them the processor
/// has.
#pragma once

#include <string>
#include <vector>

namespace chamomile {

inline constexpr int instruction_set_count = 3;
inline constexpr const char* instruction_set_names[instruction_set_count] = {"baseline", "avx2",
                                                                             "avx512"};

/// Returns the instruction sets that this build holds and this processor can run, the fastest
/// first.
std::vector<std::string> instruction_sets();

/// Returns the number of the named instruction set, or of the fastest for "auto". Throws
/// Error(device) if this processor or this build lacks it.
int find_instruction_set(const std::string& name);

} // namespace chamomile
