/// \file  The columns of text files: `mass x y z [vx vy vz [id]] [ax ay az] [potential]`.
#pragma once

#include <array>
#include <string_view>

namespace chamomile {

/// The columns stand in the order in which they are written; the comment `# columns:` names them.
inline constexpr std::array<std::string_view, 12> text_columns = {
    "mass", "x", "y", "z", "vx", "vy", "vz", "id", "ax", "ay", "az", "potential"};

} // namespace chamomile
