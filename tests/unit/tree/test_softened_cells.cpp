// Per-particle softening in cells and expansions.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "chamomile/force/expansions/softening_change.hpp"
#include "chamomile/force/gravity.hpp"
#include "chamomile/tree/own_softenings.hpp"
#include "chamomile/tree/tree_builder.hpp"
#include "tests/unit/clouds.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("softened_cells");

TEST_CASE("two lengths represent a cell's softening by mean, variance and third moment")
{
    for (const int lengths : {1, 2, 3, 1000}) {
        CAPTURE(lengths);
        Particles p = plummer(503);
        for (std::size_t i = 0; i < p.size(); ++i)
            p.softening.push_back(0.1 / (1 + int(i) * 7 % lengths));
        Octree octree;
        KeySorter sorter;
        build_octree(octree, p.position, p.mass, 8, sorter);
        TreeParticles particles;
        particles.softening = view_of(std::span(p.softening));
        set_softenings(octree, particles);
        Moments moments;
        compute_moments(moments, octree);
        for (std::size_t c = 0; c < octree.cells.size(); ++c) {
            const Cell& cell = octree.cells[c];
            double mass = 0, mean = 0, moment[4] = {}, largest = 0;
            for (Index k = cell.begin; k < cell.begin + cell.count; ++k) {
                mass += octree.sources[k].mass;
                mean += octree.sources[k].mass * octree.softening[k];
                largest = std::max(largest, octree.softening[k]);
            }
            mean /= mass;
            for (Index k = cell.begin; k < cell.begin + cell.count; ++k)
                for (int n = 2; n < 4; ++n)
                    moment[n] +=
                        octree.sources[k].mass / mass * std::pow(octree.softening[k] - mean, n);
            const CellSoftening& own = moments.softening[c];
            const double unit = 1e-12 * largest;
            CHECK(own.largest == largest);
            CHECK(std::abs(own.mean() - mean) <= unit);
            CHECK(std::abs(own.variance() - moment[2]) <= unit * largest);
            CHECK(std::abs((1 - own.high_part) * std::pow(own.low - mean, 3) +
                           own.high_part * std::pow(own.high - mean, 3) - moment[3]) <=
                  unit * largest * largest);
        }
    }
}

TEST_CASE("softening spans do not depend on the order of lengths")
{
    std::vector<double> own{3, 1, 2, 3, 1, 5, 4, 5, 2};
    std::sort(own.begin(), own.end());
    for (std::size_t n = 1; n <= own.size(); ++n) {
        Random random(n);
        std::vector<double> some(own.begin(), own.begin() + std::ptrdiff_t(n));
        for (int turn = 0; turn < 20; ++turn) {
            std::swap(some[std::size_t(random() * double(n))],
                      some[std::size_t(random() * double(n))]);
            SofteningSpan all = SofteningSpan::of_one(some[0]),
                          rest = SofteningSpan::of_one(some[n / 2]);
            for (std::size_t k = 0; k < n; ++k)
                (k < n / 2 ? all : rest).join(SofteningSpan::of_one(some[k]));
            all.join(rest);
            double inner = own[0];
            for (std::size_t k = 0; k < n; ++k)
                inner = own[k] < own[n - 1] ? own[k] : inner;
            CHECK(all.min == own[0]);
            CHECK(all.largest == own[n - 1]);
            CHECK(all.inner == inner);
        }
    }
}

TEST_CASE("a cell of two lengths matches particles at a point up to third order")
{
    using Law = Gravity<PlummerKernel, RuntimeRule, true>;
    for (const double part : {0.5, 0.1, 0.8})
        for (const double rule_weight : {0.0, 1.0})
            for (const double target : {0.0, 0.01, 0.05}) {
                const double low = 0.01, high = 0.03, u2 = 1.01 + target;
                const Law law = Law::of({0, rule_weight});
                const Frame frame{{}, 1, 1};
                Multipole one;
                one.center = {2 / 3.0, -1 / 3.0, 2 / 3.0};
                one.mass = 2;
                Law::CellSource<double> cell{};
                Law::OctupoleSource<double> series{};
                Law::pack_cell(one, frame, cell);
                Law::pack_cell(one, HigherMoments{}, frame, series);
                const CellSoftening own{low, high, part, high};
                Law::pack_softening(own, 1, cell);
                Law::pack_softening(own, 1, series);
                const Law::Target<double> at{{}, target};
                Law::Sum<double> sum, of_series, exact;
                law(at, cell, sum);
                law(at, series, of_series);
                law(at, Law::Source<double>{one.center, (1 - part) * one.mass, low}, exact);
                law(at, Law::Source<double>{one.center, part * one.mass, high}, exact);
                const double third = 3 * std::pow((high - low) / u2, 3);
                for (const auto& s : {sum, of_series}) {
                    CHECK(norm(s.acceleration - exact.acceleration) <
                          third * norm(exact.acceleration));
                    CHECK(std::abs(s.potential / exact.potential - 1) < third);
                }
            }
}

TEST_CASE("clusters reject cells if the force varies too much with target softening")
{
    AcceptanceCriterion criterion;
    criterion.kind = Criterion::moments;
    criterion.tolerance = 0.001;
    criterion.local_order = 6;
    const WalkUnits units{.length = 2, .mass = 5};
    const SofteningSpan targets{.min = 0.01, .largest = 0.05, .inner = 0.01};
    constexpr double acceleration = 0.7, mass = 0.01; // in these units
    const double d =
        std::pow(mass, 0.25) * softened_expansion_factor(criterion, targets, acceleration, units);
    const auto pull = [&](double eps2) {
        return mass * units.length * units.length * d / std::pow(d * d + eps2, 1.5);
    };
    const double change = (pull(targets.min) - pull(targets.largest)) / 2;
    CHECK(std::abs(change / (criterion.tolerance * acceleration) - 0.015) < 0.0003);
}

TEST_CASE("a change of expansion equals the difference of expansions")
{
    const Vec3<double> r{3, -1.5, 2};
    constexpr double eps2 = 0.4, mass = 3, mean = 0.01, square = 0.0003; // variance included
    LocalExpansion<double, 6> whole;
    ChangeExpansion<double> change;
    const SofteningChange<double> of_cell(r, mass, eps2);
    of_cell.add(mean, square, whole);
    of_cell.add(mean, square, change);
    // Two particles with this mean and square; the difference is of third order.
    const double deviation = std::sqrt(square - mean * mean);
    LocalExpansion<double, 3> exact;
    exact.add_mass(r, mass / 2, eps2 + mean + deviation);
    exact.add_mass(r, mass / 2, eps2 + mean - deviation);
    exact.add_mass(r, -mass, eps2);
    for (int t = 0; t < change.size; ++t) {
        CHECK(std::abs(change.term[t] - exact.term[t]) < 2e-5 * std::abs(exact.term[t]) + 1e-9);
        CHECK(whole.term[t] == change.term[t]);
    }
    for (int t = change.size; t < whole.size; ++t)
        CHECK(whole.term[t] == 0);
}
