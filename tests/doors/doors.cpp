// Cost of a call through C++, C and Fortran: doors [N [repetitions]]. The interfaces alternate in
// one process. Median ratios must be at most 1.03, and results bitwise equal.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "chamomile/core/profile.hpp"
#include "chamomile/force/field.hpp"
#include "chamomile/interfaces/c/chamomile.h"
#include "tests/unit/clouds.hpp"

using namespace chamomile;

extern "C" {
int fortran_build(std::int64_t n, const double* x, const double* m);
int fortran_sources(std::int64_t n, double* a, double* phi);
int fortran_points(std::int64_t n, const double* x, double* a, double* phi);
}

namespace {

struct Sums {
    std::vector<Vec3<double>> acceleration;
    std::vector<double> potential;
    explicit Sums(std::size_t n) : acceleration(n), potential(n) {}
    double* a() { return &acceleration[0].x; }
    double* phi() { return potential.data(); }
    chm_results c() { return {chm_vectors(a()), chm_numbers(phi()), {}, {}}; }
    bool operator==(const Sums&) const = default;
};

using Door = std::pair<std::string, std::function<int(Sums&)>>;

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double seconds(const Door& door, Sums& sums)
{
    const double start = wall_clock_seconds();
    if (door.second(sums)) {
        std::fprintf(stderr, "%s: failed\n", door.first.c_str());
        std::exit(1);
    }
    return wall_clock_seconds() - start;
}

/// Returns whether all interfaces give equal bits.
bool compare(const char* what, std::size_t n, const std::vector<Door>& doors, int repetitions)
{
    std::vector<Sums> sums(doors.size(), Sums(n));
    std::vector<std::vector<double>> times(doors.size()), ratios(doors.size());
    for (std::size_t d = 0; d < doors.size(); ++d)
        seconds(doors[d], sums[d]); // memory and threads exist from here on
    for (int k = 0; k < repetitions; ++k)
        for (std::size_t d = 0; d < doors.size(); ++d) {
            // Times the first interface before and after each other one, so that other load favours
            // none.
            const double before = seconds(doors[0], sums[0]), time = seconds(doors[d], sums[d]),
                         after = seconds(doors[0], sums[0]);
            times[d].push_back(time);
            ratios[d].push_back(time / (0.5 * (before + after)));
        }
    bool same = true;
    for (std::size_t d = 0; d < doors.size(); ++d) {
        same = same && sums[d] == sums[0];
        std::printf("| %s | %s | %.1f | %.3f |\n", what, doors[d].first.c_str(),
                    1e3 * median(times[d]), median(ratios[d]));
    }
    return same;
}

} // namespace

int main(int count, char** words)
{
    const std::size_t n = count > 1 ? std::size_t(std::atof(words[1])) : 1000000;
    const int repetitions = count > 2 ? std::atoi(words[2]) : 7;
    const Particles p = tests::plummer(n);
    const auto points = tests::uniform_cube(n).position;
    const double *x = &p.position[0].x, *to = &points[0].x;
    const auto size = std::int64_t(n);

    SolverOptions options;
    options.softening.length = 0.01;
    const auto field = make_field_solver(options);
    field->build({n, view_of(std::span(p.position)), view_of(std::span(p.mass))});
    chm_context* c = nullptr;
    if (chm_create(&c) || chm_set_option(c, "softening", "0.01") ||
        chm_set_sources(c, size, chm_vectors(x), chm_numbers(p.mass.data()), {}) || chm_build(c) ||
        fortran_build(size, x, p.mass.data())) {
        std::fprintf(stderr, "%s\n", chm_last_error(c));
        return 1;
    }

    const auto results = [](Sums& s) {
        return FieldResults{
            view_of(std::span(s.acceleration)), view_of(std::span(s.potential)), {}, {}};
    };
    std::printf("%zu particles, %s\n| | door | ms | ratio |\n|---|---|---|---|\n", n,
                field->device().c_str());
    const bool sources =
        compare("at the sources", n,
                {{"C++", [&](Sums& s) { return field->evaluate_sources({}, results(s)), 0; }},
                 {"C",
                  [&](Sums& s) {
                      const chm_results r = s.c();
                      return chm_eval_active(c, size, nullptr, &r);
                  }},
                 {"Fortran", [&](Sums& s) { return fortran_sources(size, s.a(), s.phi()); }}},
                repetitions);
    const bool elsewhere =
        compare("at points", n,
                {{"C++",
                  [&](Sums& s) {
                      return field->evaluate({n, view_of(std::span(points))}, results(s)), 0;
                  }},
                 {"C",
                  [&](Sums& s) {
                      const chm_results r = s.c();
                      const chm_targets t{size, chm_vectors(to), {}, nullptr, {}};
                      return chm_eval(c, &t, &r);
                  }},
                 {"Fortran", [&](Sums& s) { return fortran_points(size, to, s.a(), s.phi()); }}},
                repetitions);
    chm_destroy(c);
    std::printf("the same bits: %s\n", sources && elsewhere ? "yes" : "no");
    return sources && elsewhere ? 0 : 1;
}
