// External potentials in whole simulations: energies, steps, restarts, refusals.
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/memory_archive.hpp"
#include "chamomile/initial/models/plummer.hpp"
#include "chamomile/integrate/diagnostics.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/integrate/external/text_potential.hpp"
#include "chamomile/integrate/scheme.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/few_bodies.hpp"
#include "tests/unit/followed.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("external_field");

namespace {

const std::string bar = "parameter strength = 1\n"
                        "r2 = x^2 + y^2 + z^2\n"
                        "phi += -strength * (x^2 - y^2) * exp(-r2 / 2)\n";

std::shared_ptr<const ExternalField> field_of(const std::vector<std::string>& texts,
                                              const std::string& text = bar)
{
    PotentialFiles files = {
        {"bar.txt", text}, {"orbit.txt", "0 1 0 0 0 1 0\n2 1 2 0 0 1 0\n"}, {"short.txt", "0 0 0"}};
    return read_external_field("--potential", texts, {}, 1, files);
}

SolverOptions on_cpu()
{
    SolverOptions options;
    options.device = "cpu";
    options.softening.length = 0.05;
    return options;
}

/// Returns every way to step in a field.
std::vector<std::pair<const char*, Scheme>> ways()
{
    Scheme fixed, adaptive, individual, hermite;
    fixed.fixed_length = 1. / 256;
    adaptive.adaptive = true;
    adaptive.eta = 0.05;
    individual.individual = true;
    individual.eta = 0.01;
    individual.longest = 1. / 64;
    hermite.kind = SchemeKind::hermite;
    return {
        {"fixed", fixed}, {"adaptive", adaptive}, {"individual", individual}, {"hermite", hermite}};
}

IntegratorWithSolver made_of(Scheme scheme, const std::vector<std::string>& potentials)
{
    SolverOptions options = on_cpu();
    if (scheme.kind == SchemeKind::hermite) {
        options.solver = SolverKind::direct;
        options.precision = Precision::double_precision;
    }
    scheme.field = field_of(potentials);
    return make_integrator(options, scheme);
}

constexpr const char* halo = "nfw,M=3,c=10,rs=1.5";
constexpr const char* disk = "miyamoto-nagai,M=1,a=0.8,b=0.2";

} // namespace

TEST_CASE("energy includes particles and field and stays constant")
{
    for (const auto& [name, scheme] : ways()) {
        CAPTURE(name);
        const IntegratorWithSolver made = made_of(scheme, {halo, disk});
        CHECK(follow(plummer(400), *made.integrator, 1, 0.25).largest < 2e-4);
    }
}

TEST_CASE("a rotating frame conserves the Jacobi energy and matches inertial orbits")
{
    constexpr double omega = 0.8, end = 2;
    for (const bool individual : {false, true}) {
        Scheme scheme;
        scheme.fixed_length = 1. / 512;
        if (individual)
            scheme = ways()[2].second;
        // A spherically symmetric field seen from both frames.
        Particles still = plummer(300), turning = still;
        for (std::size_t i = 0; i < turning.size(); ++i) {
            const Vec3<double>& x = turning.position[i];
            turning.velocity[i] += Vec3<double>{omega * x.y, -omega * x.x, 0};
        }
        const IntegratorWithSolver one = made_of(scheme, {halo, disk}),
                                   other = made_of(scheme, {halo, disk, "rotation,omega=0.8"});
        const Outcome seen = follow(still, *one.integrator, end, 0.5),
                      turned = follow(turning, *other.integrator, end, 0.5);
        CHECK(seen.largest < 2e-4);
        CHECK(turned.largest < 2e-4);
        const double c = std::cos(omega * end), s = std::sin(omega * end);
        double largest = 0;
        for (std::size_t i = 0; i < still.size(); ++i) {
            const Vec3<double>&x = turned.particles.position[i], &to = seen.particles.position[i];
            largest = std::max(largest,
                               norm(Vec3<double>{c * x.x - s * x.y, s * x.x + c * x.y, x.z} - to));
        }
        // The tree's cubes are rotated, so errors differ.
        CHECK(largest < 0.02);
    }
}

TEST_CASE("external energies and virial are sums over particles")
{
    Particles particles = plummer(100);
    const auto field = field_of({halo, "rotation,omega=0.5"});
    std::vector<Vec3<double>> acceleration(particles.size());
    std::vector<double> potential(particles.size());
    field->add(0, particles.position, {}, acceleration, potential);
    double external = 0, virial = 0, own = 0;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const Vec3<double>& x = particles.position[i];
        particles.potential[i] = -1 - double(i) + potential[i];
        own += 0.5 * particles.mass[i] * (-1 - double(i));
        external += particles.mass[i] * (potential[i] - 0.125 * (x.x * x.x + x.y * x.y));
        virial += particles.mass[i] * dot(x, acceleration[i]);
    }
    const Diagnostics found = diagnose(particles, LagrangianRadii::left_out, {field.get(), 0});
    CHECK(found.potential == doctest::Approx(own).epsilon(1e-12));
    CHECK(found.external == doctest::Approx(external).epsilon(1e-12));
    CHECK(found.virial_ratio() ==
          doctest::Approx(-found.internal_kinetic / (own + virial)).epsilon(1e-12));
    CHECK(found.energy() == found.kinetic + found.potential + found.external);
}

TEST_CASE("a restarted run in an external field continues bitwise")
{
    const std::vector<std::vector<std::string>> fields = {
        {halo, disk}, {"plummer,M=1,a=0.3,orbit=orbit.txt"}, {"text,file=bar.txt", halo}};
    for (const auto& [name, plain] : ways())
        for (const auto& field : fields) {
            CAPTURE(name);
            CAPTURE(field.front());
            Scheme scheme = plain;
            if (field.front() == "text,file=bar.txt")
                scheme.criterion = StepCriterion::softening;
            const auto run = [&](Simulation& simulation, std::uint64_t last) {
                simulation.after_each_step([last](Simulation& now) {
                    if (now.step() == last)
                        now.stop();
                });
                simulation.run();
            };
            Particles whole = plummer(120), part = whole;
            const IntegratorWithSolver one = made_of(scheme, field), two = made_of(scheme, field),
                                       three = made_of(scheme, field);
            Simulation through(whole, *one.integrator, 0, 2), first(part, *two.integrator, 0, 2);
            run(through, 8);
            run(first, 4);
            MemoryArchive archive;
            first.exchange(archive);
            archive.rewind();
            Particles rest = plummer(120);
            Simulation second(rest, *three.integrator, 0, 2);
            second.exchange(archive);
            run(second, 8);
            CHECK(rest.position == whole.position);
            CHECK(rest.velocity == whole.velocity);
        }
}

TEST_CASE("fields without energy conservation report why")
{
    const auto why = [](const std::vector<std::string>& texts, const std::string& text = bar) {
        return field_of(texts, text)->without_energy();
    };
    CHECK(why({halo, disk, "text,file=bar.txt", "rotation,omega=1"}).empty());
    CHECK(why({halo, "point,M=1,vx=1"}) == "point: moves");
    CHECK(why({"point,M=1,orbit=orbit.txt"}) == "point: moves");
    CHECK(why({"plummer,M=1,a=1,from=0,to=1"}) == "plummer: grows");
    CHECK(why({"text,file=bar.txt"}, "phi += x * sin(t)") == "text: changes with t");
}

TEST_CASE("functions receive only the particles due in a block")
{
    const auto function = std::make_shared<PotentialFunction>();
    std::vector<std::size_t> sizes;
    function->name = "pull";
    function->add = [&](double, std::span<const Vec3<double>> x, std::span<Vec3<double>> a,
                        std::span<double> phi) {
        sizes.push_back(x.size());
        for (std::size_t k = 0; k < x.size(); ++k) {
            a[k] -= x[k];
            phi[k] += 0.5 * dot(x[k], x[k]);
        }
    };
    Potential potential;
    potential.shape = PotentialShape::function;
    potential.function = function;
    Scheme scheme;
    scheme.individual = true;
    scheme.criterion = StepCriterion::softening;
    scheme.eta = 0.05;
    scheme.field = std::make_shared<ExternalField>(std::vector{potential}, "potentials");
    const IntegratorWithSolver made = make_integrator(on_cpu(), scheme);
    CHECK(follow(plummer(500), *made.integrator, 1, 0.5).largest < 1e-3);
    CHECK(*std::min_element(sizes.begin(), sizes.end()) < 500);
    CHECK(*std::max_element(sizes.begin(), sizes.end()) == 500);
}

TEST_CASE("text potentials are differentiated through every operation")
{
    for (const char* phi :
         {"x * y + z * t", "x - y * y", "z / (2 + x)", "min(x, y * z)", "max(x, y * z)", "-(x * x)",
          "abs(x * z)", "sqrt(3 + x * y)", "1 / sqrt(4 + x * z)", "exp(x * y)", "log(3 + x * z)",
          "sin(x * y + t)", "cos(x * z - t)", "(2 + x)^2.5", "(2 + x)^(y + t)",
          "select(x < y, x * z, y * z * z)"}) {
        CAPTURE(phi);
        const TextPotential text(std::string("phi += ") + phi, "law");
        const auto at = [&](const Vec3<double>& x, double t) {
            return text.at({x, {0.3, -0.5, 0.7}, t});
        };
        for (const Vec3<double>& x : {Vec3<double>{0.4, 0.3, -0.6}, Vec3<double>{-0.7, 0.8, 0.5}}) {
            const double h = 1e-5, t = 0.9;
            const auto here = at(x, t);
            const auto slope = [&](const Vec3<double>& step) {
                return (at(x + step, t).potential - at(x - step, t).potential) / (2 * h);
            };
            const Vec3<double> gradient{slope({h, 0, 0}), slope({0, h, 0}), slope({0, 0, h})};
            CHECK(norm(here.acceleration + gradient) < 1e-8);
            const Vec3<double> path = h * Vec3<double>{0.3, -0.5, 0.7};
            const Vec3<double> change = (1 / (2 * h)) * (at(x + path, t + h).acceleration -
                                                         at(x - path, t - h).acceleration);
            CHECK(norm(here.jerk - change) < 1e-8);
        }
    }
}

TEST_CASE("default steps keep the size of a star cluster in a galaxy")
{
    // 1e5 solar masses within 15 pc, 8 kpc from the center of a Milky Way, for 20 Myr.
    constexpr double G = 43007.1, mass = 1e-5, end = 0.02;
    PotentialFiles files;
    const auto galaxy = read_external_field(
        "--potential",
        {"nfw,M=100,c=12,rs=17", "miyamoto-nagai,M=6,a=3,b=0.28", "logarithmic,v0=50,rc=1"}, {}, G,
        files);
    const Particles sphere = make_plummer({.particles = 500, .seed = 3}).particles;
    const auto r90_of = [&](const Particles& particles) {
        const double fraction[] = {0.9};
        return lagrangian_radii(particles, density_center(particles), fraction)[0];
    };
    const double size = 0.015 / r90_of(sphere), speed = std::sqrt(G * mass / size);
    double radius[2];
    for (const bool in_galaxy : {false, true}) {
        Particles cluster = sphere;
        const Vec3<double> place[] = {{8, 0, 0}};
        Vec3<double> pull[1];
        galaxy->add(0, place, {}, pull, {});
        for (std::size_t i = 0; i < cluster.size(); ++i) {
            cluster.mass[i] = mass / double(cluster.size());
            cluster.position[i] = size * cluster.position[i] + place[0];
            cluster.velocity[i] =
                speed * cluster.velocity[i] + Vec3<double>{0, std::sqrt(-8 * pull[0].x), 0};
        }
        SolverOptions options = on_cpu();
        options.softening.length = 5e-4;
        options.gravitational_constant = G;
        Scheme scheme;
        scheme.individual = true;
        if (in_galaxy)
            scheme.field = galaxy;
        const IntegratorWithSolver made = make_integrator(options, scheme);
        Simulation(cluster, *made.integrator, 0, end).run();
        radius[in_galaxy] = r90_of(cluster);
    }
    MESSAGE("r90 0.015, alone " << radius[0] << ", in a galaxy " << radius[1]);
    CHECK(radius[0] < 1.25 * 0.015); // relaxation
    CHECK(radius[1] < 1.05 * radius[0]);
}

TEST_CASE("steps follow the tide of an external field, and the own field apart")
{
    // A point mass M: the tidal tensor has the eigenvalues 2, -1, -1 times M / r^3.
    const auto field = field_of({"point,M=4", "rotation,omega=0.1"});
    const Vec3<double> place[] = {{3, 4, 0}};
    double time[1];
    field->tidal_times(0, place, {}, time);
    CHECK(time[0] == doctest::Approx(std::sqrt(125 / 4. / std::sqrt(6.))));
    for (const char* text : {"plummer,M=4,a=2", "text,file=plummer.txt"}) {
        PotentialFiles files = {{"plummer.txt", "phi -= 4 / sqrt(x^2 + y^2 + z^2 + 4)"}};
        read_external_field("--potential", {text}, {}, 1, files)->tidal_times(0, place, {}, time);
        const double d2 = 29, one = 4 / std::pow(d2, 1.5), along = one * (1 - 3 * 25 / d2);
        CHECK(time[0] == doctest::Approx(std::pow(2 * one * one + along * along, -0.25)));
    }
    // A pair that does not feel the field's depth.
    Particles pair = bodies({});
    Scheme scheme;
    scheme.individual = true;
    scheme.eta = 0.03;
    SolverOptions options = on_cpu();
    options.solver = SolverKind::direct;
    std::vector<double> steps;
    for (const char* text : {"plummer,M=1e6,a=1e3", "plummer,M=1,a=1e3", "point,M=1e9,x=10"}) {
        scheme.field = field_of({text});
        const IntegratorWithSolver made = make_integrator(options, scheme);
        Particles moving = pair;
        made.integrator->start(moving, Quantities::acceleration, {0, 0});
        steps.push_back(made.integrator->next_step({0, 0}).length);
    }
    CHECK(steps[0] == steps[1]);
    CHECK(steps[2] < steps[0] / 100);
}

TEST_CASE("wrong potentials are refused with an error line")
{
    struct Case {
        const char *text, *line;
    };
    const Case cases[] = {
        {"", "--potential: (empty): unknown: must be one of point, plummer,"},
        {"nfv,M=1",
         "--potential: nfv: unknown; did you mean 'nfw'?: must be one of point, plummer,"},
        {"plummer,M=1", "--potential: plummer: needs a, scale length"},
        {"plummer,M=1,b=2", "--potential: plummer: b: unknown"},
        {"plummer,M=-1,a=2", "--potential: plummer: M: -1: must be a number > 0"},
        {"plummer,M=1,a=0", "--potential: plummer: a: 0: must be a number > 0"},
        {"plummer,M=1,a=x", "--potential: plummer: a: x: must be a number > 0"},
        {"plummer,M=1,a", "--potential: plummer: a: must be NAME=VALUE"},
        {"plummer,M=1,a=", "--potential: plummer: a=: must be NAME=VALUE"},
        {"plummer,M=1,a=1,a=2", "--potential: plummer: a: given twice"},
        {"plummer,M=1Gyr,a=1", "--potential: plummer: M: 1Gyr: "},
        {"plummer,M=1e12Msun,a=1", "--potential: plummer: M: 1e12Msun: "},
        {"plummer,M=1,a=1,x=1,orbit=orbit.txt", "--potential: plummer: x: contradicts orbit"},
        {"plummer,M=1,a=1,from=1", "--potential: plummer: needs to: growth"},
        {"plummer,M=1,a=1,from=1,to=1", "--potential: plummer: to: 1: must be after from, 1"},
        {"nfw,M=1,c=10", "--potential: nfw: needs rs (scale radius)"},
        {"nfw,M=1,c=10,rs=1,hubble=0.7", "--potential: nfw: hubble: contradicts rs"},
        {"rotation,omega=1,x=1", "--potential: rotation: x: unknown"},
        {"point,M=1,orbit=short.txt",
         "short.txt: line 1: 3 numbers: must be seven: t x y z vx vy vz"},
        {"text,file=bar.txt,strenght=1",
         "--potential: text: strenght: unknown; did you mean 'strength'?"},
        {"text,file=none.txt", "none.txt: "},
    };
    for (const Case& one : cases) {
        CAPTURE(one.text);
        CHECK_THROWS_WITH_AS(field_of({one.text}), doctest::Contains(one.line), Error);
    }
    CHECK_THROWS_WITH_AS(field_of({"rotation,omega=1", "rotation,omega=2"}),
                         doctest::Contains("--potential: rotation: given twice"), Error);
    CHECK_THROWS_WITH_AS(field_of(std::vector<std::string>(17, halo)),
                         doctest::Contains("17 potentials: must be at most 16"), Error);
    const Case texts[] = {
        {"phi += x +", "bar.txt: line 1, column 11: "},
        {"a = x\n", "bar.txt: line 1, column 1: phi: sum without terms"},
        {"\nphi += w", "bar.txt: line 2, column 8: 'w': unknown name"},
        {"target a b c\nphi += x", "bar.txt: line 1, column 1: 'target': already declared"},
        {"", "bar.txt: line 1, column 1: empty text: must have a line phi += ..."},
        {"x = 1\nphi += x", "bar.txt: line 1, column 1: 'x': is a value of the target"},
        {"parameter vx = 1\nphi += vx * x", "bar.txt: parameter vx: name of a common parameter"},
        {"parameter from = 1\nphi += from * x",
         "bar.txt: parameter from: name of a common parameter"},
        {"parameter to = 1\nphi += to * x", "bar.txt: parameter to: name of a common parameter"},
        {"parameter orbit = 1\nphi += orbit * x",
         "bar.txt: parameter orbit: name of a common parameter"},
        {"parameter file = 1\nphi += file * x",
         "bar.txt: parameter file: name of a common parameter"},
    };
    for (const Case& one : texts) {
        CAPTURE(one.text);
        CHECK_THROWS_WITH_AS(field_of({"text,file=bar.txt"}, one.text), doctest::Contains(one.line),
                             Error);
    }
}

TEST_CASE("fields unsupported by a scheme are refused")
{
    const auto refusal_of = [](const std::string& potential, const Scheme& plain, double box = 0) {
        Scheme scheme = plain;
        SolverOptions options = on_cpu();
        options.box = box;
        scheme.field = field_of({potential});
        return refusal(options, scheme).value_or("");
    };
    const auto all = ways();
    CHECK(refusal_of(halo, all[0].second, 10).find("{potential}: needs isolated particles") == 0);
    CHECK(refusal_of("rotation,omega=1", all[3].second).find("{potential}: rotation: ") == 0);
    CHECK_THROWS_AS(field_of({"point,M=1,orbit=orbit.txt"})->require_times(0, 3), Error);
    field_of({"point,M=1,orbit=orbit.txt"})->require_times(0, 2);
}

TEST_SUITE_END();
