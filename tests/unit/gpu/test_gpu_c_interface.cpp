// The C interface on the first GPU. The suite is skipped without a GPU.
#include <doctest/doctest.h>

#include "chamomile/force/reference_sum.hpp"
#include "tests/unit/c_context.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("gpu_c_interface");

TEST_CASE("C calls on a GPU return sums, errors, neighbours and a device name")
{
    const Particles p = plummer(5000);
    const auto x = coordinates(p.position);
    std::vector<double> a(x.size()), phi(p.size());
    Context c;
    c.set("device", "gpu");
    c.set("softening", "0.02");
    for (const char* solver : {"direct", "tree"})
        for (const char* precision : {"double", "float"}) {
            c.set("solver", solver);
            c.set("precision", precision);
            REQUIRE(chm_solve(c, 5000, p.mass.data(), x.data(), a.data(), phi.data()) == CHM_OK);
            const double limit = solver[0] == 't' ? 1e-2 : precision[0] == 'd' ? 1e-12 : 2e-6;
            for (Index i = 0; i < 5000; i += 99) {
                const auto exact =
                    reference_sum(p, std::span(&i, 1), {SofteningKind::plummer, 0.02}, 1);
                const Vec3<double> mine{a[3 * i], a[3 * i + 1], a[3 * i + 2]};
                CHECK(norm(mine - exact.acceleration[0]) < limit * norm(exact.acceleration[0]));
                CHECK(phi[i] == within(limit, exact.potential[0]));
            }
        }
    CHECK(std::string(chm_device(c)).find("CPU") == std::string::npos);
    chm_error_stats errors;
    REQUIRE(chm_compare_direct(c, 1000, 3, &errors) == CHM_OK);
    CHECK(errors.acceleration.p99 < 3e-3);
    chm_run_stats stats;
    REQUIRE(chm_stats(c, &stats) == CHM_OK);
    CHECK(stats.device_busy > 0);

    const double radius = 0.1;
    std::vector<std::int64_t> count(5000), list(5000);
    const chm_targets targets{5000, chm_vectors(x.data()), {}, nullptr, {}};
    REQUIRE(chm_neighbours(c, &targets, chm_view_numbers(&radius, 0, CHM_FLOAT64, CHM_HOST), 1,
                           count.data(), list.data()) == CHM_OK);
    std::int64_t near = 0;
    for (const auto& place : p.position)
        near += norm(place - p.position[17]) <= radius;
    CHECK(count[17] == near);
}

TEST_SUITE_END();
