// The GRAPE-5 calls against plain loops in double: signs, self terms, addresses, softenings,
// devices.
#include <thread>

#include <doctest/doctest.h>

#include "tests/unit/grape5_bodies.hpp"

using namespace chamomile::tests::grape5;

TEST_SUITE_BEGIN("grape5");

TEST_CASE("forces and positive potentials with self terms match sums in both precisions")
{
    for (const auto& [name, tolerance] : {std::pair("double", 1e-13), std::pair("float", 1e-6)})
        for (const double eps : {0.0, 0.05}) {
            const char* const precision = name;
            CAPTURE(precision);
            CAPTURE(eps);
            const Opened opened(precision);
            Bodies b = cloud(597);
            g5_set_eps_to_all(eps);
            g5_set_range(-10, 10, 1e-6);
            load(b);
            const Field f = on(b.x);
            const Field exact = reference(b.x, b, b.count(), [&](auto, auto) { return eps * eps; });
            CHECK(worst(f, exact) < tolerance);
            // The self term: the potential of a single body.
            g5_set_n(1);
            const Field alone = on({b.x[0]});
            CHECK(alone.p[0] == doctest::Approx(eps > 0 ? b.m[0] / eps : 0).epsilon(1e-6));
            CHECK(alone.a[0] == Vector{0, 0, 0});
            CHECK(error() == "");
        }
}

TEST_CASE("the caller chooses the sign of potentials")
{
    const Opened opened;
    Bodies b = cloud(50);
    load(b);
    const Field phantom = on(b.x);
    chm_g5_set_potential_sign(-1);
    const Field sapporo = on(b.x);
    CHECK(phantom.p[7] > 0);
    for (std::size_t i = 0; i < 50; ++i) {
        CHECK(sapporo.p[i] == -phantom.p[i]);
        CHECK(sapporo.a[i] == phantom.a[i]);
    }
    chm_g5_set_potential_sign(0);
    CHECK(error().find("sign: 0") != std::string::npos);
}

TEST_CASE("without softening coincident bodies exert no force on each other")
{
    for (const char* precision : {"double", "float"}) {
        const Opened opened(precision);
        Bodies b = cloud(97);
        b.x[5] = b.x[60];
        load(b);
        CHECK(worst(on(b.x), reference(b.x, b, 97, [](auto, auto) { return 0.0; })) < 1e-6);
    }
}

TEST_CASE("pairs closer than float resolution keep their force")
{
    const Opened opened("float");
    Bodies b = cloud(97);
    b.x[5] = b.x[60];
    b.x[5][0] = std::nextafter(b.x[60][0], 100);
    load(b);
    CHECK(worst(on(b.x), reference(b.x, b, 97, [](auto, auto) { return 0.0; })) < 1e-6);
}

TEST_CASE("j-memory addresses count from its start; pieces arrive in any order")
{
    const Opened opened;
    Bodies b = cloud(597);
    load(b);
    const Field whole = on(b.x);
    g5_close();
    g5_set_n(597);
    g5_set_xmj(301, 296, b.rows(), b.m.data());
    g5_set_xmj(0, 150, b.rows(), b.m.data());
    g5_set_jp(150, 100, b.m.data(), b.rows());
    g5_set_mj(250, 51, b.m.data());
    g5_set_xj(250, 51, b.rows());
    const Field pieces = on(b.x);
    CHECK(pieces.a == whole.a);
    CHECK(pieces.p == whole.p);
    // A part of the bodies; then a new part, which leaves the rest unchanged.
    g5_set_n(300);
    CHECK(worst(on(b.x), reference(b.x, b, 300, [](auto, auto) { return 0.0; })) < 1e-13);
    b.m[17] *= 100;
    g5_set_mj(17, 1, b.m.data());
    g5_set_n(597);
    CHECK(worst(on(b.x), reference(b.x, b, 597, [](auto, auto) { return 0.0; })) < 1e-13);
    CHECK(error() == "");
}

TEST_CASE("g5_run() in pieces equals a single call for all bodies")
{
    const Opened opened;
    Bodies b = cloud(597);
    g5_set_eps_to_all(0.1);
    load(b);
    const Field all = on(b.x);
    Field f(597);
    const int pipes = 100;
    for (int first = 0; first < 597; first += pipes) {
        const int n = std::min(pipes, 597 - first);
        g5_set_xi(n, b.rows() + first);
        g5_run();
        g5_get_force(n, f.rows() + first, f.p.data() + first);
    }
    CHECK(f.a == all.a);
    CHECK(f.p == all.p);
    CHECK(g5_get_number_of_pipelines() == 16384);
    setenv("CHAMOMILE_PIPES", "96", 1);
    CHECK(g5_get_number_of_pipelines() == 96);
    unsetenv("CHAMOMILE_PIPES");
    CHECK(g5_get_jmemsize() >= 65536);
}

TEST_CASE("g5_set_eps() and g5_set_xei() soften each target; g5_set_eps_to_all() resets")
{
    const Opened opened;
    Bodies b = cloud(97);
    std::vector<double> eps, eps2;
    for (int i = 0; i < 97; ++i) {
        eps.push_back(0.01 * i);
        eps2.push_back(1e-4 * i * i);
    }
    g5_set_eps_to_all(0.3);
    load(b);
    const Field exact = reference(b.x, b, 97, [&](std::size_t i, auto) { return eps2[i]; });
    Field f(97);
    g5_set_xi(97, b.rows());
    g5_set_eps(97, eps.data());
    g5_run();
    g5_get_force(97, f.rows(), f.p.data());
    CHECK(worst(f, exact) < 1e-13);
    Field g(97);
    g5_set_xei(97, b.rows(), eps2.data());
    g5_run();
    g5_get_force(97, g.rows(), g.p.data());
    CHECK(worst(g, exact) < 1e-13);
    Field h(97);
    g5_calculate_force_on_xe(b.rows(), eps2.data(), h.rows(), h.p.data(), 97);
    CHECK(worst(h, exact) < 1e-13);
    const Field all = reference(b.x, b, 97, [](auto, auto) { return 0.09; });
    g5_set_xi(97, b.rows());
    g5_run();
    g5_get_force(97, f.rows(), f.p.data());
    CHECK(worst(f, all) < 1e-13);
    g5_set_eps2_to_all(0.09);
    CHECK(worst(on(b.x), all) < 1e-13);
    CHECK(error() == "");
}

TEST_CASE("chm_g5_set_xmj_symmetric() sets per-source softening")
{
    const Opened opened;
    Bodies b = cloud(97);
    std::vector<double> epsj2;
    for (int j = 0; j < 97; ++j)
        epsj2.push_back(1e-3 * j);
    g5_set_eps_to_all(0.2);
    chm_g5_set_xmj_symmetric(0, 51, b.rows(), b.m.data(), epsj2.data());
    chm_g5_set_xmj_symmetric(51, 46, b.rows(), b.m.data(), epsj2.data()); // an odd address
    g5_set_n(97);
    CHECK(worst(on(b.x), reference(b.x, b, 97,
                                   [&](auto, std::size_t j) { return 0.04 + epsj2[j]; })) < 1e-13);
    g5_set_xmj(0, 97, b.rows(), b.m.data());
    CHECK(worst(on(b.x), reference(b.x, b, 97, [&](auto, auto) { return 0.04; })) < 1e-13);
}

TEST_CASE("devices keep separate memories and work in concurrent threads")
{
    const Opened opened;
    g5_set_eps_to_all(0.1);
    std::vector<double> errors(6, 1);
    std::vector<std::thread> threads;
    for (int dev = 0; dev < 6; ++dev)
        threads.emplace_back([dev, &errors] {
            Bodies b = cloud(101 + 13 * dev, unsigned(dev));
            Field f(b.count());
            double max = 0;
            for (int repeat = 0; repeat < 5; ++repeat) {
                g5_set_xmjMC(dev, 0, b.count(), b.rows(), b.m.data());
                g5_set_nMC(dev, b.count());
                g5_calculate_force_on_xMC(dev, b.rows(), f.rows(), f.p.data(), b.count());
                max = std::max(
                    max, worst(f, reference(b.x, b, b.count(), [](auto, auto) { return 0.01; })));
            }
            errors[std::size_t(dev)] = max;
        });
    for (std::thread& thread : threads)
        thread.join();
    for (const double e : errors)
        CHECK(e < 1e-13);
    CHECK(error() == "");
    // Two threads on one device: one after the other.
    Bodies b = cloud(300);
    load(b);
    const Field exact = reference(b.x, b, 300, [](auto, auto) { return 0.01; });
    std::array<double, 2> max{};
    std::vector<std::thread> two;
    for (std::size_t t = 0; t < 2; ++t)
        two.emplace_back([&, t] {
            for (int repeat = 0; repeat < 10; ++repeat)
                max[t] = std::max(max[t], worst(on(b.x), exact));
        });
    for (std::thread& thread : two)
        thread.join();
    CHECK(std::max(max[0], max[1]) < 1e-13);
}
