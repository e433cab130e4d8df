#include "chamomile/initial/models/population.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/parallel_loop.hpp"
#include "chamomile/initial/models/equilibrium_sphere.hpp"
#include "chamomile/initial/models/kepler.hpp"
#include "chamomile/initial/models/model.hpp"
#include "chamomile/initial/models/self_energy.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/text/lines.hpp"
#include "chamomile/io/text/words.hpp"

namespace chamomile {
namespace {

constexpr std::uint32_t mass_component = 7, orbit_component = 8,
                        pair_component = 9; ///< of random numbers

struct Knot {
    double mass, density;
};

double salpeter(double m)
{
    return std::pow(m, -2.35);
}

double kroupa(double m)
{
    const double brown = 0.08, low = 0.5;
    if (m >= low)
        return std::pow(m, -2.3);
    const double at_low = std::pow(low, -1.0); // m^-2.3 over m^-1.3
    if (m >= brown)
        return at_low * std::pow(m, -1.3);
    return at_low / brown * std::pow(m, -0.3);
}

double chabrier(double m)
{
    const auto bell = [](double mass) {
        const double x = std::log10(mass / 0.079) / 0.69;
        return std::exp(-x * x / 2);
    };
    return m >= 1 ? bell(1) * std::pow(m, -2.3) : bell(m) / m;
}

std::vector<Knot> read_knots(const std::string& file)
{
    const InputFile input(file);
    TextLines lines(input);
    std::vector<Knot> knots;
    while (lines.next()) {
        const auto& words = lines.words();
        if (words.empty())
            continue;
        const auto refuse = [&](const std::string& what) {
            throw Error(Fault::input,
                        file + ": line " + std::to_string(lines.number()) + ": " + what);
        };
        const auto m = parsed_real(words[0]);
        const auto density = words.size() == 2 ? parsed_real(words[1]) : std::nullopt;
        if (!m || !density || !(*m > 0) || !(*density > 0))
            refuse("must be two numbers above 0, m and dN/dm");
        if (!knots.empty() && !(*m > knots.back().mass))
            refuse("m must be larger than in the line before");
        knots.push_back({*m, *density});
    }
    if (knots.size() < 2)
        throw Error(Fault::input, file + ": " + std::to_string(knots.size()) +
                                      " lines of numbers: must be at least 2");
    return knots;
}

/// Returns the integral of m^moment dN/dm between two masses, where dN/dm is a power law.
double integral(const Knot& a, const Knot& b, double moment)
{
    const double slope = std::log(b.density / a.density) / std::log(b.mass / a.mass);
    const double power = slope + moment + 1, ratio = b.mass / a.mass;
    const double first = a.density * std::pow(a.mass, moment + 1);
    return std::abs(power) < 1e-9 ? first * std::log(ratio)
                                  : first * std::expm1(power * std::log(ratio)) / power;
}

/// Returns energies per unit mass in the field of all particles, each as a shell.
std::vector<double> energies(const Snapshot& model)
{
    const Particles& p = model.particles;
    const std::size_t n = p.size();
    std::vector<double> radius(n), energy(n);
    std::vector<Index> order(n);
    std::iota(order.begin(), order.end(), Index(0));
    for (std::size_t i = 0; i < n; ++i)
        radius[i] = norm(p.position[i]);
    std::ranges::sort(order, {}, [&](Index i) { return std::pair(radius[i], i); });
    double outside = 0, inside = 0; // sum of m / r beyond; mass within
    for (std::size_t i = 0; i < n; ++i)
        outside += p.mass[i] / radius[i];
    for (const Index i : order) {
        outside -= p.mass[i] / radius[i];
        energy[i] = 0.5 * norm_squared(p.velocity[i]) - model.G() * (inside / radius[i] + outside);
        inside += p.mass[i];
    }
    return energy;
}

/// Returns an orbit of these energies for each star.
std::vector<Index> segregated_orbits(const Snapshot& orbits, const std::vector<double>& energy,
                                     const std::vector<double>& mass, std::uint64_t seed,
                                     std::uint64_t first)
{
    std::vector<Index> by_energy(orbits.particles.size()), by_mass(mass.size());
    std::iota(by_energy.begin(), by_energy.end(), Index(0));
    std::iota(by_mass.begin(), by_mass.end(), Index(0));
    std::ranges::sort(by_energy, {}, [&](Index i) { return std::pair(energy[i], i); });
    std::ranges::sort(by_mass, {}, [&](Index i) { return std::pair(-mass[i], i); });
    const double per_mass =
        double(by_energy.size()) / std::accumulate(mass.begin(), mass.end(), 0.0);
    std::vector<Index> chosen(mass.size());
    double heavier = 0;
    std::size_t next = 0, left = mass.size(); // no orbit is chosen twice
    for (const Index star : by_mass) {
        const double begin = std::ceil(per_mass * heavier),
                     end = std::ceil(per_mass * (heavier += mass[star]));
        RandomStream random(seed, orbit_component, first + star);
        const auto place = std::size_t(begin + random.uniform() * (end - begin));
        const std::size_t orbit = std::clamp(place, next, by_energy.size() - left--);
        chosen[star] = by_energy[orbit];
        next = orbit + 1;
    }
    return chosen;
}

std::optional<InitialMassFunction> mass_function(const StellarPopulation& population)
{
    if (population.imf.empty())
        return {};
    return InitialMassFunction("{imf}", population.imf, population.min, population.max);
}

/// Returns the number of binaries among `systems`.
std::uint64_t pairs_among(const StellarPopulation& population, std::uint64_t systems)
{
    return std::uint64_t(std::llround(population.binaries.fraction * double(systems)));
}

struct StarMasses {
    double primary, secondary; ///< the secondary counts in binaries only
};

/// Returns the masses of system i, without a mass function in units of a single star.
StarMasses drawn(const StellarPopulation& population, const std::optional<InitialMassFunction>& imf,
                 std::uint64_t seed, std::size_t i)
{
    RandomStream random(seed, mass_component, i);
    const auto star = [&] { return imf ? imf->draw(random) : 1; };
    const double first = star();
    switch (population.binaries.mass_ratios) {
    case MassRatios::uniform:
        return {first, first * (0.1 + 0.9 * random.uniform())};
    case MassRatios::random:
        return {first, star()};
    case MassRatios::equal:
        break;
    }
    return {first, first};
}

/// Returns a period in days.
double drawn_period(const PrimordialBinaries& binaries, RandomStream& random)
{
    const double low = std::log10(binaries.min_period), high = std::log10(binaries.max_period);
    const auto power = [](double x) { return std::pow(x, 0.45); }; // integral of x^-0.55
    for (;;) {
        double exponent = 0;
        switch (binaries.periods) {
        case Periods::raghavan:
            exponent = 5.03 + 2.28 * random.normal();
            break;
        case Periods::duquennoy:
            exponent = 4.8 + 2.3 * random.normal();
            break;
        case Periods::sana:
            exponent =
                std::pow(power(low) + random.uniform() * (power(high) - power(low)), 1 / 0.45);
            break;
        case Periods::flat:
            exponent = low + random.uniform() * (high - low);
        }
        if (exponent >= low && exponent <= high)
            return std::pow(10, exponent);
    }
}

double drawn_eccentricity(Eccentricities law, RandomStream& random)
{
    const double u = random.uniform();
    return law == Eccentricities::thermal ? std::sqrt(u) : law == Eccentricities::uniform ? u : 0;
}

/// Returns a Kepler orbit with this period, in a random direction and phase.
RelativeOrbit random_orbit(double GM, double period, double e, RandomStream& random)
{
    constexpr double turn = 2 * std::numbers::pi;
    const double a = std::cbrt(GM * period * period / (turn * turn));
    const double mean = turn * random.uniform();
    double low = 0, high = turn; // of the eccentric anomaly E; E - e sin E ascends
    for (int k = 0; k < 60; ++k) {
        const double middle = (low + high) / 2;
        (middle - e * std::sin(middle) < mean ? low : high) = middle;
    }
    const double E = low, root = std::sqrt((1 - e) * (1 + e));
    const double rate = turn / period / (1 - e * std::cos(E));
    const Vec3<double> pole = random.direction(1), other = random.direction(1);
    const Vec3<double> across = cross(pole, other);
    const Vec3<double> x = (1 / norm(across)) * across, y = cross(pole, x);
    return {a * (std::cos(E) - e) * x + a * root * std::sin(E) * y,
            -a * rate * std::sin(E) * x + a * rate * root * std::cos(E) * y};
}

} // namespace

InitialMassFunction::InitialMassFunction(const std::string& option, const std::string& name,
                                         double min, double max)
{
    require(min > 0 && min < max && std::isfinite(max), option + ": min mass", min,
            "must be above 0 and below the max mass, " + number_text(max));
    std::vector<Knot> knots;
    double (*const law)(double) = name == "salpeter"   ? salpeter
                                  : name == "kroupa"   ? kroupa
                                  : name == "chabrier" ? chabrier
                                                       : nullptr;
    if (law) {
        std::vector<double> masses = logarithmic_radii(min, max, 4096);
        for (const double bend : {0.08, 0.5, 1.0}) // slopes change here
            if (bend > min && bend < max)
                masses.push_back(bend);
        std::ranges::sort(masses);
        masses.erase(std::unique(masses.begin(), masses.end()), masses.end());
        for (const double m : masses)
            knots.push_back({m, law(m)});
    } else {
        if (name.find_first_of("./") == name.npos)
            throw Error(Fault::usage,
                        option + ": " + name + ": must be salpeter, kroupa, chabrier or a file");
        knots = read_knots(name);
    }
    double sum = 0, first = 0;
    for (std::size_t k = 0; k < knots.size(); ++k) {
        if (k > 0) {
            sum += integral(knots[k - 1], knots[k], 0);
            first += integral(knots[k - 1], knots[k], 1);
        }
        mass_.push_back(knots[k].mass);
        density_.push_back(knots[k].density);
        below_.push_back(sum);
    }
    for (double& part : below_)
        part /= sum;
    mean_ = first / sum;
}

double InitialMassFunction::draw(RandomStream& random) const
{
    const double part = random.uniform();
    const std::size_t k = interval_of(below_, part);
    const double u = (part - below_[k]) / (below_[k + 1] - below_[k]);
    const double ratio = mass_[k + 1] / mass_[k];
    const double power = std::log(density_[k + 1] / density_[k]) / std::log(ratio) + 1;
    // u = (x^power - 1) / (ratio^power - 1), x = m / m_k
    return std::abs(power) < 1e-9
               ? mass_[k] * std::pow(ratio, u)
               : mass_[k] * std::pow(1 + u * std::expm1(power * std::log(ratio)), 1 / power);
}

bool is_named(const StellarPopulation& population)
{
    return population.imf == "kroupa" || population.imf == "salpeter" ||
           population.imf == "chabrier";
}

std::vector<Idle> idle_options(const StellarPopulation& population)
{
    const bool has_imf = !population.imf.empty(), has_binaries = population.binaries.fraction > 0;
    return {{!has_imf, "imf-min imf-max segregated", "needs {imf}"},
            {has_imf && !is_named(population), "imf-min imf-max", "contradicts the table of {imf}"},
            {!has_binaries, "periods period-min period-max eccentricities mass-ratios",
             "needs {binaries}"}};
}

bool counts_stars(const StellarPopulation& population, bool physical)
{
    return physical && !population.imf.empty();
}

std::uint64_t number_of_stars(const StellarPopulation& population, bool physical,
                              const std::optional<double>& mass, std::uint64_t particles)
{
    const PrimordialBinaries& binaries = population.binaries;
    const double f = binaries.fraction;
    if (f > 0 && (!physical || !mass))
        throw Error(Fault::usage, "{binaries}: needs {mass} with a unit");
    if (!(binaries.min_period < binaries.max_period))
        throw Error(Fault::usage, "{period-min}: " + number_text(binaries.min_period) +
                                      ": must be below {period-max}, " +
                                      number_text(binaries.max_period));
    if (!counts_stars(population, physical))
        return particles;
    if (!mass)
        throw Error(Fault::usage, "{imf}: needs {mass} where quantities have units");
    const double second = binaries.mass_ratios == MassRatios::uniform ? 0.55 : 1; // of a primary
    return std::max<std::uint64_t>(1,
                                   std::llround(1e10 * *mass / mass_function(population)->mean() *
                                                (1 + f) / (1 + f * second)));
}

std::uint64_t systems_of(const StellarPopulation& population, std::uint64_t n)
{
    return std::max<std::uint64_t>(1, std::llround(double(n) / (1 + population.binaries.fraction)));
}

Snapshot populated(const StellarPopulation& population, std::uint64_t n, std::uint64_t seed,
                   const std::function<Snapshot(std::uint64_t n)>& make,
                   const std::function<double(double r)>& psi, std::uint64_t first)
{
    if (!population.is_asked())
        return make(n);
    constexpr std::uint64_t orbits_per_star = 20;
    const std::uint64_t pairs = pairs_among(population, n);
    const auto imf = mass_function(population);
    std::vector<double> mass(n);
    parallel_loop(n, 1024, [&](std::size_t i) {
        const StarMasses stars = drawn(population, imf, seed, first + i);
        mass[i] = i < pairs ? stars.primary + stars.secondary : stars.primary;
    });
    Snapshot snapshot = make(population.segregated ? orbits_per_star * n : n);
    Particles& particles = snapshot.particles;
    const double total = std::accumulate(particles.mass.begin(), particles.mass.end(), 0.0);
    if (population.segregated) {
        std::vector<double> energy;
        if (psi)
            for (std::size_t i = 0; i < particles.size(); ++i)
                energy.push_back(0.5 * norm_squared(particles.velocity[i]) -
                                 psi(norm(particles.position[i])));
        else
            energy = energies(snapshot);
        const std::vector<Index> chosen = segregated_orbits(snapshot, energy, mass, seed, first);
        std::vector<Vec3<double>> position(n), velocity(n);
        for (std::size_t i = 0; i < n; ++i) {
            position[i] = particles.position[chosen[i]];
            velocity[i] = particles.velocity[chosen[i]];
        }
        particles.resize(n);
        particles.position = std::move(position);
        particles.velocity = std::move(velocity);
    }
    const double factor = total / std::accumulate(mass.begin(), mass.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i)
        particles.mass[i] = factor * mass[i];
    move_to_barycenter(particles);
    if (!population.imf.empty())
        snapshot.provenance["imf"] = population.imf;
    return snapshot;
}

void split_binaries(const StellarPopulation& population, std::uint64_t seed, Snapshot& snapshot,
                    std::size_t first, std::size_t n)
{
    if (!(population.binaries.fraction > 0))
        return;
    const Units& units = snapshot.units;
    const double day = 86400 * units.velocity_in_cm_per_s / units.length_in_cm;
    const auto imf = mass_function(population);
    const Particles systems = snapshot.particles;
    const std::size_t pairs = pairs_among(population, n);
    Particles& stars = snapshot.particles;
    stars.resize(systems.size() + pairs);
    for (std::size_t i = first; i < systems.size(); ++i) {
        const std::size_t k = i < first + pairs ? 2 * i - first : i + pairs;
        stars.type[k] = systems.type[i];
        if (i >= first + pairs) {
            stars.mass[k] = systems.mass[i];
            stars.position[k] = systems.position[i];
            stars.velocity[k] = systems.velocity[i];
            continue;
        }
        const StarMasses masses = drawn(population, imf, seed, i);
        const double second = masses.secondary / (masses.primary + masses.secondary);
        RandomStream random(seed, pair_component, i);
        const double period = day * drawn_period(population.binaries, random);
        const RelativeOrbit orbit =
            random_orbit(snapshot.G() * systems.mass[i], period,
                         drawn_eccentricity(population.binaries.eccentricities, random), random);
        const double parts[] = {1 - second, second}, places[] = {-second, 1 - second};
        for (int star = 0; star < 2; ++star) {
            stars.type[k + star] = systems.type[i];
            stars.mass[k + star] = parts[star] * systems.mass[i];
            stars.position[k + star] = systems.position[i] + places[star] * orbit.position;
            stars.velocity[k + star] = systems.velocity[i] + places[star] * orbit.velocity;
        }
    }
    for (std::size_t k = first; k < stars.size(); ++k)
        stars.id[k] = k + 1;
    snapshot.provenance["binaries"] = std::to_string(pairs);
}

} // namespace chamomile
