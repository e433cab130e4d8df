// The field of a community code at points, and its stopping conditions.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "chamomile/core/error.hpp"
#include "chamomile/force/pairs/laws/softened_pairs.hpp"
#include "chamomile/interfaces/amuse/gravity_code.hpp"

namespace chamomile {
namespace {

constexpr std::size_t max_trees = 8; ///< max trees per call, by softening; beyond, direct sums

} // namespace

FieldSolver& GravityCode::kept_field(double eps2)
{
    if (fields_.size() > 4 * max_trees && !fields_.count(eps2))
        fields_.clear();
    KeptField& kept = fields_[eps2];
    if (!kept.solver) {
        SolverOptions field = keyed_.options;
        field.solver = parameters.solver == "direct" ? SolverKind::direct : SolverKind::tree;
        field.softening.length = std::sqrt(eps2);
        kept.solver = make_field_solver(field);
    }
    if (kept.generation != generation_) {
        std::vector<double>& own = particles_.softening;
        kept.solver->build({size(),
                            view_of(std::span(particles_.position)),
                            view_of(std::span(particles_.mass)),
                            {},
                            own.empty() ? ArrayView{} : view_of(std::span(own))});
        kept.generation = generation_;
    }
    return *kept.solver;
}

void GravityCode::field(const Points& points, double* ax, double* ay, double* az, double* phi)
{
    require_running();
    const bool forces = ax && ay && az;
    if (points.count > 0 &&
        (!points.eps || !points.x || !points.y || !points.z || (!forces && !phi)))
        throw Error(Fault::usage, "points: must not be null");
    std::vector<double> distinct(points.eps, points.eps + points.count);
    for (const double eps : distinct)
        if (!std::isfinite(eps))
            throw Error(Fault::input, "eps: " + std::to_string(eps) + ": must be finite");
    FieldResults results;
    if (forces) {
        std::size_t c = 0;
        for (double* component : {ax, ay, az}) {
            std::fill_n(component, points.count, 0.0);
            results.acceleration.component[c++] = reinterpret_cast<std::byte*>(component);
        }
        results.acceleration.stride = sizeof(double);
    }
    if (phi) {
        std::fill_n(phi, points.count, 0.0);
        results.potential = view_of(std::span(phi, points.count));
    }
    if (size() == 0 || points.count == 0)
        return;
    if (!particles_.softening.empty()) {
        field_of_own_softenings(points, results);
        return;
    }
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (distinct.size() > max_trees) {
        field_of_pairs(points, results);
        return;
    }
    std::vector<std::size_t> by_eps(points.count);
    std::iota(by_eps.begin(), by_eps.end(), std::size_t(0));
    if (distinct.size() > 1)
        std::stable_sort(by_eps.begin(), by_eps.end(), [&](std::size_t a, std::size_t b) {
            return points.eps[a] < points.eps[b];
        });
    field_of_trees(points, by_eps, results);
}

void GravityCode::field_of_trees(const Points& points, const std::vector<std::size_t>& by_eps,
                                 const FieldResults& results)
{
    std::vector<Vec3<double>> place, acceleration;
    std::vector<double> potential;
    for (std::size_t begin = 0, end; begin < points.count; begin = end) {
        const double eps = points.eps[by_eps[begin]];
        place.clear();
        for (end = begin; end < points.count && points.eps[by_eps[end]] == eps; ++end) {
            const std::size_t k = by_eps[end];
            place.push_back({points.x[k], points.y[k], points.z[k]});
        }
        FieldResults one;
        if (results.acceleration) {
            acceleration.resize(place.size());
            one.acceleration = view_of(std::span(acceleration));
        }
        if (results.potential) {
            potential.resize(place.size());
            one.potential = view_of(std::span(potential));
        }
        kept_field(parameters.eps2 + eps * eps)
            .evaluate({place.size(), view_of(std::span(place))}, one);
        for (std::size_t k = begin; k < end; ++k) {
            if (results.acceleration)
                results.acceleration.store_vector(by_eps[k], acceleration[k - begin]);
            if (results.potential)
                results.potential.store(by_eps[k], 0, potential[k - begin]);
        }
    }
}

void GravityCode::field_of_own_softenings(const Points& points, const FieldResults& results)
{
    std::vector<Vec3<double>> place(points.count);
    std::vector<double> eps(points.count);
    for (std::size_t k = 0; k < points.count; ++k) {
        place[k] = {points.x[k], points.y[k], points.z[k]};
        eps[k] = std::abs(points.eps[k]);
    }
    kept_field(parameters.eps2)
        .evaluate({points.count, view_of(std::span(place)), {}, {}, view_of(std::span(eps))},
                  results);
}

void GravityCode::field_of_pairs(const Points& points, const FieldResults& results)
{
    using Law = SoftenedPairs;
    if (!pairs_) {
        const SolverOptions& o = keyed_.options;
        pairs_ = make_pair_solver(Law{}, {.precision = o.precision, .device = o.device});
    }
    std::vector<Law::Target<double>> targets(points.count);
    for (std::size_t k = 0; k < points.count; ++k)
        targets[k] = {{points.x[k], points.y[k], points.z[k]},
                      parameters.eps2 + points.eps[k] * points.eps[k]};
    std::vector<Law::Source<double>> sources(size());
    for (std::size_t j = 0; j < size(); ++j)
        sources[j] = {particles_.position[j], particles_.mass[j], 0};
    std::vector<Law::Sum<double>> sums(points.count);
    pairs_->sum({as_rows(std::span<const Law::Target<double>>(targets)),
                 as_rows(std::span<const Law::Source<double>>(sources)),
                 {},
                 {}},
                as_rows(std::span(sums)));
    for (std::size_t k = 0; k < points.count; ++k) {
        if (!std::isfinite(sums[k].potential) ||
            !std::isfinite(norm_squared(sums[k].acceleration))) {
            sums[k] = {}; // too close for float
            for (const auto& source : sources)
                Law{}(targets[k], source, sums[k]);
        }
        if (results.acceleration)
            results.acceleration.store_vector(k, sums[k].acceleration);
        if (results.potential)
            results.potential.store(k, 0, sums[k].potential);
    }
}

void GravityCode::find_stops(const StopLimits& limits, std::uint64_t steps, double seconds,
                             std::vector<Stop>& stops)
{
    if (limits.collisions || limits.box)
        made_.integrator->fetch(particles_);
    if (limits.collisions)
        find_collisions(stops);
    if (limits.box) {
        const Vec3<double> center =
            limits.box_about_center_of_mass ? center_of_mass() : Vec3<double>{};
        for (std::size_t k = 0; k < size(); ++k)
            if (norm_squared(particles_.position[k] - center) > *limits.box * *limits.box)
                stops.push_back({StopKind::out_of_box, {numbers_[k]}});
    }
    if (limits.steps && steps >= *limits.steps)
        stops.push_back({StopKind::number_of_steps, {}});
    if (limits.seconds && seconds >= *limits.seconds)
        stops.push_back({StopKind::timeout, {}});
}

void GravityCode::find_collisions(std::vector<Stop>& stops)
{
    const double widest = radius_.empty() ? 0 : *std::max_element(radius_.begin(), radius_.end());
    if (!(widest > 0))
        return;
    FieldSolver& field = kept_field(parameters.eps2);
    std::vector<double> reach(size());
    std::vector<std::int64_t> self(size()), count(size()), list;
    for (std::size_t k = 0; k < size(); ++k)
        reach[k] = radius_[k] + widest;
    std::iota(self.begin(), self.end(), std::int64_t(0));
    std::size_t max = 16;
    for (bool again = true; again;) {
        list.assign(size() * max, 0);
        field.neighbours({size(), view_of(std::span(particles_.position)), {}, self},
                         view_of(std::span(reach)), max, count, list);
        const auto longest = std::size_t(*std::max_element(count.begin(), count.end()));
        again = longest > max;
        max = std::max(max, longest);
    }
    for (std::size_t i = 0; i < size(); ++i)
        for (std::size_t n = 0; n < std::size_t(count[i]); ++n) {
            const auto j = std::size_t(list[i * max + n]);
            if (i < j &&
                norm(particles_.position[i] - particles_.position[j]) < radius_[i] + radius_[j])
                stops.push_back({StopKind::collision, {numbers_[i], numbers_[j]}});
        }
}

} // namespace chamomile
