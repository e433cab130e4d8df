#include "chamomile/integrate/fluid.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include "chamomile/core/error.hpp"
#include "chamomile/core/exact_sum.hpp"
#include "chamomile/core/files/archive.hpp"
#include "chamomile/integrate/leapfrog.hpp"

namespace chamomile {
namespace {

std::vector<Vec3<double>> cubic_lattice(std::uint64_t n, double side)
{
    std::uint64_t per_side = 1;
    while (per_side * per_side * per_side < n)
        ++per_side;
    const std::uint64_t sites = per_side * per_side * per_side;
    const double spacing = side / double(per_side);
    std::vector<Vec3<double>> positions(n);
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t site = i * sites / n;
        const auto place = [&](std::uint64_t k) { return (double(k % per_side) + 0.5) * spacing; };
        positions[i] = {place(site), place(site / per_side), place(site / per_side / per_side)};
    }
    return positions;
}

/// Draws normally distributed numbers by Box & Muller, equal for all standard libraries.
class Normal {
public:
    explicit Normal(std::uint64_t seed) : random_(seed) {}
    double operator()()
    {
        const auto uniform = [&] { return (double(random_() >> 11) + 0.5) * 0x1p-53; };
        const double radius = std::sqrt(-2 * std::log(uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }

private:
    std::mt19937_64 random_;
};

} // namespace

double long_range_energy(const LennardJonesFluid& law, double from, double cutoff, double density)
{
    LennardJonesFluid whole = law;
    whole.switching = {};
    const auto missing = [&](double r) {
        LennardJonesFluid::Sum<double> all{}, used{};
        whole({}, {{r, 0, 0}}, all);
        law({}, {{r, 0, 0}}, used);
        return (all.energy - used.energy) * r * r;
    };
    constexpr int intervals = 200; // Simpson's rule
    const double h = (cutoff - from) / intervals;
    double integral = missing(from) + missing(cutoff);
    for (int k = 1; k < intervals; ++k)
        integral += (k % 2 ? 4 : 2) * missing(from + k * h);
    integral *= h / 3;
    const double s3 = std::pow(law.sigma, 3), x3 = s3 / std::pow(cutoff, 3);
    integral += 4 * law.epsilon * s3 * (x3 * x3 * x3 / 9 - x3 / 3); // beyond the cutoff
    return 2 * std::numbers::pi * density * integral;
}

Fluid::Fluid(const FluidOptions& options)
    : options_(options), side_(std::cbrt(double(options.n) / options.density))
{
    if (side_ < 2 * options.cutoff)
        throw Error(Fault::usage, "fluid: the box of " + std::to_string(options.n) + " atoms is " +
                                      std::to_string(side_) +
                                      " wide: must be at least twice the cut-off: use more atoms");
    law_.switching = Switching::between(options.switch_from, options.cutoff);
    PairOptions pairs;
    pairs.precision = options.precision;
    pairs.device = options.device;
    pairs.instruction_set = options.instruction_set;
    pairs.cutoff = options.cutoff;
    pairs.period = {side_, side_, side_};
    solver_ = make_pair_solver(law_, pairs);
    const std::size_t n = options.n;
    atoms_.resize(n);
    atoms_.position = cubic_lattice(n, side_);
    sums_.resize(n);
    self_.resize(n);
    Normal normal(options.seed);
    Vec3<double> momentum;
    for (std::size_t i = 0; i < n; ++i) {
        atoms_.id[i] = i;
        atoms_.mass[i] = 1;
        self_[i] = std::uint32_t(i);
        for (double* v : {&atoms_.velocity[i].x, &atoms_.velocity[i].y, &atoms_.velocity[i].z})
            *v = normal();
        momentum += atoms_.velocity[i];
    }
    for (Vec3<double>& velocity : atoms_.velocity)
        velocity -= (1 / double(n)) * momentum;
    rescale(kinetic_wanted());
    evaluate();
}

void Fluid::evaluate()
{
    const std::size_t n = atoms_.size();
    const Periodicity box{side_};
    static_assert(sizeof(Vec3<double>) == 3 * sizeof(double));
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i)
        atoms_.position[i] = box.wrapped(atoms_.position[i]);
    const auto rows = as_rows(std::span<const Vec3<double>>(atoms_.position));
    pairs_ = solver_->sum({rows, rows, self_, {}}, as_rows(std::span(sums_))).pairs;
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t i = 0; i < n; ++i)
        atoms_.acceleration[i] = sums_[i].force;
}

void Fluid::step()
{
    kick_drift_kick(atoms_, options_.step, [this] { evaluate(); });
    if (!std::isfinite(state().energy()))
        throw Error(Fault::numeric,
                    "fluid: forces are not finite because atoms are too close: use a shorter step");
}

void Fluid::exchange(Archive& archive)
{
    archive.records("fluid/position", atoms_.position);
    archive.records("fluid/velocity", atoms_.velocity);
    if (atoms_.position.size() != options_.n || atoms_.velocity.size() != options_.n)
        throw Error(Fault::restart, "fluid/position: " + std::to_string(atoms_.position.size()) +
                                        " atoms: must be " + std::to_string(options_.n));
    if (archive.is_reading())
        evaluate(); // the same sums, from the same positions
}

FluidState Fluid::state() const
{
    struct Totals {
        double energy = 0, virial = 0, square = 0;
    };
    const std::size_t n = atoms_.size();
    const Totals all = exact_sum<Totals>(n, [this](std::size_t i) {
        return Totals{sums_[i].energy, sums_[i].virial, norm_squared(atoms_.velocity[i])};
    });
    FluidState state;
    state.potential = all.energy / 2;
    state.kinetic = all.square / 2;
    state.temperature = all.square / (3 * double(n) - 3);
    state.pressure = (all.square + all.virial / 2) / (3 * side_ * side_ * side_);
    return state;
}

void Fluid::rescale(double kinetic)
{
    const double now = exact_sum<double>(
        atoms_.size(), [this](std::size_t i) { return 0.5 * norm_squared(atoms_.velocity[i]); });
    const double factor = std::sqrt(kinetic / now);
    for (Vec3<double>& velocity : atoms_.velocity)
        velocity = factor * velocity;
}

double Fluid::kinetic_wanted() const
{
    return 1.5 * (double(options_.n) - 1) * options_.temperature;
}

double Fluid::long_range_energy() const
{
    return chamomile::long_range_energy(law_, options_.switch_from, options_.cutoff,
                                        options_.density);
}

} // namespace chamomile
