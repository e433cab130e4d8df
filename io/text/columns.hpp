/// \file  The columns of text files: `mass x y z [vx vy vz [id]] [ax ay az] [potential]`.
#pragma once

#include <array>
#include <string_view>

namespace chamomile {

/// Column names in the order of writing. The comment `# columns:` may give another order.
inline constexpr std::array<std::string_view, 12> text_columns = {
    "mass", "x", "y", "z", "vx", "vy", "vz", "id", "ax", "ay", "az", "potential"};

} // namespace chamomile
