// The host's response to device faults, tested without a device.
#include <cstring>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/lists/list_field.hpp"
#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/pairs/target_parts.hpp"
#include "chamomile/gpu/device/fault_plan.hpp"
#include "chamomile/integrate/device_check.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/requests.hpp"
#include "tests/unit/restart_runs.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("device_faults");

TEST_CASE("a fault plan fails the named call, and all later calls after a lost context")
{
    FaultPlan none("");
    CHECK(none.answer(0, "allocate") == 0);
    CHECK(none.answer(35, "allocate") == 35);
    FaultPlan once("2:3");
    for (int expected : {0, 0, 2, 0, 0})
        CHECK(once.answer(0, "allocate") == expected);
    FaultPlan lost("700:2");
    for (int expected : {0, 700, 700, 700})
        CHECK(lost.answer(0, "launch") == expected);
    FaultPlan named("719:2:copy");
    const char* calls[] = {"launch", "copy from the device", "launch", "copy to the device",
                           "launch"};
    const int answers[] = {0, 0, 0, 719, 719};
    for (int k = 0; k < 5; ++k)
        CHECK(named.answer(0, calls[k]) == answers[k]);
    CHECK_FALSE(named.hangs());
    CHECK_FALSE(named.is_wrong());
    FaultPlan hang("hang:2");
    for (bool expected : {false, true, true})
        CHECK(hang.hangs() == expected);
    CHECK(hang.answer(0, "launch") == 0);
    FaultPlan wrong("wrong:2");
    for (bool expected : {false, true, false})
        CHECK(wrong.is_wrong() == expected);
    FaultPlan trap("trap:2");
    for (bool expected : {false, true, false})
        CHECK(trap.traps() == expected);
    for (const char* text : {"2", "2:", ":2", "x:1", "2:0", "0:1", "2:1x", "-2:1", "hang", "hang:0",
                             "hang:1:wait", "trap:1:wait", "wrong:x"})
        CHECK_THROWS_WITH_AS(FaultPlan{text}, doctest::Contains("CODE:K"), Error);
}

namespace {

/// The host's evaluator with room for `room` groups at a time.
class SmallEvaluator final : public Evaluator {
public:
    SmallEvaluator(std::size_t room, int& refusals) : room_(room), refusals_(refusals) {}
    void begin(const EvaluationInput& input) override { inner_->begin(input); }
    std::unique_ptr<InteractionLists> new_lists() override { return inner_->new_lists(); }
    std::size_t batch_size() const override { return 64; }
    void submit(std::unique_ptr<InteractionLists> lists) override
    {
        if (lists->rows.size() > room_) {
#pragma omp atomic
            ++refusals_;
            throw OutOfDeviceMemory("GPU: allocate device memory: no room");
        }
        inner_->submit(std::move(lists));
    }
    std::size_t finish() override
    {
        return inner_->finish();
    }
    std::string device() const override
    {
        return inner_->device();
    }

private:
    std::unique_ptr<Evaluator> inner_ = make_host_evaluator(Precision::single_precision);
    std::size_t room_;
    int& refusals_;
};

Particles forces_with_room(std::size_t room, int& refusals)
{
    SolverOptions options;
    options.softening = {SofteningKind::plummer, 0.01};
    options.group_size = 16;
    options.decorrelate = 3; // a retry must not change the evaluation number
    options.device = "cpu";
    options = resolved(options);
    SolverParts parts = make_parts(options);
    parts.evaluator = std::make_unique<SmallEvaluator>(room, refusals);
    const auto solver = make_list_solver(options, std::move(parts));
    Particles particles = plummer(6000);
    for (int evaluation = 0; evaluation < 3; ++evaluation)
        solver->solve(particles, Quantities::acceleration_potential);
    return particles;
}

} // namespace

TEST_CASE("low device memory leads to smaller batches with the same bits")
{
    int refusals = 0;
    const Particles whole = forces_with_room(1u << 20, refusals);
    CHECK(refusals == 0);
    const Particles pieces = forces_with_room(24, refusals);
    CHECK(refusals > 0);
    CHECK(same_bits(whole, pieces));
    CHECK_THROWS_WITH_AS(forces_with_room(1, refusals), doctest::Contains("no room"),
                         OutOfDeviceMemory);
}

namespace {

/// The host's builder, out of room at one refit and at one fetch of the order.
class SmallBuilder final : public TreeBuilder {
public:
    SmallBuilder(int refused_refit, int refused_fetch)
        : refits_(refused_refit), fetches_(refused_fetch)
    {}
    void build(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override
    {
        inner_->build(tree, particles, plan, profile);
        order_ = tree.octree.order;
    }
    void refit(Tree& tree, const TreeParticles& particles, const TreePlan& plan,
               Profile& profile) override
    {
        if (--refits_ == 0)
            throw OutOfDeviceMemory("no room");
        const std::pmr::vector<Index> fetched = tree.octree.order;
        tree.octree.order = order_;
        inner_->refit(tree, particles, plan, profile);
        tree.octree.order = fetched;
    }
    void start_nodes(Tree& tree, TargetGroups& groups, Profile& profile) override
    {
        inner_->start_nodes(tree, groups, profile);
    }
    void finish_nodes(Tree& tree, TargetGroups& groups, Profile& profile) override
    {
        inner_->finish_nodes(tree, groups, profile);
    }
    void fetch_order(Octree& octree) override
    {
        octree.order.assign(order_.size(), 0); // partial result when room runs out
        if (--fetches_ == 0)
            throw OutOfDeviceMemory("no room");
        octree.order = order_;
    }
    std::pmr::memory_resource* memory() override { return inner_->memory(); }

private:
    std::unique_ptr<TreeBuilder> inner_ = make_host_tree_builder();
    int refits_, fetches_;
    std::pmr::vector<Index> order_;
};

std::vector<Vec3<double>> forces_of_kept_tree(int refused_refit, int refused_fetch)
{
    SolverOptions options;
    options.softening = {SofteningKind::plummer, 0.01};
    options.device = "cpu";
    options.batch_size = 64;
    options = resolved(options);
    SolverParts parts = make_parts(options);
    parts.builder = std::make_unique<SmallBuilder>(refused_refit, refused_fetch);
    const auto solver = make_list_solver(options, std::move(parts));
    Particles particles = plummer(6000);
    std::vector<Index> active;
    for (Index i = 0; i < particles.size(); i += 7)
        active.push_back(i);
    solver->solve(particles, Quantities::acceleration);
    for (int evaluation = 0; evaluation < 3; ++evaluation) {
        for (std::size_t i = 0; i < particles.size(); ++i)
            particles.position[i] += 0.1 * particles.velocity[i];
        CHECK(solve(*solver, particles, {.active = active, .keeps_tree = true}).kept_tree);
    }
    return particles.acceleration;
}

} // namespace

TEST_CASE("a reused tree survives a refit without device memory")
{
    const std::vector<Vec3<double>> whole = forces_of_kept_tree(0, 0);
    CHECK(same_bits(forces_of_kept_tree(1, 0), whole));
    CHECK(same_bits(forces_of_kept_tree(2, 0), whole));
    CHECK(same_bits(forces_of_kept_tree(0, 1), whole));
}

TEST_CASE("a field evaluates in smaller batches with the same bits")
{
    Particles p = plummer(6000), targets = plummer(3000, 7);
    SolverOptions options;
    options.softening = {SofteningKind::plummer, 0.01};
    options.group_size = 16;
    options.device = "cpu";
    options = resolved(options);
    std::vector<Vec3<double>> accelerations[2];
    int refusals = 0;
    for (std::size_t room : {std::size_t(1) << 20, std::size_t(24)}) {
        SolverParts parts = make_parts(options, true);
        parts.evaluator = std::make_unique<SmallEvaluator>(room, refusals);
        ListField field(options, std::move(parts));
        field.build({p.size(), view_of(std::span(p.position)), view_of(std::span(p.mass))}, {});
        std::vector<Vec3<double>> a(targets.size());
        field.at_points({targets.size(), view_of(std::span(targets.position)), {}},
                        {view_of(std::span(a)), {}});
        accelerations[room == 24] = a;
    }
    CHECK(refusals > 0);
    CHECK(std::memcmp(accelerations[0].data(), accelerations[1].data(),
                      targets.size() * sizeof(Vec3<double>)) == 0);
}

TEST_CASE("pair sums without device memory for all targets run in parts")
{
    const Particles p = plummer(5000);
    std::vector<MovingSource> sources;
    std::vector<GravityJerk::Target<double>> targets;
    std::vector<std::uint32_t> self, excluded;
    std::vector<std::uint64_t> begin{0};
    for (std::uint32_t i = 0; i < p.size(); ++i) {
        sources.push_back({p.position[i], p.velocity[i], p.mass[i]});
        targets.push_back({p.position[i], p.velocity[i]});
        self.push_back(i);
        excluded.push_back((7 * i + 1) % 5000);
        begin.push_back(excluded.size());
    }
    const auto solver = make_pair_solver(
        GravityJerk{0.01}, {.precision = Precision::double_precision, .device = "cpu"});
    const PairTask task{as_rows(std::span<const GravityJerk::Target<double>>(targets)),
                        as_rows(std::span<const MovingSource>(sources)),
                        self,
                        {begin, excluded}};
    std::vector<JerkSum> whole(p.size()), parts(p.size());
    const auto all = solver->sum(task, as_rows(std::span(whole)));
    TargetParts in_parts;
    int calls = 0, refusals = 0;
    const auto with_room_for = [&](std::size_t room) {
        return in_parts.sum(law_code<GravityJerk>().shape, task, as_rows(std::span(parts)),
                            [&](const PairTask& part, std::span<double> sums) {
                                ++calls;
                                if (part.self.size() > room) {
                                    ++refusals;
                                    throw OutOfDeviceMemory("no room");
                                }
                                return solver->sum(part, sums);
                            });
    };
    for (int turn = 0; turn < 2; ++turn) {
        std::fill(parts.begin(), parts.end(), JerkSum{});
        const PairStatistics statistics = with_room_for(1300);
        CHECK(statistics.targets == 5000);
        CHECK(statistics.pairs == all.pairs);
        CHECK(refusals == 2); // all, then half; the next sum remembers
        CHECK(calls == 6 + 4 * turn);
        double largest = 0;
        for (std::size_t i = 0; i < p.size(); ++i)
            largest = std::max(largest, norm(parts[i].acceleration - whole[i].acceleration) /
                                            norm(whole[i].acceleration));
        CHECK(largest < 1e-13);
    }
    CHECK_THROWS_AS(with_room_for(1000), OutOfDeviceMemory);
}

namespace {

/// The host's solver; one sum has a relative error `part`.
class FaultySolver final : public Solver {
public:
    FaultySolver(const SolverOptions& options, double part)
        : inner_(make_solver(options)), part_(part)
    {}
    ForceStatistics evaluate(const Request& request) override
    {
        const ForceStatistics statistics = inner_->evaluate(request);
        request.potential.store(140, 0, (1 + part_) * request.potential.load(140));
        return statistics;
    }
    std::string device() const override { return inner_->device(); }
    const SolverOptions& options() const override { return inner_->options(); }

private:
    std::unique_ptr<Solver> inner_;
    double part_;
};

class FaultyJerks final : public JerkSolver {
public:
    FaultyJerks(const SolverOptions& options, double part)
        : inner_(make_jerk_solver(options)), part_(part)
    {}
    ForceStatistics solve(std::span<const MovingSource> sources, std::span<const double> softening,
                          std::span<const Index> active, std::span<JerkSum> sums) override
    {
        const ForceStatistics statistics = inner_->solve(sources, softening, active, sums);
        sums[140].jerk = (1 + part_) * sums[140].jerk;
        return statistics;
    }
    std::string device() const override { return inner_->device(); }
    const SolverOptions& options() const override { return inner_->options(); }

private:
    std::unique_ptr<JerkSolver> inner_;
    double part_;
};

SolverOptions checked_options(SolverKind kind, Precision precision, double softening)
{
    SolverOptions options;
    options.solver = kind;
    options.precision = precision;
    options.softening = {SofteningKind::plummer, softening};
    options.group_size = 64;
    options.leaf_size = 16;
    options.device = "cpu";
    return options;
}

} // namespace

TEST_CASE("a device with wrong sums is refused before the run")
{
    constexpr Precision both[] = {Precision::single_precision, Precision::double_precision};
    for (const auto& [kind, softening] :
         {std::pair(SolverKind::tree, 0.02), std::pair(SolverKind::direct, 0.02),
          std::pair(SolverKind::tree, 0.0), std::pair(SolverKind::direct, 0.0)})
        for (Precision precision : both) {
            const SolverOptions options = checked_options(kind, precision, softening);
            const auto trusted =
                make_solver(checked_options(kind, Precision::double_precision, softening));
            FaultySolver good(options, 0), bad(options, 1e-3);
            const double difference = require_same_sums(good, *trusted, "host x");
            MESSAGE("correct sums differ by ", difference);
            CHECK(difference < (precision == Precision::double_precision ? 1e-12 : 4e-6));
            CHECK_THROWS_WITH_AS(require_same_sums(bad, *trusted, "host x"),
                                 doctest::Contains("results would be wrong; host x"), Error);
        }
    for (double softening : {0.02, 0.0})
        for (Precision precision : both) {
            const auto options = checked_options(SolverKind::direct, precision, softening);
            const auto trusted = make_jerk_solver(
                checked_options(SolverKind::direct, Precision::double_precision, softening));
            FaultyJerks good(options, 0), bad(options, 1e-2);
            MESSAGE("correct jerks differ by ", require_same_sums(good, *trusted, "host x"));
            CHECK_THROWS_WITH_AS(require_same_sums(bad, *trusted, "host x"),
                                 doctest::Contains("jerks differ from the sums of the host"),
                                 Error);
        }
}

TEST_SUITE_END();
