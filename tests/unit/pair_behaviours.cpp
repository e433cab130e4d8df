#include "tests/unit/pair_behaviours.hpp"

#include <cstring>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/force/pairs/laws/gravity.hpp"
#include "chamomile/force/pairs/laws/gravity_jerk.hpp"
#include "chamomile/force/threads.hpp"
#include "tests/unit/laws/count_within.hpp"
#include "tests/unit/laws/dot_product.hpp"

namespace chamomile::tests {
namespace {

/// Returns records with random values in -1 .. 1, or 0 .. 1 for masses.
template <class Record>
std::vector<Record> random_records(std::size_t n, unsigned seed)
{
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> values(-1, 1);
    std::vector<Record> records(n);
    for (Record& record : records) {
        double row[sizeof(Record) / sizeof(double)];
        for (double& value : row)
            value = values(random);
        std::memcpy(static_cast<void*>(&record), row, sizeof record);
        if constexpr (requires { record.mass; })
            record.mass = std::abs(record.mass);
    }
    return records;
}

template <class Law>
void check_law(const Machine& machine, const Law& law)
{
    const std::pair<std::size_t, std::size_t> sizes[] = {
        {1, 1}, {1, 597}, {17, 31}, {33, 64}, {597, 1}, {129, 1200}, {2500, 2499}};
    for (const auto& size : sizes) {
        const std::size_t n = size.first, m = size.second;
        const auto targets = random_records<typename Law::template Target<double>>(n, 1);
        const auto sources = random_records<typename Law::template Source<double>>(m, 2);
        const auto exact = plain_sum(law, targets, sources);
        CAPTURE(n);
        CAPTURE(m);
        for (const int group : {0, 5}) {
            PairOptions options = pair_options(machine, Precision::double_precision);
            options.group_size = group;
            CHECK(largest_error(summed(law, options, targets, sources), exact) < 1e-13);
            options.precision = Precision::single_precision;
            CHECK(largest_error(summed(law, options, targets, sources), exact) < 2e-6);
        }
    }
    CHECK(summed(law, pair_options(machine, Precision::single_precision), {},
                 random_records<typename Law::template Source<double>>(3, 1))
              .empty());
    const auto alone = summed(law, pair_options(machine, Precision::single_precision),
                              random_records<typename Law::template Target<double>>(3, 1), {});
    for (const double value : as_rows(std::span<const typename Law::template Sum<double>>(alone)))
        CHECK(value == 0);
}

/// Returns n particles of a law as targets and sources.
template <class Law>
std::pair<Targets<Law>, Sources<Law>> cloud(std::size_t n, unsigned seed)
{
    auto sources = random_records<typename Law::template Source<double>>(n, seed);
    Targets<Law> targets(n);
    for (std::size_t i = 0; i < n; ++i)
        std::memcpy(static_cast<void*>(&targets[i]), &sources[i], sizeof targets[i]);
    return {targets, sources};
}

} // namespace

PairOptions pair_options(const Machine& machine, Precision precision)
{
    PairOptions options;
    options.device = machine.device;
    options.instruction_set = machine.instruction_set;
    options.precision = precision;
    return options;
}

void check_pair_sums(const Machine& machine)
{
    check_law(machine, GravityAcceleration{0.1});
    check_law(machine, GravityPotential{0.1});
    check_law(machine, GravityJerk{0.1});
}

void check_excluded_pairs(const Machine& machine)
{
    // Without softening; coincident pairs stay finite only through exclusion.
    const GravityJerk law{0};
    for (const std::size_t n : {40ul, 700ul, 3000ul}) {
        auto [targets, sources] = cloud<GravityJerk>(n, 3);
        std::vector<std::uint32_t> self(n);
        std::vector<std::uint64_t> begin(1, 0);
        std::vector<std::uint32_t> partners;
        for (std::uint32_t i = 0; i < n; ++i) {
            self[i] = i;
            if (i % 2 == 0 && i + 1 < n)
                partners.push_back(i + 1);
            if (i % 2 == 1)
                partners.push_back(i - 1);
            if (i % 7 == 0)
                partners.push_back(std::uint32_t(n - 1 - i));
            begin.push_back(partners.size());
        }
        sources[1].position = sources[0].position; // coincident partners
        targets[1].position = targets[0].position;
        const auto left_out = [&](std::size_t i, std::size_t j) {
            if (i == j)
                return true;
            for (std::uint64_t k = begin[i]; k < begin[i + 1]; ++k)
                if (partners[k] == j)
                    return true;
            return false;
        };
        const auto exact = plain_sum(law, targets, sources, {left_out, {}});
        const Exclusions excluded{begin, partners};
        const auto precise = summed(law, pair_options(machine, Precision::double_precision),
                                    targets, sources, self, excluded);
        CHECK(largest_error(precise, exact) < 1e-12);
        const auto rounded = summed(law, pair_options(machine, Precision::single_precision),
                                    targets, sources, self, excluded);
        CHECK(largest_error(rounded, exact) < 1e-6);
        // Some targets are sources, some are not.
        self[0] = no_source;
        targets[0].position = {3, 3, 3};
        const auto mixed =
            summed(law, pair_options(machine, Precision::double_precision), targets, sources, self);
        const auto plain = plain_sum(
            law, targets, sources, {[](std::size_t i, std::size_t j) { return i == j && i; }, {}});
        CHECK(largest_error(std::vector(mixed.begin(), mixed.begin() + 1),
                            {{plain.sums[0]}, {plain.amounts[0]}}) < 1e-13);
        CHECK(largest_error(mixed, plain, 2) < 1e-13); // 0 and 1 coincide
    }
}

void check_cutoff(const Machine& machine)
{
    // Counts are exact in float: no distance is close enough to the radius to round across.
    const auto targets = random_records<CountWithin::Target<double>>(1500, 5);
    auto sources = random_records<CountWithin::Source<double>>(2000, 6);
    for (std::size_t k = 0; k < 100; ++k) // outside the box: a period moves them inside
        sources[k].position.x += 4;
    for (const double radius : {0.05, 0.3, 0.95}) {
        const CountWithin law{radius};
        for (const Vec3<double>& period :
             {Vec3<double>{}, Vec3<double>{2, 2, 2}, Vec3<double>{0, 2, 0}}) {
            PairOptions options = pair_options(machine, Precision::double_precision);
            options.cutoff = radius;
            options.period = period;
            const auto exact = plain_sum(law, targets, sources, {{}, period});
            CAPTURE(radius);
            CAPTURE(period.x);
            const auto counts = summed(law, options, targets, sources);
            double all = 0;
            for (std::size_t i = 0; i < counts.size(); ++i) {
                REQUIRE(counts[i].count == exact.sums[i].count);
                all += exact.sums[i].count;
            }
            CHECK(all > 0);
            options.precision = Precision::single_precision;
            const auto rounded = summed(law, options, targets, sources);
            double wrong = 0;
            for (std::size_t i = 0; i < counts.size(); ++i)
                wrong += std::abs(rounded[i].count - exact.sums[i].count);
            CHECK(wrong <= 1e-5 * all + 1);
        }
    }
    // An excluded pair stays excluded in every image.
    std::vector<std::uint32_t> self(targets.size());
    for (std::uint32_t i = 0; i < self.size(); ++i)
        self[i] = i;
    PairOptions options = pair_options(machine, Precision::single_precision);
    options.cutoff = 0.3;
    options.period = {2, 2, 2};
    const CountWithin law{0.3};
    std::vector<CountWithin::Source<double>> same(targets.size());
    for (std::size_t i = 0; i < same.size(); ++i)
        same[i].position = targets[i].position;
    const auto with = summed(law, options, targets, same),
               without = summed(law, options, targets, same, self);
    for (std::size_t i = 0; i < same.size(); ++i)
        REQUIRE(with[i].count == without[i].count + 1);
}

void check_pairs_without_positions(const Machine& machine)
{
    const DotProduct law;
    for (const std::size_t n : {1ul, 100ul, 2600ul}) {
        const auto targets = random_records<DotProduct::Target<double>>(n, 7);
        const auto sources = random_records<DotProduct::Source<double>>(n + 3, 8);
        const auto exact = plain_sum(law, targets, sources);
        CHECK(largest_error(
                  summed(law, pair_options(machine, Precision::double_precision), targets, sources),
                  exact) < 1e-12);
        CHECK(largest_error(
                  summed(law, pair_options(machine, Precision::single_precision), targets, sources),
                  exact) < 3e-6);
    }
}

void check_pair_units(const Machine& machine)
{
    // Metres, seconds and kilograms: r^-5 is far below the range of float.
    auto [targets, sources] = cloud<GravityJerk>(2100, 9);
    const double length = 1.496e11, speed = 3e4, mass = 2e30;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        targets[i].position = sources[i].position = length * targets[i].position;
        targets[i].velocity = sources[i].velocity = speed * targets[i].velocity;
        sources[i].mass *= mass;
    }
    const GravityJerk law{0.01 * length};
    const auto exact = plain_sum(law, targets, sources);
    CHECK(largest_error(
              summed(law, pair_options(machine, Precision::single_precision), targets, sources),
              exact) < 2e-6);
}

void check_pair_threads(const Machine& machine)
{
    const int before = thread_count();
    const GravityJerk law{0.01};
    for (const std::size_t n : {10ul, 300ul, 5000ul}) {
        const auto [targets, sources] = cloud<GravityJerk>(5000, 10);
        const Targets<GravityJerk> some(targets.begin(), targets.begin() + long(n));
        for (const Precision precision :
             {Precision::single_precision, Precision::double_precision}) {
            use_threads(1);
            const auto one = summed(law, pair_options(machine, precision), some, sources);
            use_threads(5);
            const auto five = summed(law, pair_options(machine, precision), some, sources);
            CHECK(std::memcmp(one.data(), five.data(), one.size() * sizeof one[0]) == 0);
        }
    }
    use_threads(before);
}

void check_bad_pairs(const Machine& machine)
{
    const PairOptions options = pair_options(machine, Precision::single_precision);
    auto [targets, sources] = cloud<GravityAcceleration>(50, 11);
    const GravityAcceleration law{0.1};
    const auto solver = make_pair_solver(law, options);
    std::vector<double> sums(150);
    const auto rows = as_rows(std::span(sources));
    const auto fails = [&](const PairTask& task, const char* line) {
        CHECK_THROWS_WITH_AS(solver->sum(task, sums), doctest::Contains(line), Error);
    };
    fails({as_rows(std::span(targets)), rows.first(7), {}, {}}, "sources: 7 values");
    fails({as_rows(std::span(targets)).first(9), rows, {}, {}}, "sums: 150 values");
    const std::vector<std::uint32_t> wrong(50, 50);
    fails({as_rows(std::span(targets)), rows, wrong, {}}, "self: 50");
    const std::vector<std::uint64_t> begin(51, 0);
    fails({as_rows(std::span(targets)), rows, {}, {std::span(begin).first(3), {}}},
          "excluded pairs");
    sources[13].mass = NAN;
    fails({as_rows(std::span(targets)), rows, {}, {}}, "sources: row 13: value 3: nan");
    PairOptions periodic = options;
    periodic.period.y = 1;
    CHECK_THROWS_WITH_AS(make_pair_solver(law, periodic), doctest::Contains("period"), Error);
    PairOptions negative = options;
    negative.cutoff = -1;
    CHECK_THROWS_WITH_AS(make_pair_solver(law, negative), doctest::Contains("cut-off"), Error);
    PairOptions without = options;
    without.cutoff = 1;
    CHECK_THROWS_WITH_AS(make_pair_solver(DotProduct{}, without),
                         doctest::Contains("needs a law with positions"), Error);
}

} // namespace chamomile::tests
