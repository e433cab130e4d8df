/// \file  Particles that cross the past light cone of an observer during a comoving run.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "chamomile/core/cosmology/background.hpp"
#include "chamomile/core/vec3.hpp"
#include "chamomile/integrate/rungs/block_levels.hpp"

namespace chamomile {

/// The past light cone of an observer at a = 1, in a periodic box and its replications. Lengths are
/// comoving.
struct LightCone {
    Background background = {};
    double hubble_length = 0; ///< c / H0
    double side = 0;          ///< of the box
    Vec3<double> observer = {};
    double near = 0, far = 0; ///< distances that are recorded: near <= r < far
    bool is_octant = false;   ///< only directions without negative components
    double radius = INFINITY; ///< at the end of the last drift

    /// Returns the comoving distance from which light of the scale factor arrives at a = 1; 0
    /// later.
    double radius_at(double scale_factor) const
    {
        return scale_factor < 1 ? hubble_length * background.kick(scale_factor, 1) : 0;
    }
};

/// A Crossing is a particle image on the light cone.
struct Crossing {
    Vec3<double> position; ///< comoving, from the observer
    Vec3<double> velocity; ///< peculiar
    double mass, redshift;
    std::uint64_t id;
};

/// A particle's drift over a step of its level, between two positions in the box.
struct DriftPath {
    Vec3<double> from, to, momentum; ///< momentum: canonical, a times the peculiar velocity
    double mass;
    std::uint64_t id;
    std::size_t level = 0;
};

/// Returns scale factors for distances of a light cone: ln a by cubic Hermite interpolation between
/// nodes at most 0.005 apart, with an error of 1e-12.
class ScaleFactors {
public:
    explicit ScaleFactors(const LightCone& cone);
    /// Returns the scale factor at a distance from 0 to cone.far.
    double at(double distance) const;

private:
    struct Node {
        double distance, log_a, slope; ///< slope: d ln a / d distance
    };
    std::vector<Node> nodes_; ///< by distance, ascending
};

/// A CrossingFinder finds crossings in drifts, where positions move linearly and the radius shrinks
/// linearly (as in GADGET-4: Springel et al. 2021). An image crosses in the drift that begins with
/// it inside the cone's sphere and ends with it outside. Both tests read the bits that the drifts
/// before and after read, so each image crosses exactly once while particles are slower than light.
class CrossingFinder {
public:
    explicit CrossingFinder(const LightCone& cone) : cone_(cone), scale_factors_(cone) {}

    const LightCone& cone() const { return cone_; } ///< with its present radius

    /// Forgets all crossings at the begin of a whole step.
    void begin_step();
    /// Returns to the state at begin_step().
    void undo_step();

    /// Begins a drift to a scale factor: of the particles of level `first` and deeper, whose steps
    /// end now. Returns whether crossings are possible; then look() must be called for each of
    /// them.
    bool begin_drift(double scale_factor, int first = 0);

    /// Records the crossings of a particle. Threads may call it at once.
    void look(const DriftPath& path)
    {
        const std::size_t cell =
            (index(path.to.x) * cells_ + index(path.to.y)) * cells_ + index(path.to.z);
        for (std::size_t k = begin_[cell]; k < begin_[cell + 1]; ++k)
            look_at(images_[k], path);
    }

    /// Returns the crossings since begin_step(), and forgets them: by drift, then by particle, for
    /// any number of threads that share the particles in static order.
    std::vector<Crossing> take();

private:
    struct Image {
        double x, y, z; ///< box numbers
    };

    std::size_t index(double x) const
    {
        const double cell = x * per_length_;
        return cell >= 0 && cell < double(cells_) ? std::size_t(cell) : 0;
    }
    Vec3<double> seen(const Vec3<double>& x, const Image& image) const
    {
        return {x.x + cone_.side * image.x - cone_.observer.x,
                x.y + cone_.side * image.y - cone_.observer.y,
                x.z + cone_.side * image.z - cone_.observer.z};
    }
    void look_at(const Image& image, const DriftPath& path);
    void list_images(double before);
    void collect();

    LightCone cone_;
    ScaleFactors scale_factors_;
    LevelFactors before_{};          ///< radius at the begin of a step, by level
    int first_ = 0;                  ///< lowest level of this drift
    double radius_undone_ = 0;       ///< radius at begin_step()
    std::size_t cells_ = 1;          ///< along the box
    double per_length_ = 0;          ///< cells per length
    std::vector<std::size_t> begin_; ///< first image of each cell, and the end
    std::vector<Image> images_;      ///< by cell: boxes in which the cell's particles may cross
    std::vector<std::vector<Crossing>> of_thread_; ///< in this drift
    std::vector<Crossing> found_;                  ///< in earlier drifts since begin_step()
};

} // namespace chamomile
