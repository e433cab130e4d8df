/// \file  Samples of moving particles for viewers.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "chamomile/core/moving_point.hpp"
#include "chamomile/run/view/request.hpp"

namespace chamomile {

/// A ViewStatus describes the state of the run when a sample is taken.
struct ViewStatus {
    std::uint64_t step = 0;
    std::string time, progress, energy; ///< in words; empty: unknown
    std::string note;                   ///< last event, such as a checkpoint
    bool paused = false, ended = false;
    double pace = 0;       ///< max steps per second; 0: no limit
    double speed_unit = 1; ///< displayed speed per unit of stored velocity
    std::size_t file = 0;  ///< index of the displayed file, if files are played
};

/// A ViewSample holds points of some particle types, type by type.
struct ViewSample {
    struct Range {
        std::size_t begin = 0, end = 0;
    };

    std::uint64_t sequence = 0;
    std::size_t asked = 0;         ///< requested number of points
    unsigned types = 0;            ///< bit k: contains type k
    Vec3<double> origin{};         ///< mean of the points
    std::array<Range, 6> ranges{}; ///< per type; any first part is a fair sample
    std::array<double, 6> mass{};  ///< per type, relative to the mass of all particles
    double speed = 0;              ///< root mean square of the points
    std::vector<MovingPoint> points;
    ViewStatus status;
};

/// A PointSource copies the particles with these indices, like gather_points().
using PointSource =
    std::function<void(std::span<const GlobalIndex> which, std::span<PhasePoint> into)>;
/// Returns the source for particles on the host, which must outlive it.
PointSource source_of(const Particles& particles);

/// A ViewSampler chooses a random order of the particles of each type, once, and gathers points in
/// this order.
class ViewSampler {
public:
    explicit ViewSampler(const Particles& particles);

    /// Fills all members except sequence and status. Gathers about `points` points in total, in
    /// proportion to the particle number per type, but up to a thousand for rarer types.
    void gather(const PointSource& source, std::size_t points, unsigned types,
                ViewSample& sample) const;

private:
    std::array<std::vector<GlobalIndex>, 6> order_; ///< up to max_view_points per type
    std::array<std::uint64_t, 6> counts_{};
    std::array<double, 6> mass_{};
};

} // namespace chamomile
