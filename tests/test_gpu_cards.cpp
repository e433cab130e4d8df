// Several GPUs that share the sums of one evaluation: those of one GPU, bit for bit.
// Skipped where there is one GPU.
#include <doctest/doctest.h>

#include "chamomile/force/gpu.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "tests/clouds.hpp"
#include "tests/rank_sets.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_cards");

namespace {

bool are_several()
{
    if (list_gpus().size() > 1)
        return true;
    MESSAGE("skipped: this machine has one GPU");
    return false;
}

constexpr std::size_t many = 1500007; // enough that cards share them

Particles cloud(bool in_box)
{
    return in_box ? uniform_cube(many, 9) : plummer(many);
}

} // namespace

TEST_CASE("trees and boxes have the bits of one card")
{
    if (!are_several())
        return;
    for (const double box : {0., 1.})
        for (const int order : {0, 2, 4})
            for (const Precision precision :
                 {Precision::single_precision, Precision::double_precision})
                for (const bool own_softenings : {false, true}) {
                    if (box > 0 && order > 2)
                        continue;
                    CAPTURE(box);
                    CAPTURE(order);
                    CAPTURE(own_softenings);
                    SolverOptions options;
                    options.softening = {SofteningKind::plummer, 0.002};
                    options.order = order;
                    options.box = box;
                    options.precision = precision;
                    Particles one = cloud(box > 0);
                    if (own_softenings) {
                        options.softening.is_varied = true;
                        for (std::size_t i = 0; i < one.size(); ++i)
                            one.softening.push_back(i % 3 ? 0.001 : 0.002);
                    }
                    Particles several = one;
                    options.device = "gpu:0";
                    const ForceStatistics alone =
                        make_solver(options)->solve(one, Quantities::acceleration_potential);
                    options.device = "gpu:all";
                    for (const TreeBuiltBy built_by : {TreeBuiltBy::gpu, TreeBuiltBy::host}) {
                        options.tree_built_by = built_by;
                        const auto solver = make_solver(options);
                        CHECK(solver->device().find("cards") != std::string::npos);
                        for (int k = 0; k < 2; ++k) {
                            const ForceStatistics shared =
                                solver->solve(several, Quantities::acceleration_potential);
                            CHECK(shared.particle_particle == alone.particle_particle);
                            CHECK(shared.particle_cell == alone.particle_cell);
                            CHECK(same_forces(one, several));
                        }
                    }
                }
}

TEST_CASE("steps of particles that live on a card have the bits of one card")
{
    if (!are_several())
        return;
    for (const bool individual : {false, true}) {
        CAPTURE(individual);
        Particles of[2];
        for (int k = 0; k < 2; ++k) {
            SolverOptions options;
            options.softening.length = 0.01;
            options.device = k == 0 ? "gpu:0" : "gpu:all";
            of[k] = cloud(false);
            of[k].velocity.assign(many, {0.1, 0, 0});
            const auto solver = make_solver(options);
            const std::unique_ptr<Leapfrog> leapfrog =
                individual ? std::make_unique<Leapfrog>(*solver, BlockSteps{}, Clock::newtonian(),
                                                        Residence::device)
                           : std::make_unique<Leapfrog>(*solver, TimeStep{.length = 0.01},
                                                        Clock::newtonian(), Residence::device);
            leapfrog->start(of[k], Quantities::acceleration, {});
            double time = 0;
            for (std::uint64_t s = 1; s <= 3; ++s) {
                const double length = leapfrog->next_step({s, time}).length;
                leapfrog->step(of[k], length, Quantities::acceleration, {s, time});
                time += length;
            }
            leapfrog->fetch(of[k]);
        }
        CHECK(std::memcmp(of[0].position.data(), of[1].position.data(),
                          many * sizeof(Vec3<double>)) == 0);
        CHECK(std::memcmp(of[0].velocity.data(), of[1].velocity.data(),
                          many * sizeof(Vec3<double>)) == 0);
    }
}

TEST_CASE("direct sums of all and of some targets have the bits of one card")
{
    if (!are_several())
        return;
    for (const Precision precision : {Precision::single_precision, Precision::double_precision})
        for (const bool some : {false, true}) {
            SolverOptions options;
            options.solver = SolverKind::direct;
            options.softening.length = 0.01;
            options.precision = precision;
            Particles one = plummer(280007), several = one; // enough pairs to share
            std::vector<Index> active;
            for (Index i = 3; some && i < one.size(); i += 7)
                active.push_back(i);
            options.device = "gpu:0";
            make_solver(options)->solve(one, Quantities::acceleration_potential, active);
            options.device = "gpu:all";
            make_solver(options)->solve(several, Quantities::acceleration_potential, active);
            CHECK(norm_squared(one.acceleration[3]) > 0);
            CHECK(same_forces(one, several));
        }
}

TEST_SUITE_END();
