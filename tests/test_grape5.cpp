// The GRAPE-5 calls against plain loops in double: signs, self terms, addresses, softenings, cells,
// tables, devices, misuse.
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "clients/grape5/gp5util.h"

// As Fortran calls them.
extern "C" {
void g5_set_n_(int*);
void g5_set_xmj_(int*, int*, double (*)[3], double*);
void g5_calculate_force_on_x_(double (*)[3], double (*)[3], double*, int*);
void g5_set_nmc_(int*, int*);
void g5_set_nMC_(int*, int*);
void chm_g5_error_text_(char*, std::size_t);
}

TEST_SUITE_BEGIN("grape5");

namespace {

using Vector = std::array<double, 3>;
using Row = double (*)[3];

struct Bodies {
    std::vector<Vector> x;
    std::vector<double> m;

    Row rows() { return reinterpret_cast<Row>(x.data()); }
    int count() const { return int(x.size()); }
};

Bodies cloud(int n, unsigned seed = 1)
{
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> mass(0.5, 1.5);
    Bodies b;
    for (int k = 0; k < n; ++k) {
        b.x.push_back({3 + normal(random), -2 + normal(random), normal(random)});
        b.m.push_back(mass(random) / n);
    }
    return b;
}

struct Field {
    std::vector<Vector> a;
    std::vector<double> p;

    explicit Field(int n) : a(std::size_t(n)), p(std::size_t(n)) {}
    Row rows() { return reinterpret_cast<Row>(a.data()); }
};

/// +sum m / u; eps2 of each target.
Field reference(const std::vector<Vector>& targets, const Bodies& sources, int used,
                const std::function<double(std::size_t, std::size_t)>& eps2)
{
    Field field(int(targets.size()));
    for (std::size_t i = 0; i < targets.size(); ++i)
        for (std::size_t j = 0; j < std::size_t(used); ++j) {
            double d[3], s = eps2(i, j);
            for (int c = 0; c < 3; ++c) {
                d[c] = sources.x[j][c] - targets[i][c];
                s += d[c] * d[c];
            }
            if (s == 0)
                continue;
            for (int c = 0; c < 3; ++c)
                field.a[i][c] += sources.m[j] * d[c] / std::pow(s, 1.5);
            field.p[i] += sources.m[j] / std::sqrt(s);
        }
    return field;
}

double worst(const Field& a, const Field& b)
{
    double worst = 0, size = 0, depth = 0;
    for (std::size_t i = 0; i < b.a.size(); ++i) {
        size = std::max(size, std::hypot(b.a[i][0], b.a[i][1], b.a[i][2]));
        depth = std::max(depth, std::abs(b.p[i]));
    }
    for (std::size_t i = 0; i < a.a.size(); ++i) {
        for (int c = 0; c < 3; ++c) {
            const double e = std::abs(a.a[i][c] - b.a[i][c]) / size;
            worst = e > worst || std::isnan(e) ? e : worst;
        }
        const double e = std::abs(a.p[i] - b.p[i]) / depth;
        worst = e > worst || std::isnan(e) ? e : worst;
    }
    return worst;
}

bool all_nan(const Field& f)
{
    for (std::size_t i = 0; i < f.p.size(); ++i)
        if (!std::isnan(f.p[i]) || !std::isnan(f.a[i][0]) || !std::isnan(f.a[i][2]))
            return false;
    return true;
}

/// A library just opened, in one precision; closed at the end.
struct Opened {
    explicit Opened(const char* precision = "double")
    {
        setenv("CHAMOMILE_PRECISION", precision, 1);
        g5_close();
        g5_open();
    }
    ~Opened()
    {
        chm_g5_set_potential_sign(1);
        g5_set_eps_to_all(0);
        g5_close();
        g5_open();
        unsetenv("CHAMOMILE_PRECISION");
    }
};

std::string error()
{
    return g5_get_error();
}

void load(Bodies& b)
{
    g5_set_xmj(0, b.count(), b.rows(), b.m.data());
    g5_set_n(b.count());
}

Field on(std::vector<Vector> x)
{
    Field f(int(x.size()));
    g5_calculate_force_on_x(reinterpret_cast<Row>(x.data()), f.rows(), f.p.data(), int(x.size()));
    return f;
}

} // namespace

TEST_CASE("forces and positive potentials with self terms, in both precisions")
{
    for (const auto& [precision, tolerance] :
         {std::pair("double", 1e-13), std::pair("float", 1e-6)})
        for (const double eps : {0.0, 0.05}) {
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
            // The self term: what is left of one body alone.
            g5_set_n(1);
            const Field alone = on({b.x[0]});
            CHECK(alone.p[0] == doctest::Approx(eps > 0 ? b.m[0] / eps : 0).epsilon(1e-6));
            CHECK(alone.a[0] == Vector{0, 0, 0});
            CHECK(error() == "");
        }
}

TEST_CASE("the sign of potentials is the caller's choice")
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

TEST_CASE("without softening distinct bodies at one place add nothing")
{
    for (const char* precision : {"double", "float"}) {
        const Opened opened(precision);
        Bodies b = cloud(97);
        b.x[5] = b.x[60];
        load(b);
        CHECK(worst(on(b.x), reference(b.x, b, 97, [](auto, auto) { return 0.0; })) < 1e-6);
    }
}

TEST_CASE("pairs closer than float can tell keep their pull")
{
    const Opened opened("float");
    Bodies b = cloud(97);
    b.x[5] = b.x[60];
    b.x[5][0] = std::nextafter(b.x[60][0], 100);
    load(b);
    CHECK(worst(on(b.x), reference(b.x, b, 97, [](auto, auto) { return 0.0; })) < 1e-6);
}

TEST_CASE("addresses are those of the whole array, and pieces come in any order")
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
    // Part of them; and a part anew, which leaves the rest as it was.
    g5_set_n(300);
    CHECK(worst(on(b.x), reference(b.x, b, 300, [](auto, auto) { return 0.0; })) < 1e-13);
    b.m[17] *= 100;
    g5_set_mj(17, 1, b.m.data());
    g5_set_n(597);
    CHECK(worst(on(b.x), reference(b.x, b, 597, [](auto, auto) { return 0.0; })) < 1e-13);
    CHECK(error() == "");
}

TEST_CASE("the pipelines' calls give what one call for all gives")
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

TEST_CASE("softenings of each target: lengths, squares, and back to that of all")
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

TEST_CASE("sources with softenings of their own")
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

TEST_CASE("devices have memories of their own, and threads may use them at once")
{
    const Opened opened;
    g5_set_eps_to_all(0.1);
    std::vector<double> errors(6, 1);
    std::vector<std::thread> threads;
    for (int dev = 0; dev < 6; ++dev)
        threads.emplace_back([dev, &errors] {
            Bodies b = cloud(101 + 13 * dev, unsigned(dev));
            Field f(b.count());
            double most = 0;
            for (int repeat = 0; repeat < 5; ++repeat) {
                g5_set_xmjMC(dev, 0, b.count(), b.rows(), b.m.data());
                g5_set_nMC(dev, b.count());
                g5_calculate_force_on_xMC(dev, b.rows(), f.rows(), f.p.data(), b.count());
                most = std::max(
                    most, worst(f, reference(b.x, b, b.count(), [](auto, auto) { return 0.01; })));
            }
            errors[std::size_t(dev)] = most;
        });
    for (std::thread& thread : threads)
        thread.join();
    for (const double e : errors)
        CHECK(e < 1e-13);
    CHECK(error() == "");
    // Two threads, one device: one after the other.
    Bodies b = cloud(300);
    load(b);
    const Field exact = reference(b.x, b, 300, [](auto, auto) { return 0.01; });
    std::array<double, 2> most{};
    std::vector<std::thread> two;
    for (std::size_t t = 0; t < 2; ++t)
        two.emplace_back([&, t] {
            for (int repeat = 0; repeat < 10; ++repeat)
                most[t] = std::max(most[t], worst(on(b.x), exact));
        });
    for (std::thread& thread : two)
        thread.join();
    CHECK(std::max(most[0], most[1]) < 1e-13);
}

TEST_CASE("cells: their quadrupole is that of the bodies in them, their pull the slope of their "
          "potential")
{
    const Opened opened;
    // Bodies in pairs about their centres, so that third moments vanish.
    std::mt19937 random(3);
    std::normal_distribution<double> normal(0, 0.01);
    Bodies bodies;
    std::vector<Vector> centres{{0, 0, 0}, {0.2, -0.3, 0.1}, {-0.1, 0.1, 0.4}};
    std::vector<double> masses;
    std::vector<std::array<double, 6>> q;
    for (const Vector& centre : centres) {
        std::array<double, 6> sum{};
        for (int pair = 0; pair < 4; ++pair) {
            const Vector d{2 * normal(random), normal(random), normal(random)};
            const double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            for (const int sign : {-1, 1}) {
                Vector x = centre;
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
    const Row rows = reinterpret_cast<Row>(centres.data());
    const auto qs = reinterpret_cast<double(*)[6]>(q.data());
    g5c_set_xmjMC(2, 0, 1, rows, masses.data(), qs);
    g5c_set_xmjMC(2, 1, 2, rows, masses.data(), qs);
    g5c_set_nMC(2, 3);
    const std::vector<Vector> targets{{1, 0.2, -0.1}, {-0.4, 1.3, 0.2}, {0.1, 0.3, -1.1}};
    const Field exact = reference(targets, bodies, bodies.count(), [](auto, auto) { return 0.0; });
    CHECK(worst(cells(targets), exact) < 2e-7);
    std::vector<std::array<double, 6>> none(3);
    g5c_set_xmjMC0(2, 0, 3, rows, masses.data(), reinterpret_cast<double(*)[6]>(none.data()));
    CHECK(worst(cells(targets), exact) > 2e-5); // so much the quadrupoles are
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

TEST_CASE("forces by a table, with a cut")
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
        exact.p.assign(597, 1.0); // a scale for worst(), which both have
        Field shown = f;
        shown.p = exact.p;
        CHECK(worst(shown, exact) < tolerance);
        g5_open(); // Newton again
        CHECK(on(b.x).p[3] > 0);
    }
}

TEST_CASE("S2 clouds pull as integrals over clouds do")
{
    // The pull of a cloud of density 48 (a/2 - s) / (pi a^4) on another at distance r.
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

TEST_CASE("Fortran's names")
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

TEST_CASE("misuse becomes NaN and a line, never a crash")
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
    const auto evaluate = [&](Field& f) {
        g5_calculate_force_on_x(b.rows(), f.rows(), f.p.data(), 10);
    };
    fails("nj: -3", [&](Field& f) {
        g5_set_xmj(0, -3, b.rows(), b.m.data());
        evaluate(f);
    });
    fails("adr: -1", [&](Field& f) {
        g5_set_xmj(-1, 3, b.rows(), b.m.data());
        evaluate(f);
    });
    fails("must be at most", [&](Field& f) {
        g5_set_xmj(2147483647, 2147483647, b.rows(), b.m.data());
        evaluate(f);
    });
    fails("xj: a null pointer", [&](Field& f) {
        g5_set_xmj(0, 3, nullptr, b.m.data());
        evaluate(f);
    });
    fails("mj: a null pointer", [&](Field& f) {
        g5_set_xmj(0, 3, b.rows(), nullptr);
        evaluate(f);
    });
    fails("epsj2: a null pointer", [&](Field& f) {
        chm_g5_set_xmj_symmetric(0, 3, b.rows(), b.m.data(), nullptr);
        evaluate(f);
    });
    fails("n: 11: 10 were loaded", [&](Field& f) {
        g5_set_n(11);
        evaluate(f);
    });
    fails("j-particle 12: was not loaded", [&](Field& f) {
        g5_set_xmj(10, 2, b.rows() - 10, b.m.data() - 10); // as from arrays of 12
        g5_set_mj(12, 1, b.m.data() - 12);
        g5_set_n(13);
        evaluate(f);
    });
    fails("eps: -1", [&](Field& f) {
        g5_set_eps_to_all(-1);
        evaluate(f);
    });
    fails("xi: a null pointer",
          [&](Field& f) { g5_calculate_force_on_x(nullptr, f.rows(), f.p.data(), 10); });
    fails("p: a null pointer", [&](Field& f) {
        g5_calculate_force_on_x(b.rows(), f.rows(), nullptr, 10);
        f.p.assign(10, NAN);
    });
    fails("a: a null pointer", [&](Field& f) {
        g5_calculate_force_on_x(b.rows(), nullptr, f.p.data(), 10);
        f.a.assign(10, {NAN, NAN, NAN});
    });
    fails("g5_set_xi must come before", [&](Field& f) {
        g5_run();
        g5_get_force(10, f.rows(), f.p.data());
    });
    fails("g5_run must come before", [&](Field& f) {
        g5_set_xi(10, b.rows());
        g5_get_force(10, f.rows(), f.p.data());
    });
    fails("ni: 10: must be at most 5", [&](Field& f) {
        g5_set_xi(5, b.rows());
        g5_run();
        g5_get_force(10, f.rows(), f.p.data());
    });
    fails("ni: 4: must be that of the 10", [&](Field& f) {
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
    fails("f: a null pointer", [&](Field& f) {
        pg5_gen_force_table(nullptr, 1);
        evaluate(f);
    });
    fails("cut: ", [&](Field& f) {
        pg5_gen_force_table([](double) { return 1.0; }, -1);
        evaluate(f);
    });
    fails("CHAMOMILE_PRECISION: half", [&](Field& f) {
        setenv("CHAMOMILE_PRECISION", "half", 1);
        evaluate(f);
    });
    // Negative and no targets: nothing is written.
    const Opened opened;
    load(b);
    g5_calculate_force_on_x(b.rows(), nullptr, nullptr, -5);
    CHECK(error().find("ni: -5") != std::string::npos);
    g5_open();
    g5_calculate_force_on_x(nullptr, nullptr, nullptr, 0);
    CHECK(error() == "");
}
