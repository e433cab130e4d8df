/// \file  The source that NVRTC compiles for a law given as text.
#pragma once

#include <string>

#include "chamomile/force/pairs/law.hpp"

namespace chamomile {

struct TextSource {
    std::string text;
    std::string kernel; ///< its name in C++
};

/// Name of the code's array of three numbers with its TileShape.
inline constexpr const char* text_shape_name = "text_law_shape";

/// Returns the source for a law. `law`: the definition of struct TextLaw
/// (force/pairs/text/device_source.hpp); `cut`: the number of the PairCut.
inline TextSource text_source(const std::string& law, LawShape shape, bool positions, int cut,
                              bool double_precision)
{
    const std::string type = double_precision ? "double" : "float",
                      with = positions ? "true" : "false";
    TextSource source;
    source.text = "#include \"chamomile/gpu/pairs/pair_sum.cuh\"\n" + law +
                  "using Shape = chamomile::PairShapeOf<" + type + ", " +
                  std::to_string(shape.target + shape.sum) + ", chamomile::PairCut(" +
                  std::to_string(cut) +
                  ")>::type;\n"
                  "using Block = chamomile::PairBlock<TextLaw, " +
                  type + ", " + with +
                  ", Shape>;\n"
                  "extern \"C\" __device__ const unsigned " +
                  text_shape_name + "[3] = {Shape::per_lane, Shape::warps, Block::shared_bytes};\n";
    source.kernel = "chamomile::pair_sum<TextLaw, " + type + ", " + with + ", Shape>";
    return source;
}

} // namespace chamomile
