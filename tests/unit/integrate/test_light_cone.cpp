// Crossings of the past light cone, against a direct search in tables of all positions, and
// distances against another integral.
#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/integrate/comoving_clock.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/scheme.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/periodic_sets.hpp"
#include "tests/unit/snapshot_fixture.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("light_cone");

namespace {

constexpr Background dark{
    .omega_matter = 0.3, .omega_lambda = 0.65, .omega_radiation = 0.01, .w0 = -0.9, .wa = 0.2};
constexpr double hubble_length = 2; // sides of the box

/// Returns the comoving distance by Simpson's rule in z, without Background.
double distance_by_simpson(double redshift)
{
    constexpr int n = 2000;
    const auto slowness = [](double z) {
        const double a = 1 / (1 + z), w = std::pow(a, -3 * (1 + dark.w0 + dark.wa)) *
                                          std::exp(-3 * dark.wa * (1 - a));
        return 1 / std::sqrt(0.3 * std::pow(1 + z, 3) + 0.01 * std::pow(1 + z, 4) +
                             0.04 * std::pow(1 + z, 2) + 0.65 * w);
    };
    const double h = redshift / n;
    double sum = 0;
    for (int k = 0; k <= n; ++k)
        sum += (k == 0 || k == n ? 1 : k % 2 == 1 ? 4 : 2) * slowness(k * h);
    return hubble_length * h / 3 * sum;
}

/// Positions of all particles, unwrapped, at many times.
struct Track {
    std::vector<double> radius; ///< of the light cone
    std::vector<std::vector<Vec3<double>>> place;

    void add(double scale_factor, const std::vector<PhasePoint>& points)
    {
        radius.push_back(scale_factor < 1 ? distance_by_simpson(1 / scale_factor - 1) : 0);
        std::vector<Vec3<double>> now;
        for (std::size_t i = 0; i < points.size(); ++i)
            now.push_back(place.empty()
                              ? points[i].position
                              : Periodicity{1}.nearest_to(place.back()[i], points[i].position));
        place.push_back(now);
    }
};

struct Run {
    Track track; ///< of one rank
    std::vector<Crossing> crossings;
    std::uint64_t deepest = 0;
};

LightCone cone_from(double scale_factor)
{
    LightCone cone{.background = dark,
                   .hubble_length = hubble_length,
                   .side = 1,
                   .observer = {0.3, 0.9, 0.55}};
    cone.far = cone.radius = cone.radius_at(scale_factor);
    return cone;
}

Particles fast_particles()
{
    Particles p = periodic_sets(60)[1].particles;
    Random random(23);
    for (Vec3<double>& v : p.velocity)
        v = {random(-0.3, 0.3), random(-0.3, 0.3), random(-0.3, 0.3)};
    return p;
}

enum class Steps { fixed, adaptive, individual, hierarchical };

/// Moves particles from the scale factor `start` to 1, by up to half a box.
Run moved(Steps steps, int ranks, double start, const LightCone& cone)
{
    const ThreadsInUse threads(1); // these small sets gain nothing from more
    const ComovingClock clock({.background = dark, .hubble_rate = 1, .longest_step = 0.1});
    SolverOptions options;
    options.device = "cpu";
    options.box = 1;
    options.softening.length = 0.003;
    options.gravitational_constant = 0.05;
    options.own_ranks = ranks;
    options.periodic.mesh = 16;
    Scheme scheme;
    scheme.individual = steps >= Steps::individual;
    if (steps == Steps::hierarchical)
        scheme.block_scheme = BlockScheme::hierarchical;
    scheme.adaptive = steps == Steps::adaptive;
    if (steps == Steps::fixed)
        scheme.fixed_length = 0.11; // many particles leave the box in each of four drifts
    scheme.criterion = StepCriterion::softening;
    if (steps != Steps::fixed)
        scheme.eta = scheme.individual ? 0.2 : 0.5;
    Particles p = fast_particles();
    const IntegratorWithSolver made = make_integrator(options, scheme, clock);
    Simulation simulation(p, *made.integrator, std::log(start), 0);
    simulation.record_crossings(cone);
    Run run;
    std::vector<GlobalIndex> all(p.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = i;
    std::vector<PhasePoint> points(p.size());
    const auto look = [&](double time) {
        simulation.gather(all, points);
        run.track.add(std::exp(time), points);
    };
    if (ranks == 0 && steps == Steps::individual)
        simulation.after_blocks(1, look);
    simulation.every_steps(1, Quantities::acceleration, [&](Simulation& now) { look(now.time()); });
    simulation.after_each_step([&](Simulation& now) {
        const std::vector<Crossing> found = now.take_crossings();
        run.crossings.insert(run.crossings.end(), found.begin(), found.end());
    });
    simulation.run();
    run.deepest = made.leapfrog->report().deepest;
    return run;
}

/// Requires that the crossings are those of a table: for each image that is inside the sphere at
/// one time and outside at the next, one.
void require_crossings(const Run& run, const LightCone& cone, double tolerance)
{
    const Particles p = fast_particles();
    const Track& track = run.track;
    std::vector<Crossing> left = run.crossings;
    std::size_t inside_at_start = 0, count = 0, entered = 0;
    double farthest = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        for (int n = 0; n < 7 * 7 * 7; ++n) {
            const Vec3<double> shift{double(n % 7 - 3), double(n / 7 % 7 - 3), double(n / 49 - 3)};
            const auto seen = [&](std::size_t k) {
                return track.place[k][i] + shift - cone.observer;
            };
            const auto excess = [&](std::size_t k) { return norm(seen(k)) - track.radius[k]; };
            double before = excess(0);
            inside_at_start += before < 0;
            for (std::size_t k = 0; k + 1 < track.place.size(); ++k) {
                const double first = before;
                before = excess(k + 1);
                entered += first >= 0 && before < 0;
                if (!(first < 0 && before >= 0))
                    continue;
                ++count;
                const double s = first / (first - before);
                const Vec3<double> place = seen(k) + s * (seen(k + 1) - seen(k));
                const auto distance_of = [&](const Crossing& one) {
                    return one.id == p.id[i] ? norm(one.position - place) : HUGE_VAL;
                };
                const auto found = std::ranges::min_element(left, {}, distance_of);
                REQUIRE(found != left.end());
                farthest = std::max(farthest, distance_of(*found));
                left.erase(found);
            }
        }
    CHECK(left.empty());
    CHECK(entered == 0);
    CHECK(count == inside_at_start); // at the end none is inside
    CHECK(run.crossings.size() == count);
    CHECK(farthest < tolerance); // distances of a chord are not linear
    const double volume = 4 * std::acos(-1) / 3 * std::pow(cone.far, 3);
    CHECK(double(count) == within(0.1, double(p.size()) * volume));
}

bool is_before(const Crossing& a, const Crossing& b)
{
    return std::pair(a.redshift, a.id) < std::pair(b.redshift, b.id);
}

bool are_same(const Crossing& a, const Crossing& b)
{
    return a.position == b.position && a.velocity == b.velocity && a.mass == b.mass &&
           a.redshift == b.redshift && a.id == b.id;
}

} // namespace

TEST_CASE("distances and scale factors match Simpson's rule")
{
    LightCone cone = cone_from(1 / 31.);
    const ScaleFactors scale_factors(cone);
    for (double z = 1e-4; z < 30; z *= 1.7) {
        CAPTURE(z);
        const double distance = distance_by_simpson(z);
        CHECK(cone.radius_at(1 / (1 + z)) == within(1e-9, distance));
        CHECK(scale_factors.at(cone.radius_at(1 / (1 + z))) == within(1e-11, 1 / (1 + z)));
    }
    CHECK(scale_factors.at(0) == 1);
    CHECK(cone.radius_at(1) == 0);
    CHECK(cone.radius_at(1.5) == 0);
}

TEST_CASE("each image crosses once, at the place of a direct search")
{
    const LightCone cone = cone_from(0.65);
    for (const Steps steps :
         {Steps::fixed, Steps::adaptive, Steps::individual, Steps::hierarchical}) {
        CAPTURE(int(steps));
        const Run run = moved(steps, 0, 0.65, cone);
        if (steps >= Steps::individual)
            CHECK(run.deepest > (steps == Steps::individual ? 2 : 0));
        require_crossings(run, cone,
                          steps == Steps::fixed || steps == Steps::hierarchical ? 2e-2 : 2e-3);
        for (const Crossing& one : run.crossings)
            CHECK(norm(one.position) == within(1e-7, distance_by_simpson(one.redshift)));
    }
}

TEST_CASE("an octant and a range of distances select from all crossings")
{
    const LightCone all = cone_from(0.65);
    LightCone part = all;
    part.is_octant = true;
    part.near = 0.1;
    part.far = 0.8;
    const Run whole = moved(Steps::individual, 0, 0.65, all);
    std::vector<Crossing> selected;
    for (const Crossing& one : whole.crossings) {
        const Vec3<double>& x = one.position;
        if (x.x >= 0 && x.y >= 0 && x.z >= 0 && norm(x) >= part.near && norm(x) < part.far)
            selected.push_back(one);
    }
    const std::vector<Crossing> found = moved(Steps::individual, 0, 0.65, part).crossings;
    REQUIRE(found.size() == selected.size());
    CHECK(found.size() > 5);
    for (std::size_t k = 0; k < found.size(); ++k)
        CHECK(norm(found[k].position - selected[k].position) == 0);
}

TEST_CASE("crossings have the same bits on ranks")
{
    const LightCone cone = cone_from(0.8);
    for (const Steps steps : {Steps::adaptive, Steps::individual}) {
        CAPTURE(int(steps));
        std::vector<Crossing> one = moved(steps, 0, 0.8, cone).crossings;
        std::ranges::sort(one, is_before);
        for (const int P : {1, 2, 3}) {
            CAPTURE(P);
            std::vector<Crossing> several = moved(steps, P, 0.8, cone).crossings;
            std::ranges::sort(several, is_before);
            CHECK(std::ranges::equal(one, several, are_same));
        }
    }
}

TEST_CASE("crossings have the same order on any number of threads")
{
    const std::size_t n = 20000;
    const Particles p = periodic_sets(n)[0].particles;
    std::vector<Crossing> one;
    for (const int count : {1, 3}) {
        const ThreadsInUse threads(count);
        CrossingFinder finder(cone_from(0.65));
        finder.begin_step();
        for (const double scale_factor : {0.7, 0.75}) {
            REQUIRE(finder.begin_drift(scale_factor));
#pragma omp parallel for schedule(static)
            for (std::size_t i = 0; i < n; ++i)
                finder.look({p.position[i], p.position[i], p.velocity[i], p.mass[i], p.id[i]});
        }
        const std::vector<Crossing> found = finder.take();
        CHECK(found.size() > n);
        if (count == 1)
            one = found;
        CHECK(std::ranges::equal(one, found, are_same));
    }
}

TEST_CASE("a failed step leaves no crossings and the radius before it")
{
    const LightCone cone = cone_from(0.65);
    CrossingFinder finder(cone);
    finder.begin_step();
    REQUIRE(finder.begin_drift(0.7));
    const Vec3<double> from{0.1, 0.9, 0.55}, to{0.1 + 1e-3, 0.9, 0.55};
    const auto look = [&] { finder.look({from, to, {}, 1, 7}); };
    look();
    const std::size_t count = finder.take().size();
    CHECK(count > 0);
    finder.undo_step();
    CHECK(finder.take().empty());
    CHECK(finder.cone().radius == cone.radius);
    finder.begin_step();
    REQUIRE(finder.begin_drift(0.7));
    look();
    CHECK(finder.take().size() == count);
}

TEST_CASE("a light cone needs comoving time")
{
    SolverOptions options;
    options.device = "cpu";
    options.box = 1;
    options.softening.length = 0.01;
    const auto solver = make_solver(options);
    Leapfrog plain(*solver, TimeStep{.length = 0.1});
    CHECK(contains(error_line([&] { plain.record_crossings(cone_from(0.65)); }, Fault::usage),
                   "light_cone: needs a cosmological run"));
}
