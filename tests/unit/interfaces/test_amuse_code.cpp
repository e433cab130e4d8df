// The code behind AMUSE's worker, without AMUSE: phases, exact times, fields, stops, misuse.
#include <cmath>
#include <functional>
#include <random>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/interfaces/amuse/gravity_code.hpp"
#include "tests/unit/error_line.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("amuse_code");

namespace {

using Vector = Vec3<double>;

std::vector<ParticleState> cloud(int n)
{
    std::mt19937 random(4);
    std::normal_distribution<double> normal;
    std::vector<ParticleState> all;
    for (int k = 0; k < n; ++k)
        all.push_back({1.0 / n,
                       {normal(random), normal(random), normal(random)},
                       {0.4 * normal(random), 0.4 * normal(random), 0.4 * normal(random)},
                       0});
    return all;
}

GravityCode made(const std::vector<ParticleState>& particles,
                 const GravityParameters& parameters = {})
{
    GravityCode code;
    code.parameters = parameters;
    code.commit_parameters();
    for (const ParticleState& particle : particles)
        code.add(particle);
    code.commit_particles();
    return code;
}

void fails(const std::function<void()>& call, const std::string& line)
{
    CAPTURE(line);
    CHECK(error_line(call, {}, {.names = &plain_names_of_runs()}).find(line) != std::string::npos);
}

struct Sum {
    Vector a;
    double phi = 0;
};

Sum plain(const std::vector<ParticleState>& sources, const Vector& x, double eps2, std::size_t self)
{
    Sum sum;
    for (std::size_t j = 0; j < sources.size(); ++j) {
        const Vector r = sources[j].position - x;
        const double u2 = r.x * r.x + r.y * r.y + r.z * r.z + eps2;
        if (j == self || u2 == 0)
            continue;
        sum.a += (sources[j].mass / std::pow(u2, 1.5)) * r;
        sum.phi -= sources[j].mass / std::sqrt(u2);
    }
    return sum;
}

const GravityParameters precise{.eps2 = 0.04, .solver = "direct", .precision = "double"};

} // namespace

TEST_CASE("calls out of order and invalid parameters raise an error line")
{
    GravityCode code;
    fails([&] { code.add({}); }, "order of calls: call commit_parameters first");
    fails([&] { code.commit_particles(); }, "order of calls: call commit_parameters first");
    code.parameters.solver = "twig";
    fails([&] { code.commit_parameters(); }, "solver: twig: must be one of tree, direct");
    code.parameters = {.time_step = -1};
    fails([&] { code.commit_parameters(); }, "-1");
    code.parameters = {.device = "gpu:99"};
    fails([&] { code.commit_parameters(); }, "gpu:99");
    code.parameters = {};
    code.commit_parameters();
    fails([&] { code.evolve(1); }, "order of calls: call commit_particles first");
    fails([&] { code.potential(0); }, "order of calls: call commit_particles first");
    fails([&] { code.first_number(); }, "particles: none: must be one or more");
    fails([&] { code.add({-1, {}, {}, 0}); }, "0 or more");
    fails([&] { code.add({1, {NAN, 0, 0}, {}, 0}); }, "must be finite");
    CHECK(code.add({1, {}, {}, 0}) == 0);
    CHECK(code.add({1, {3, 0, 0}, {}, 0}) == 1);
    fails([&] { code.set_state(2, {}); }, "particle 2: unknown");
    fails([&] { code.next_number(1); }, "the last: no next particle");
    code.commit_particles();
    code.evolve(0.5);
    fails([&] { code.evolve(0.25); }, "end time");
    code.remove(0);
    fails([&] { code.evolve(1); }, "call recommit_particles first");
    code.commit_particles();
    CHECK(code.add({1, {}, {}, 0}) == 2); // numbers are not reused
    CHECK(code.first_number() == 1);
    CHECK(code.next_number(1) == 2);
    code.commit_particles();
    double phi = 0;
    const double at[3] = {1, 2, NAN};
    fails([&] { code.field({1, at, at, at, at + 2}, nullptr, nullptr, nullptr, &phi); }, "finite");
    fails([&] { code.field({1, at, at, at, nullptr}, nullptr, nullptr, nullptr, &phi); }, "null");
    code.set_state(2, {1, {3, 0, 0}, {}, 0});
    code.set_state(1, {1, {3, 0, 0}, {}, 0});
    code.commit_particles();
    CHECK_THROWS_AS(code.evolve(1), Error); // two coincident particles
}

TEST_CASE("evolution works without particles and with a single particle")
{
    GravityCode code = made({});
    CHECK(code.evolve(3).empty());
    CHECK(code.time() == 3);
    CHECK(code.potential_energy() == 0);
    double phi = 5, eps = 0, x = 1;
    code.field({1, &eps, &x, &x, &x}, nullptr, nullptr, nullptr, &phi);
    CHECK(phi == 0);
    GravityCode one = made({{2, {1, 0, 0}, {0, 1, 0}, 0}});
    one.evolve(2);
    CHECK(one.state(0).position.y == doctest::Approx(2).epsilon(1e-14));
    CHECK(one.potential(0) == 0);
}

TEST_CASE("evolution ends at the time asked for, whatever the steps, and keeps the energy")
{
    for (const char* integrator : {"leapfrog", "hermite"}) {
        CAPTURE(integrator);
        GravityParameters parameters = precise;
        parameters.integrator = integrator;
        parameters.begin_time = -1;
        GravityCode code = made(cloud(60), parameters);
        const double before = code.kinetic_energy() + code.potential_energy();
        for (const double t : {-1.0, -0.9, -0.9 + 1e-10, 1.0 / 3, 0.7}) {
            code.evolve(t);
            CHECK(code.time() == t);
        }
        const double after = code.kinetic_energy() + code.potential_energy();
        CHECK(after == doctest::Approx(before).epsilon(integrator[0] == 'l' ? 1e-4 : 1e-7));
    }
}

TEST_CASE("many short evolutions equal a long evolution")
{
    GravityParameters parameters = precise;
    parameters.time_step = 1.0 / 64;
    GravityCode one = made(cloud(60), parameters), many = made(cloud(60), parameters);
    one.evolve(1);
    for (int k = 1; k <= 64; ++k)
        many.evolve(k / 64.0);
    for (int k = 0; k < 60; ++k)
        CHECK(many.state(k).position == one.state(k).position);
}

TEST_CASE("potentials and accelerations match plain sums for any mix of softening lengths")
{
    const std::vector<ParticleState> all = cloud(150);
    GravityCode code = made(all, precise);
    for (const int k : {0, 77}) {
        const Sum exact = plain(all, all[std::size_t(k)].position, 0.04, std::size_t(k));
        CHECK(code.potential(k) == doctest::Approx(exact.phi).epsilon(1e-12));
        CHECK(norm(code.acceleration(k) - exact.a) < 1e-12 * norm(exact.a));
    }
    std::vector<double> eps, x, y, z, ax(40), ay(40), az(40), phi(40);
    for (int distinct : {1, 3, 40}) {
        eps.clear();
        x.clear();
        y.clear();
        z.clear();
        for (int k = 0; k < 40; ++k) {
            eps.push_back(0.1 * (k * 7 % distinct));
            x.push_back(k == 5 ? all[5].position.x : 0.1 * k);
            y.push_back(k == 5 ? all[5].position.y : -0.05 * k);
            z.push_back(k == 5 ? all[5].position.z : 0.3);
        }
        code.field({40, eps.data(), x.data(), y.data(), z.data()}, ax.data(), ay.data(), az.data(),
                   phi.data());
        for (std::size_t k = 0; k < 40; ++k) {
            const Sum exact = plain(all, {x[k], y[k], z[k]}, 0.04 + eps[k] * eps[k], 9999);
            CHECK(phi[k] == doctest::Approx(exact.phi).epsilon(1e-12));
            CHECK(norm(Vector{ax[k], ay[k], az[k]} - exact.a) < 1e-11 * norm(exact.a));
        }
    }
}

TEST_CASE("Bridge kicks between evolutions accelerate all particles")
{
    // Everything falls with g = (0, 0, -1) in addition to self-gravity: the center is at -t^2 / 2,
    // and relative to it nothing changes.
    for (const char* integrator : {"leapfrog", "hermite"}) {
        GravityParameters parameters = precise;
        parameters.integrator = integrator;
        GravityCode code = made(cloud(40), parameters), still = made(cloud(40), parameters);
        const Vector center = code.center_of_mass() + code.center_of_mass_velocity();
        const double dt = 1.0 / 32;
        const auto kick = [&](double length) {
            for (int k = 0; k < 40; ++k) {
                ParticleState now = code.state(k);
                now.velocity.z -= length;
                code.set_state(k, now);
            }
            code.commit_particles();
        };
        for (int step = 1; step <= 32; ++step) {
            kick(dt / 2);
            code.evolve(step * dt);
            still.evolve(step * dt);
            kick(dt / 2);
        }
        CHECK(std::abs(code.center_of_mass().z - center.z + 0.5) < 1e-9);
        for (int k = 0; k < 40; ++k)
            CHECK(norm((code.state(k).position - code.center_of_mass()) -
                       (still.state(k).position - still.center_of_mass())) < 1e-6);
    }
}

TEST_CASE("the field follows moved and modified particles")
{
    GravityCode code = made(cloud(100), precise);
    const double eps = 0, x = 0.5;
    double before = 0, phi = 0;
    const auto field = [&](double& to) {
        code.field({1, &eps, &x, &x, &x}, nullptr, nullptr, nullptr, &to);
    };
    const auto exact = [&] {
        std::vector<ParticleState> now;
        for (int k = 0; k < 100; ++k)
            now.push_back(code.state(k));
        return doctest::Approx(plain(now, {x, x, x}, 0.04, 999).phi).epsilon(1e-12);
    };
    field(before);
    CHECK(before == exact());
    code.evolve(0.5);
    field(phi);
    CHECK(phi == exact());
    CHECK(phi != before);
    ParticleState heavy = code.state(3);
    heavy.mass = 1;
    code.set_state(3, heavy);
    code.commit_particles();
    field(phi);
    CHECK(phi == exact());
}

TEST_CASE("per-particle softening acts on forces and on fields at points")
{
    const std::vector<ParticleState> all = cloud(60);
    for (const char* integrator : {"leapfrog", "hermite"})
        for (const bool larger : {true, false}) {
            GravityParameters parameters = precise;
            parameters.integrator = integrator;
            if (!larger)
                parameters.others["softening_rule"] = "root-of-squares";
            GravityCode code;
            code.parameters = parameters;
            code.commit_parameters();
            for (const ParticleState& particle : all)
                code.add(particle);
            if (!larger)
                fails([&] { code.commit_particles(); },
                      "softening_rule: needs several softening lengths");
            for (int k = 0; k < 60; k += 3)
                code.set_softening(k, 0.5);
            code.set_softening(1, 0);
            code.commit_particles();
            const auto length = [&](std::size_t k) { return k % 3 == 0 ? 0.5 : k == 1 ? 0 : 0.2; };
            const auto summed = [&](const Vector& x, double eps, std::size_t self) {
                Sum sum;
                for (std::size_t j = 0; j < all.size(); ++j) {
                    const double pair =
                        larger ? std::max(eps, length(j)) : std::hypot(eps, length(j));
                    const Sum one = plain({all[j]}, x, pair * pair, j == self ? 0 : 1);
                    sum.a += one.a;
                    sum.phi += one.phi;
                }
                return sum;
            };
            for (std::size_t k = 0; k < all.size(); ++k) {
                CHECK(code.softening(int(k)) == doctest::Approx(length(k)).epsilon(1e-15));
                const Sum right = summed(all[k].position, length(k), k);
                CHECK(norm(code.acceleration(int(k)) - right.a) < 1e-12 * norm(right.a));
                CHECK(std::abs(code.potential(int(k)) / right.phi - 1) < 1e-12);
            }
            const double eps[] = {0, 0.3}, x[] = {0.1, -0.2}, y[] = {0.4, 0}, z[] = {0, 0.3};
            double ax[2], ay[2], az[2], phi[2];
            code.field({2, eps, x, y, z}, ax, ay, az, phi);
            for (std::size_t k = 0; k < 2; ++k) {
                const Sum right = summed({x[k], y[k], z[k]}, eps[k], 99);
                CHECK(norm(Vector{ax[k], ay[k], az[k]} - right.a) < 1e-12 * norm(right.a));
                CHECK(std::abs(phi[k] / right.phi - 1) < 1e-12);
            }
            // A changed length restarts the forces, and must be committed.
            const double energy = code.kinetic_energy() + code.potential_energy();
            code.evolve(0.25);
            CHECK(code.kinetic_energy() + code.potential_energy() ==
                  doctest::Approx(energy).epsilon(1e-3));
            code.set_softening(2, 0.1);
            fails([&] { code.evolve(0.3); }, "call recommit_particles first");
            code.commit_particles();
            code.evolve(0.3);
            fails([&] { code.set_softening(2, -1); }, "softening length: -1");
            fails([&] { code.set_softening(99, 1); }, "particle 99: unknown");
            code.remove(0);
            code.commit_particles();
            CHECK(code.softening(3) == 0.5);
            code.evolve(0.35);
        }
}

TEST_CASE("stopping conditions end an evolution early")
{
    GravityParameters parameters = precise;
    parameters.time_step = 0.125;
    GravityCode code = made(cloud(20), parameters);
    std::vector<Stop> stops = code.evolve(10, {.steps = 3});
    REQUIRE(stops.size() == 1);
    CHECK(stops[0].kind == StopKind::number_of_steps);
    CHECK(code.time() == 0.375);
    CHECK(code.evolve(0.5, {.steps = 3}).empty());
    stops = code.evolve(1e9, {.seconds = 0.05});
    REQUIRE(stops.size() == 1);
    CHECK(stops[0].kind == StopKind::timeout);

    // Free flight: one escapes, two collide.
    parameters.eps2 = 0;
    GravityCode flight = made({{1e-9, {0, 0, 0}, {2, 0, 0}, 0.1},
                               {1e-9, {4, 0.15, 0}, {-2, 0, 0}, 0.2},
                               {1e-9, {0, 9, 0}, {0, 1, 0}, 0}},
                              parameters);
    stops = flight.evolve(5, {.box = 10, .box_about_center_of_mass = false});
    REQUIRE(stops.size() == 1);
    CHECK(stops[0].kind == StopKind::out_of_box);
    CHECK(stops[0].particles == std::vector<int>{2});
    CHECK(flight.time() == 1.125);
    GravityCode meeting = made({{1e-9, {0, 0, 0}, {2, 0, 0}, 0.1},
                                {1e-9, {0, 9, 0}, {0, 1, 0}, 0},
                                {1e-9, {4, 0.15, 0}, {-2, 0, 0}, 0.2}},
                               parameters);
    CHECK(meeting.evolve(0.875, {.collisions = true}).empty()); // 0.5 apart
    stops = meeting.evolve(5, {.collisions = true});
    REQUIRE(stops.size() == 1);
    CHECK(stops[0].kind == StopKind::collision);
    CHECK(stops[0].particles == std::vector<int>{0, 2});
}

TEST_CASE("parameters can change during a run without losing particles")
{
    GravityCode code = made(cloud(50), precise);
    code.evolve(0.25);
    const ParticleState before = code.state(7);
    code.parameters.eps2 = 1;
    code.parameters.integrator = "hermite";
    code.commit_parameters();
    CHECK(code.state(7).position == before.position);
    CHECK(code.time() == 0.25);
    std::vector<ParticleState> now;
    for (int k = 0; k < 50; ++k)
        now.push_back(code.state(k));
    CHECK(code.potential(7) ==
          doctest::Approx(plain(now, before.position, 1, 7).phi).epsilon(1e-12));
    code.evolve(0.5);
    CHECK(code.time() == 0.5);
}
