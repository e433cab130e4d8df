// Orbits in external potentials against galpy's forces and scipy's integrator
// (references/external_orbits.py), and derivatives of the formulas.
#include <cmath>
#include <limits>
#include <sstream>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/regular_file.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/integrate/external/potential_table.hpp"
#include "chamomile/integrate/scheme.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/clouds.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("external_orbits");

namespace {

struct Place {
    double time;
    Vec3<double> position, velocity;
};

struct ReferenceOrbit {
    std::string potentials;
    std::vector<Place> places;

    bool has(const char* word) const { return potentials.find(word) != potentials.npos; }
};

std::string reference(const char* file)
{
    return read_regular_file(std::string(CHAMOMILE_REFERENCES "/") + file, 1 << 24, "a reference");
}

std::vector<ReferenceOrbit> reference_orbits()
{
    std::vector<ReferenceOrbit> all;
    std::istringstream text(reference("external_orbits.csv"));
    for (std::string line; std::getline(text, line);) {
        if (line[0] == '@')
            all.push_back({line.substr(1), {}});
        else if (line[0] != '#') {
            double v[7];
            char comma;
            std::istringstream numbers(line);
            for (double& value : v)
                numbers >> value >> comma;
            all.back().places.push_back({v[0], {v[1], v[2], v[3]}, {v[4], v[5], v[6]}});
        }
    }
    return all;
}

std::shared_ptr<const ExternalField> field_of(const std::string& potentials)
{
    PotentialFiles files = {{"bar.txt", reference("bar.txt")},
                            {"satellite_orbit.txt", reference("satellite_orbit.txt")}};
    std::vector<std::string> texts;
    std::istringstream all(potentials);
    for (std::string one; std::getline(all, one, ';');)
        texts.push_back(one);
    return read_external_field("--potential", texts, {}, 1, files);
}

Particles tracer(const Place& start)
{
    Particles one;
    one.resize(1);
    one.position[0] = start.position;
    one.velocity[0] = start.velocity;
    return one;
}

SolverOptions direct()
{
    SolverOptions options;
    options.solver = SolverKind::direct;
    options.precision = Precision::double_precision;
    options.device = "cpu";
    return options;
}

/// Returns the max difference in position or velocity from the reference.
double difference_from(const ReferenceOrbit& orbit, const Scheme& scheme)
{
    Particles one = tracer(orbit.places.front());
    const IntegratorWithSolver made = make_integrator(direct(), scheme);
    double largest = 0;
    Simulation simulation(one, *made.integrator, 0, orbit.places.back().time);
    std::vector<double> times;
    for (const Place& place : orbit.places)
        times.push_back(place.time);
    std::size_t seen = 0;
    simulation.at_times(times, Quantities::acceleration, [&](Simulation& now) {
        const Place& place = orbit.places.at(seen++);
        REQUIRE(now.time() == doctest::Approx(place.time));
        largest = std::max({largest, norm(one.position[0] - place.position),
                            norm(one.velocity[0] - place.velocity)});
    });
    simulation.run();
    CHECK(seen == orbit.places.size());
    return largest;
}

} // namespace

TEST_CASE("a tracer in every potential follows the reference orbit to 1e-8")
{
    use_threads(1);
    const auto orbits = reference_orbits();
    REQUIRE(orbits.size() >= 17);
    std::vector<std::string> seen;
    for (const ReferenceOrbit& orbit : orbits) {
        CAPTURE(orbit.potentials);
        Scheme scheme;
        scheme.field = field_of(orbit.potentials);
        for (const Potential& potential : scheme.field->potentials())
            seen.push_back(row_of(potential.shape).name);
        if (orbit.has("rotation")) {
            scheme.fixed_length = 1. / 65536;
        } else {
            scheme.kind = SchemeKind::hermite;
            scheme.fixed_length = 1. / 2048;
        }
        CHECK(difference_from(orbit, scheme) < 1e-8);
    }
    for (const PotentialRow& row : potential_table())
        if (row.shape != PotentialShape::named) // tested by the suite orbits
            CHECK_MESSAGE(std::count(seen.begin(), seen.end(), row.name) > 0, row.name);
}

TEST_CASE("leapfrog orbits converge to the reference with second order")
{
    use_threads(1);
    for (const ReferenceOrbit& orbit : reference_orbits()) {
        if (orbit.has("rt=")) // a halo's edge breaks the order
            continue;
        CAPTURE(orbit.potentials);
        Scheme scheme;
        scheme.field = field_of(orbit.potentials);
        double error[2];
        for (int k = 0; k < 2; ++k) {
            scheme.fixed_length = (k == 0 ? 1. : 0.5) / 512;
            error[k] = difference_from(orbit, scheme);
        }
        CHECK(error[0] < 1e-3);
        CHECK(error[0] / error[1] == doctest::Approx(4).epsilon(0.05));
    }
}

TEST_CASE("individual and adaptive steps follow external potentials without other forces")
{
    use_threads(1);
    for (const ReferenceOrbit& orbit : reference_orbits()) {
        CAPTURE(orbit.potentials);
        Scheme scheme;
        scheme.field = field_of(orbit.potentials);
        SolverOptions options = direct();
        options.softening.length = 0;
        scheme.criterion = StepCriterion::potential;
        scheme.eta = 0.01;
        for (const bool individual : {false, true}) {
            scheme.individual = individual;
            scheme.adaptive = !individual;
            Particles one = tracer(orbit.places.front());
            const IntegratorWithSolver made = make_integrator(options, scheme);
            Simulation simulation(one, *made.integrator, 0, orbit.places.back().time);
            simulation.run();
            CHECK(simulation.step() > 100);
            CHECK(norm(one.position[0] - orbit.places.back().position) < 0.01);
        }
    }
}

TEST_CASE("accelerations match potential gradients; jerks match acceleration rates")
{
    Random random(7);
    for (const ReferenceOrbit& orbit : reference_orbits()) {
        CAPTURE(orbit.potentials);
        const auto field = field_of(orbit.potentials);
        for (int k = 0; k < 20; ++k) {
            const Vec3<double> x = on_sphere(random, random(0.05, 3)),
                               v = on_sphere(random, random(0, 2));
            const double t = random(0.5, 8), h = 1e-4;
            const auto at = [&](double time, const Vec3<double>& place) {
                const MovingSource source{place, v, 0};
                const Index only[] = {0};
                JerkSum sum[1] = {};
                field->add(time, std::span(&source, 1), only, sum);
                std::vector<Vec3<double>> acceleration(1);
                std::vector<double> potential(1);
                field->add(time, std::span(&place, 1), {}, acceleration, potential);
                // Both ways through the field agree.
                CHECK(norm(acceleration[0] - sum[0].acceleration) <= 1e-14 * norm(acceleration[0]));
                CHECK(potential[0] == doctest::Approx(sum[0].potential).epsilon(1e-14));
                return sum[0];
            };
            const JerkSum here = at(t, x);
            const double scale = norm(here.acceleration), bound = 1e-4 * scale + 1e-5;
            for (const Vec3<double>& axis :
                 {Vec3<double>{h, 0, 0}, Vec3<double>{0, h, 0}, Vec3<double>{0, 0, h}}) {
                const double slope =
                    (at(t, x + axis).potential - at(t, x - axis).potential) / (2 * h);
                CHECK(std::abs(slope + dot(here.acceleration, (1 / h) * axis)) < bound);
            }
            const Vec3<double> change = (1 / (2 * h)) * (at(t + h, x + h * v).acceleration -
                                                         at(t - h, x - h * v).acceleration);
            const bool at_edge = orbit.has("rt=") && std::abs(norm(x) - 0.9) < 3 * h;
            if (!at_edge)
                CHECK(norm(change - here.jerk) < 1e-4 * norm(here.jerk) + bound);
        }
    }
}

TEST_CASE("the shared logarithm matches std::log, and halo masses avoid cancellation")
{
    for (double x = 1e-300; x < 1e300; x *= 7.3)
        CHECK(external::shared_logarithm(x) == doctest::Approx(std::log(x)).epsilon(3e-16));
    for (double x : {1 - 1e-9, 1 - 1e-3, 1 + 1e-12, 1 + 1e-5, 1.3})
        CHECK(external::shared_logarithm(x) == doctest::Approx(std::log1p(x - 1)).epsilon(1e-15));
    for (double x = 1e-9; x < 1e4; x *= 1.7) {
        long double series = 0; // x^2 / 2 - 2 x^3 / 3 + 3 x^4 / 4 - ...
        if (x < 0.01)
            for (int k = 12; k >= 2; --k)
                series = (k % 2 == 0 ? 1 : -1) * (k - 1.0L) / k + series * x;
        const long double exact =
            x < 0.01 ? series * x * x : std::log1p((long double)x) - x / (1 + (long double)x);
        CHECK(external::nfw_mass(x) == doctest::Approx(double(exact)).epsilon(1e-14));
        CHECK(external::nfw_depth(x) ==
              doctest::Approx(double(std::log1p((long double)x) / x)).epsilon(1e-15));
    }
}

TEST_CASE("a sphere exerts no force at its center; a point mass there is refused")
{
    for (const char* name :
         {"plummer,M=1,a=1", "hernquist,M=1,a=1", "nfw,M=1,c=5,rs=1", "isochrone,M=1,b=1",
          "dehnen,M=1,a=1,gamma=1.5", "cutoff,M=1,alpha=1.8,rc=1", "logarithmic,v0=1,rc=1",
          "miyamoto-nagai,M=1,a=1,b=1", "point,M=1"}) {
        CAPTURE(name);
        Particles one = tracer({});
        Scheme scheme;
        scheme.field = field_of(name);
        scheme.fixed_length = 0.1;
        const IntegratorWithSolver made = make_integrator(direct(), scheme);
        Simulation simulation(one, *made.integrator, 0, 1);
        if (std::string(name) == "point,M=1") {
            CHECK_THROWS_AS(simulation.run(), Error);
            continue;
        }
        simulation.run();
        CHECK(one.position[0] == Vec3<double>{});
    }
}

TEST_SUITE_END();
