#include "tests/unit/text_law_behaviours.hpp"

#include <functional>

#include <doctest/doctest.h>

#include "chamomile/force/pairs/laws/gravity.hpp"
#include "chamomile/force/pairs/laws/gravity_jerk.hpp"
#include "tests/unit/text_laws.hpp"

namespace chamomile::tests {
namespace {

using MakeSolver = std::function<std::unique_ptr<PairSolver>(const PairOptions&)>;

/// Returns the max difference between two sums with `width` values, relative to the max of each
/// value.
double largest_difference(const std::vector<double>& a, const std::vector<double>& b, int width)
{
    double largest = 0;
    for (std::size_t f = 0; f < std::size_t(width); ++f) {
        double difference = 0, scale = 0;
        for (std::size_t k = f; k < a.size(); k += std::size_t(width)) {
            const double d = std::abs(a[k] - b[k]);
            difference = d <= difference ? difference : d; // keeps NaN
            scale = std::max(scale, std::abs(b[k]));
        }
        largest = difference <= largest * scale ? largest : difference / scale;
    }
    return largest;
}

void check_against(const Machine& machine, const TextLaw& text, const MakeSolver& built_in)
{
    // Few targets, many, and within a cut-off; too many for all pairs to count as close.
    for (const auto& [targets_of_case, cutoff] :
         {std::pair(2300ul, 1e9), {9000ul, 1e9}, {2300ul, 0.3}}) {
        const std::size_t n = targets_of_case;
        const std::size_t m = cutoff < 1 ? 2101 : 5000;
        const LawShape shape = text.code().shape;
        const auto targets = random_rows(n, std::size_t(shape.target), 1),
                   sources = random_rows(m, std::size_t(shape.source), 2);
        std::vector<std::uint32_t> self(n, no_source);
        for (std::uint32_t i = 0; i < n; i += 3)
            self[i] = i % m;
        for (const bool precise : {false, true}) {
            CAPTURE(n);
            CAPTURE(precise);
            PairOptions options = pair_options(machine, precise ? Precision::double_precision
                                                                : Precision::single_precision);
            if (cutoff < 1)
                options.cutoff = cutoff;
            std::vector<double> a(n * std::size_t(shape.sum)), b = a;
            const PairTask task{targets, sources, self, {}};
            make_pair_solver(text, options)->sum(task, a);
            built_in(options)->sum(task, b);
            CHECK(largest_difference(a, b, shape.sum) < (precise ? 1e-13 : 2e-6));
            if (machine.device == "cpu") // two programs; on a GPU bits may agree
                CHECK(largest_difference(a, b, shape.sum) > 0);
        }
    }
}

} // namespace

std::vector<double> random_rows(std::size_t n, std::size_t width, unsigned seed)
{
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> values(-1, 1);
    std::vector<double> rows(n * width);
    for (std::size_t k = 0; k < rows.size(); ++k)
        rows[k] = k % width + 1 == width && width > 3 ? 1 + 0.5 * values(random) : values(random);
    return rows;
}

void check_text_laws(const Machine& machine)
{
    TextLaw gravity(gravity_text, "gravity");
    gravity.set("eps2", 0.01);
    check_against(machine, gravity,
                  [](const PairOptions& o) { return make_pair_solver(GravityPotential{0.1}, o); });
    TextLaw jerk(gravity_jerk_text, "jerk");
    jerk.set("eps2", 0.01);
    check_against(machine, jerk,
                  [](const PairOptions& o) { return make_pair_solver(GravityJerk{0.1}, o); });

    // Close pairs keep their digits: coordinates near 1, pairs 1e-4 apart.
    gravity.set("eps2", 0);
    const auto places = random_rows(100, 3, 5);
    std::vector<double> partners(400, 1.0), single(400), exact(400);
    for (std::size_t k = 0; k < places.size(); ++k)
        partners[k / 3 * 4 + k % 3] = places[k] + 1e-4 * places[(k + 7) % places.size()];
    for (auto* sums : {&single, &exact})
        make_pair_solver(gravity,
                         pair_options(machine, sums == &exact ? Precision::double_precision
                                                              : Precision::single_precision))
            ->sum({places, partners, {}, {}}, *sums);
    CHECK(largest_difference(single, exact, 4) < 2e-6);

    TextLaw everything(everything_text, "everything");
    const auto targets = random_rows(70, 5, 3), sources = random_rows(101, 5, 4);
    for (const double mode : {1.0, 2.0, 5.0}) {
        everything.set("mode", mode);
        std::vector<double> plain(70 * 4), sums = plain;
        for (std::size_t i = 0; i < 70; ++i)
            for (std::size_t j = 0; j < 101; ++j)
                add_pair(everything.text(), everything.parameters(), std::span(&targets[5 * i], 5),
                         std::span(&sources[5 * j], 5), std::span(&plain[4 * i], 4));
        for (const bool precise : {false, true}) {
            CAPTURE(mode);
            CAPTURE(precise);
            const auto options = pair_options(machine, precise ? Precision::double_precision
                                                               : Precision::single_precision);
            make_pair_solver(everything, options)->sum({targets, sources, {}, {}}, sums);
            CHECK(largest_difference(sums, plain, 4) < (precise ? 1e-13 : 2e-6));
        }
    }
}

} // namespace chamomile::tests
