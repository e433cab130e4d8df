// The expansion: closed forms, tables made in 40 digits, and limits.
#include <cmath>
#include <initializer_list>

#include <doctest/doctest.h>

#include "chamomile/core/cosmology/background.hpp"
#include "chamomile/core/error.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("background");

namespace {

Background flat(double omega_matter)
{
    return {.omega_matter = omega_matter, .omega_lambda = 1 - omega_matter};
}

} // namespace

TEST_CASE("the redshift at a = 1 is 0 despite rounding")
{
    for (double a : {0.9999999999999998, 1.0, 1.0000000000000002})
        CHECK(redshift_of(a) == 0);
    CHECK(redshift_of(0.999999999999) == within(1e-3, 1e-12));
    CHECK(redshift_of(0.25) == 3);
}

TEST_CASE("ages match the closed form of a flat universe")
{
    struct Row {
        double omega_matter, a, age;
    };
    for (const Row& row : {Row{1, 0.3, 2. / 3 * std::pow(0.3, 1.5)}, Row{0.25, 1, 1.0137946617346},
                           Row{0.3, 0.02, 0.003442641152913}, Row{0.3, 0.1, 0.038475065300626},
                           Row{0.3, 0.5, 0.41175955086787}, Row{0.3, 1, 0.96409938163947},
                           Row{0.3089, 1, 0.95623192609476}, Row{0.315, 1, 0.95098548995172},
                           Row{0.32, 1, 0.94676974974719}})
        CHECK(flat(row.omega_matter).age(row.a) == within(1e-12, row.age));
}

TEST_CASE("kicks and drifts with matter only match square-root formulas")
{
    const Background matter = flat(1);
    for (double a : {1e-4, 0.02, 0.5})
        for (double b : {0.021, 0.6, 1.0, 2.0}) {
            CHECK(matter.kick(a, b) == within(1e-12, 2 * (std::sqrt(b) - std::sqrt(a))));
            CHECK(matter.drift(a, b) == within(1e-12, 2 * (1 / std::sqrt(a) - 1 / std::sqrt(b))));
            CHECK(matter.kick(b, a) == within(1e-14, -matter.kick(a, b)));
        }
}

TEST_CASE("kicks and drifts with matter and Lambda match reference values")
{
    struct Row {
        double from, to, drift, kick;
    };
    for (const Row& row : {Row{0.02, 0.04, 7.5622459577914, 0.2138918630089},
                           Row{0.1, 0.11, 0.53664428087268, 0.05628355508798},
                           Row{0.5, 1, 1.1204577889652, 0.77142706642781},
                           Row{0.02, 1, 21.638790324577, 2.7886787374855}}) {
        CHECK(flat(0.3).drift(row.from, row.to) == within(1e-12, row.drift));
        CHECK(flat(0.3).kick(row.from, row.to) == within(1e-12, row.kick));
    }
    // PKDGRAV3's values, in time units with H0 = sqrt(8 pi / 3).
    const double H0 = std::sqrt(8 * M_PI / 3);
    CHECK(flat(0.32).age(1) / H0 == within(1e-13, 0.32710340943409555));
    const Background b = flat(0.32);
    const auto scale_factor = [&](double time) { // by Newton's method
        double a = 0.4;
        for (int k = 0; k < 40; ++k)
            a -= (b.age(a) / H0 - time) * H0 * a * b.expansion(a);
        return a;
    };
    const double from = scale_factor(0.1), to = scale_factor(0.11); // PKDGRAV3's arguments: 0.1,
                                                                    // 0.01
    CHECK(b.drift(from, to) / H0 == within(1e-13, 0.05912002238902069));
    CHECK(b.kick(from, to) / H0 == within(1e-13, 0.024310129641862636));
}

TEST_CASE("ages, kicks and drifts include curvature, evolving dark energy and radiation")
{
    struct Row {
        Background background;
        double E, early_age, age, kick, drift; // E and the first age at a = 0.1; from 0.02 to 1
    };
    for (const Row& row :
         {Row{{.omega_matter = 0.3, .omega_lambda = 0},
              19.23538406167134,
              0.03608880225957456,
              0.8087932546603414,
              2.379834718601624,
              19.74881700821193},
          Row{{.omega_matter = 0.3, .omega_lambda = 0.75},
              17.19738352191984,
              0.03866785239202806,
              0.9799061612613274,
              2.829547096937773,
              21.8125864521475},
          Row{{.omega_matter = 0.31, .omega_lambda = 0.69, .w0 = -0.9},
              17.64587008331775,
              0.03783415494265638,
              0.9401591936024174,
              2.723745465218711,
              21.231639223914},
          Row{{.omega_matter = 0.31, .omega_lambda = 0.69, .w0 = -0.8, .wa = -0.6},
              17.61306309609097,
              0.03786049058599222,
              0.945850613809223,
              2.742360539608933,
              21.2993696628497},
          Row{{.omega_matter = 0.31, .omega_lambda = 0.6899, .omega_radiation = 1e-4},
              17.65474157273337,
              0.03768039682935804,
              0.9548536426112935,
              2.750061302557803,
              21.23643814317584}}) {
        const Background& b = row.background;
        CHECK(b.expansion(0.1) == within(1e-13, row.E));
        CHECK(b.age(0.1) == within(1e-12, row.early_age));
        CHECK(b.age(1) == within(1e-12, row.age));
        CHECK(b.kick(0.02, 1) == within(1e-12, row.kick));
        CHECK(b.drift(0.02, 1) == within(1e-12, row.drift));
        const double slope = (std::log(b.expansion(0.1001)) - std::log(b.expansion(0.0999))) /
                             std::log(0.1001 / 0.0999);
        CHECK(b.expansion_slope(0.1) == within(1e-6, slope));
    }
}

TEST_CASE("backgrounds without an expansion from a = 0.02 to 1 are refused")
{
    CHECK_THROWS_AS(validate({.omega_matter = 0}, 0.02, 1), Error);
    CHECK_THROWS_AS(validate({.omega_radiation = -1e-4}, 0.02, 1), Error);
    CHECK_THROWS_AS(validate({.wa = std::nan("")}, 0.02, 1), Error);
    CHECK_THROWS_AS(validate({.hubble = 0}, 0.02, 1), Error);
    CHECK_THROWS_AS(validate({.omega_matter = 0.3, .omega_lambda = 2}, 0.02, 1), Error); // bounces
    validate({.omega_matter = 0.3, .omega_lambda = 1.2}, 0.02, 1);
}
