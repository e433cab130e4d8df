// Orbits of massless bodies against galpy (references/named_potentials.py) and Henon's isochrone.
#include <cmath>
#include <numbers>
#include <sstream>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/regular_file.hpp"
#include "chamomile/integrate/external/named_potentials.hpp"
#include "chamomile/integrate/external/orbit.hpp"
#include "chamomile/integrate/external/shared_math.hpp"
#include "tests/unit/error_line.hpp"

using namespace chamomile;
using std::numbers::pi;

TEST_SUITE_BEGIN("orbits");

namespace {

std::shared_ptr<const ExternalField> field_of(const std::string& text, bool physical = false)
{
    PotentialFiles files;
    const UnitFrame frame = physical ? UnitFrame{Units::gadget(false)} : UnitFrame{};
    const double G = physical ? Units::gadget(false).gravitational_constant() : 1;
    return read_external_field("--potential", {text}, frame, G, files);
}

struct Line {
    std::string kind; ///< empty: a point of an orbit
    std::vector<double> numbers;
};

/// Returns the lines of a named potential in the reference.
std::vector<Line> reference(const std::string& name)
{
    std::istringstream text(
        read_regular_file(CHAMOMILE_REFERENCES "/named_orbits.csv", 1 << 24, "a reference"));
    std::vector<Line> lines;
    bool inside = false;
    for (std::string line; std::getline(text, line);) {
        if (line[0] == '@')
            inside = line == "@" + name;
        else if (inside && line[0] != '#') {
            Line& one = lines.emplace_back();
            std::istringstream words(line);
            for (std::string word; std::getline(words, word, ',');)
                if (std::isalpha(word[0]))
                    one.kind = word;
                else
                    one.numbers.push_back(std::stod(word));
        }
    }
    return lines;
}

OrbitPoint point_of(const std::vector<double>& v)
{
    return {v[0], {v[1], v[2], v[3]}, {v[4], v[5], v[6]}};
}

} // namespace

TEST_CASE("orbits, speeds, pericenters and apocenters in mwpotential2014 match galpy to 1e-6")
{
    const auto field = field_of("mwpotential2014", true);
    OrbitPoint start;
    int points = 0, shapes = 0, speeds = 0;
    for (const Line& line : reference("mwpotential2014")) {
        const std::vector<double>& v = line.numbers;
        if (line.kind == "speed") {
            const FieldPlace at = field_at(*field, 0, {v[0], 0, 0});
            CHECK(*at.circular_speed == doctest::Approx(v[1]).epsilon(1e-9));
            CHECK(*at.escape_speed == doctest::Approx(v[2]).epsilon(1e-6));
            ++speeds;
        } else if (line.kind == "shape") {
            const OrbitPoint from{0, {v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
            const Orbit orbit = follow_orbit(*field, from, {.length = 1});
            CHECK(*orbit.pericenter == doctest::Approx(v[6]).epsilon(1e-6));
            CHECK(*orbit.apocenter == doctest::Approx(v[7]).epsilon(1e-6));
            ++shapes;
        } else if (v[0] == 0) {
            start = point_of(v);
        } else {
            const OrbitPoint to = point_of(v),
                             end = follow_orbit(*field, start, {.length = v[0]}).end;
            CHECK(end.time == v[0]);
            CHECK(norm(end.position - to.position) < 1e-6 * norm(to.position));
            CHECK(norm(end.velocity - to.velocity) < 1e-6 * norm(to.velocity));
            ++points;
        }
    }
    CHECK(points == 9);
    CHECK(shapes == 3);
    CHECK(speeds == 8);
}

TEST_CASE("mcmillan17 has the circular speed of galpy's within 1.5 %, and in any units")
{
    for (const Line& line : reference("mcmillan17")) {
        const auto field = field_of("mcmillan17", true);
        const FieldPlace at = field_at(*field, 0, {line.numbers[0], 0, 0});
        CHECK(*at.circular_speed == doctest::Approx(line.numbers[1]).epsilon(0.015));
        CHECK(*at.escape_speed == doctest::Approx(line.numbers[2]).epsilon(0.005));
    }
    PotentialFiles files;
    Units parsecs = Units::gadget(false);
    parsecs.length_in_cm /= 1000;
    parsecs.mass_in_g /= 1e10;
    for (const NamedPotential& named : named_potentials()) {
        const auto one = field_of(named.name + ",x=1", true),
                   other = read_external_field("--potential", {named.name + ",x=1000"}, {parsecs},
                                               parsecs.gravitational_constant(), files);
        CHECK(one->potentials().size() == named.parts.size());
        CHECK(field_at(*one, 0, {3, 4, 0.5}).potential ==
              doctest::Approx(field_at(*other, 0, {3000, 4000, 500}).potential).epsilon(1e-12));
        CHECK(error_line([&] { field_of(named.name); }).find("needs particles with units") !=
              std::string::npos);
        CHECK(error_line([&] {
                  check_potential("--potential", named.name + ",M=1");
              }).find("M: unknown") != std::string::npos);
    }
}

TEST_CASE("periods in Henon's isochrone depend on energy and angular momentum as known")
{
    const auto field = field_of("isochrone,M=2,b=0.6");
    for (const double speed : {0.3, 0.7, 1.1}) {
        CAPTURE(speed);
        const Vec3<double> x{1.2, 0.4, -0.3}, v{0.1, speed, 0.2};
        const Orbit orbit = follow_orbit(*field, {3, x, v}, {});
        const double phi = field_at(*field, 0, x).potential, energy = 0.5 * norm_squared(v) + phi,
                     spin = norm(cross(x, v));
        // Binney & Tremaine (2008), eqs. 3.41 and 3.44
        const double period = 2 * pi * 2 / std::pow(-2 * energy, 1.5);
        const double turn = pi * (1 + spin / std::sqrt(spin * spin + 4 * 2 * 0.6));
        CHECK(*orbit.radial_period == doctest::Approx(period).epsilon(1e-8));
        CHECK(*orbit.revolution == doctest::Approx(2 * pi * period / turn).epsilon(1e-8));
        for (const double r : {*orbit.pericenter, *orbit.apocenter}) {
            const double at = -2 / (0.6 + std::sqrt(0.36 + r * r));
            CHECK(2 * (energy - at) * r * r == doctest::Approx(spin * spin).epsilon(1e-8));
        }
        CHECK(orbit.max_height <= *orbit.apocenter);
    }
}

TEST_CASE("circular and unbound orbits, paths, and orbits that begin at a passage")
{
    const auto field = field_of("plummer,M=1,a=0.5");
    const double v = *field_at(*field, 0, {2, 0, 0}).circular_speed;
    const Orbit circle = follow_orbit(*field, {0, {2, 0, 0}, {0, v, 0}}, {});
    CHECK(*circle.pericenter == 2);
    CHECK(*circle.apocenter == 2);
    CHECK(!circle.radial_period);
    CHECK(*circle.revolution == doctest::Approx(4 * pi / v).epsilon(1e-9));
    const Orbit radial = follow_orbit(*field, {0, {}, {0.6, 0, 0}}, {.length = 5});
    const double depth = *radial.apocenter; // where the potential has risen by 0.18
    CHECK(2 - 1 / std::sqrt(depth * depth + 0.25) == doctest::Approx(0.18).epsilon(1e-7));
    const Orbit away = follow_orbit(*field, {0, {2, 0, 0}, {-1, 1.2, 0}}, {});
    CHECK(away.pericenter);
    CHECK(!away.apocenter);
    CHECK(!away.radial_period);
    for (const double faster : {0.9, 1.1}) { // start at apocenter, and at pericenter
        const Orbit orbit =
            follow_orbit(*field, {1, {2, 0, 0}, {0, faster * v, 0}}, {.length = 20, .parts = 8});
        CHECK(*(faster < 1 ? orbit.apocenter : orbit.pericenter) ==
              doctest::Approx(2).epsilon(1e-9));
        REQUIRE(orbit.path.size() == 9);
        for (int k = 0; k <= 8; ++k)
            CHECK(orbit.path[std::size_t(k)].time == doctest::Approx(1 + 2.5 * k));
        CHECK(orbit.path.back().position == orbit.end.position);
    }
}

TEST_CASE("a place on an orbit has the pericenter and apocenter asked for")
{
    const auto field = field_of("mwpotential2014", true);
    for (const double inclination : {0.0, 40.0, 90.0, 150.0})
        for (const double phase : {0.0, 0.25, 0.5}) {
            CAPTURE(inclination);
            CAPTURE(phase);
            const OrbitChoice choice{15, 60, inclination, 30, phase};
            const OrbitPoint at = place_in(*field, 0, choice);
            const Vec3<double> spin = cross(at.position, at.velocity);
            CHECK(spin.z / norm(spin) ==
                  doctest::Approx(std::cos(inclination * pi / 180)).epsilon(0.02));
            const double r = norm(at.position);
            if (phase != 0.25) {
                CHECK(r == doctest::Approx(phase == 0 ? 15 : 60).epsilon(1e-12));
                CHECK(at.position.y == doctest::Approx(at.position.x * std::tan(pi / 6)));
                const Orbit half = follow_orbit(*field, at, {.passages = 2});
                CHECK(*half.pericenter == doctest::Approx(15).epsilon(1e-8));
                CHECK(*half.apocenter == doctest::Approx(60).epsilon(1e-8));
            } else {
                CHECK(dot(at.position, at.velocity) > 0);
                CHECK(r > 30);
            }
        }
    const OrbitPoint circle = place_in(*field, 0, {8, 8, 0, 0, 0.5});
    CHECK(norm(circle.velocity) == doctest::Approx(220).epsilon(1e-9));
    CHECK(error_line([&] {
              place_in(*field_of("plummer,M=1,a=1,x=50"), 0, {1, 2});
          }).find("no attraction") != std::string::npos);
    CHECK(error_line([&] {
              place_in(*field_of("rotation,omega=1"), 0, {1, 2});
          }).find("rotation") != std::string::npos);
}

TEST_CASE("exponentials and incomplete Gamma functions match the math library")
{
    for (double y = -699; y < 700; y += 0.37)
        CHECK(external::shared_exponential(y) ==
              doctest::Approx(std::exp(y)).epsilon(4e-16 * std::max(1.0, std::abs(y))));
    CHECK(external::shared_exponential(-800) == 0);
    for (const double x : {0.0, 1e-8, 0.3, 1.0, 3.9, 4.1, 9.0, 60.0}) {
        // Gamma(1, x) = exp(-x); the lower Gamma(1/2, x) = sqrt(pi) erf(sqrt(x))
        CHECK(external::incomplete_gamma(1, 1, x).above ==
              doctest::Approx(std::exp(-x)).epsilon(1e-13));
        const auto half = external::incomplete_gamma(0.5, std::sqrt(pi), x);
        CHECK(half.below == doctest::Approx(std::sqrt(pi) * std::erf(std::sqrt(x))).epsilon(1e-14));
        CHECK(half.below + half.above == doctest::Approx(std::sqrt(pi)).epsilon(1e-14));
    }
}

TEST_SUITE_END();
