/// \file  Labels, axes and color bar of a picture, and the colors of its quantities.
#pragma once

#include <string>
#include <vector>

#include "chamomile/core/options/quantity.hpp"
#include "chamomile/io/pictures/render.hpp"

namespace chamomile {

/// A Meaning holds name, dimension and default color map of a quantity.
struct Meaning {
    const char* name;
    Dimension dimension;
    ColourMap map;
};

const Meaning& meaning_of(Pictured quantity);

/// Returns the next round number, 1, 2 or 5 times a power of ten, that is at least (at most) x > 0.
double rounded_up(double x);
double rounded_down(double x);

/// Moves the ends of a linear color range outwards to multiples of the step of its ticks.
void round_ends(double& low, double& high);

/// Returns the position of a value in the color range, from 0 to 1.
double part_of(double value, const RenderOptions& view);

/// Returns the color at position `part` (0 to 1); `type` is the component, or negative.
Colour colour_at(double part, const RenderOptions& view, int type);

/// Returns a darker color; `fraction` 0: black, 1: unchanged.
Colour dimmed(Colour colour, double fraction);

/// Returns the time or redshift of a picture in words.
std::string time_label(const Snapshot& snapshot);

/// Draws the scale bar at the lower left, or axes at the left and lower edges, and the time at the
/// upper left.
void draw_labels(Image& image, const Snapshot& snapshot, const RenderOptions& view);

/// A BarNumber is a tick of the color bar with its text.
struct BarNumber {
    double value, x; ///< of the text, in pixels from the left end of the bar
    std::string text;
};

/// Returns the densest set of round ticks with labels that do not overlap below a color bar.
/// `width` of the bar and `height` of capitals are in pixels.
std::vector<BarNumber> bar_numbers(const RenderOptions& view, double width, double height);

/// Draws the color bar at the lower right, one per component if `types` are given. Quantity and
/// unit stand above it, round numbers below.
void draw_colour_bar(Image& image, const RenderOptions& view, const std::vector<int>& types,
                     const std::string& title);

} // namespace chamomile
