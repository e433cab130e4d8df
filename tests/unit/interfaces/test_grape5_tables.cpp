// GRAPE-5: cells with quadrupoles, and forces by tables.
#include <doctest/doctest.h>

#include "tests/unit/grape5_bodies.hpp"

using namespace chamomile::tests::grape5;

TEST_SUITE_BEGIN("grape5_tables");

TEST_CASE("cells keep the quadrupole of the bodies and pull along the potential gradient")
{
    const Opened opened;
    // Bodies in pairs about their centers, so third moments vanish.
    std::mt19937 random(3);
    std::normal_distribution<double> normal(0, 0.01);
    Bodies bodies;
    std::vector<Vector> centers{{0, 0, 0}, {0.2, -0.3, 0.1}, {-0.1, 0.1, 0.4}};
    std::vector<double> masses;
    std::vector<std::array<double, 6>> q;
    for (const Vector& center : centers) {
        std::array<double, 6> sum{};
        for (int pair = 0; pair < 4; ++pair) {
            const Vector d{2 * normal(random), normal(random), normal(random)};
            const double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            for (const int sign : {-1, 1}) {
                Vector x = center;
                for (int c = 0; c < 3; ++c)
                    x[c] += sign * d[c];
                bodies.x.push_back(x);
                bodies.m.push_back(0.125);
                int k = 0;
                for (int a = 0; a < 3; ++a)
                    for (int b = a; b < 3; ++b)
                        sum[std::size_t(k++)] += 0.125 * (3 * d[a] * d[b] - (a == b ? d2 : 0));
            }
        }
        masses.push_back(1);
        q.push_back(sum);
    }
    const auto cells = [&](std::vector<Vector> x) {
        Field f(int(x.size()));
        g5c_calculate_force_on_xMC(2, reinterpret_cast<Row>(x.data()), f.rows(), f.p.data(),
                                   int(x.size()));
        return f;
    };
    const Row rows = reinterpret_cast<Row>(centers.data());
    const auto qs = reinterpret_cast<double(*)[6]>(q.data());
    g5c_set_xmjMC(2, 0, 1, rows, masses.data(), qs);
    g5c_set_xmjMC(2, 1, 2, rows, masses.data(), qs);
    g5c_set_nMC(2, 3);
    const std::vector<Vector> targets{{1, 0.2, -0.1}, {-0.4, 1.3, 0.2}, {0.1, 0.3, -1.1}};
    const Field exact = reference(targets, bodies, bodies.count(), [](auto, auto) { return 0.0; });
    CHECK(worst(cells(targets), exact) < 2e-7);
    std::vector<std::array<double, 6>> none(3);
    g5c_set_xmjMC0(2, 0, 3, rows, masses.data(), reinterpret_cast<double(*)[6]>(none.data()));
    CHECK(worst(cells(targets), exact) > 2e-5); // size of the quadrupole term
    // Softened: a = -grad(phi), phi = -p, and the pipelines' calls.
    g5_set_eps_to_all(0.4);
    g5c_set_xmjMC0(2, 0, 3, rows, masses.data(), qs);
    const double h = 1e-4;
    Field f(3);
    std::vector<Vector> x = targets;
    g5_set_xiMC(2, 3, reinterpret_cast<Row>(x.data()));
    g5c_runMC0(2);
    g5_get_forceMC(2, 3, f.rows(), f.p.data());
    for (std::size_t i = 0; i < 3; ++i)
        for (int c = 0; c < 3; ++c) {
            std::vector<Vector> beside(2, targets[i]);
            beside[0][c] -= h;
            beside[1][c] += h;
            const Field p = cells(beside);
            CHECK(f.a[i][c] == doctest::Approx((p.p[1] - p.p[0]) / (2 * h)).epsilon(1e-6));
        }
    CHECK(error() == "");
}

TEST_CASE("forces follow a user table up to its cut-off")
{
    for (const auto& [precision, tolerance] :
         {std::pair("double", 2e-7), std::pair("float", 2e-6)}) {
        const Opened opened(precision);
        Bodies b = cloud(597);
        load(b);
        pg5_set_xscale(1);
        pg5_gen_force_table([](double r) { return std::exp(-r) / std::pow(r * r + 0.01, 1.5); },
                            0.7);
        const Field f = on(b.x);
        Field exact(597);
        for (std::size_t i = 0; i < 597; ++i)
            for (std::size_t j = 0; j < 597; ++j) {
                double d[3], r2 = 0;
                for (int c = 0; c < 3; ++c) {
                    d[c] = b.x[j][c] - b.x[i][c];
                    r2 += d[c] * d[c];
                }
                for (int c = 0; c < 3 && r2 < 0.49; ++c)
                    exact.a[i][c] +=
                        b.m[j] * d[c] * std::exp(-std::sqrt(r2)) / std::pow(r2 + 0.01, 1.5);
            }
        CHECK(f.p == std::vector<double>(597, 0.0));
        exact.p.assign(597, 1.0); // common scale for worst()
        Field shown = f;
        shown.p = exact.p;
        CHECK(worst(shown, exact) < tolerance);
        g5_open(); // Newton again
        CHECK(on(b.x).p[3] > 0);
    }
}

TEST_CASE("S2 forces match integrals over two clouds")
{
    // Force between two clouds with density 48 (a/2 - s) / (pi a^4) at distance r.
    const auto clouds = [](double a, double r) {
        const auto inside = [a](double s) { // mass within s
            return s >= a / 2
                       ? 1
                       : 48 * 4 / std::pow(a, 4) * (a / 2 * s * s * s / 3 - s * s * s * s / 4);
        };
        const int n = 400;
        double sum = 0;
        for (int k = 0; k < n; ++k)
            for (int l = 0; l < n; ++l) {
                const double s = (k + 0.5) / n * a / 2, mu = -1 + 2 * (l + 0.5) / n;
                const double z = r + s * mu, d2 = s * s * (1 - mu * mu) + z * z;
                const double rho = 48 / (3.14159265358979324 * std::pow(a, 4)) * (a / 2 - s);
                sum += rho * 2 * 3.14159265358979324 * s * s * inside(std::sqrt(d2)) * z /
                       std::pow(d2, 1.5);
            }
        return sum * (a / 2 / n) * (2.0 / n);
    };
    const Opened opened;
    Bodies one{{{0, 0, 0}}, {1}};
    load(one);
    pg5_gen_s2_force_table(0.1, 0.5);
    for (const double r : {0.03, 0.08, 0.2, 0.3, 0.48}) {
        const Field f = on({{r, 0, 0}});
        CHECK(-f.a[0][0] == doctest::Approx(clouds(0.1, r) - clouds(0.5, r)).epsilon(2e-4));
    }
    CHECK(on({{0.51, 0, 0}}).a[0][0] == 0);
    CHECK(error() == "");
    pg5_gen_s2_force_table(0, 0.5);
    CHECK(all_nan(on({{0.1, 0, 0}})));
    CHECK(error().find("sft_PP") != std::string::npos);
    g5_open();
    g5_set_cutoff_table(nullptr, 1, 1, nullptr, 1, 1);
    CHECK(all_nan(on({{0.1, 0, 0}})));
    CHECK(error().find("not supported") != std::string::npos);
}
