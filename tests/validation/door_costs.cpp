// Cost of a call through the GRAPE libraries relative to the same sum by the pair engine: medians
// of alternating calls in one process.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

#include "chamomile/force/pairs/laws/gravity.hpp"
#include "chamomile/force/pairs/laws/gravity_jerk.hpp"
#include "chamomile/force/pairs/pair_solver.hpp"
#include "chamomile/interfaces/grape5/gp5util.h"
#include "chamomile/interfaces/grape6/gp6util.h"

using namespace chamomile;

namespace {

using Row = double (*)[3];

std::vector<double> numbers(std::size_t n, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> all(n);
    for (double& x : all)
        x = normal(random);
    return all;
}

/// Returns median seconds.
std::vector<double> time(const std::vector<std::function<void()>>& calls, int repeats)
{
    std::vector<std::vector<double>> seconds(calls.size());
    for (int r = -2; r < repeats; ++r)
        for (std::size_t c = 0; c < calls.size(); ++c) {
            const auto begin = std::chrono::steady_clock::now();
            calls[c]();
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
            if (r >= 0)
                seconds[c].push_back(took.count());
        }
    std::vector<double> medians;
    for (auto& s : seconds) {
        std::nth_element(s.begin(), s.begin() + std::ptrdiff_t(s.size() / 2), s.end());
        medians.push_back(s[s.size() / 2]);
    }
    return medians;
}

void grape6(int ni, int nj)
{
    std::vector<double> x = numbers(3 * std::size_t(nj), 1), v = numbers(3 * std::size_t(nj), 2);
    std::vector<double> a(3 * std::size_t(ni)), jerk(a), pot(std::size_t(ni), 0), h2(pot);
    std::vector<int> id(static_cast<std::size_t>(ni)), nnb(id);
    double zero[3] = {};
    g6_open(0);
    for (int j = 0; j < nj; ++j)
        g6_set_j_particle(0, j, j, 0, 0, 1.0 / nj, zero, zero, zero, &v[3 * std::size_t(j)],
                          &x[3 * std::size_t(j)]);
    for (int i = 0; i < ni; ++i)
        id[std::size_t(i)] = i;
    const Row xi = Row(x.data()), vi = Row(v.data());
    double t = 0;
    const auto first = [&](double dt) {
        g6_set_ti(0, t += dt);
        g6calc_firsthalf(0, nj, ni, id.data(), xi, vi, nullptr, nullptr, nullptr, 1e-4, h2.data());
    };
    const auto last = [&] {
        g6calc_lasthalf(0, nj, ni, id.data(), xi, vi, 1e-4, h2.data(), Row(a.data()),
                        Row(jerk.data()), pot.data());
    };

    const auto solver = make_pair_solver(GravityJerk{0.01});
    std::vector<GravityJerk::Target<double>> targets;
    std::vector<GravityJerk::Source<double>> sources;
    std::vector<std::uint32_t> self;
    for (std::size_t j = 0; j < std::size_t(nj); ++j) {
        const Vec3<double> p{x[3 * j], x[3 * j + 1], x[3 * j + 2]},
            q{v[3 * j], v[3 * j + 1], v[3 * j + 2]};
        sources.push_back({p, q, 1.0 / nj});
        if (j < std::size_t(ni)) {
            targets.push_back({p, q});
            self.push_back(std::uint32_t(j));
        }
    }
    std::vector<GravityJerk::Sum<double>> sums(targets.size());
    const PairTask task{as_rows(std::span<const GravityJerk::Target<double>>(targets)),
                        as_rows(std::span<const GravityJerk::Source<double>>(sources)),
                        self,
                        {}};
    const std::vector<double> s =
        time({[&] { first(0.001), last(); }, [&] { first(0), last(); },
              [&] {
                  first(0);
                  g6calc_lasthalf2(0, nj, ni, id.data(), xi, vi, 1e-4, h2.data(), Row(a.data()),
                                   Row(jerk.data()), pot.data(), nnb.data());
              },
              [&] { solver->sum(task, as_rows(std::span(sums))); }},
             ni < 300 ? 61 : 15);
    const double pairs = double(ni) * nj;
    std::printf("| g6 | %d | %d | %.2e | %.2e | %.2e | %.2e | %.2f |\n", ni, nj, pairs / s[0],
                pairs / s[1], pairs / s[2], pairs / s[3], s[1] / s[3]);
    g6_close(0);
}

void grape5(int ni, int nj)
{
    std::vector<double> x = numbers(3 * std::size_t(nj), 1), m(std::size_t(nj), 1.0 / nj);
    std::vector<double> a(3 * std::size_t(ni)), p(static_cast<std::size_t>(ni));
    g5_open();
    g5_set_eps_to_all(0.01);
    const Row xj = Row(x.data());
    const auto solver = make_pair_solver(GravityPotential{0.01});
    std::vector<GravityPotential::Target<double>> targets;
    std::vector<GravityPotential::Source<double>> sources;
    for (std::size_t j = 0; j < std::size_t(nj); ++j) {
        sources.push_back({{x[3 * j], x[3 * j + 1], x[3 * j + 2]}, m[j]});
        if (j < std::size_t(ni))
            targets.push_back({sources[j].position});
    }
    std::vector<GravityPotential::Sum<double>> sums(targets.size());
    const PairTask task{as_rows(std::span<const GravityPotential::Target<double>>(targets)),
                        as_rows(std::span<const GravityPotential::Source<double>>(sources)),
                        {},
                        {}};
    const std::vector<double> s =
        time({[&] {
                  g5_set_xmj(0, nj, xj, m.data());
                  g5_set_n(nj);
                  g5_calculate_force_on_x(xj, Row(a.data()), p.data(), ni);
              },
              [&] { solver->sum(task, as_rows(std::span(sums))); }},
             ni < 300 ? 61 : 15);
    const double pairs = double(ni) * nj;
    std::printf("| g5 | %d | %d | %.2e | | | %.2e | %.2f |\n", ni, nj, pairs / s[0], pairs / s[1],
                s[0] / s[1]);
    g5_close();
}

} // namespace

int main()
{
    std::printf("pairs/s: with prediction, without, with the nearest neighbour too; by the pair "
                "engine itself; time of the call in its\n"
                "| | ni | nj | predicted | at one time | nearest | engine | ratio |\n"
                "|---|---|---|---|---|---|---|---|\n");
    for (const int ni : {16, 48, 256, 2048})
        grape6(ni, 10000);
    for (const int ni : {64, 256, 2048})
        grape5(ni, 2500);
    grape5(10000, 10000);
}
