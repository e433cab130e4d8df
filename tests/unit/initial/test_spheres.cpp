// Spheres in equilibrium: profiles, energies, distribution functions, and stability.
#include <numbers>
#include <numeric>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/initial/models/king_model.hpp"
#include "chamomile/initial/models/self_energy.hpp"
#include "chamomile/initial/models/spheres.hpp"
#include "tests/unit/model_checks.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("spheres");

namespace {

/// A Case holds radii with 10, 50 and 90 % of the total mass, and the potential energy, for a
/// sphere with G = M = scale = 1 (NFW: mass 1 within c). Values come from quadratures and
/// integrations of Poisson's equation with scipy, and by hand for the Hernquist sphere within 100
/// a; its outermost particles move as if the mass beyond existed.
struct Case {
    SphereOptions sphere;
    double mass, r10, r50, r90, potential;
};

const std::vector<Case>& cases()
{
    using enum SphereKind;
    static const std::vector<Case> all = {
        {{.kind = hernquist}, 0.980296049, 0.455809199, 2.33450846, 15.4718579, -0.16656993},
        {{.kind = nfw}, 1.21183951, 0.94907662, 4.60516914, 11.83994643, -0.14403312},
        {{.kind = einasto}, 1, 1.44382720, 9.71142629, 54.2812800, -0.04632664},
        {{.kind = einasto, .alpha = 1}, 1, 0.55103266, 1.33703016, 2.66116017, -0.3125},
        {{.kind = king, .w0 = 1}, 1, 0.31168859, 0.65989601, 1.1382776, -0.64964040},
        {{.kind = king}, 1, 0.89392229, 2.6468676, 7.1067386, -0.15184616},
        {{.kind = king, .w0 = 12}, 1, 13.635616, 86.408857, 234.67902, -0.0056627551},
        {{.kind = exponential}, 1, 0.84375932, 2.22351729, 4.67077326, -0.1875},
    };
    return all;
}

double whole_mass(const Particles& particles)
{
    double mass = 0;
    for (double m : particles.mass)
        mass += m;
    return mass;
}

/// Variance per velocity component in the shell from 0.9 r to 1.1 r, radial and tangential, with
/// the particle number.
struct Dispersions {
    double radial = 0, tangential = 0, count = 0;
};

Dispersions dispersions_at(const Particles& particles, double r)
{
    Dispersions d;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const Vec3<double> x = particles.position[i], v = particles.velocity[i];
        if (std::abs(norm(x) / r - 1) > 0.1)
            continue;
        const double vr = dot(x, v) / norm(x);
        d.radial += vr * vr;
        d.tangential += 0.5 * (norm_squared(v) - vr * vr);
        ++d.count;
    }
    d.radial /= d.count;
    d.tangential /= d.count;
    return d;
}

/// Returns twice the kinetic energy of a type over sum m M(<r) / r, which is 1 in the total field.
std::vector<std::size_t> by_radius(const Particles& particles)
{
    std::vector<std::size_t> order(particles.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return norm_squared(particles.position[a]) < norm_squared(particles.position[b]);
    });
    return order;
}

/// Standard deviations of the potential energy W and of 2 T + W, for n particles of equal mass that
/// are drawn independently. W is a sum over pairs: one particle changes it by its potential.
struct Deviations {
    double potential, virial;
};

Deviations deviations_of(const Particles& particles)
{
    const std::vector<std::size_t> order = by_radius(particles);
    const double mass = particles.mass[0], n = double(order.size());
    double outside = 0, sums[2] = {}, squares[2] = {};
    for (std::size_t k = order.size(); k-- > 0;) {
        const std::size_t i = order[k];
        const double r = norm(particles.position[i]);
        const double potential = -mass * double(k) / r - outside;
        const double changes[2] = {potential, norm_squared(particles.velocity[i]) + potential};
        outside += mass / r;
        for (int e = 0; e < 2; ++e) {
            sums[e] += changes[e];
            squares[e] += changes[e] * changes[e];
        }
    }
    const auto deviation = [&](int e) {
        return mass * std::sqrt(squares[e] - sums[e] * sums[e] / n);
    };
    return {deviation(0), deviation(1)};
}

/// Returns twice the kinetic energy of a type over the sum of m M(<r) / r, which is 1 in the field
/// of all.
double virial_of_type(const Particles& particles, int type)
{
    double inside = 0, virial = 0, kinetic = 0;
    for (std::size_t i : by_radius(particles)) {
        if (particles.type[i] == type) {
            virial += particles.mass[i] * inside / norm(particles.position[i]);
            kinetic += particles.mass[i] * norm_squared(particles.velocity[i]);
        }
        inside += particles.mass[i];
    }
    return kinetic / virial;
}

} // namespace

TEST_CASE("spheres match profile, energies and virial ratio")
{
    for (const Case& one : cases()) {
        const std::uint64_t n = 200000;
        const Particles p = make_spheres({.particles = n, .spheres = {one.sphere}}).particles;
        const std::string name = name_of(one.sphere.kind);
        CAPTURE(name);
        CHECK(whole_mass(p) == within(3e-5, one.mass));
        const std::vector<double> radii = sorted_radii(p);
        const std::pair<double, double> quantiles[] = {
            {0.1, one.r10}, {0.5, one.r50}, {0.9, one.r90}};
        for (const auto& [part, r] : quantiles) {
            CAPTURE(part);
            // The number inside r is binomial: allows 4 standard deviations.
            const auto inside =
                double(std::lower_bound(radii.begin(), radii.end(), r) - radii.begin());
            CHECK(std::abs(inside - part * double(n)) <
                  4 * std::sqrt(part * (1 - part) * double(n)));
        }
        const double potential = shell_energy(p), kinetic = kinetic_energy(p);
        const Deviations sigma = deviations_of(p);
        CHECK(std::abs(potential - one.potential) < 4 * sigma.potential);
        CHECK(std::abs(2 * kinetic + potential) < 4 * sigma.virial);
    }
}

TEST_CASE("King: tidal radius, density and distribution function match the model")
{
    const double expected[][2] = {
        {1, 1.97472811}, {3, 4.69940743}, {6, 17.9916097}, {9, 131.380696}, {12, 548.199066}};
    for (const auto& [w0, tidal] : expected)
        CHECK(KingModel(w0).tidal_radius() == within(1e-6, tidal));
    CHECK(KingModel(6).density(1e-5) == within(1e-7, 0.0591521117));
    CHECK(KingModel(6).density(18) == 0);

    const SphereProfile profile{.kind = SphereKind::king};
    const std::vector<double> radii = table_radii({profile});
    const DensityTable table = density_table(profile, radii);
    const SphericalPotential potential(radii, enclosed_mass(radii, table.density));
    const EquilibriumSphere sphere(potential, table, {.name = "king"});
    // rho_1 (2 pi sigma^2)^(-3/2) (exp(E / sigma^2) - 1), with E relative to the tidal radius
    const double sigma2 = 0.0825919287, root = std::sqrt(6.0);
    const double shape =
        std::exp(6) * std::erf(root) - std::sqrt(24 / std::numbers::pi) * (1 + 2 * 6.0 / 3);
    const double rho1 = 0.0591521117 / shape;
    for (double w : {0.2, 0.5, 1.0, 2.0, 4.0, 5.5, 5.9}) {
        CAPTURE(w);
        const double exact = rho1 * std::pow(2 * std::numbers::pi * sigma2, -1.5) * std::expm1(w);
        CHECK(sphere.distribution(1 / 17.9916097 + w * sigma2) == within(4e-3, exact));
    }
}

TEST_CASE("Osipkov-Merritt: anisotropy and radial dispersion satisfy Jeans' equation")
{
    const double ra = 0.7;
    const Particles p =
        make_spheres({.particles = 600000, .spheres = {{.anisotropy_radius = ra}}}).particles;
    for (double r : {0.2, 0.7, 2.0}) {
        CAPTURE(r);
        const Dispersions d = dispersions_at(p, r);
        CHECK(d.tangential / d.radial ==
              within(5 * std::sqrt(3 / d.count), 1 / (1 + (r / ra) * (r / ra))));
        // rho sigma_r^2 (r^2 + r_a^2) = int (s^2 + r_a^2) rho M / s^2 ds for the infinite model
        const auto density = [](double s) { return 1 / (s * (1 + s) * (1 + s) * (1 + s)); };
        double pressure = 0;
        const double step = 1e-4;
        for (double y = std::log(r) + 0.5 * step; y < std::log(1e4); y += step) {
            const double s = std::exp(y);
            pressure += step * s * (s * s + ra * ra) * density(s) / ((1 + s) * (1 + s));
        }
        CHECK(d.radial == within(4 * std::sqrt(2 / d.count) + 0.005,
                                 pressure / (density(r) * (r * r + ra * ra))));
    }
    // The min radius for a Hernquist sphere is 0.202 a (Baes & Dejonghe 2002).
    CHECK_THROWS_AS(make_spheres({.spheres = {{.anisotropy_radius = 0.195}}}), Error);
    CHECK_NOTHROW(make_spheres({.spheres = {{.anisotropy_radius = 0.21}}}));
}

TEST_CASE("two spheres are in equilibrium in their joint field")
{
    const Particles p =
        make_spheres({.particles = 400000,
                      .spheres = {parse_sphere("nfw,mass=1,scale=1,part=0.5"),
                                  parse_sphere("exponential,mass=0.3,r-half=0.8,type=4,part=0.5")}})
            .particles;
    CHECK(virial_of_type(p, 1) == within(0.01, 1));
    CHECK(virial_of_type(p, 4) == within(0.01, 1));
    CHECK(radius_of_fraction(sorted_radii(p, 4), 0.5) == within(0.01, 0.8));
    // Without the other components, a component with this density would move more slowly.
    const Particles alone =
        make_spheres(
            {.particles = 100000, .spheres = {parse_sphere("exponential,mass=0.3,r-half=0.8")}})
            .particles;
    CHECK(dispersions_at(p, 0.8).radial > 1.5 * dispersions_at(alone, 0.8).radial);
    double stars = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        stars += p.type[i] == 4 ? p.mass[i] : 0;
    CHECK(stars == within(1e-4, 0.3));
}

TEST_CASE("M200 and concentration: the mean density inside r200 is 200 times critical")
{
    for (const char* text : {"nfw,m200=100,c=12", "einasto,m200=100,c=12"}) {
        CAPTURE(text);
        const Snapshot s =
            make_spheres({.particles = 300000, .spheres = {parse_sphere(text)}, .hubble = 0.7});
        CHECK(s.units == Units::gadget(false));
        const std::vector<double> radii = sorted_radii(s.particles);
        // 3 H0^2 / (8 pi G) = 2.775e11 h^2 Msun / Mpc^3, so r200 for 1e12 Msun is 206.3 kpc.
        const auto inside =
            double(std::lower_bound(radii.begin(), radii.end(), 206.3) - radii.begin());
        CHECK(inside * s.particles.mass[0] == within(6e-3, 100));
    }
    // The Hernquist halo with equal central density: rho r^3 at small radii (Springel et al. 2005,
    // eq. 2).
    const SphereProfile h = resolved(parse_sphere("hernquist,m200=100,c=12"), 0.7);
    const SphereProfile n = resolved(parse_sphere("nfw,m200=100,c=12"), 0.7);
    const std::vector<double> radii = {1e-3, 1e-2};
    CHECK(density_table(h, radii).density[0] == within(2e-3, density_table(n, radii).density[0]));
}

TEST_CASE("ellipsoids have the given axes and satisfy the tensor virial theorem")
{
    Particles p = make_spheres({.particles = 40009,
                                .spheres = {{.kind = SphereKind::king}},
                                .b_to_a = 0.8,
                                .c_to_a = 0.5})
                      .particles;
    const auto solver = tree(0.01);
    solver->solve(p, Quantities::acceleration);
    Vec3<double> square, kinetic, potential;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Vec3<double> x = p.position[i], v = p.velocity[i], a = p.acceleration[i];
        square += Vec3<double>{x.x * x.x, x.y * x.y, x.z * x.z};
        kinetic += p.mass[i] * Vec3<double>{v.x * v.x, v.y * v.y, v.z * v.z};
        potential += p.mass[i] * Vec3<double>{x.x * a.x, x.y * a.y, x.z * a.z};
    }
    CHECK(std::sqrt(square.y / square.x) == within(0.02, 0.8));
    CHECK(std::sqrt(square.z / square.x) == within(0.02, 0.5));
    CHECK(-kinetic.x / potential.x == within(0.03, 1));
    CHECK(-kinetic.y / potential.y == within(0.03, 1));
    CHECK(-kinetic.z / potential.z == within(0.03, 1));
    CHECK(kinetic.x / kinetic.z > 1.5); // not by chance
}

TEST_CASE("spheres stay in equilibrium for three crossing times")
{
    std::vector<std::pair<const char*, SpheresOptions>> models;
    for (const char* text : {"hernquist", "nfw,concentration=5", "einasto,alpha=0.5", "king,w0=6",
                             "exponential", "hernquist,anisotropy-radius=0.5"})
        models.push_back({text, {.spheres = {parse_sphere(text)}}});
    models.push_back({"two",
                      {.spheres = {parse_sphere("nfw,concentration=5"),
                                   parse_sphere("exponential,mass=0.5,scale=0.5,type=4")}}});
    for (auto& [name, options] : models) {
        CAPTURE(name);
        options.particles = 6007;
        Particles p = make_spheres(options).particles;
        const std::vector<double> before = sorted_radii(p);
        const double half = radius_of_fraction(before, 0.5);
        const double crossing = half / std::sqrt(0.5 * whole_mass(p) / half);
        const auto solver = tree(0.02 * half);
        CHECK(virial_ratio(p, *solver) == within(0.03, 0.5));
        evolve(p, *solver, 3 * crossing, crossing / 25);
        const std::vector<double> after = sorted_radii(p);
        CHECK(radius_of_fraction(after, 0.1) == within(0.08, radius_of_fraction(before, 0.1)));
        CHECK(radius_of_fraction(after, 0.5) == within(0.04, half));
        CHECK(radius_of_fraction(after, 0.9) == within(0.06, radius_of_fraction(before, 0.9)));
        CHECK(virial_ratio(p, *solver) == within(0.04, 0.5));
    }
    // Particles out of equilibrium do not stay unchanged.
    Particles cold = make_sphere(SphereKind::king, 6007).particles;
    for (Vec3<double>& v : cold.velocity)
        v = 0.7 * v;
    const double half = radius_of_fraction(sorted_radii(cold), 0.5);
    const auto solver = tree(0.02 * half);
    evolve(cold, *solver, 2 * half * std::sqrt(half), half * std::sqrt(half) / 25);
    CHECK(radius_of_fraction(sorted_radii(cold), 0.5) < 0.9 * half);
}

TEST_CASE("invalid spheres are refused with an error line")
{
    const std::pair<const char*, const char*> refused[] = {
        {"", "sphere: (empty)"},
        {"kng", "did you mean 'king'"},
        {"king,w0=17", "king: w0: 17: must be a number from 0.1 to 16"},
        {"king,w0=0", "king: w0: 0:"},
        {"king,w0", "value missing"},
        {"king,w0=3,w0=4", "given twice"},
        {"king,alpha=0.2", "king: alpha: must be a property of this sphere"},
        {"king,depth=3", "king: depth: must be one of"},
        {"king,mass=-1", "king: mass: -1"},
        {"king,scale=1,r-half=2", "give one length"},
        {"king,r-half=1,r-tidal=2", "give one length"},
        {"nfw,m200=100,mass=2", "contradicts mass"},
        {"einasto,concentration=5", "needs m200"},
        {"king,anisotropy-radius=0.1", "no Osipkov-Merritt equilibrium"},
        {"nfw,type=6", "nfw: type: 6"},
        {"nfw,part=0.5", "sum of the parts"},
    };
    for (const auto& [text, words] : refused) {
        CAPTURE(text);
        try {
            make_spheres({.particles = 100, .spheres = {parse_sphere(text)}});
            FAIL_CHECK("not refused: " << text);
        } catch (const Error& error) {
            CHECK(std::string(error.what()).find(words) != std::string::npos);
            CHECK(std::string(error.what()).find('\n') == std::string::npos);
        }
    }
    const auto both = [](const char* a, const char* b) {
        make_spheres({.particles = 100, .spheres = {parse_sphere(a), parse_sphere(b)}});
    };
    // A core has no isotropic equilibrium in a cusp.
    CHECK_THROWS_AS(both("nfw", "plummer,mass=0.01,scale=0.5"), Error);
    CHECK_THROWS_AS(both("nfw,part=0.5", "hernquist"), Error);
    CHECK_THROWS_AS(both("nfw", "hernquist,mass=1e-9"), Error); // without particles
    CHECK_THROWS_AS(make_spheres({.spheres = {}}), Error);
    CHECK_THROWS_AS(make_spheres({.b_to_a = 0}), Error);
    CHECK_THROWS_AS(make_spheres({.hubble = 0}), Error);
}

TEST_SUITE_END();
