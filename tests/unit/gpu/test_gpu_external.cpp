// External potentials with particles on the first GPU: bitwise equal to the host.
#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/clouds.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_external");

namespace {

std::shared_ptr<const ExternalField> field_of(const std::vector<std::string>& texts)
{
    PotentialFiles files = {{"bar.txt", "phi += log(1 + x^2)"}};
    return read_external_field("--potential", texts, {}, 1, files);
}

template <class Steps>
Particles moved(const Steps& steps, const std::vector<std::string>& potentials, Residence residence)
{
    SolverOptions options;
    options.softening.length = 0.02;
    options.device = "gpu";
    const auto solver = make_solver(options);
    Leapfrog leapfrog(*solver, steps, Clock::newtonian(), residence);
    leapfrog.put_into(field_of(potentials));
    CHECK(leapfrog.is_resident() == (residence == Residence::device));
    Particles particles = plummer(5003);
    particles.mass[7] = particles.mass[4001] = 0;
    Simulation simulation(particles, leapfrog, 0, 1e6);
    simulation.every_steps(3, Quantities::acceleration_potential, [](Simulation&) {});
    simulation.after_each_step([](Simulation& now) {
        if (now.step() == 6)
            now.stop();
    });
    simulation.run();
    leapfrog.fetch(particles);
    return particles;
}

template <class Steps>
void compare(const Steps& steps, const std::vector<std::string>& potentials)
{
    const Particles host = moved(steps, potentials, Residence::host),
                    there = moved(steps, potentials, Residence::device);
    CHECK(there.position == host.position);
    CHECK(there.velocity == host.velocity);
    CHECK(there.acceleration == host.acceleration);
    CHECK(there.potential == host.potential);
    CHECK(there.position != moved(steps, {}, Residence::host).position);
}

} // namespace

TEST_CASE("GPU potentials equal the host bitwise for shared, adaptive and individual steps")
{
    const std::vector<std::vector<std::string>> fields = {
        {"point,M=0.3,x=4"},
        {"plummer,M=2,a=0.7,vx=0.2"},
        {"hernquist,M=2,a=0.8,from=0,to=1"},
        {"nfw,M=3,c=10,rs=1.5,rt=0.9"},
        {"isochrone,M=2,b=0.3", "dehnen,M=1,a=0.8,gamma=1.4"},
        {"cutoff,M=2,alpha=1.8,rc=0.7"},
        {"miyamoto-nagai,M=2,a=1,b=0.3"},
        {"nfw,M=3,c=10,rs=1.5", "plummer,M=0.4,a=0.1,x=1", "rotation,omega=0.7"},
    };
    for (const auto& field : fields) {
        CAPTURE(field.front());
        compare(TimeStep{.length = 0.01}, field);
        compare(TimeStep{.kind = TimeStepKind::adaptive,
                         .eta = 0.05,
                         .criterion = StepCriterion::potential},
                field);
        compare(BlockSteps{.eta = 0.05}, field);
        compare(BlockSteps{.eta = 0.05, .scheme = BlockScheme::hierarchical}, field);
    }
    const std::vector<std::string> logarithmic = {"logarithmic,v0=1,rc=0.3,q=0.8"};
    compare(TimeStep{.length = 0.01}, logarithmic);
    compare(BlockSteps{.criterion = StepCriterion::softening, .eta = 0.1}, logarithmic);
}

TEST_CASE("a text potential keeps particles on the host or is refused for GPU residence")
{
    SolverOptions options;
    options.softening.length = 0.02;
    options.device = "gpu";
    const auto solver = make_solver(options);
    Leapfrog may(*solver, TimeStep{}, Clock::newtonian(), Residence::where_solved),
        must(*solver, TimeStep{}, Clock::newtonian(), Residence::device);
    CHECK(may.is_resident());
    may.put_into(field_of({"text,file=bar.txt"}));
    CHECK_FALSE(may.is_resident());
    CHECK_THROWS_WITH_AS(must.put_into(field_of({"text,file=bar.txt"})),
                         doctest::Contains("must be a formula on the GPU"), Error);
}

TEST_SUITE_END();
