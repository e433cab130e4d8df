#include "chamomile/force/lists/hybrid_solver.hpp"

#include <algorithm>
#include <numeric>

#include "chamomile/core/files/archive.hpp"
#include "chamomile/force/lists/list_solver.hpp"

namespace chamomile {
namespace {

class HybridSolver final : public Solver {
public:
    HybridSolver(std::unique_ptr<Solver> many, std::unique_ptr<Solver> few,
                 std::optional<std::uint64_t> few_below)
        : many_{std::move(many)}, few_{std::move(few)},
          is_measured_(!few_.solver || few_below.has_value()), few_below_(few_below.value_or(0))
    {}

    ForceStatistics evaluate(const Request& request) override
    {
        // Each solver has a tree, which may be kept unless a request since then asked for a new
        // one.
        many_.has_tree = many_.has_tree && request.keeps_tree;
        few_.has_tree = few_.has_tree && request.keeps_tree;
        if (request.active.empty() && !is_measured_) {
            ForceStatistics statistics = evaluate_by(many_, request);
            {
                const TimedPhase phase(statistics.profile, "calibration");
                measure(request);
            }
            return statistics;
        }
        const std::size_t targets = request.active.empty() ? request.count : request.active.size();
        return evaluate_by(few_.solver && targets < few_below_ ? few_ : many_, request);
    }

    void exchange(Archive& archive) override
    {
        many_.solver->exchange(archive);
        archive("small_sets/few_below", few_below_);
        archive("small_sets/is_measured", is_measured_);
    }

    std::string device() const override { return many_.solver->device(); }
    const SolverOptions& options() const override { return many_.solver->options(); }

private:
    struct Side {
        std::unique_ptr<Solver> solver;
        bool has_tree = false; ///< that may be kept
    };

    static ForceStatistics evaluate_by(Side& side, Request request)
    {
        request.keeps_tree = request.keeps_tree && side.has_tree;
        side.has_tree = false;
        const ForceStatistics statistics = side.solver->evaluate(request);
        side.has_tree = true;
        return statistics;
    }

    /// Measures with 4, 16, 64, ... particles with the largest accelerations (short steps), while
    /// the second solver is faster. Trees are kept, as in most evaluations.
    void measure(const Request& request)
    {
        is_measured_ = true;
        few_below_ = 0;
        const std::size_t n = request.count;
        std::vector<Index> by_acceleration(n);
        std::iota(by_acceleration.begin(), by_acceleration.end(), Index(0));
        const auto stronger = [&](Index i, Index j) {
            const double a = norm_squared(request.acceleration.load_vector(i)),
                         b = norm_squared(request.acceleration.load_vector(j));
            return a > b || (a == b && i < j);
        };
        const std::size_t max = std::min<std::size_t>(n / 4, 65536);
        std::partial_sort(by_acceleration.begin(), by_acceleration.begin() + std::ptrdiff_t(max),
                          by_acceleration.end(), stronger);
        std::vector<Vec3<double>> acceleration(n); // for trials
        std::vector<double> potential(request.potential ? n : 0);
        Request trial = request;
        trial.acceleration = view_of(std::span(acceleration));
        trial.potential = view_of(std::span(potential));
        for (std::size_t count = 4; count <= max; count *= 4) {
            std::vector<Index> active(by_acceleration.begin(),
                                      by_acceleration.begin() + std::ptrdiff_t(count));
            std::sort(active.begin(), active.end());
            trial.active = active;
            if (seconds(few_, trial) >= seconds(many_, trial))
                break;
            few_below_ = 2 * count; // between this count and the next
        }
        many_.has_tree = few_.has_tree = false;
    }

    /// Returns the min of three times, on a kept tree.
    static double seconds(Side& side, Request request)
    {
        request.keeps_tree = true;
        double min = 1e300;
        for (int k = side.has_tree ? 1 : 0; k < 4; ++k) {
            const double start = wall_clock_seconds();
            evaluate_by(side, request);
            if (k > 0)
                min = std::min(min, wall_clock_seconds() - start);
        }
        return min;
    }

    Side many_, few_;
    bool is_measured_;
    std::uint64_t few_below_;
};

} // namespace

std::unique_ptr<Solver> join_solvers(std::unique_ptr<Solver> many, std::unique_ptr<Solver> few,
                                     std::optional<std::uint64_t> few_below)
{
    return std::make_unique<HybridSolver>(std::move(many), std::move(few), few_below);
}

std::unique_ptr<Solver> make_solver_with_host(const SolverOptions& options,
                                              std::optional<std::uint64_t> host_below)
{
    std::unique_ptr<Solver> solver = make_solver(options), host;
    const SolverOptions& chosen = solver->options();
    if (chosen.solver == SolverKind::tree && chosen.device != "cpu" && !options.accuracy &&
        !options.is_periodic()) {
        SolverOptions others = options;
        others.device = "cpu";
        others.group_size = others.cluster_size = others.leaf_size = 0; // chosen for a GPU
        others.tree_built_by = TreeBuiltBy::automatic;
        host = make_solver(others);
    }
    return join_solvers(std::move(solver), std::move(host), host_below);
}

} // namespace chamomile
