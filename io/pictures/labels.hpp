/// \file  Short labels in a picture, in letters drawn as strokes of a pen, smooth at any size.
#pragma once

#include <string_view>

#include "chamomile/io/pictures/image.hpp"

namespace chamomile {

/// Draws text whose capitals are `height` pixels high, its lower left corner at (x, y), with a dark
/// edge that parts it from the picture. A "^" raises the number behind it, as in kpc^2. It knows
/// the printable characters of ASCII; others are left blank. Parts outside the picture are cut off.
void draw_text(Image& image, double x, double y, double height, std::string_view text,
               Colour colour);

/// Returns the width of the text in pixels.
double text_width(std::string_view text, double height);

/// Draws a filled rectangle, cut off at the picture's edges.
void draw_rectangle(Image& image, int x, int y, int width, int height, Colour colour);

} // namespace chamomile
