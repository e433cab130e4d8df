/// \file  Short labels in a picture, with letters drawn as pen strokes, smooth at any size.
#pragma once

#include <string_view>

#include "chamomile/io/pictures/image.hpp"

namespace chamomile {

/// Draws text with capitals `height` pixels high and its lower left corner at (x, y). A dark
/// outline separates it from the picture. "^" raises the following number, as in kpc^2. Only
/// printable ASCII is drawn; other characters stay blank. Text outside the picture is clipped.
void draw_text(Image& image, double x, double y, double height, std::string_view text,
               Colour colour);

/// Returns the width of the text in pixels.
double text_width(std::string_view text, double height);

/// A LineEnds holds the ends of a line, in pixels from the upper left corner.
struct LineEnds {
    double x0, y0, x1, y1;
};

/// Draws a straight line with round ends, `radius` pixels to either side, clipped at the edges.
void draw_line(Image& image, const LineEnds& ends, double radius, Colour colour);

/// Draws a filled rectangle, clipped at the edges of the picture.
void draw_rectangle(Image& image, int x, int y, int width, int height, Colour colour);

} // namespace chamomile
