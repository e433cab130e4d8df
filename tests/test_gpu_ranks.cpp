// One tree on several ranks with GPUs: the sums of one rank on one such GPU, bit for bit. Ranks
// share the first GPU; where there are several GPUs, ranks have one each too.
#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"
#include "tests/clouds.hpp"
#include "tests/rank_series.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_ranks");

namespace {

/// A Cards says how many ranks have which GPUs.
struct Cards {
    const char* device;
    int ranks; ///< 0: none, GPUs share the lists of one tree
    bool share;

    SolverOptions given(SolverOptions options) const
    {
        options.device = device;
        options.own_ranks = ranks;
        options.share_gpu = share;
        options.peer_timeout = 120;
        return options;
    }
};

std::vector<Cards> all_cards()
{
    std::vector<Cards> cards{{"gpu:0", 1, true}, {"gpu:0", 2, true}, {"gpu:0", 3, true}};
    if (list_gpus().size() > 1) {
        cards.push_back({"gpu:all", 0, false});
        cards.push_back({"gpu:1,0", 0, false});
        cards.push_back({"gpu", 2, false});
        cards.push_back({"gpu:all", 5, true});
    }
    return cards;
}

/// Compares with one rank; cards are taken for alike.
void check_same(const Particles& p, SolverOptions options, Quantities quantities)
{
    options.device = "gpu";
    Particles one = p;
    make_solver(options)->solve(one, quantities);
    one.potential.resize(p.size());
    for (const Cards& cards : all_cards()) {
        CAPTURE(cards.device);
        CAPTURE(cards.ranks);
        const auto solver = make_solver(cards.given(options));
        Particles several = p;
        for (int k = 0; k < 2; ++k) // cuts follow the work of the time before
            solver->solve(several, quantities);
        several.potential.resize(p.size());
        CHECK(same_forces(one, several));
    }
}

} // namespace

TEST_CASE("ranks have the forces of one rank on sets of all kinds")
{
    for (const NamedSet& set : sets()) {
        CAPTURE(set.name);
        for (const Precision precision :
             {Precision::single_precision, Precision::double_precision}) {
            CAPTURE(int(precision));
            SolverOptions options;
            options.precision = precision;
            options.softening.length = set.name == std::string("plummer") ? 0 : 0.01;
            options.gravitational_constant = 2.5;
            check_same(set.particles, options, Quantities::acceleration_potential);
        }
    }
}

TEST_CASE("ranks have the forces of one rank by all methods")
{
    const Particles p = plummer(100003);
    for (const Quantities quantities :
         {Quantities::acceleration, Quantities::acceleration_potential})
        for (const int order : {0, 2, 3, 4})
            for (const int local_order : {0, 4, 6}) {
                CAPTURE(order);
                CAPTURE(local_order);
                SolverOptions options;
                options.softening = {order == 2 ? SofteningKind::spline : SofteningKind::plummer,
                                     0.01};
                options.order = order;
                options.local_order = local_order;
                if (order == 3) {
                    options.criterion = Criterion::geometric;
                    options.theta = 0.7;
                }
                check_same(p, options, quantities);
            }
}

TEST_CASE("ranks have the bits of one rank at active particles and of several softening lengths")
{
    for (const bool own_softenings : {false, true})
        for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline}) {
            CAPTURE(own_softenings);
            CAPTURE(int(kind));
            SolverOptions options;
            options.softening = {kind, 0.02};
            options.softening.is_varied = own_softenings;
            options.device = "gpu:0";
            Particles p = plummer(20011, 5);
            for (std::size_t i = 0; own_softenings && i < p.size(); ++i)
                p.softening.push_back(i % 3 ? 0.02 : 0.1);
            const Series one = evaluate_blocks(p, *make_solver(options));
            for (const Cards& cards : all_cards()) {
                if (cards.ranks == 0)
                    continue;
                CAPTURE(cards.device);
                CAPTURE(cards.ranks);
                CHECK(difference(one, evaluate_blocks(p, *make_solver(cards.given(options)))) ==
                      -1);
            }
        }
}

TEST_CASE("ranks share targets among warps as one rank does, which fills the card alone")
{
    SolverOptions options;
    options.softening.length = 0.001;
    check_same(plummer(700001), options, Quantities::acceleration);
}

TEST_CASE("ranks share a GPU only where they may")
{
    const int cards = int(list_gpus().size());
    SolverOptions options;
    options.softening.length = 0.01;
    options.own_ranks = cards + 1;
    for (const char* device : {"gpu", "gpu:all"}) {
        options.device = device;
        CHECK_THROWS_WITH_AS(make_solver(options), doctest::Contains("--share-gpu"), Error);
    }
    options.own_ranks = 2;
    options.device = "gpu:0";
    CHECK_THROWS_WITH_AS(make_solver(options), doctest::Contains("--share-gpu"), Error);
    options.own_ranks = 0;
    for (const char* device : {"gpu:0,0", "gpu:0,", "gpu:,0", "gpu:0,99", "gpu:all,0"}) {
        options.device = device;
        CHECK_THROWS_WITH_AS(make_solver(options), doctest::Contains(device), Error);
    }
}

TEST_SUITE_END();
