// Requirements on particles in files.
#include <limits>

#include "chamomile/io/particle_check.hpp"
#include "tests/unit/error_line.hpp"
#include "tests/unit/snapshot_fixture.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("particle_check");

namespace {

std::string complaint(const Particles& particles)
{
    return error_line([&] { check_particles(particles, "f"); }, Fault::input);
}

const double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("valid particles pass; an empty set passes unless particles are required")
{
    CHECK(complaint(sample_snapshot().particles) == "");
    CHECK(complaint(Particles{}) == "");
    CHECK_THROWS_WITH_AS(require_particles(Particles{}, "f"),
                         "f: particles: 0: must be at least one", Error);
    CHECK_NOTHROW(require_particles(sample_snapshot(1).particles, "f"));
}

TEST_CASE("a non-finite value is reported with index, id, field and value")
{
    Particles particles = sample_snapshot().particles;
    const std::string who = "f: particle 500 (id " + std::to_string(particles.id[500]) + "), ";
    particles.position[500].y = not_a_number;
    CHECK(complaint(particles) == who + "position y: nan: must be finite");
    particles = sample_snapshot().particles;
    particles.velocity[500].z = -infinity;
    CHECK(complaint(particles) == who + "velocity z: -inf: must be finite");
    particles = sample_snapshot().particles;
    for (double mass : {not_a_number, infinity, -1e-300}) {
        particles.mass[500] = mass;
        CHECK(contains(complaint(particles), who + "mass: "));
    }
}

TEST_CASE("the total mass must be finite")
{
    Particles particles = sample_snapshot(3).particles;
    particles.mass = {1.7e308, 1e300, 1e308};
    CHECK(complaint(particles) == "f: mass of all particles: inf: must be finite");
}

TEST_CASE("zero masses mark tracers, but some particle needs mass")
{
    Particles particles = sample_snapshot().particles;
    std::fill(particles.mass.begin() + 1, particles.mass.end(), 0.0);
    CHECK(complaint(particles) == "");
    particles.mass[0] = 0;
    CHECK(contains(complaint(particles), "mass: 0 for all 597 particles"));
}

TEST_CASE("duplicate ids are found among dense, sparse and sorted ids")
{
    for (std::uint64_t step : {std::uint64_t(1), std::uint64_t(1) << 50}) {
        Particles particles = sample_snapshot().particles;
        for (std::size_t i = 0; i < particles.size(); ++i)
            particles.id[i] = (particles.size() - i) * step;
        CHECK(complaint(particles) == "");
        particles.id[400] = particles.id[17];
        CHECK(complaint(particles) == "f: particles 17 and 400, id: " +
                                          std::to_string(particles.id[17]) + ": must be unique");
    }
    Particles particles = sample_snapshot(3).particles;
    particles.id = {1, 2, 2};
    CHECK(contains(complaint(particles), "particles 1 and 2, id: 2"));
}

TEST_SUITE_END();
