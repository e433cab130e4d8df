// GRAPE-6: the nearest neighbour, and lists.
#include <doctest/doctest.h>

#include "tests/unit/grape6_stars.hpp"

using namespace chamomile::tests::grape6;

TEST_SUITE_BEGIN("grape6_neighbours");

TEST_CASE("nearest neighbours and neighbour lists are exact and exclude the target")
{
    const OpenedCluster opened("float");
    std::vector<Star> all = stars(1201);
    all[700].t = all[5].t = 0.5; // unchanged
    send(0, all);
    g6_set_ti(0, 0.5);
    const std::vector<Star> then = all_moved(all, 0.5);
    std::vector<Star> targets(then.begin(), then.begin() + 211);
    for (const double eps2 : {0.0, 0.04}) {
        Call call(targets, 0.3);
        call.eps2 = eps2;
        call.h2[4] = 0;
        // Exactly a particle's distance; it counts.
        call.h2[5] = distance2(then[700].x, targets[5].x);
        call.first(0, 1201);
        REQUIRE(call.last_nearest(0, 1201) == 0);
        CHECK(worst(call, reference(call, then)) < 2e-6);
        REQUIRE(g6_read_neighbour_list(0) == 0);
        for (int i = 0; i < call.count(); ++i) {
            std::vector<int> within;
            double best = 1e30;
            int nearest = -1;
            for (const Star& s : then) {
                const double r2 = distance2(s.x, targets[std::size_t(i)].x);
                if (s.id == targets[std::size_t(i)].id)
                    continue;
                if (r2 <= call.h2[std::size_t(i)] && r2 > 0)
                    within.push_back(s.id);
                if (r2 < best) {
                    best = r2;
                    nearest = s.id;
                }
            }
            CHECK(call.nearest[std::size_t(i)] == nearest);
            CHECK(call.distance[std::size_t(i)] == doctest::Approx(std::sqrt(best)));
            CHECK(list_of(0, i) == within);
        }
        const std::vector<int> fifth = list_of(0, 5);
        CHECK(std::count(fifth.begin(), fifth.end(), all[700].id) == 1);
        CHECK(list_of(0, 4).empty());
    }
    CHECK(cluster_error() == "");
}

TEST_CASE("any g6calc_lasthalf call makes neighbour lists for later reads")
{
    const OpenedCluster opened;
    const std::vector<Star> all = stars(97);
    send(0, all);
    g6_set_ti(0, 0.5);
    Call call({moved(all[3], 0.5)}, 2);
    REQUIRE(call.run(0, 97) == 0);
    Star far = all[3];
    far.id = 7;
    for (int k = 0; k < 97; ++k)
        send(0, k, far); // in memory, but not predicted
    const std::vector<int> plain = list_of(0, 0);
    CHECK(plain.size() > 5);
    send(0, all);
    for (int which = 0; which < 3; ++which) {
        call.first(0, 97);
        std::vector<int> nnb(1);
        std::vector<float> r(1);
        const auto args = [&](auto f, auto... more) {
            return f(0, 97, 1, call.id.data(), rows(call.x), rows(call.v), 0.0, call.h2.data(),
                     rows(call.a), rows(call.jerk), call.pot.data(), more...);
        };
        REQUIRE((which == 0   ? args(g6calc_lasthalfn)
                 : which == 1 ? args(g6calc_lasthalf2n, nnb.data())
                              : args(g6calc_lasthalf2np, nnb.data(), r.data())) == 0);
        CHECK(list_of(0, 0) == plain);
        if (which > 0)
            CHECK(std::find(plain.begin(), plain.end(), nnb[0]) != plain.end());
    }
    // More neighbours than space: writes only as many as fit.
    std::vector<int> list(6, -77);
    int n = 0;
    CHECK(g6_get_neighbour_list(0, 0, 5, &n, list.data()) == 1);
    CHECK(n == 5);
    CHECK(std::vector<int>(list.begin(), list.begin() + 5) ==
          std::vector<int>(plain.begin(), plain.begin() + 5));
    CHECK(list[5] == -77);
    CHECK(g6_get_neighbour_list(0, 0, int(plain.size()), &n,
                                std::vector<int>(plain.size()).data()) == 0);
    g6_set_neighbour_list_sort_mode(1);
    CHECK(g6_get_neighbour_list_sort_mode() == 1);
    // The next first half clears them.
    call.first(0, 97);
    CHECK(g6_read_neighbour_list(0) == -1);
    CHECK(cluster_error().find("call g6calc_lasthalf first") != std::string::npos);
}

TEST_CASE("a single particle has no neighbour")
{
    const OpenedCluster opened;
    std::vector<Star> one = stars(1);
    send(0, one);
    Call call(one, 1e9);
    call.first(0, 1);
    REQUIRE(call.last_nearest(0, 1) == 0);
    CHECK(call.nearest[0] == -1);
    CHECK(list_of(0, 0).empty());
    CHECK(call.a[0] == Vector{0, 0, 0});
    CHECK(call.pot[0] == 0);
}
