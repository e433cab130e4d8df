/// \file  Pictures of the projected surface density or other quantities of a snapshot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chamomile/core/pictures/picture_sums.hpp"
#include "chamomile/core/pictures/projection.hpp"
#include "chamomile/core/vec3.hpp"
#include "chamomile/io/pictures/colour_map.hpp"
#include "chamomile/io/pictures/image.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// RenderOptions controls a picture. Empty members are chosen from the snapshot. A member for each
/// option.
struct RenderOptions {
    int width = 800, height = 800;      ///< pixels
    std::optional<Vec3<double>> center; ///< empty: center of mass of the shown particles
    std::optional<double>
        field_of_view;      ///< width of the picture as a length; empty: holds 98 % of the mass
    double azimuth = 0;     ///< degrees of the first rotation, about z
    double inclination = 0; ///< degrees of tilt about the picture's x axis: 0 face-on, 90 edge-on
    std::vector<int>
        types; ///< 0..5; empty: disk, bulge and stars (2, 3, 4) if present, otherwise all
    Pictured quantity = Pictured::density;
    bool components = false;             ///< add one color per type; only for the density
    std::optional<double> min, max;      ///< ends of the color map; empty: percentiles
    std::optional<ColourMap> colour_map; ///< empty: the default of the quantity
    bool no_labels = false;              ///< omit scale bar, time or redshift, and color bar
    bool no_colour_bar = false;
    bool axes = false;        ///< axes at two edges instead of the scale bar
    std::optional<int> orbit; ///< number of pictures in a turn about z, if several
    /// Center on the densest place of all shown particles (`densest`) or of one type.
    std::optional<int> follow;
    static constexpr int densest = -1;
    std::optional<Vec3<double>> mark; ///< draw a cross there
    /// Move the mark to the center of the picture (`middle`), or as `follow` moves the center.
    std::optional<int> mark_at;
    static constexpr int middle = -2;
    std::string path; ///< a table of orbits to draw, as in read_paths(); empty: none
    std::vector<std::vector<Vec3<double>>> orbits; ///< empty: read from `path`
    /// Side of the periodic box, drawn with its images across the faces. 0: isolated; empty: the
    /// side in the snapshot. By default a periodic picture is centered on the middle of the box and
    /// a tenth of a side deep.
    std::optional<double> box;
    /// By default the colors of a box reach at least from and to these mean surface densities.
    double box_min = 0.4, box_max = 20;
    std::optional<double> slice; ///< thickness along the line of sight, about the center
};

/// Returns the options with every choice made from this snapshot. All frames of a run then share
/// one field of view and color range. Throws like render_snapshot().
RenderOptions complete_view(const Snapshot& snapshot, const RenderOptions& options,
                            const PictureSums& sums = {});

/// Returns the completed `view` with a color range wide enough for `later`, a snapshot of the same
/// series. Ends given in `asked` stay fixed.
RenderOptions widen_colours(const RenderOptions& view, const RenderOptions& asked,
                            const Snapshot& later);

/// Returns the picture. Its texts state quantity, unit, min and max value and time. Shows the
/// logarithm of the projected surface density, smoothed over the local interparticle distance (the
/// number density if all shown particles are massless). Another quantity is shown where the density
/// exceeds the darkest color of the density map. Throws Error(usage) for options out of range,
/// Error(input) if the chosen types have no particles or a position is not finite. If `sums` is not
/// null, it answers for positions, velocities and potentials, which the snapshot may then lack.
Image render_snapshot(const Snapshot& snapshot, const RenderOptions& options,
                      const PictureSums& sums = {});

/// Returns the mapped quantity: surface density (mass per area in units of the snapshot), or
/// another quantity with NaN in empty pixels.
SurfaceDensity surface_density(const Snapshot& snapshot, const RenderOptions& options);

} // namespace chamomile
