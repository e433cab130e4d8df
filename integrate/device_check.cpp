#include "chamomile/integrate/device_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"

namespace chamomile {
namespace {

/// Particles of the cloud, enough for the device's kernels for many; targets that the host sums
/// directly.
constexpr Index count = 9000, sample = 64;

/// Returns the max difference from sums in double. In float a good device reaches about 1e-6.
double limit_of(Precision precision)
{
    return precision == Precision::double_precision ? 1e-9 : 2e-5;
}

/// Returns source k of a reproducible cloud, from multiples of irrational numbers. If pairs are
/// softened, the cloud is dense about the origin. Otherwise its pairs are wide apart, because the
/// force of a close pair exceeds the error limit in float.
MovingSource source_of_cloud(Index k, const Softening& softening)
{
    const auto coordinate = [&](double step) {
        const double x = 2 * std::fmod((k + 1) * step, 1.0) - 1;
        return softening.length > 0 ? x * x * x : x;
    };
    const double x = coordinate(0.8191725133961645), y = coordinate(0.6710436067037893),
                 z = coordinate(0.5497004779019703);
    return {{x, y, z}, {y, -x, 0.5 * z}, (1 + k % 3) / (2.0 * count)};
}

Particles cloud(const Softening& softening)
{
    Particles p;
    p.resize(count);
    for (Index k = 0; k < count; ++k) {
        const MovingSource source = source_of_cloud(k, softening);
        p.position[k] = source.position;
        p.mass[k] = source.mass;
        p.id[k] = k;
    }
    return p;
}

/// Accumulates the differences of one quantity.
class Comparison {
public:
    void add(const Vec3<double>& found, const Vec3<double>& expected)
    {
        const Vec3<double> d = found - expected;
        add_squares(dot(d, d), dot(expected, expected));
    }
    void add(double found, double expected)
    {
        add_squares((found - expected) * (found - expected), expected * expected);
    }
    double largest() const { return std::sqrt(largest_ * double(n_) / sum_); }

private:
    void add_squares(double difference, double value)
    {
        if (!(difference <= largest_)) // NaN stays
            largest_ = difference;
        sum_ += value;
        ++n_;
    }
    double largest_ = 0, sum_ = 0;
    std::size_t n_ = 0;
};

double require(double difference, double limit, const char* quantity, const std::string& device)
{
    if (difference <= limit)
        return difference;
    char text[96];
    std::snprintf(text, sizeof text, "differ from the sums of the host by %.2g, more than %.2g",
                  difference, limit);
    throw Error(Fault::device, std::string("GPU: check before the run: ") + quantity + " " + text +
                                   "; results would be wrong; " + device);
}

SolverOptions on_host(const SolverOptions& asked)
{
    SolverOptions options = of_first_rank(asked);
    options.device = "cpu";
    options.tree_built_by = TreeBuiltBy::automatic;
    options.instruction_set = "auto";
    options.precision = Precision::double_precision;
    return options;
}

/// Returns the method of `options`, with sizes that suit the cloud.
SolverOptions options_of_check(const SolverOptions& options)
{
    SolverOptions check;
    check.solver = options.solver;
    static_cast<ListOptions&>(check) = options;
    check.group_size = 64;
    check.cluster_size = 8;
    check.leaf_size = 16;
    check.softening = {options.softening.kind, options.softening.length > 0 ? 0.02 : 0};
    check.precision = options.precision;
    check.device = options.device;
    check.ranks = options.ranks;
    check.own_ranks = options.own_ranks;
    check.share_gpu = options.share_gpu;
    check.peer_timeout = options.peer_timeout;
    return check;
}

} // namespace

double require_same_sums(Solver& tested, Solver& trusted, const std::string& device)
{
    Particles p = cloud(tested.options().softening), q = p;
    tested.solve(p, Quantities::acceleration_potential);
    if (gpu_sums_are_wrong())
        p.acceleration[0].x += 1;
    // A direct sum may use few targets; the lists of a tree depend on all targets.
    std::vector<Index> active;
    for (Index k = 0; k < sample && trusted.options().solver == SolverKind::direct; ++k)
        active.push_back(k * (count / sample));
    trusted.solve(q, Quantities::acceleration_potential, active);
    Comparison accelerations, potentials;
    for (Index k = 0; k < (active.empty() ? count : sample); ++k) {
        const Index i = active.empty() ? k : active[k];
        accelerations.add(p.acceleration[i], q.acceleration[i]);
        potentials.add(p.potential[i], q.potential[i]);
    }
    const double limit = limit_of(tested.options().precision);
    return std::max(require(accelerations.largest(), limit, "accelerations", device),
                    require(potentials.largest(), limit, "potentials", device));
}

double require_same_sums(JerkSolver& tested, JerkSolver& trusted, const std::string& device)
{
    std::vector<MovingSource> sources;
    std::vector<Index> all(count), some;
    std::iota(all.begin(), all.end(), Index(0));
    for (Index k = 0; k < count; ++k)
        sources.push_back(source_of_cloud(k, tested.options().softening));
    for (Index k = 0; k < sample; ++k)
        some.push_back(k * (count / sample));
    std::vector<JerkSum> found(count), expected(sample);
    tested.solve(sources, {}, all, found);
    if (gpu_sums_are_wrong())
        found[0].jerk.y += 1;
    trusted.solve(sources, {}, some, expected);
    Comparison accelerations, jerks, potentials;
    for (Index k = 0; k < sample; ++k) {
        accelerations.add(found[some[k]].acceleration, expected[k].acceleration);
        jerks.add(found[some[k]].jerk, expected[k].jerk);
        potentials.add(found[some[k]].potential, expected[k].potential);
    }
    const double limit = limit_of(tested.options().precision);
    return std::max({require(accelerations.largest(), limit, "accelerations", device),
                     require(jerks.largest(), limit, "jerks", device),
                     require(potentials.largest(), limit, "potentials", device)});
}

double check_device(const SolverOptions& options)
{
    const int gpu = first_gpu(of_first_rank(options).device);
    if (gpu < 0)
        return 0;
    const SolverOptions check = options_of_check(options);
    const std::unique_ptr<Solver> tested = make_solver(check);
    return require_same_sums(*tested, *make_solver(on_host(check)),
                             asks_ranks(options) ? tested->device() : gpu_identity(gpu));
}

double check_jerk_device(const SolverOptions& options)
{
    const int gpu = first_gpu(options.device);
    if (gpu < 0)
        return 0;
    const SolverOptions check = options_of_check(options);
    return require_same_sums(*make_jerk_solver(check), *make_jerk_solver(on_host(check)),
                             gpu_identity(gpu));
}

} // namespace chamomile
