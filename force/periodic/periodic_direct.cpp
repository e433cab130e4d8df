#include "chamomile/force/periodic/periodic_direct.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <omp.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/core/parallel_loop.hpp"
#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/lists/kernels.hpp"
#include "chamomile/force/mesh/ewald_modes.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"

namespace chamomile {
namespace {

using Real = long double;

/// Returns the smooth part's force over r, by w = u^2, in units of 2 r_s. smooth_potential()
/// returns its potential.
Real smooth_force(Real w)
{
    if (w < 0.5L) { // erf(u) / u - 2 exp(-u^2) / sqrt(pi) cancels: its power series
        Real sum = 0, power = 2 * std::numbers::inv_sqrtpi_v<Real>;
        for (int k = 1; k < 24; ++k) {
            sum += power * 2 * k / (2 * k + 1);
            power *= -w / (k + 1);
        }
        return sum;
    }
    const Real u = std::sqrt(w);
    return (std::erf(u) / u - 2 * std::numbers::inv_sqrtpi_v<Real> * std::exp(-w)) / w;
}

Real smooth_potential(Real w)
{
    return w > 0 ? std::erf(std::sqrt(w)) / std::sqrt(w) : 2 * std::numbers::inv_sqrtpi_v<Real>;
}

/// Interpolates f(w), 0 <= w <= widest, by powers of t = 2 w / widest - 1 through Chebyshev's
/// points.
template <class F>
void interpolate(F f, Real widest, Real unit, double (&power)[SmoothPart::degree + 1])
{
    constexpr int n = SmoothPart::degree + 1;
    Real value[n], sum[n] = {}, before[n] = {}, present[n] = {1}; // T_0
    for (int p = 0; p < n; ++p)
        value[p] = f((std::cos(std::numbers::pi_v<Real> * (p + 0.5L) / n) + 1) / 2 * widest);
    for (int k = 0; k < n; ++k) {
        Real coefficient = 0;
        for (int p = 0; p < n; ++p)
            coefficient += value[p] * std::cos(std::numbers::pi_v<Real> * k * (p + 0.5L) / n);
        coefficient *= (k == 0 ? 1.0L : 2.0L) / n;
        for (int i = 0; i <= k; ++i)
            sum[i] += coefficient * present[i];
        Real next[n] = {}; // T_{k+1} = 2 t T_k - T_{k-1}, but T_1 = t
        for (int i = 0; i < n; ++i)
            next[i] = (i > 0 ? (k == 0 ? 1 : 2) * present[i - 1] : 0) - before[i];
        std::copy(present, present + n, before);
        std::copy(next, next + n, present);
    }
    for (int i = 0; i < n; ++i)
        power[i] = double(sum[i] * unit);
}

class PeriodicDirectSolver final : public DirectSolver {
public:
    explicit PeriodicDirectSolver(const SolverOptions& resolved)
        : options_(resolved), softening_(resolved.softening), box_{resolved.box},
          split_(box_.side, instruction_set())
    {
        options_.device = "cpu";
        options_.precision = Precision::double_precision;
    }

    ForceStatistics evaluate(const Request& request) override
    {
        require_whole(request);
        if (request.position.on_device || request.long_range != LongRangePart::added)
            throw Error(Fault::usage, "direct sums in a periodic box: need arrays on the host, and "
                                      "short and long range in one sum");
        ForceStatistics statistics;
        const std::size_t n = request.count,
                          targets = request.active.empty() ? n : request.active.size();
        const Particles particles = particles_of(request);
        softening_.length = request.softening_length.value_or(options_.softening.length);
        if (!particles.softening.empty())
            softening_.length =
                *std::max_element(particles.softening.begin(), particles.softening.end());
        const double mass = require_masses(particles, false);
        require_positions(particles);
        split_.modes->prepare(n, request.position, request.mass, statistics.profile);
        {
            const TimedPhase phase(statistics.profile, "pairs");
            add_pairs(particles, request, targets);
        }
        split_.modes->add(n, request.position, request.active, options_.gravitational_constant,
                          request.acceleration, request.potential, statistics.profile);
        for (std::size_t t = 0; t < targets; ++t)
            if (const Index i = target(request, t);
                !std::isfinite(norm_of_any_size(request.acceleration.load_vector(i))))
                refuse_singular_target(particles, i, softening_);
        if (request.potential)
            complete_potentials(request, targets, mass);
        statistics.particle_particle = std::uint64_t(targets) * n;
        statistics.targets = targets;
        return statistics;
    }

    ForceStatistics evaluate_part(const Request& request, const TargetPart& part,
                                  std::vector<Index>& numbers) override
    {
        const std::size_t n = request.active.empty() ? request.count : request.active.size(),
                          end = n * std::size_t(part.part + 1) / std::size_t(part.parts);
        numbers.clear();
        for (std::size_t t = n * std::size_t(part.part) / std::size_t(part.parts); t < end; ++t)
            numbers.push_back(target(request, t));
        Request own = request;
        own.active = numbers;
        return numbers.empty() ? ForceStatistics{} : evaluate(own);
    }

    std::string device() const override
    {
        return "CPU, " + options_.instruction_set + ", " + std::to_string(omp_get_max_threads()) +
               " threads";
    }
    const SolverOptions& options() const override { return options_; }

private:
    const std::string& instruction_set()
    {
        if (options_.instruction_set == "auto")
            options_.instruction_set = instruction_sets().front();
        return options_.instruction_set;
    }

    static void require_positions(const Particles& particles)
    {
        for (std::size_t i = 0; i < particles.size(); ++i)
            if (!std::isfinite(norm_of_any_size(particles.position[i])))
                refuse_singular_target(particles, Index(i), {SofteningKind::plummer, 1});
    }

    static Index target(const Request& request, std::size_t t)
    {
        return request.active.empty() ? Index(t) : request.active[t];
    }

    void add_pairs(const Particles& particles, const Request& request, std::size_t targets)
    {
        sources_.clear();
        for (std::size_t i = 0; i < particles.size(); ++i)
            sources_.push_back({box_.wrapped(particles.position[i]), particles.mass[i]});
        own_softening_.clear();
        for (const double length : particles.softening)
            own_softening_.push_back(length * length);
        const bool per_particle = !own_softening_.empty();
        LawChoice law = LawChoice::of(softening_, per_particle);
        law.is_periodic = true;
        law.with_potential = bool(request.potential);
        const DoubleKernel kernel = find_kernels(options_.instruction_set).few_targets(law);
        const double G = options_.gravitational_constant;
        constexpr std::size_t at_once = 32; // whole packs of every instruction set
        parallel_loop((targets + at_once - 1) / at_once, 1, [&](std::size_t b) {
            const std::size_t first = b * at_once;
            Index block[at_once];
            TargetSum sums[at_once];
            std::size_t count = std::min(targets - first, at_once);
            for (std::size_t t = 0; t < count; ++t)
                block[t] = target(request, first + t);
            std::sort(block, block + count);
            count = std::size_t(std::unique(block, block + count) - block);
            kernel({.sources = sources_.data(),
                    .source_count = sources_.size(),
                    .softening_length = softening_.length,
                    .targets = block,
                    .count = int(count),
                    .softening = per_particle ? own_softening_.data() : nullptr,
                    .rule_weight = softening_.rule_weight(),
                    .smooth = &split_.smooth},
                   sums);
            for (std::size_t t = 0; t < count; ++t) {
                request.acceleration.store_vector(block[t], G * sums[t].acceleration);
                if (request.potential)
                    request.potential.store(block[t], 0, G * sums[t].potential);
            }
        });
    }

    void complete_potentials(const Request& request, std::size_t targets, double mass) const
    {
        for (std::size_t t = 0; t < targets; ++t) {
            const Index i = target(request, t);
            request.potential.store(i, 0,
                                    request.potential.load(i) +
                                        options_.gravitational_constant *
                                            split_.potential_offset(request.mass.load(i), mass));
        }
    }

    SolverOptions options_;
    Softening softening_; // in the present evaluation
    Periodicity box_;
    PeriodicSplit split_;
    std::vector<Source> sources_;
    std::vector<double> own_softening_; // eps^2
};

} // namespace

PeriodicSplit::PeriodicSplit(double side, const std::string& instruction_set)
    : modes(make_ewald_modes({side}, side / (4 * cut), 1e-14, instruction_set))
{
    smooth.side = side;
    smooth.cut_squared = side * side / 4;
    const Real unit = 2 * Real(modes->split_radius());
    interpolate(smooth_force, cut * cut, 1 / (unit * unit * unit), smooth.force);
    interpolate(smooth_potential, cut * cut, 1 / unit, smooth.potential);
}

double PeriodicSplit::potential_offset(double mass, double mass_of_all) const
{
    return missing_potential(modes->split_radius(), smooth.side, mass, mass_of_all);
}

std::unique_ptr<DirectSolver> make_periodic_direct_solver(const SolverOptions& resolved)
{
    return std::make_unique<PeriodicDirectSolver>(resolved);
}

} // namespace chamomile
