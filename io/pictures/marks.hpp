/// \file  What is drawn upon a picture, and the colours of its quantities.
#pragma once

#include <string>
#include <vector>

#include "chamomile/core/options/quantity.hpp"
#include "chamomile/io/pictures/render.hpp"

namespace chamomile {

/// A Meaning is what a quantity is called and measured in, and how it is coloured.
struct Meaning {
    const char* name;
    Dimension dimension;
    ColourMap map;
};

const Meaning& meaning_of(Pictured quantity);

/// Returns where a value lies between the ends of the colours, from 0 to 1.
double part_of(double value, const RenderOptions& view);

/// Returns the colour of a part of the range; `type` is the component, or negative.
Colour colour_at(double part, const RenderOptions& view, int type);

/// Returns a darker colour: `fraction` 0 is black, 1 the same colour.
Colour dimmed(Colour colour, double fraction);

/// Returns the time or redshift of a picture in words.
std::string time_label(const Snapshot& snapshot);

/// Draws the scale bar at the lower left, or axes at the left and lower edges, and the time at the
/// upper left.
void draw_labels(Image& image, const Snapshot& snapshot, const RenderOptions& view);

/// A BarNumber is a tick of the colour bar and the text below it, which begins at `x`.
struct BarNumber {
    double value, x; ///< x in pixels from the left end of the bar
    std::string text;
};

/// Returns the densest set of round ticks whose numbers do not collide below a colour bar. `width`
/// of the bar and `height` of capitals are in pixels.
std::vector<BarNumber> bar_numbers(const RenderOptions& view, double width, double height);

/// Draws the colour bar at the lower right, one for each component of the types: quantity and unit
/// above it, ticks with round numbers below it.
void draw_colour_bar(Image& image, const RenderOptions& view, const std::vector<int>& types,
                     const std::string& title);

} // namespace chamomile
