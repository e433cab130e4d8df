#include "chamomile/force/periodic/periodic_direct.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <omp.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/core/norm.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"
#include "chamomile/force/simd/periodic_pairs.hpp"
#include "chamomile/mesh/ewald_modes.hpp"

namespace chamomile {
namespace {

using Real = long double;

/// Returns the force of the smooth part over r by w = u^2, in units of 2 r_s; the next function
/// gives its potential.
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
void interpolate(F f, Real widest, Real unit, double (&power)[PeriodicPairs::degree + 1])
{
    constexpr int n = PeriodicPairs::degree + 1;
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

PeriodicPairKernel find_kernel(const std::string& instruction_set, bool varied, bool spline,
                               bool with_potential)
{
    switch (find_instruction_set(instruction_set)) {
#ifdef CHAMOMILE_X86
    case 2:
        return avx512::periodic_pair_kernel(varied, spline, with_potential);
    case 1:
        return avx2::periodic_pair_kernel(varied, spline, with_potential);
#endif
    default:
        return baseline::periodic_pair_kernel(varied, spline, with_potential);
    }
}

class PeriodicDirectSolver final : public Solver {
public:
    explicit PeriodicDirectSolver(const SolverOptions& resolved)
        : options_(resolved), softening_(resolved.softening), box_{resolved.box},
          modes_(make_ewald_modes(box_, box_.side / (4 * cut), 1e-14, instruction_set()))
    {
        pairs_.side = box_.side;
        pairs_.smaller_part = options_.softening.smaller_part();
        pairs_.cut_squared = box_.side * box_.side / 4;
        const Real unit = 2 * Real(modes_->split_radius());
        interpolate(smooth_force, cut * cut, 1 / (unit * unit * unit), pairs_.force);
        interpolate(smooth_potential, cut * cut, 1 / unit, pairs_.potential);
        options_.device = "cpu";
        options_.precision = Precision::double_precision;
    }

    ForceStatistics evaluate(const Request& request) override
    {
        if (request.position.on_device || request.long_range != LongRangePart::added)
            throw Error(Fault::usage, "direct sums in a periodic box: are made of both ranges at "
                                      "once, on the processor");
        ForceStatistics statistics;
        const std::size_t n = request.count,
                          targets = request.active.empty() ? n : request.active.size();
        const Particles particles = particles_of(request);
        softening_.length = request.softening_length.value_or(options_.softening.length);
        if (!particles.softening.empty())
            softening_.length =
                *std::max_element(particles.softening.begin(), particles.softening.end());
        pairs_.softening_length = softening_.length;
        pairs_.spline = softening_.kind == SofteningKind::spline && softening_.length > 0;
        const double mass = require_masses(particles, false);
        require_positions(particles);
        modes_->prepare(n, request.position, request.mass, statistics.profile);
        {
            const TimedPhase phase(statistics.profile, "pairs");
            add_pairs(particles, request, targets);
        }
        modes_->add(n, request.position, request.active, options_.gravitational_constant,
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

    std::string device() const override
    {
        return "CPU, " + options_.instruction_set + ", " + std::to_string(omp_get_max_threads()) +
               " threads";
    }
    const SolverOptions& options() const override { return options_; }

private:
    /// This is u at half the side: the smooth part of nearer images is Newton's law to 2e-12 there.
    static constexpr double cut = 5.4;

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
        const std::size_t n = particles.size();
        coordinates_.resize(4 * n);
        own_softening_.clear();
        for (const double length : particles.softening)
            own_softening_.push_back(length * length);
        const bool varied = !own_softening_.empty();
        pairs_.softening = varied ? own_softening_.data() : nullptr;
        double *x = coordinates_.data(), *y = x + n, *z = y + n, *m = z + n;
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3<double> p = box_.wrapped(particles.position[i]);
            x[i] = p.x;
            y[i] = p.y;
            z[i] = p.z;
            m[i] = particles.mass[i];
        }
        pairs_.x = x;
        pairs_.y = y;
        pairs_.z = z;
        pairs_.mass = m;
        pairs_.n = n;
        const PeriodicPairKernel kernel =
            find_kernel(options_.instruction_set, varied, pairs_.spline, bool(request.potential));
        const double G = options_.gravitational_constant;
        constexpr int size = PeriodicTargets::size;
#pragma omp parallel for schedule(dynamic)
        for (std::size_t first = 0; first < targets; first += size) {
            PeriodicTargets block;
            const int count = int(std::min(targets - first, std::size_t(size)));
            for (int t = 0; t < size; ++t) { // those left over are summed in vain
                const std::size_t at = first + std::size_t(std::min(t, count - 1));
                const Index i = target(request, at);
                block.x[t] = x[i];
                block.y[t] = y[i];
                block.z[t] = z[i];
                block.softening[t] = varied ? own_softening_[i] : 0;
                block.source[t] = i;
            }
            kernel(pairs_, block);
            for (int t = 0; t < count; ++t) {
                const auto i = std::size_t(block.source[t]);
                request.acceleration.store_vector(i, G * Vec3<double>{block.acceleration[0][t],
                                                                      block.acceleration[1][t],
                                                                      block.acceleration[2][t]});
                if (request.potential)
                    request.potential.store(i, 0, G * block.potential[t]);
            }
        }
    }

    /// The modes hold the smooth part of each particle itself, and no mean; that of the pairs'
    /// short range is -4 pi r_s^2 M / V.
    void complete_potentials(const Request& request, std::size_t targets, double mass) const
    {
        const double G = options_.gravitational_constant, split = modes_->split_radius();
        const double mean =
            4 * std::numbers::pi * split * split * mass / (box_.side * box_.side * box_.side);
        for (std::size_t t = 0; t < targets; ++t) {
            const Index i = target(request, t);
            request.potential.store(
                i, 0,
                request.potential.load(i) +
                    G * (mean + request.mass.load(i) * std::numbers::inv_sqrtpi / split));
        }
    }

    SolverOptions options_;
    Softening softening_; // of the present evaluation
    Periodicity box_;
    std::unique_ptr<LongRange> modes_;
    PeriodicPairs pairs_{};
    std::vector<double> coordinates_, own_softening_;
};

} // namespace

std::unique_ptr<Solver> make_periodic_direct_solver(const SolverOptions& resolved)
{
    return std::make_unique<PeriodicDirectSolver>(resolved);
}

} // namespace chamomile
