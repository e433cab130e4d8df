// GRAPE-5: Fortran names, and effects of wrong calls.
#include <doctest/doctest.h>

#include "tests/unit/child_process.hpp"
#include "tests/unit/grape5_bodies.hpp"

// Fortran names and arguments.
extern "C" {
void g5_set_n_(int*);
void g5_set_xmj_(int*, int*, double (*)[3], double*);
void g5_calculate_force_on_x_(double (*)[3], double (*)[3], double*, int*);
void g5_set_nmc_(int*, int*);
void g5_set_nMC_(int*, int*);
void chm_g5_error_text_(char*, std::size_t);
}

using namespace chamomile::tests::grape5;
using chamomile::tests::status_of_child;

TEST_SUITE_BEGIN("grape5_misuse");

TEST_CASE("Fortran names call the C functions")
{
    const Opened opened;
    Bodies b = cloud(30);
    int zero = 0, n = 30;
    g5_set_xmj_(&zero, &n, b.rows(), b.m.data());
    g5_set_n_(&n);
    Field f(30);
    g5_calculate_force_on_x_(b.rows(), f.rows(), f.p.data(), &n);
    CHECK(worst(f, reference(b.x, b, 30, [](auto, auto) { return 0.0; })) < 1e-13);
    int seven = 7, wrong = -1;
    g5_set_nmc_(&seven, &n);
    g5_set_nMC_(&seven, &n);
    CHECK(error() == "");
    g5_set_n_(&wrong);
    char text[40];
    chm_g5_error_text_(text, sizeof text);
    CHECK(std::string(text, 40).find("g5_set_nMC: n: -1") == 0);
}

TEST_CASE("misuse gives NaN and an error line, never a crash")
{
    Bodies b = cloud(10);
    const auto fails = [&](const char* line, const std::function<void(Field&)>& calls) {
        CAPTURE(line);
        const Opened opened;
        load(b);
        Field f(10);
        calls(f);
        CHECK(all_nan(f));
        CHECK(error().find(line) != std::string::npos);
        CHECK(error().find('\n') == std::string::npos);
        g5_open();
        CHECK(error() == "");
    };
    const auto after = [&](const char* line, const std::function<void()>& calls) {
        fails(line, [&](Field& f) {
            calls();
            g5_calculate_force_on_x(b.rows(), f.rows(), f.p.data(), 10);
        });
    };
    after("nj: -3", [&] { g5_set_xmj(0, -3, b.rows(), b.m.data()); });
    after("adr: -1", [&] { g5_set_xmj(-1, 3, b.rows(), b.m.data()); });
    after("must be at most", [&] { g5_set_xmj(2147483647, 2147483647, b.rows(), b.m.data()); });
    after("xj: must not be null", [&] { g5_set_xmj(0, 3, nullptr, b.m.data()); });
    after("mj: must not be null", [&] { g5_set_xmj(0, 3, b.rows(), nullptr); });
    after("epsj2: must not be null",
          [&] { chm_g5_set_xmj_symmetric(0, 3, b.rows(), b.m.data(), nullptr); });
    after("n: 11: must be at most the number of loaded particles, 10", [&] { g5_set_n(11); });
    after("j-particle 12: not loaded", [&] {
        g5_set_xmj(10, 2, b.rows() - 10, b.m.data() - 10); // as for arrays of 12
        g5_set_mj(12, 1, b.m.data() - 12);
        g5_set_n(13);
    });
    after("eps: -1", [&] { g5_set_eps_to_all(-1); });
    fails("xi: must not be null",
          [&](Field& f) { g5_calculate_force_on_x(nullptr, f.rows(), f.p.data(), 10); });
    fails("p: must not be null", [&](Field& f) {
        g5_calculate_force_on_x(b.rows(), f.rows(), nullptr, 10);
        f.p.assign(10, NAN);
    });
    fails("a: must not be null", [&](Field& f) {
        g5_calculate_force_on_x(b.rows(), nullptr, f.p.data(), 10);
        f.a.assign(10, {NAN, NAN, NAN});
    });
    fails("call g5_set_xi first", [&](Field& f) {
        g5_run();
        g5_get_force(10, f.rows(), f.p.data());
    });
    fails("call g5_run first", [&](Field& f) {
        g5_set_xi(10, b.rows());
        g5_get_force(10, f.rows(), f.p.data());
    });
    fails("ni: 10: must be at most 5", [&](Field& f) {
        g5_set_xi(5, b.rows());
        g5_run();
        g5_get_force(10, f.rows(), f.p.data());
    });
    fails("ni: 4: must be the number of i-particles, 10", [&](Field& f) {
        double eps[4] = {};
        g5_set_xi(10, b.rows());
        g5_set_eps(4, eps);
        g5_run();
        g5_get_force(10, f.rows(), f.p.data());
    });
    fails("devid: 1024",
          [&](Field& f) { g5_calculate_force_on_xMC(1024, b.rows(), f.rows(), f.p.data(), 10); });
    fails("devid: -1",
          [&](Field& f) { g5_calculate_force_on_xMC(-1, b.rows(), f.rows(), f.p.data(), 10); });
    fails("must be finite", [&](Field& f) {
        Bodies lost = b;
        lost.x[4][1] = INFINITY;
        g5_calculate_force_on_x(lost.rows(), f.rows(), f.p.data(), 10);
    });
    after("f: must not be null", [&] { pg5_gen_force_table(nullptr, 1); });
    after("cut: ", [&] { pg5_gen_force_table([](double) { return 1.0; }, -1); });
    after("CHAMOMILE_PRECISION: half", [&] { setenv("CHAMOMILE_PRECISION", "half", 1); });
    // Negative or no targets: nothing is written.
    const Opened opened;
    load(b);
    g5_calculate_force_on_x(b.rows(), nullptr, nullptr, -5);
    CHECK(error().find("ni: -5") != std::string::npos);
    g5_open();
    g5_calculate_force_on_x(nullptr, nullptr, nullptr, 0);
    CHECK(error() == "");
}

TEST_CASE("a forked process without its parent's threads gets an error")
{
    const Opened opened;
    Bodies b = cloud(300);
    load(b);
    on(b.x);
    CHECK(status_of_child([&] {
              const Field f = on(b.x);
              return all_nan(f) && error().find("forked") != std::string::npos ? 0 : 1;
          }) == 0);
}
