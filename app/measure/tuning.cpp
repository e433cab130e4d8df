#include "app/measure/tuning.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>

#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/integrate/ranks/led_particles.hpp"
#include "chamomile/io/file_rows.hpp"

namespace chamomile::app {
namespace {

constexpr int counted_evaluations = 3;
constexpr double worth_taking = 0.97;
constexpr int min_group = 16, max_group = 8192, min_leaf = 2, max_leaf = 512, min_cluster = 1,
              max_cluster = 256;

/// Makes a solver, and returns its evaluation.
using Maker = std::function<std::function<void()>(const SolverOptions&)>;

/// A Tuner searches for the fastest sizes by evaluations.
class Tuner {
public:
    Tuner(const SolverOptions& solver, const SolverOptions& resolved, const Maker& make)
        : make_(make)
    {
        result_.start = resolved;
        result_.solver = solver;
        result_.solver.group_size = result_.start.group_size;
        result_.solver.cluster_size = result_.start.cluster_size;
        result_.solver.leaf_size = result_.start.leaf_size;
        result_.start_seconds = result_.seconds = min_seconds(result_.solver);
    }

    /// Doubles the size while evaluations get faster; if doubling never helps, halves it instead.
    void climb(int SolverOptions::*size, int min, int max)
    {
        const int first = result_.solver.*size;
        while (result_.solver.*size * 2 <= max && try_size(size, result_.solver.*size * 2)) {
        }
        if (result_.solver.*size != first)
            return;
        while (result_.solver.*size / 2 >= min && try_size(size, result_.solver.*size / 2)) {
        }
    }

    const Tuning& result() const { return result_; }

private:
    double min_seconds(const SolverOptions& options)
    {
        const std::function<void()> evaluate = make_(options);
        double min = std::numeric_limits<double>::infinity();
        for (int k = 0; k <= counted_evaluations; ++k) { // the first grows the buffers
            const double start = wall_clock_seconds();
            evaluate();
            if (k > 0)
                min = std::min(min, wall_clock_seconds() - start);
            ++result_.evaluations;
        }
        return min;
    }

    bool try_size(int SolverOptions::*size, int value)
    {
        SolverOptions options = result_.solver;
        options.*size = value;
        const double seconds = min_seconds(options);
        if (seconds > worth_taking * result_.seconds)
            return false;
        result_.solver = options;
        result_.seconds = seconds;
        return true;
    }

    const Maker& make_;
    Tuning result_;
};

Tuning tuned(const SolverOptions& solver, const SolverOptions& resolved, const Maker& make)
{
    Tuner tuner(solver, resolved, make);
    if (solver.group_size == 0)
        tuner.climb(&SolverOptions::group_size, min_group, max_group);
    if (solver.cluster_size == 0)
        tuner.climb(&SolverOptions::cluster_size, min_cluster, max_cluster);
    if (solver.leaf_size == 0)
        tuner.climb(&SolverOptions::leaf_size, min_leaf, max_leaf);
    return tuner.result();
}

} // namespace

std::string Tuning::text() const
{
    const auto sizes = [](const SolverOptions& o) {
        return std::array{o.group_size, o.cluster_size, o.leaf_size};
    };
    const auto best = sizes(solver), first = sizes(start);
    std::string text = formatted("groups of %d, clusters of %d, leaves of %d: %s", best[0], best[1],
                                 best[2], duration_text(seconds).c_str());
    if (best != first)
        text += formatted("; of %d, %d and %d: %s", first[0], first[1], first[2],
                          duration_text(start_seconds).c_str());
    return text + "; " + counted(std::uint64_t(evaluations), "evaluation");
}

OptionRow<bool> tune_row()
{
    OptionRows<bool> rows;
    rows.group("Forces");
    rows.flag("tune", std::identity(),
              "measure the fastest sizes of groups, clusters and leaves for these particles and "
              "use them; the same sizes as options repeat the bits");
    return rows.take().front();
}

void require_tunable(const Options& options, bool tune, bool direct)
{
    if (tune && options.given("accuracy"))
        throw Error(Fault::usage, options.command() + ": --accuracy and --tune: give one of the "
                                                      "two; --accuracy chooses sizes too");
    if (tune && direct)
        throw Error(Fault::usage, "--tune: needs --solver tree");
    if (tune && options.given("group-size") && options.given("cluster-size") &&
        options.given("leaf-size"))
        throw Error(Fault::usage, "--tune: contradicts {group-size}, {cluster-size} and "
                                  "{leaf-size}; leave out one of them to measure it");
}

Tuning tuned(const SolverOptions& solver, Particles& particles, Quantities quantities)
{
    return tuned(solver, make_solver(solver)->options(), [&](const SolverOptions& options) {
        const std::shared_ptr<Solver> made = make_solver(options);
        return [&, made] { made->solve(particles, quantities); };
    });
}

Tuning tuned(const SolverOptions& solver, Snapshot& snapshot, Quantities quantities)
{
    if (!snapshot.deferred)
        return tuned(solver, snapshot.particles, quantities);
    SolverOptions given = solver;
    const std::shared_ptr<const void> own = make_own_ranks(given, serve_particles);
    LedParticles led(*given.ranks);
    led.ranks().set_time_limit(given.peer_timeout);
    led.scatter_lasting(snapshot.particles);
    if (!led.read(*snapshot.deferred, false))
        led.scatter(Column::position, *snapshot.deferred, snapshot.particles.size());
    return tuned(solver, resolved(of_first_rank(given)), [&](const SolverOptions& options) {
        const SolverOptions one = resolved(of_first_rank(options));
        led.lead<&RankRun::make_solver>({}, SentOptions::of(one, devices_of_ranks(given, one)));
        return [&] { led.lead<&RankRun::solve>({}, quantities); };
    });
}

} // namespace chamomile::app
