// Exact periodic sums against independent values: 40-digit sums, Madelung's constants.
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/force/mesh/ewald.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/within.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("ewald");

namespace {

/// Charges q at positions x in a unit cube: returns the first charge's energy, without itself.
double energy_of_first(const std::vector<Vec3<double>>& x, const std::vector<double>& q)
{
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j)
        sum += q[0] * q[j] * ewald_field(x[0] - x[j], 1).potential;
    return sum;
}

} // namespace

TEST_CASE("Ewald sums match reference values in a unit cube")
{
    struct Row {
        Vec3<double> r;
        double potential;
        Vec3<double> acceleration;
    };
    const Row table[] = {
        {{0, 0, 0}, 2.837297479480619476666, {0, 0, 0}},
        {{.5, 0, 0}, 0.09593230493980437583367, {0, 0, 0}},
        {{.5, .5, 0}, 0.5825215315443940635454, {0, 0, 0}},
        {{.5, .5, .5}, 0.8019359700280241585287, {0, 0, 0}},
        {{.25, 0, 0}, -1.305934570506907956274, {-14.753540423540281935, 0, 0}},
        {{.25, .25, 0},
         -0.2394123425777873884728,
         {-4.7215351757418844448, -4.7215351757418844448, 0}},
        {{.25, .25, .25},
         0.2004839925070060396322,
         {-2.3586457750274695086, -2.3586457750274695086, -2.3586457750274695086}},
        {{.1, 0, 0}, -7.183957900237628260046, {-99.568651055157872017, 0, 0}},
        {{.1, .2, .3},
         -0.1130098982480964195398,
         {-1.6961090915508869511, -3.2535693121794898047, -4.4289510319679884884}},
        {{.4, .1, .05},
         0.006127506578810506710909,
         {-3.1732757270165130935, -1.3165360645055547362, -0.66592782775558180977}},
        {{.45, .35, .25},
         0.6180048100803977431365,
         {-0.40632401202329540027, -0.85739696463116856566, -0.86440164451316989629}},
        {{.01, .02, -.03},
         -23.89175734170002694113,
         {-190.85922892126348497, -381.71827196151147578, 572.57694165615216323}},
        {{.3, .3, .1},
         0.1873841211554478133801,
         {-2.5999185695258265481, -2.5999185695258265481, -1.0511038557082379742}},
        {{.49, .49, .49},
         0.8013072783821554000757,
         {-0.041937666330377262261, -0.041937666330377262261, -0.041937666330377262261}},
        {{.5, .25, 0}, 0.3539007229768101441908, {0, -1.5221335796522583058, 0}},
    };
    for (const Row& row : table) {
        CAPTURE(row.r.x);
        CAPTURE(row.r.y);
        CAPTURE(row.r.z);
        // Also in another unit of length and another image.
        for (const auto& [side, image] : {std::pair{1.0, 0.0}, {8.0, 0.0}, {8.0, -24.0}}) {
            const Vec3<double> r = side * row.r;
            const EwaldField field = ewald_field({r.x + image, r.y, r.z - 2 * image}, side);
            CHECK(std::abs(side * field.potential - row.potential) < 1e-12);
            CHECK(norm(side * side * field.acceleration - row.acceleration) < 1e-10);
        }
    }
}

TEST_CASE("Ewald sums reproduce Madelung constants of crystals")
{
    // Rock salt: 8 ions of alternating sign, half a side apart.
    std::vector<Vec3<double>> x;
    std::vector<double> q;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            for (int k = 0; k < 2; ++k) {
                x.push_back({0.5 * i, 0.5 * j, 0.5 * k});
                q.push_back((i + j + k) % 2 ? -1 : 1);
            }
    CHECK(energy_of_first(x, q) * 0.5 == within(1e-13, 1.7475645946331821906));
    // Caesium chloride: the constant refers to the neighbour distance, sqrt(3) / 2.
    CHECK(energy_of_first({{0, 0, 0}, {0.5, 0.5, 0.5}}, {1, -1}) * std::sqrt(0.75) ==
          within(1e-13, 1.7626747730709883));
}

TEST_CASE("a lattice of n^3 masses equals a single mass in a cube n times smaller")
{
    const int n = 3;
    double potential = 0;
    Vec3<double> force{};
    const Vec3<double> at{0.07, 0.01, 0.12};
    for (int i = 0; i < n * n * n; ++i) {
        const Vec3<double> x{double(i % n) / n, double(i / n % n) / n, double(i / n / n) / n};
        const EwaldField field = ewald_field(at - x, 1);
        potential += field.potential;
        force += field.acceleration;
    }
    const EwaldField cell = ewald_field(at, 1.0 / n);
    CHECK(potential == within(1e-11, cell.potential));
    CHECK(norm(force - cell.acceleration) < 1e-12 * norm(cell.acceleration));
}

TEST_CASE("accelerations are potential gradients and the mean potential is 0")
{
    const double d = 1e-5;
    const Vec3<double> r{0.21, -0.37, 0.08};
    const double slope = (ewald_field({r.x + d, r.y, r.z}, 1).potential -
                          ewald_field({r.x - d, r.y, r.z}, 1).potential) /
                         (2 * d);
    CHECK(ewald_field(r, 1).acceleration.x == within(1e-8, -slope));

    // By Simpson's rule, except for singular 1/r with cube mean 3 ln((sqrt 3 + 1) / (sqrt 3 - 1)) -
    // pi / 2.
    const int n = 16;
    double sum = 0;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j)
            for (int k = 0; k <= n; ++k) {
                const auto weight = [&](int a) { return a % n == 0 ? 1 : a % 2 ? 4 : 2; };
                const Vec3<double> at{0.5 * i / n, 0.5 * j / n, 0.5 * k / n};
                const double distance = norm(at);
                sum += weight(i) * weight(j) * weight(k) *
                       (ewald_field(at, 1).potential + (distance > 0 ? 1 / distance : 0));
            }
    CHECK(sum / std::pow(3.0 * n, 3) == within(1e-6, 2.380077364));
}

TEST_SUITE_END();
