// Built-in pairwise laws: derivatives, values by hand, Newton's third law, independent formulas.
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/pairs/laws/gravity.hpp"
#include "chamomile/force/pairs/laws/gravity_jerk.hpp"
#include "chamomile/force/pairs/laws/lennard_jones_coulomb.hpp"
#include "chamomile/force/pairs/laws/lennard_jones_fluid.hpp"
#include "chamomile/force/pairs/laws/sph_density.hpp"
#include "chamomile/force/pairs/laws/yukawa.hpp"
#include "tests/unit/law_behaviours.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("laws");

namespace {

using Vector = Vec3<double>;

template <class Law>
auto pair_of(const Law& law, const typename Law::template Target<double>& i,
             const typename Law::template Source<double>& j)
{
    typename Law::template Sum<double> sum{};
    law(i, j, sum);
    return sum;
}

/// df/dt at 0 from five points, exact to fourth order.
template <class Function>
double derivative(double h, const Function& f)
{
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

double component(const Vector& v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

Vector unit(int axis)
{
    return {double(axis == 0), double(axis == 1), double(axis == 2)};
}

Vector direction(std::mt19937_64& random)
{
    std::normal_distribution<double> normal;
    const Vector v{normal(random), normal(random), normal(random)};
    return (1 / norm(v)) * v;
}

/// Force = -d(energy)/d(target position), at distances 0.8 to 4.
template <class Law, class Force, class Energy>
void check_gradient(const Law& law, const typename Law::template Target<double>& target,
                    const typename Law::template Source<double>& source, const Force& force,
                    const Energy& energy)
{
    auto i = target;
    auto j = source;
    std::mt19937_64 random(1);
    for (int k = 0; k < 200; ++k) {
        const double r = 0.8 + 3.2 * k / 200;
        i.position = {0.3, -0.2, 0.1};
        j.position = i.position + r * direction(random);
        const Vector f = force(pair_of(law, i, j));
        const double scale = norm(f) + std::abs(energy(pair_of(law, i, j)));
        for (int axis = 0; axis < 3; ++axis) {
            const double slope = derivative(2e-4 * r, [&](double t) {
                auto moved = i;
                moved.position += t * unit(axis);
                return energy(pair_of(law, moved, j));
            });
            CAPTURE(r);
            REQUIRE(std::abs(component(f, axis) + slope) <= 1e-8 * scale + 1e-11);
        }
    }
}

constexpr auto force_of = [](const auto& sum) { return sum.force; };
constexpr auto energy_of = [](const auto& sum) { return sum.energy; };

template <class Dielectric, class Combination>
using Molecular = LennardJonesCoulomb<Dielectric, Combination, MolecularSums::force_energy_virial>;
template <class Dielectric, class Combination>
using Bare = LennardJonesCoulomb<Dielectric, Combination, MolecularSums::force>;

constexpr SigmoidalDielectric water{0.001, -0.04, 0.6, 0.1};

template <class Combination>
std::pair<MolecularAtom<double>, MolecularAtom<double>> two_atoms()
{
    return {molecular_atom<Combination>({}, 0.7, 0.9, 1.3),
            molecular_atom<Combination>({}, -1.1, 1.2, 0.4)};
}

template <class Dielectric, class Combination>
void check_molecular(const Dielectric& dielectric)
{
    const auto [i, j] = two_atoms<Combination>();
    for (const Switching& end : {Switching{}, Switching::between(2, 3.5)}) {
        const Molecular<Dielectric, Combination> law{1.5, dielectric, end};
        check_gradient(law, i, j, force_of, energy_of);
        for (double r = 0.8; r < 4; r += 0.01) {
            auto one = i, other = j;
            other.position = {0.6 * r, 0, -0.8 * r};
            const auto on_one = pair_of(law, one, other), on_other = pair_of(law, other, one);
            const double scale = norm(on_one.force) + std::abs(on_one.energy);
            REQUIRE(norm(on_one.force + on_other.force) <= 1e-15 * scale);
            REQUIRE(on_one.energy == doctest::Approx(on_other.energy).epsilon(1e-14));
            REQUIRE(on_one.virial ==
                    doctest::Approx(-dot(on_one.force, other.position)).epsilon(1e-12));
            if (r > 3.5) {
                REQUIRE((end.slope == 0) == (on_one.energy != 0));
                REQUIRE((end.slope == 0) == (norm(on_one.force) != 0));
            }
            const auto bare =
                pair_of(Bare<Dielectric, Combination>{1.5, dielectric, {}}, one, other);
            if (end.slope == 0)
                REQUIRE(norm(bare.force - on_one.force) <= 1e-15 * scale);
        }
    }
}

/// Pair energy from its definition, with <cmath>.
template <class Zeta>
void check_energy_formula(const auto& law, double sigma, double epsilon,
                          const MolecularAtom<double>& i, MolecularAtom<double> j, const Zeta& zeta)
{
    for (double r = 0.7; r < 8; r += 0.03) {
        j.position = {0, r, 0};
        const double x = std::pow(sigma / r, 6);
        const double lennard_jones = 4 * epsilon * (std::pow(x, 2) - x),
                     coulomb = 1.5 * i.charge * j.charge / (zeta(r) * r);
        REQUIRE(std::abs(pair_of(law, i, j).energy - (lennard_jones + coulomb)) <=
                1e-13 * (4 * epsilon * (x * x + x) + std::abs(coulomb)));
    }
}

} // namespace

TEST_CASE("gravity: acceleration is minus the gradient and matches two bodies")
{
    for (const double eps : {0.0, 0.3}) {
        const GravityPotential law{eps};
        check_gradient(
            law, {}, {{}, 2.5}, [](const auto& s) { return s.acceleration; },
            [](const auto& s) { return s.potential; });
        check_gradient(
            GravityJerk{eps}, {}, {{}, {}, 2.5}, [](const auto& s) { return s.acceleration; },
            [](const auto& s) { return s.potential; });
    }
    const auto sum = pair_of(GravityPotential{0}, {{1, 1, 1}}, {{4, 5, 1}, 50});
    CHECK(sum.acceleration.x == doctest::Approx(1.2).epsilon(1e-15));
    CHECK(sum.acceleration.y == doctest::Approx(1.6).epsilon(1e-15));
    CHECK(sum.acceleration.z == 0);
    CHECK(sum.potential == doctest::Approx(-10).epsilon(1e-15));
    const auto back = pair_of(GravityAcceleration{0}, {{4, 5, 1}}, {{1, 1, 1}, 20});
    CHECK(norm(20.0 * sum.acceleration + 50.0 * back.acceleration) < 1e-14);
}

TEST_CASE("gravity: jerk is the time derivative of acceleration and matches two bodies")
{
    const GravityJerk law{0.2};
    std::mt19937_64 random(2);
    for (int k = 0; k < 200; ++k) {
        const Vector v = direction(random), r = (0.5 + 0.01 * k) * direction(random);
        const GravityJerk::Target<double> i{{0.1, 0.2, 0.3}, -0.4 * v};
        const GravityJerk::Source<double> j{i.position + r, direction(random), 3};
        const auto sum = pair_of(law, i, j);
        for (int axis = 0; axis < 3; ++axis) {
            const double rate = derivative(1e-3, [&](double t) {
                auto target = i;
                auto source = j;
                target.position += t * i.velocity;
                source.position += t * j.velocity;
                return component(pair_of(law, target, source).acceleration, axis);
            });
            REQUIRE(std::abs(component(sum.jerk, axis) - rate) <= 1e-8 * norm(sum.jerk));
        }
    }
    const auto sum = pair_of(GravityJerk{0}, {}, {{2, 0, 0}, {1, 2, 0}, 8});
    CHECK(sum.acceleration.x == doctest::Approx(2));
    CHECK(sum.jerk.x == doctest::Approx(-2)); // 8 (1/8 - 3 * 2 * 2 / 32)
    CHECK(sum.jerk.y == doctest::Approx(2));  // 8 * 2/8
    CHECK(sum.potential == doctest::Approx(-4));
}

TEST_CASE("Lennard-Jones and Coulomb: force is minus the gradient, antisymmetric and cut off")
{
    check_molecular<ConstantDielectric, LorentzBerthelot>({2});
    check_molecular<LinearDielectric, LorentzBerthelot>({4});
    check_molecular<SigmoidalDielectric, LorentzBerthelot>(water);
    check_molecular<ConstantDielectric, GeometricCombination>({2});
    check_molecular<LinearDielectric, GeometricCombination>({4});
    check_molecular<SigmoidalDielectric, GeometricCombination>(water);
    for (const Switching& end : {Switching{}, Switching::between(2, 3.5)})
        check_gradient(LennardJonesFluid{0.9, 1.3, end}, {}, {}, force_of, energy_of);
}

TEST_CASE("Lennard-Jones and Coulomb: dielectrics and combination rules match independent formulas")
{
    const double mean = (0.9 + 1.2) / 2, product = std::sqrt(0.9 * 1.2),
                 epsilon = std::sqrt(1.3 * 0.4);
    const auto constant = [](double) { return 2.0; };
    const auto linear = [](double r) { return 4 * r; };
    const auto sigmoid = [](double r) {
        return std::exp(0.001 * r * r * r - 0.04 * r * r + 0.6 * r + 0.1);
    };
    const auto [i, j] = two_atoms<LorentzBerthelot>();
    check_energy_formula(MolecularEnergy{1.5, {2}, {}}, mean, epsilon, i, j, constant);
    check_energy_formula(MolecularEnergyLinear{1.5, {4}, {}}, mean, epsilon, i, j, linear);
    check_energy_formula(MolecularEnergySigmoidal{1.5, water, {}}, mean, epsilon, i, j, sigmoid);
    const auto [k, l] = two_atoms<GeometricCombination>();
    check_energy_formula(MolecularEnergyGeometric{1.5, {2}, {}}, product, epsilon, k, l, constant);
}

TEST_CASE("Lennard-Jones and Coulomb: two atoms match values by hand")
{
    // sigma = (3 + 5) / 2 = 4, epsilon = (2 * 8)^1/2 = 4
    const auto neutral = [](double r) {
        return pair_of(MolecularEnergy{}, molecular_atom<LorentzBerthelot>({}, 0, 3, 2),
                       molecular_atom<LorentzBerthelot>({r, 0, 0}, 0, 5, 8));
    };
    CHECK(neutral(4).energy == doctest::Approx(0));
    CHECK(neutral(4).force.x == doctest::Approx(-24 * 4 / 4.0)); // pushed away from the source
    const double lowest = 4 * std::pow(2, 1.0 / 6);
    CHECK(neutral(lowest).energy == doctest::Approx(-4));
    CHECK(std::abs(neutral(lowest).force.x) < 1e-13);
    CHECK(neutral(lowest + 0.5).force.x > 0);
    // sigma = (2 * 8)^1/2 = 4
    CHECK(pair_of(MolecularEnergyGeometric{}, molecular_atom<GeometricCombination>({}, 0, 2, 2),
                  molecular_atom<GeometricCombination>({0, 4, 0}, 0, 8, 8))
              .force.y == doctest::Approx(-24));
    // Charges 3 and -4 at distance 2 with k = 10
    const MolecularAtom<double> one{{}, 3, 0, 0}, other{{0, 0, 2}, -4, 0, 0};
    const auto constant = pair_of(MolecularEnergy{10, {2}, {}}, one, other);
    CHECK(constant.energy == doctest::Approx(-30));
    CHECK(constant.force.z == doctest::Approx(15));
    const auto linear = pair_of(MolecularEnergyLinear{10, {2}, {}}, one, other);
    CHECK(linear.energy == doctest::Approx(-15));
    CHECK(linear.force.z == doctest::Approx(15));
    const auto sigmoidal =
        pair_of(MolecularEnergySigmoidal{10, {0, 0, 0, std::log(2.0)}, {}}, one, other);
    CHECK(sigmoidal.energy == doctest::Approx(-30));
    CHECK(sigmoidal.force.z == doctest::Approx(15));
}

TEST_CASE("switching refuses radii in the wrong order")
{
    CHECK_THROWS_WITH_AS(Switching::between(3, 2), doctest::Contains("from < to"), Error);
    CHECK_THROWS_WITH_AS(Switching::between(-1, 2), doctest::Contains("0 <= from"), Error);
    CHECK_THROWS_WITH_AS(Switching::between(NAN, 2), doctest::Contains("from < to"), Error);
    CHECK(Switching::between(1, INFINITY).slope == 0);
}

TEST_CASE("Yukawa: field is minus the gradient and matches theory at a screening length")
{
    check_gradient(
        Yukawa{1.7}, {}, {{}, -2.5}, [](const auto& s) { return s.field; },
        [](const auto& s) { return s.potential; });
    const auto sum = pair_of(Yukawa{2}, {}, {{2, 0, 0}, std::exp(1.0)});
    CHECK(sum.potential == doctest::Approx(0.5));
    CHECK(sum.field.x == doctest::Approx(-0.5)); // 0.5 (1/2 + 1/2)
    CHECK(pair_of(Yukawa{2, 1.9}, {}, {{2, 0, 0}, 1}).potential == 0);
    CHECK(pair_of(Yukawa{2, 2.1}, {}, {{2, 0, 0}, 1}).potential != 0);
}

TEST_CASE("SPH: the kernel matches values by hand")
{
    const auto density = [](double r) {
        return pair_of(SphDensity{}, {{}, 0.5}, {{r, 0, 0}, 8 * 3.14159265358979323846});
    };
    CHECK(density(0).density == doctest::Approx(1)); // 1 / (pi h^3), h = 2
    CHECK(density(2).density == doctest::Approx(0.25));
    CHECK(density(3).density == doctest::Approx(0.03125));
    CHECK(density(3.99).neighbours == 1);
    CHECK(density(4).density == 0);
    CHECK(density(4).neighbours == 0);
}

TEST_CASE("built-in laws match plain sums on the processor")
{
    check_behaviours(law_behaviours, every_set());
}
