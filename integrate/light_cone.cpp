#include "chamomile/integrate/light_cone.hpp"

#include <algorithm>
#include <utility>

#include <omp.h>

#include "chamomile/core/norm.hpp"

namespace chamomile {
namespace {

/// Max number of tests of a cell against a box in a drift: about a millisecond.
constexpr double max_tests = 2e5;
constexpr std::size_t max_cells = 16;

/// An interval of coordinates or distances.
struct Interval {
    double min, max;
};

/// Returns the interval of |x| for x in [low, low + length].
Interval magnitude(double low, double length)
{
    const double high = low + length;
    return {std::max({0., low, -high}), std::max(std::abs(low), std::abs(high))};
}

/// Returns the distances of a cube's points from the origin.
Interval distances(const Vec3<double>& low, double length)
{
    const Interval x = magnitude(low.x, length), y = magnitude(low.y, length),
                   z = magnitude(low.z, length);
    return {std::sqrt(x.min * x.min + y.min * y.min + z.min * z.min),
            std::sqrt(x.max * x.max + y.max * y.max + z.max * z.max)};
}

} // namespace

ScaleFactors::ScaleFactors(const LightCone& cone)
{
    constexpr double spacing = 0.005;
    const auto node = [&](double distance, double log_a) {
        const double a = std::exp(log_a);
        return Node{distance, log_a, -a * cone.background.expansion(a) / cone.hubble_length};
    };
    nodes_.push_back(node(0, 0));
    while (nodes_.back().distance < cone.far) {
        const double log_a = -spacing * double(nodes_.size());
        const double more = cone.background.kick(std::exp(log_a), std::exp(nodes_.back().log_a));
        nodes_.push_back(node(nodes_.back().distance + cone.hubble_length * more, log_a));
    }
}

double ScaleFactors::at(double distance) const
{
    const auto after = std::ranges::upper_bound(nodes_, distance, {}, &Node::distance);
    const auto next = std::clamp(after, nodes_.begin() + 1, nodes_.end() - 1);
    const Node &a = next[-1], &b = *next;
    const double h = b.distance - a.distance, t = (distance - a.distance) / h, u = 1 - t;
    return std::exp(u * u * (1 + 2 * t) * a.log_a + t * t * (3 - 2 * t) * b.log_a +
                    h * t * u * (u * a.slope - t * b.slope));
}

void CrossingFinder::begin_step()
{
    take();
    radius_undone_ = cone_.radius;
    before_.fill(cone_.radius); // all particles are at one time
    first_ = 0;
}

void CrossingFinder::undo_step()
{
    take();
    cone_.radius = radius_undone_;
}

std::vector<Crossing> CrossingFinder::take()
{
    collect();
    return std::exchange(found_, {});
}

/// Collects the crossings of the threads. Keeps the threads' memory for the next drift.
void CrossingFinder::collect()
{
    for (std::vector<Crossing>& one : of_thread_) {
        found_.insert(found_.end(), one.begin(), one.end());
        one.clear();
    }
}

bool CrossingFinder::begin_drift(double scale_factor, int first)
{
    collect();
    std::fill(before_.begin() + first_, before_.end(), cone_.radius); // due in the last drift
    first_ = first;
    cone_.radius = cone_.radius_at(scale_factor);
    const double before = before_[std::size_t(first)]; // of the longest step
    if (cone_.radius >= cone_.far || before <= cone_.near)
        return false;
    of_thread_.resize(std::size_t(omp_get_max_threads()));
    list_images(before);
    return true;
}

/// Lists for each cell of the box the images that may cross in this drift. A particle slower than
/// light moves by at most the change of the radius.
void CrossingFinder::list_images(double before)
{
    const double margin = before - cone_.radius, min = std::max(cone_.radius, cone_.near - margin),
                 max = std::min(before, cone_.far) + margin, side = cone_.side;
    const auto touches = [&](const Vec3<double>& low, double length) {
        const Interval r = distances(low, length);
        const auto is_behind = [&](double x) { return cone_.is_octant && x + length < -margin; };
        return r.max >= min && r.min < max && !is_behind(low.x) && !is_behind(low.y) &&
               !is_behind(low.z);
    };
    const Vec3<double> o = cone_.observer;
    const auto first = [&](double x) { return std::floor((x - max) / side); };
    const auto last = [&](double x) { return std::floor((x + max) / side); };
    std::vector<Image> boxes;
    for (double x = first(o.x); x <= last(o.x); ++x)
        for (double y = first(o.y); y <= last(o.y); ++y)
            for (double z = first(o.z); z <= last(o.z); ++z)
                if (touches(seen({}, {x, y, z}), side))
                    boxes.push_back({x, y, z});
    const double tests = std::max(1., double(boxes.size()));
    cells_ = std::clamp(std::size_t(std::cbrt(max_tests / tests)), std::size_t(1), max_cells);
    per_length_ = double(cells_) / side;
    const double length = side / double(cells_);
    // Rounding may put a particle at the edge of a cell into the next one.
    const double wider = 1e-9 * side;
    begin_.assign(1, 0);
    images_.clear();
    for (std::size_t cell = 0; cell < cells_ * cells_ * cells_; ++cell) {
        const Vec3<double> low{double(cell / cells_ / cells_) * length - wider,
                               double(cell / cells_ % cells_) * length - wider,
                               double(cell % cells_) * length - wider};
        for (const Image& box : boxes)
            if (touches(seen(low, box), length + 2 * wider))
                images_.push_back(box);
        begin_.push_back(images_.size());
    }
}

void CrossingFinder::look_at(const Image& image, const DriftPath& path)
{
    const auto& [from, to, momentum, mass, id, level] = path;
    // A particle that leaves the box through a face comes back through the opposite one.
    const auto number = [side = cone_.side](double n, double x0, double x1) {
        return n - std::rint((x0 - x1) / side);
    };
    const Vec3<double> end = seen(to, image);
    const double now = cone_.radius, before = before_[level];
    if (norm_squared(end) < now * now)
        return;
    const Vec3<double> start =
        seen(from, {number(image.x, from.x, to.x), number(image.y, from.y, to.y),
                    number(image.z, from.z, to.z)});
    // |start + s move| = before - s shrink, with s from 0 to 1.
    const double c = norm_squared(start) - before * before;
    if (!(c < 0))
        return;
    const Vec3<double> move = end - start;
    const double shrink = before - now, a = norm_squared(move) - shrink * shrink,
                 b = dot(start, move) + before * shrink,
                 s = std::clamp(-c / (b + std::sqrt(std::max(0., b * b - a * c))), 0., 1.);
    const Vec3<double> place = start + s * move;
    const double distance = norm(place);
    if (!(distance >= cone_.near && distance < cone_.far))
        return;
    if (cone_.is_octant && (place.x < 0 || place.y < 0 || place.z < 0))
        return;
    const double scale_factor = scale_factors_.at(distance);
    of_thread_[std::size_t(omp_get_thread_num())].push_back(
        {place, 1 / scale_factor * momentum, mass, redshift_of(scale_factor), id});
}

} // namespace chamomile
