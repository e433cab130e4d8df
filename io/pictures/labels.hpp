/// \file  Short labels in a picture: numbers, units of length and time.
#pragma once

#include <string_view>

#include "chamomile/io/pictures/image.hpp"

namespace chamomile {

/// Draws text in a font of 5 x 7 dots of `dot` x `dot` pixels, its lower left corner at (x, y), and
/// returns its width in pixels. The font has digits, . - + = / and the letters of kpc, Mpc, Myr,
/// Gyr, h, t, e, z; other characters are left blank. Parts outside the picture are cut off.
int draw_text(Image& image, int x, int y, int dot, std::string_view text, Colour colour);

/// Returns the width of the text in pixels.
int text_width(std::string_view text, int dot);

/// Draws a filled rectangle, cut off at the picture's edges.
void draw_rectangle(Image& image, int x, int y, int width, int height, Colour colour);

} // namespace chamomile
