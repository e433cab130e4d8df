/// \file  Sums over the particles of a picture, which may lie on several ranks.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/core/ranks/communicator.hpp"

namespace chamomile {

/// A Pictured is the quantity that the colors show: surface density, or a mass-weighted mean along
/// the line of sight of velocity away from the observer, its dispersion, or potential.
enum class Pictured { density, velocity, dispersion, potential };

/// A PictureFrame is the volume that a picture shows.
struct PictureFrame {
    double azimuth = 0, inclination = 0; ///< degrees, as in View
    Vec3<double> center = {};
    Periodicity box = {};
    double depth = HUGE_VAL;   ///< half the extent along the line of sight
    int width = 0, height = 0; ///< pixels
    double field_of_view = 0;  ///< 0: unknown; only for isolated particles
};

/// What to compute, and the numbers in the result.
enum class PictureSum {
    center,  ///< 3: center of mass
    densest, ///< 3: densest place, searched from the center of the frame
    width,   ///< 1: 1.3 times the width that holds 98 % of the mass in both directions
    lowest,  ///< 1: lowest value of the quantity
    map      ///< width * height: SurfaceDensity::values
};

/// A PictureRequest asks for a sum over all particles of some types.
struct PictureRequest {
    PictureSum sum = PictureSum::map;
    PictureFrame frame = {};
    std::uint8_t types = 0;      ///< bit t: with particles of type t
    std::uint8_t weighed = 0xff; ///< bit t: type t has weight in a map
    bool are_counts = false;     ///< each particle weighs 1 instead of its mass
    Pictured quantity = Pictured::density;
    int power = 0; ///< a map has weights mass (value - lowest)^power
    double lowest = 0;
    double velocity_factor = 1; ///< velocity in the picture over velocity of the particles
};

/// The local particles of a picture. Velocities and potentials may be missing if not asked for.
struct PicturedParticles {
    explicit PicturedParticles(const Particles& p)
        : position(p.position), velocity(p.velocity), mass(p.mass), potential(p.potential),
          type(p.type)
    {}
    std::span<const Vec3<double>> position, velocity;
    std::span<const double> mass, potential;
    std::span<const std::uint8_t> type;
};

/// Returns the sum on rank 0; maps are empty on other ranks. Collective. The result does not depend
/// on the number of ranks and threads or on the order of particles, bitwise.
std::vector<double> picture_sum(const PictureRequest& request, const PicturedParticles& particles,
                                Communicator& ranks);

/// Answers the requests of a picture.
using PictureSums = std::function<std::vector<double>(const PictureRequest&)>;

} // namespace chamomile
