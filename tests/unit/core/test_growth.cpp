// Growth to second order against closed forms, tables and another integrator.
#include <initializer_list>

#include <doctest/doctest.h>

#include "chamomile/core/cosmology/growth.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("growth");

TEST_CASE("with matter only D1 = a and D2 = 3/7 a^2")
{
    const Background matter{.omega_matter = 1, .omega_lambda = 0};
    for (double a : {1e-9, 0.01, 0.3, 1.0, 3.0}) {
        const Growth g = growth(matter, a);
        CHECK(g.D1 == within(1e-12, a));
        CHECK(g.D2 == within(1e-12, 3. / 7 * a * a));
        CHECK(g.f1 == within(1e-12, 1));
        CHECK(g.f2 == within(1e-12, 2));
    }
}

TEST_CASE("with matter and Lambda D1 and D2 match the hypergeometric solution")
{
    struct Row {
        double omega_matter, a, D1, f1, D2;
        double D2_digits; ///< half a unit of the last digit, relative
    };
    for (const Row& row :
         {Row{0.25, 1, 0.74624733101377, 0.46252393345373, 0.241033509607, 3e-12},
          Row{0.3, 0.02, 0.019999932121808, 0.99998981832614, 1.71427430e-4, 3e-9},
          Row{0.3, 0.1, 0.099957622275002, 0.99872952339527, 4.28215247562e-3, 1e-12},
          Row{0.3, 0.5, 0.47658506777232, 0.86928512118501, 0.0975188491040, 1e-12},
          Row{0.3, 1, 0.77898101677079, 0.51279624773024, 0.262306520823, 2e-12},
          Row{0.3089, 1, 0.78426960200786, 0.52132414524662, 0.265825233993, 2e-12},
          Row{0.315, 1, 0.7878126021856, 0.52710320235456, 0.268195240778, 2e-12},
          Row{0.32, 1, 0.79066902325856, 0.53180136879903, 0.270113394431, 2e-12}}) {
        const Growth g =
            growth({.omega_matter = row.omega_matter, .omega_lambda = 1 - row.omega_matter}, row.a);
        CAPTURE(row.omega_matter);
        CHECK(g.D1 == within(1e-12, row.D1));
        CHECK(g.f1 == within(1e-12, row.f1));
        CHECK(g.D2 == within(row.D2_digits, row.D2));
    }
}

// Growth: curvature from a closed form and Heath's integral with 25 digits; the rest from Dormand
// and Prince's method of order 8, from another start.
TEST_CASE("growth includes curvature, evolving dark energy and radiation")
{
    struct Row {
        Background background;
        double a, D1, f1, D2, f2;
    };
    const Background open{.omega_matter = 0.3, .omega_lambda = 0},
        closed{.omega_matter = 0.3, .omega_lambda = 0.75},
        changing{.omega_matter = 0.31, .omega_lambda = 0.69, .w0 = -0.8, .wa = -0.6},
        radiation{.omega_matter = 0.31, .omega_lambda = 0.6899, .omega_radiation = 1e-4};
    for (const Row& row :
         {Row{open, 0.1, 0.08844205217773705, 0.8865213162331, 0.003374983707059, 1.779207676939},
          Row{open, 1, 0.4568354614082401, 0.4917289447891, 0.09312078776879, 1.007403081221},
          Row{closed, 0.1, 0.1009163502810814, 1.008249461967, 0.004362371348888, 2.016016431548},
          Row{closed, 1, 0.8200735068620326, 0.5145521635857, 0.2897920661064, 1.043322764701},
          Row{changing, 0.1, 0.09999058820918, 0.9996182686489, 0.004284919680406, 1.999248050196},
          Row{changing, 1, 0.7807245591438, 0.5207757249051, 0.2633666658829, 1.057159163868},
          Row{radiation, 0.1, 0.1001748625313, 0.9966485626513, 0.004322377977888, 1.989218782882},
          Row{radiation, 1, 0.7852390051165, 0.5223480529197, 0.2667027914651, 1.058957469002}}) {
        const Growth g = growth(row.background, row.a);
        CAPTURE(row.D1);
        CHECK(g.D1 == within(2e-12, row.D1));
        CHECK(g.f1 == within(2e-12, row.f1));
        CHECK(g.D2 == within(4e-12, row.D2));
        CHECK(g.f2 == within(2e-12, row.f2));
    }
}
