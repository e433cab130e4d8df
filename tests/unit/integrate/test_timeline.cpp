// Output times are hit exactly for any step.
#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/memory_archive.hpp"
#include "chamomile/integrate/timeline.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("timeline");

namespace {

struct Walk {
    std::vector<double> times; ///< output times
    std::vector<double> ends;  ///< end of each step
    double longest = 0;
};

Walk walk(Timeline timeline, double length, TimeStepKind kind, std::size_t series = 0)
{
    Walk result;
    while (!timeline.at_end()) {
        const Timeline::Step step = timeline.plan(length, kind);
        REQUIRE(step.end > timeline.time());
        result.longest = std::max(result.longest, step.length);
        timeline.advance(step);
        result.ends.push_back(timeline.time());
        if (timeline.due(series))
            result.times.push_back(timeline.time());
    }
    return result;
}

} // namespace

TEST_CASE("series times equal start + k * interval bitwise")
{
    for (TimeStepKind kind : {TimeStepKind::fixed, TimeStepKind::adaptive})
        for (double length : {0.1, 0.01, 0.0078125, 0.003, 0.07, 0.5}) {
            Timeline timeline(0.25, 3.25);
            timeline.add_series(0.1);
            const Walk result = walk(timeline, length, kind);
            CAPTURE(length);
            REQUIRE(result.times.size() == 30);
            for (int k = 0; k < 29; ++k)
                CHECK(result.times[k] == 0.25 + (k + 1) * 0.1);
            CHECK(result.times[29] == 3.25);
            CHECK(result.longest <= length * (1 + 1e-8));
        }
}

TEST_CASE("at late times, times that differ by rounding only count once")
{
    for (const double start : {1e7, 1e8, 1e9, 1e10, 1e11, -1e9})
        for (TimeStepKind kind : {TimeStepKind::fixed, TimeStepKind::adaptive}) {
            CAPTURE(start);
            Timeline timeline(start, start + 1);
            timeline.add_series(0.1);
            timeline.add_series(0.3);
            const Walk result = walk(timeline, 0.1, kind);
            CHECK(result.ends.size() == 10); // no tiny steps between the two series and the end
            CHECK(result.times.size() == 10);
            CHECK(result.ends.back() == start + 1);
        }
}

TEST_CASE("an interval below the time resolution is refused")
{
    Timeline timeline(1e15, 1e15 + 100);
    CHECK_THROWS_AS(timeline.add_series(0.5), Error);
    CHECK(Timeline::min_interval(1e15, 1e15 + 100) < 20);
    timeline.add_series(20);
}

TEST_CASE("fixed steps are counted, not accumulated")
{
    Timeline timeline(0, 1000);
    timeline.add_series(1000);
    const Walk result = walk(timeline, 0.01, TimeStepKind::fixed);
    REQUIRE(result.ends.size() == 100000);
    double added = 0, drift = 0;
    for (std::size_t n = 0; n < result.ends.size(); ++n) {
        added += 0.01;
        drift = std::max(drift, std::abs(added - result.ends[n]));
        REQUIRE(result.ends[n] == (n + 1) * 0.01);
    }
    CHECK(drift > 1e-10); // error of summed steps
}

TEST_CASE("a fixed step is shortened before each output time it does not divide")
{
    Timeline timeline(0, 2);
    timeline.add_series(1);
    const Walk result = walk(timeline, 0.3, TimeStepKind::fixed);
    const std::vector<double> expected{0.3, 0.6, 3 * 0.3, 1, 1.3, 1.6, 1 + 3 * 0.3, 2};
    CHECK(result.ends == expected);
}

TEST_CASE("two series with times equal up to rounding share their steps")
{
    Timeline timeline(0, 0.9);
    timeline.add_series(0.1);
    timeline.add_series(0.3);
    const Walk result = walk(timeline, 0.05, TimeStepKind::fixed, 1);
    CHECK(result.ends.size() == 18);
    CHECK(result.times.size() == 3);
}

TEST_CASE("an empty time span needs no steps, a backward span is refused")
{
    CHECK(Timeline(1, 1).at_end());
    CHECK_THROWS_AS(Timeline(1, 0.5), Error);
    CHECK_THROWS_AS(Timeline(0, std::nan("")), Error);
    CHECK_THROWS_AS(Timeline(0, 1).add_series(0), Error);
    CHECK_THROWS_AS(Timeline(1e9, 2e9).add_series(1e-6), Error);
}

TEST_CASE("listed times are met bitwise, in addition to a series")
{
    const std::vector<double> wanted{0.3, 1. / 3, 0.9999999, 2};
    for (TimeStepKind kind : {TimeStepKind::fixed, TimeStepKind::adaptive})
        for (double length : {0.1, 0.003, 0.07, 0.5}) {
            Timeline timeline(0.25, 3.25);
            timeline.add_series(0.7);
            // Unordered, one repeated, and some outside the run.
            const std::size_t list = timeline.add_list({2, 0.3, 1. / 3, 0.25, 9, 0.9999999, 2, -1});
            CAPTURE(length);
            CHECK(walk(timeline, length, kind, list).times == wanted);
            CHECK(walk(timeline, length, kind, 0).times.size() == 4);
        }
    Timeline timeline(0, 1);
    CHECK_THROWS_AS(timeline.add_list({std::nan("")}), Error);
    const std::size_t list = timeline.add_list({0.5, 1});
    CHECK(walk(timeline, 0.3, TimeStepKind::fixed, list).times == std::vector<double>{0.5, 1});
}

TEST_CASE("a restart may change a list of times into an interval, and back")
{
    const auto made = [](bool list) {
        Timeline timeline(0, 1);
        list ? timeline.add_list({0.3, 0.5, 0.9}) : timeline.add_series(0.25);
        return timeline;
    };
    for (const bool list : {false, true})
        for (const bool again : {false, true}) {
            Timeline begun = made(list);
            while (begun.time() < 0.55)
                begun.advance(begun.plan(0.1, TimeStepKind::fixed));
            MemoryArchive archive;
            begun.exchange(archive);
            archive.rewind();
            Timeline timeline = made(again);
            timeline.exchange(archive);
            CHECK(walk(timeline, 0.1, TimeStepKind::fixed).times ==
                  (again ? std::vector<double>{0.9} : std::vector<double>{0.75, 1}));
        }
}

TEST_SUITE_END();
