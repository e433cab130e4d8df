/// \file  The instruction sets that inner loops are compiled for, and which of them this processor
/// has.
#pragma once

#include <string>
#include <vector>

namespace chamomile {

inline constexpr int instruction_set_count = 3;
inline constexpr const char* instruction_set_names[instruction_set_count] = {"baseline", "avx2",
                                                                             "avx512"};

/// Those that this build holds and this processor can run, the fastest first.
std::vector<std::string> instruction_sets();

/// The number of that one, or of the fastest for "auto". Throws Error(device) if this processor or
/// this build lacks it.
int find_instruction_set(const std::string& name);

} // namespace chamomile
