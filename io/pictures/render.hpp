/// \file  Pictures of the projected surface density of a snapshot.
#pragma once

#include <optional>
#include <vector>

#include "chamomile/core/vec3.hpp"
#include "chamomile/io/pictures/colour_map.hpp"
#include "chamomile/io/pictures/image.hpp"
#include "chamomile/io/pictures/projection.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// A Pictured is the quantity that the colours tell: the surface density, or the mean, weighted by
/// mass along the line of sight, of the velocity away from the observer, of its dispersion, or of
/// the potential.
enum class Pictured { density, velocity, dispersion, potential };

/// RenderOptions states what a picture shows. Everything left empty is chosen from the snapshot.
struct RenderOptions {
    int width = 800, height = 800;      ///< pixels
    std::optional<Vec3<double>> centre; ///< of the picture; empty: centre of mass of what is shown
    std::optional<double>
        field_of_view;      ///< length across the picture; empty: holds 98 % of the mass
    double azimuth = 0;     ///< degrees that the scene turns about z first
    double inclination = 0; ///< degrees of tilt about the picture's x axis: 0 face-on, 90 edge-on
    std::vector<int>
        types; ///< 0..5; empty: disk, bulge and stars (2, 3, 4) if there are any, or all
    Pictured quantity = Pictured::density;
    bool components = false;             ///< a colour for each type, added; of the density alone
    std::optional<double> min, max;      ///< quantity at the ends of the map; empty: percentiles
    std::optional<ColourMap> colour_map; ///< empty: the one that suits the quantity
    bool no_labels = false;              ///< leave out scale bar, time or redshift, and colour bar
    bool no_colour_bar = false;
    bool axes = false;        ///< lengths from the middle at two edges, in place of the scale bar
    std::optional<int> orbit; ///< pictures of a turn about z, for those who make several
    /// The densest place of what is shown (`densest`) or of a type becomes the centre.
    std::optional<int> follow;
    static constexpr int densest = -1;
    /// The side of a periodic box, whose images are drawn across its faces; 0: isolated; empty: the
    /// side in the snapshot. Unless told otherwise, a periodic picture
    /// shows the box from its middle, a tenth of a side deep.
    std::optional<double> box;
    /// Unless given, colours of a box reach at least from and to these mean surface densities.
    double box_min = 0.4, box_max = 20;
    std::optional<double> slice; ///< thickness along the line of sight, about the centre
};

/// Returns the options with every choice made from this snapshot, so that the frames of a run share
/// one field of view and one range of colours. Throws as render_snapshot does.
RenderOptions complete_view(const Snapshot& snapshot, const RenderOptions& options);

/// Returns the completed `view` with colours wide enough for `later`, a snapshot of the same
/// series. Keeps the ends given in `asked`.
RenderOptions widen_colours(const RenderOptions& view, const RenderOptions& asked,
                            const Snapshot& later);

/// Returns the picture, with its quantity, unit, least and most value and time as texts: the
/// logarithm of the projected surface density, smoothed over the local distance between particles
/// (the number density, if no particle that is shown has mass), or another quantity where there is
/// as much matter as the darkest colour of that density shows. Throws Error(usage) for options out
/// of range, Error(input) if no particle of the chosen types exists or a position is not finite.
Image render_snapshot(const Snapshot& snapshot, const RenderOptions& options);

/// Returns the surface density of that picture, mass per area in units of the snapshot, or its
/// other quantity, which is not a number where there is nothing.
SurfaceDensity surface_density(const Snapshot& snapshot, const RenderOptions& options);

} // namespace chamomile
