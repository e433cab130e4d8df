#include "tests/unit/law_behaviours.hpp"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/force/pairs/laws/gravity.hpp"
#include "chamomile/force/pairs/laws/gravity_jerk.hpp"
#include "chamomile/force/pairs/laws/lennard_jones_fluid.hpp"
#include "chamomile/force/pairs/laws/softened_pairs.hpp"
#include "chamomile/force/pairs/laws/softened_quadrupoles.hpp"
#include "chamomile/force/pairs/laws/sph_density.hpp"
#include "chamomile/force/pairs/laws/yukawa.hpp"
#include "tests/unit/liquid.hpp"
#include "tests/unit/pair_behaviours.hpp"

namespace chamomile::tests {
namespace {

std::vector<std::uint32_t> numbers(std::size_t n)
{
    std::vector<std::uint32_t> all(n);
    for (std::size_t i = 0; i < n; ++i)
        all[i] = std::uint32_t(i);
    return all;
}

/// A twelfth power multiplies the rounding of sigma and r, up to 6e-8, by 12. The closest neighbour
/// dominates, so the sum has the same relative error.
template <class Record>
void check_rounded(const std::vector<Record>& sums, const PlainPairSums<Record>& exact)
{
    CHECK(mean_error(sums, exact) < 5e-7);
    CHECK(largest_error(sums, exact) < 4e-6);
}

template <class Law>
void check_in_float(const Machine& machine, const Law& law, const Targets<Law>& targets,
                    const Sources<Law>& sources)
{
    CAPTURE(law_code<Law>().name);
    const std::vector<std::uint32_t> self = numbers(targets.size());
    const auto exact =
        plain_sum(law, targets, sources, {[](std::size_t i, std::size_t j) { return i == j; }, {}});
    const auto precise =
        summed(law, pair_options(machine, Precision::double_precision), targets, sources, self);
    CHECK(largest_error(precise, exact) < 1e-13);
    const auto rounded =
        summed(law, pair_options(machine, Precision::single_precision), targets, sources, self);
    check_rounded(rounded, exact);
    if (machine.device == "cpu")
        return;
    // Host against device.
    const auto on_host =
        summed(law, pair_options({}, Precision::single_precision), targets, sources, self);
    auto apart = exact;
    apart.sums = on_host;
    std::vector<double> differences = errors(rounded, apart);
    std::sort(differences.begin(), differences.end());
    MESSAGE(law_code<Law>().name, ": host - GPU: rms ", mean_error(rounded, apart), ", 99 % ",
            differences[differences.size() * 99 / 100], ", largest ", differences.back());
    CHECK(mean_error(rounded, apart) < 1e-6);
    CHECK(differences[differences.size() * 99 / 100] < 1e-6);
}

constexpr SigmoidalDielectric water{0.001, -0.04, 0.6, 0.1}; // zeta from 1.1 to about 30

template <class Check>
void for_each_molecular_law(const Switching& end, const Check& check)
{
    check(MolecularEnergy{1.5, {2}, end});
    check(MolecularEnergyLinear{1.5, {4}, end});
    check(MolecularEnergySigmoidal{1.5, water, end});
    check(MolecularEnergyGeometric{1.5, {2}, end});
}

template <class Law>
constexpr bool geometric = std::is_same_v<Law, MolecularEnergyGeometric>;

template <class Law>
auto liquid_for(std::size_t n)
{
    if constexpr (geometric<Law>)
        return liquid<GeometricCombination>(n);
    else
        return liquid<LorentzBerthelot>(n);
}

/// Sums over all atoms within the cut-off; compares a few with a sum pair by pair.
template <class Law>
void check_within(const Machine& machine, const Law& law, double cutoff,
                  const Targets<Law>& targets, const Sources<Law>& sources, double side)
{
    CAPTURE(law_code<Law>().name);
    const std::vector<std::uint32_t> self = numbers(targets.size());
    for (const Vec3<double>& period : {Vec3<double>{}, Vec3<double>{side, side, side}}) {
        CAPTURE(period.x);
        PairOptions options = pair_options(machine, Precision::double_precision);
        options.cutoff = cutoff;
        options.period = period;
        const auto precise = summed(law, options, targets, sources, self);
        options.precision = Precision::single_precision;
        const auto rounded = summed(law, options, targets, sources, self);
        std::vector<std::size_t> some;
        for (std::size_t i = 7; i < targets.size(); i += targets.size() / 40)
            some.push_back(i);
        Targets<Law> few;
        Sums<Law> few_precise, few_rounded;
        for (const std::size_t i : some) {
            few.push_back(targets[i]);
            few_precise.push_back(precise[i]);
            few_rounded.push_back(rounded[i]);
        }
        const auto exact =
            plain_sum(law, few, sources,
                      {[&](std::size_t i, std::size_t j) { return some[i] == j; }, period});
        CHECK(largest_error(few_precise, exact) < 1e-12);
        check_rounded(few_rounded, exact);
    }
}

} // namespace

void check_laws_in_float(const Machine& machine)
{
    const std::size_t n = 1100;
    for_each_molecular_law({}, [&](const auto& law) {
        using Law = std::decay_t<decltype(law)>;
        const auto atoms = liquid_for<Law>(n);
        check_in_float<Law>(machine, law, atoms, atoms);
    });
    for_each_molecular_law(Switching::between(2, 3), [&](const auto& law) {
        using Law = std::decay_t<decltype(law)>;
        const auto atoms = liquid_for<Law>(n);
        check_in_float<Law>(machine, law, atoms, atoms);
    });
    const auto atoms = liquid<LorentzBerthelot>(n);
    check_in_float<MolecularForce>(machine, {1.5, {2}, {}}, atoms, atoms);
    check_in_float<MolecularForceLinear>(machine, {1.5, {4}, {}}, atoms, atoms);
    check_in_float<MolecularForceSigmoidal>(machine, {1.5, water, {}}, atoms, atoms);

    Targets<LennardJonesFluid> places(n);
    Sources<LennardJonesFluid> same(n);
    Sources<Yukawa> charges(n);
    Targets<Yukawa> probes(n);
    for (std::size_t i = 0; i < n; ++i) {
        places[i].position = same[i].position = atoms[i].position;
        probes[i].position = atoms[i].position;
        charges[i] = {atoms[i].position, atoms[i].charge};
    }
    check_in_float<LennardJonesFluid>(machine, {0.9, 1.2, {}}, places, same);
    check_in_float<LennardJonesFluid>(machine, {0.9, 1.2, Switching::between(2, 3)}, places, same);
    check_in_float<Yukawa>(machine, {1.7}, probes, charges);

    Targets<SoftenedPairs> softened(n);
    Sources<SoftenedPairs> bodies(n);
    Targets<SoftenedQuadrupoles> seen(n);
    Sources<SoftenedQuadrupoles> cells(n);
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3<double>& x = atoms[i].position;
        const double eps2 = 0.01 * double(i % 7), q = 1e-3 * double(i % 5);
        softened[i] = {x, eps2};
        bodies[i] = {x, 1 + 0.1 * double(i % 3), 0.02 * double(i % 2)};
        seen[i] = {x, eps2};
        cells[i] = {x, 1, q, 0.3 * q, -0.2 * q, -2 * q, 0.1 * q, q};
    }
    check_in_float<SoftenedPairs>(machine, {}, softened, bodies);
    check_in_float<SoftenedQuadrupoles>(machine, {}, seen, cells);

    // In metres and joules: the twelfth power of a length underflows in float.
    const double metre = 3.4e-10, joule = 1.65e-21;
    auto small = atoms;
    for (MolecularAtom<double>& atom : small) {
        atom.position = metre * atom.position;
        atom.size *= metre;
        atom.root_epsilon *= std::sqrt(joule);
    }
    check_in_float<MolecularEnergy>(
        machine, {1.5 * metre * joule, {2}, Switching::between(2 * metre, 3 * metre)}, small,
        small);
    check_in_float<MolecularEnergySigmoidal>(
        machine,
        {1.5 * metre * joule,
         {water.alpha / std::pow(metre, 3), water.beta / (metre * metre), water.gamma / metre,
          water.delta},
         {}},
        small, small);
}

void check_chain_molecules(const Machine& machine)
{
    // Chains with ten atoms; two successive atoms coincide, so an unmasked pair would be infinite
    // in float.
    const std::size_t n = 2000, chain = 10;
    auto sites = liquid<LorentzBerthelot>(n / 2);
    std::vector<MolecularAtom<double>> atoms(n);
    for (std::size_t i = 0; i < n; ++i) {
        atoms[i] = sites[i / 2];
        if (i % 2) {
            atoms[i].position.x += 1e-5;
            atoms[i].charge = -atoms[i].charge;
        }
    }
    const auto bonded = [&](std::size_t i, std::size_t j) { // 1-2 and 1-3
        return i / chain == j / chain && (i > j ? i - j : j - i) <= 2;
    };
    std::vector<std::uint64_t> begin(1, 0);
    std::vector<std::uint32_t> partners;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i < 2 ? 0 : i - 2; j < std::min(n, i + 3); ++j)
            if (j != i && bonded(i, j))
                partners.push_back(std::uint32_t(j));
        begin.push_back(partners.size());
    }
    const std::vector<std::uint32_t> self = numbers(n);
    const double side = 10;
    const auto check = [&](const auto& law, double cutoff, const Vec3<double>& period) {
        const auto exact = plain_sum(law, atoms, atoms, {bonded, period}); // i = j: 1-1
        for (const Precision precision :
             {Precision::double_precision, Precision::single_precision}) {
            PairOptions options = pair_options(machine, precision);
            options.cutoff = cutoff;
            options.period = period;
            const auto sums = summed(law, options, atoms, atoms, self, {begin, partners});
            if (precision == Precision::double_precision)
                CHECK(largest_error(sums, exact) < 1e-12);
            else
                check_rounded(sums, exact);
        }
    };
    const double infinite = std::numeric_limits<double>::infinity();
    check(MolecularForce{1.5, {2}, {}}, infinite, {});
    check(MolecularForceLinear{1.5, {4}, {}}, infinite, {});
    check(MolecularForceSigmoidal{1.5, water, {}}, infinite, {});
    check(MolecularEnergy{1.5, {2}, {}}, infinite, {});
    check(MolecularEnergy{1.5, {2}, Switching::between(2, 3)}, 3, {});
    check(MolecularEnergy{1.5, {2}, Switching::between(2, 3)}, 3, {side, side, side});
}

void check_laws_within_cutoff(const Machine& machine)
{
    const std::size_t n = 100000;
    const double side = 47, cutoff = 3;
    for_each_molecular_law(Switching::between(2.5, cutoff), [&](const auto& law) {
        using Law = std::decay_t<decltype(law)>;
        const auto atoms = liquid_for<Law>(n);
        check_within<Law>(machine, law, cutoff, atoms, atoms, side);
    });
    const auto positions = jittered_lattice(n, 0.06);
    Targets<LennardJonesFluid> places(n);
    Sources<LennardJonesFluid> same(n);
    Targets<Yukawa> probes(n);
    Sources<Yukawa> charges(n);
    Targets<SphDensity> smoothed(n);
    Sources<SphDensity> masses(n);
    for (std::size_t i = 0; i < n; ++i) {
        places[i].position = same[i].position = probes[i].position = positions[i];
        charges[i] = {positions[i], i % 2 ? 1.0 : -1.0};
        smoothed[i] = {positions[i], 1 / (1.1 + 0.3 * std::sin(double(i)))};
        masses[i] = {positions[i], 1 + 0.5 * std::cos(double(i))};
    }
    check_within<LennardJonesFluid>(machine, {1, 1, Switching::between(2.5, cutoff)}, cutoff,
                                    places, same, side);
    check_within<Yukawa>(machine, {0.3, cutoff}, cutoff, probes, charges, side);
    check_within<SphDensity>(machine, {}, 2.8, smoothed, masses, side);
}

void check_sph_density(const Machine& machine)
{
    // The kernel's two pieces, by a search over all pairs.
    const auto kernel = [](double r, double h) {
        const double q = r / h, norm = 1 / (3.14159265358979323846 * h * h * h);
        if (q < 1)
            return norm * (1 - 1.5 * q * q + 0.75 * q * q * q);
        return q < 2 ? norm * 0.25 * std::pow(2 - q, 3) : 0;
    };
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> part(0, 1);
    const std::size_t n = 1500;
    Targets<SphDensity> targets(n);
    Sources<SphDensity> sources(n);
    for (std::size_t i = 0; i < n; ++i) {
        sources[i] = {{part(random), part(random), part(random)}, part(random)};
        targets[i] = {sources[i].position, 1 / (0.05 + 0.1 * part(random))};
    }
    for (const Precision precision : {Precision::double_precision, Precision::single_precision}) {
        PairOptions options = pair_options(machine, precision);
        options.cutoff = 0.3;
        const auto sums = summed(SphDensity{}, options, targets, sources);
        double worst = 0, miscounted = 0;
        for (std::size_t i = 0; i < n; ++i) {
            double density = 0, count = 0;
            for (std::size_t j = 0; j < n; ++j) {
                const double r = norm(sources[j].position - targets[i].position);
                density += sources[j].mass * kernel(r, 1 / targets[i].inverse_h);
                count += r * targets[i].inverse_h < 2;
            }
            worst = std::max(worst, std::abs(sums[i].density / density - 1));
            miscounted += std::abs(sums[i].neighbours - count);
        }
        CHECK(worst < (precision == Precision::double_precision ? 1e-13 : 1e-6));
        CHECK(miscounted <= (precision == Precision::double_precision ? 0 : 1));
    }

    // A periodic lattice with density 1: 57 points lie within 2.4 of each point, including itself.
    const std::size_t side = 12;
    Targets<SphDensity> lattice;
    Sources<SphDensity> masses;
    for (const Vec3<double>& x : jittered_lattice(side * side * side, 0)) {
        lattice.push_back({x, 1 / 1.2});
        masses.push_back({x, 1});
    }
    PairOptions options = pair_options(machine, Precision::single_precision);
    options.cutoff = 2.4;
    options.period = {double(side), double(side), double(side)};
    for (const auto& sum : summed(SphDensity{}, options, lattice, masses)) {
        REQUIRE(std::abs(sum.density - 1) < 0.01);
        REQUIRE(sum.neighbours == 57);
    }
}

} // namespace chamomile::tests
