#include "chamomile/integrate/external/orbit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/integrate/hermite_step.hpp"

namespace chamomile {
namespace {

using std::numbers::pi;

constexpr double eta = 3e-5;            ///< of Aarseth's step: about 1000 steps for a period
constexpr double shortest = 1e-9;       ///< step, relative to the time scale at the start
constexpr double turn_rounding = 1e-9;  ///< of the cosine between position and velocity
constexpr int corrections = 3;          ///< n of P(EC)^n
constexpr double max_orbit_steps = 1e8; ///< with a length
constexpr double max_free_steps = 1e6;  ///< without a length

/// A passage of pericenter or apocenter. `angle`: total turn of the position since the start.
struct Passage {
    double time, distance, angle;
};

double angle_between(const Vec3<double>& a, const Vec3<double>& b)
{
    return std::atan2(norm(cross(a, b)), dot(a, b));
}

/// Returns the sign of the radial velocity; 0 within rounding.
int direction(const OrbitPoint& at)
{
    const double s = dot(at.position, at.velocity),
                 zero = turn_rounding * norm(at.position) * norm(at.velocity);
    return s > zero ? 1 : s < -zero ? -1 : 0;
}

/// A Traveller is a body with its next step.
class Traveller {
public:
    Traveller(const ExternalField& field, const OrbitPoint& start)
        : field_(field), time_(start.time), now_{start.position, start.velocity, {}, {}}
    {
        evaluate(now_, time_);
        const double speed = std::max(norm(start.velocity),
                                      std::sqrt(norm(now_.acceleration) * norm(start.position)));
        scale_ = norm(start.position) > 0 ? norm(start.position) / speed
                                          : std::sqrt(speed / norm(now_.jerk)); // at a center
        step_ = std::min(starting_step(now_, potential_, 0, 0.01), 1e-3 * scale_);
    }

    OrbitPoint point() const { return {time_, now_.position, now_.velocity}; }
    double scale() const { return scale_; } ///< distance over speed at the start
    double energy() const { return 0.5 * norm_squared(now_.velocity) + potential_; }

    /// Moves the body by a step, but not beyond `end`.
    void advance(double end)
    {
        const double dt = std::min(step_, end - time_),
                     to_time = step_ < end - time_ ? time_ + dt : end;
        if (!(to_time > time_))
            throw Error(Fault::numeric,
                        "orbit: t = " + number_text(time_) + ": a step is below the rounding of t");
        Motion to = predicted(now_, dt);
        for (int k = 0; k < corrections; ++k) {
            evaluate(to, to_time);
            correct(to, now_, dt);
        }
        const double next = aarseth_step(to, higher_derivatives(now_, to, dt), eta);
        if (dt == step_ || next < step_) // a shortened step keeps the next one
            step_ = std::max(std::min(next, 2 * dt), shortest * scale_);
        now_ = to;
        time_ = to_time;
    }

private:
    void evaluate(Motion& at, double time)
    {
        static constexpr Index only[] = {0};
        const MovingSource source{at.position, at.velocity, 0};
        JerkSum sum{};
        field_.add(time, std::span(&source, 1), only, std::span(&sum, 1));
        at.acceleration = sum.acceleration;
        at.jerk = sum.jerk;
        potential_ = sum.potential;
        if (!std::isfinite(norm_squared(sum.acceleration) + norm_squared(sum.jerk)))
            throw Error(Fault::numeric,
                        "orbit: t = " + number_text(time) + ": acceleration is not finite at " +
                            number_text(at.position.x) + "," + number_text(at.position.y) + "," +
                            number_text(at.position.z));
    }

    const ExternalField& field_;
    double time_, potential_ = 0, scale_ = 0, step_ = 0;
    Motion now_;
};

/// Passages collects pericenters and apocenters between points of an orbit.
class Passages {
public:
    explicit Passages(const OrbitPoint& start)
        : start_{start.time, norm(start.position), 0}, last_(start), sign_(direction(start))
    {}

    std::size_t count() const { return near_.size() + far_.size(); }
    bool is_circular() const { return sign_ == 0; } ///< so far
    double angle() const { return angle_; }

    void add(const OrbitPoint& to)
    {
        const int sign = direction(to);
        if (sign != 0 && sign_ == 0) // the start is a passage
            (sign > 0 ? near_ : far_).push_back(start_);
        else if (sign != 0 && sign != sign_)
            (sign > 0 ? near_ : far_).push_back(passage(to));
        sign_ = sign != 0 ? sign : sign_;
        angle_ += angle_between(last_.position, to.position);
        last_ = to;
    }

    void describe(Orbit& orbit) const
    {
        const auto by_distance = [](const Passage& a, const Passage& b) {
            return a.distance < b.distance;
        };
        if (!near_.empty())
            orbit.pericenter = std::min_element(near_.begin(), near_.end(), by_distance)->distance;
        if (!far_.empty())
            orbit.apocenter = std::max_element(far_.begin(), far_.end(), by_distance)->distance;
        if (is_circular())
            orbit.pericenter = orbit.apocenter = start_.distance;
        const auto& longer = near_.size() >= far_.size() ? near_ : far_;
        Passage first = start_, last{last_.time, 0, angle_};
        double periods = 0;
        if (longer.size() > 1) {
            first = longer.front();
            last = longer.back();
            periods = double(longer.size() - 1);
        } else if (near_.size() == 1 && far_.size() == 1) {
            first = near_.front();
            last = far_.front();
            periods = 0.5;
        }
        const double time = std::abs(last.time - first.time),
                     angle = std::abs(last.angle - first.angle);
        if (periods > 0)
            orbit.radial_period = time / periods;
        if ((periods > 0 || is_circular()) && angle > 0)
            orbit.revolution = 2 * pi * time / angle;
    }

private:
    /// Returns the passage between the last point and this one.
    Passage passage(const OrbitPoint& to) const
    {
        const CenterPath path{"", {last_, to}};
        double low = last_.time, high = to.time;
        const int before = sign_;
        for (int k = 0; k < 60; ++k) {
            const double middle = 0.5 * (low + high);
            const OrbitPoint at = path.at(middle);
            (dot(at.position, at.velocity) * before > 0 ? low : high) = middle;
        }
        const OrbitPoint at = path.at(low);
        return {low, norm(at.position), angle_ + angle_between(last_.position, at.position)};
    }

    Passage start_;
    OrbitPoint last_;
    int sign_;
    double angle_ = 0;
    std::vector<Passage> near_, far_;
};

void require_usable(const ExternalField& field)
{
    require(refusal(field, {.by_jerks = true}));
}

} // namespace

Orbit follow_orbit(const ExternalField& field, const OrbitPoint& start, const OrbitLength& length)
{
    require_usable(field);
    const double infinite = std::numeric_limits<double>::infinity();
    const double end = start.time + length.length.value_or(infinite);
    if (length.length)
        field.require_times(start.time, end);
    const bool has_zero = field.without_zero().empty();
    Traveller body(field, start);
    Passages passages(start);
    Orbit orbit;
    if (length.parts > 0)
        orbit.path.push_back(start);
    double steps = 0;
    const auto may_stop = [&] {
        if (length.length)
            return body.point().time >= end;
        const OrbitPoint at = body.point();
        return passages.count() >= std::size_t(length.passages) || steps > max_free_steps ||
               (has_zero && body.energy() >= 0 && direction(at) > 0) ||
               (passages.is_circular() && passages.angle() > 2 * pi * length.passages);
    };
    do {
        const double part = double(orbit.path.size()) / double(length.parts);
        body.advance(length.parts > 0 ? std::min(end, start.time + part * *length.length) : end);
        const OrbitPoint at = body.point();
        passages.add(at);
        orbit.max_height = std::max(orbit.max_height, std::abs(at.position.z));
        if (length.parts > 0 && at.time >= start.time + part * *length.length)
            orbit.path.push_back(at);
        if (++steps > max_orbit_steps)
            throw Error(Fault::numeric, "orbit: " + number_text(steps) +
                                            " steps: must be at most 1e8; give a shorter time");
    } while (!may_stop());
    passages.describe(orbit);
    orbit.end = body.point();
    return orbit;
}

FieldPlace field_at(const ExternalField& field, double time, const Vec3<double>& place)
{
    FieldPlace found;
    field.add(time, std::span(&place, 1), {}, std::span(&found.acceleration, 1),
              std::span(&found.potential, 1));
    const double square = -dot(place, found.acceleration);
    if (square >= 0)
        found.circular_speed = std::sqrt(square);
    if (field.without_zero().empty() && found.potential <= 0)
        found.escape_speed = std::sqrt(-2 * found.potential);
    return found;
}

OrbitPoint place_in(const ExternalField& field, double time, const OrbitChoice& orbit)
{
    require_usable(field);
    const bool from_far = orbit.phase == 0.5;
    const double distance = from_far ? orbit.apocenter : orbit.pericenter,
                 i = orbit.inclination * pi / 180, node = orbit.node * pi / 180;
    const double flat = std::abs(std::cos(i)) < 1e-15 ? 0 : std::cos(i); // pi / 2 is rounded
    const Vec3<double> out{std::cos(node), std::sin(node), 0},
        along{0 - std::sin(node) * flat, std::cos(node) * flat, std::sin(i)};
    const auto start = [&](double speed) {
        return OrbitPoint{time, distance * out, speed * along};
    };
    const auto circular = field_at(field, time, distance * out).circular_speed;
    if (!circular || *circular == 0)
        throw Error(Fault::usage, "no attraction at the distance " + number_text(distance));
    double low = from_far ? 0 : *circular, high = *circular;
    // The distance at the other end of the orbit grows with the speed.
    const auto is_beyond = [&](double speed) {
        const Orbit half = follow_orbit(field, start(speed), {.passages = 2});
        return from_far ? half.pericenter.value_or(distance) > orbit.pericenter
                        : !half.apocenter || *half.apocenter > orbit.apocenter;
    };
    if (orbit.apocenter > orbit.pericenter) {
        for (int k = 0; !from_far && !is_beyond(high); ++k) {
            low = high;
            high *= 2;
            if (k == 60)
                throw Error(Fault::usage, "apocenter: " + number_text(orbit.apocenter) +
                                              ": no orbit from the pericenter reaches it");
        }
        for (int k = 0; k < 50; ++k) {
            const double middle = 0.5 * (low + high);
            (is_beyond(middle) ? high : low) = middle;
        }
        low = high = 0.5 * (low + high);
    }
    const OrbitPoint found = start(high);
    if (from_far || orbit.phase == 0)
        return found;
    const Orbit whole = follow_orbit(field, found, {.passages = 3});
    const auto period = orbit.apocenter > orbit.pericenter ? whole.radial_period : whole.revolution;
    OrbitPoint moved = follow_orbit(field, found, {.length = orbit.phase * period.value_or(0)}).end;
    moved.time = time;
    return moved;
}

} // namespace chamomile
