/// \file  Samples of moving particles: what a run hands over to those who look at it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "chamomile/core/moving_point.hpp"
#include "chamomile/view/request.hpp"

namespace chamomile {

/// A ViewStatus says where the run is when a sample is taken.
struct ViewStatus {
    std::uint64_t step = 0;
    std::string time, progress, energy; ///< in words; empty: not known
    std::string note;                   ///< what happened last, such as a checkpoint
    bool paused = false, ended = false;
    double pace = 0;       ///< the most steps a second; 0: no limit
    double speed_unit = 1; ///< of velocities as they are stored, in the units that are shown
    std::size_t file = 0;  ///< which is shown, where files are played
};

/// A ViewSample holds points of some types of particles, type by type.
struct ViewSample {
    struct Range {
        std::size_t begin = 0, end = 0;
    };

    std::uint64_t sequence = 0;
    std::size_t asked = 0; ///< points that were asked for
    unsigned types = 0;    ///< bit k: has those of type k
    Vec3<double> origin{};
    std::array<Range, 6> ranges{}; ///< of each type, in an order of which each part is fair
    std::array<double, 6> mass{};  ///< of all particles of each type over the mass of all
    double speed = 0;              ///< root mean square of the points
    std::vector<MovingPoint> points;
    ViewStatus status;
};

/// A PointSource makes points of particles by their numbers, as gather_points() does.
using PointSource = std::function<void(std::span<const Index> which, const Vec3<double>& origin,
                                       std::span<MovingPoint> into)>;
/// Returns that of particles of the host, which must outlive it.
PointSource source_of(const Particles& particles);

/// A ViewSampler chooses at random, once, in which order particles of each type are shown, and
/// gathers points of the first of them.
class ViewSampler {
public:
    explicit ViewSampler(const Particles& particles);

    /// Fills all but sequence and status: about as many points as asked of all types together, in
    /// proportion to their numbers, but up to a thousand of the rarer types.
    void gather(const PointSource& source, std::size_t points, unsigned types,
                ViewSample& sample) const;

private:
    std::array<std::vector<Index>, 6> order_; ///< of at most most_view_points of each type
    std::array<std::uint64_t, 6> counts_{};
    std::array<double, 6> mass_{};
    Vec3<double> origin_{};
};

} // namespace chamomile
