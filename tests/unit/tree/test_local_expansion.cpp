// Local expansions against gravity.hpp's cell law and against sums over particles.
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/core/simd.hpp"
#include "chamomile/force/expansions/local_expansion.hpp"
#include "chamomile/force/gravity.hpp"

using namespace chamomile;

namespace {

using Vec = Vec3<double>;
using Law = Gravity<PlummerKernel, OneLength, true>;
namespace simd = chamomile::CHAMOMILE_INSTRUCTION_SET;

const Vec direction{2 / 3.0, -1 / 3.0, 2 / 3.0};
const SymmetricTensor<double> moments{0.5, -0.2, 0.3, 0.9, 0.1, 0.4};

/// Returns the closed form for the field of a cell at r, at point x.
FieldValue<double> cell_law(const Vec& r, const Vec& x, double eps)
{
    const auto& s = moments;
    const Law::CellSource<double> cell{r,        2,        3 * s.xx,
                                       3 * s.xy, 3 * s.xz, 3 * s.yy,
                                       3 * s.yz, 3 * s.zz, 1.5 * (s.xx + s.yy + s.zz)};
    Law::Sum<double> sum;
    Law::of({eps})(Law::Target<double>{x}, cell, sum);
    return {sum.acceleration, sum.potential};
}

template <int order>
LocalExpansion<double, order> expansion_of_cell(const Vec& r, double eps)
{
    LocalExpansion<double, order> local;
    local.add_cell(r, 2.0, moments, eps * eps);
    return local;
}

double largest_error(const FieldValue<double>& a, const FieldValue<double>& b)
{
    return std::max(norm(a.acceleration - b.acceleration), std::fabs(a.potential - b.potential));
}

/// Returns errors in acceleration and potential over a few targets, for a cell at this distance.
template <int order>
std::array<double, 2> errors_at(double distance, double eps)
{
    const Vec r = distance * direction;
    const auto local = expansion_of_cell<order>(r, eps);
    std::array<double, 2> error{};
    for (const Vec& x : {Vec{0.5, 0.6, -0.3}, Vec{-0.4, 0.1, 0.7}, Vec{0.2, -0.9, 0.1}}) {
        const FieldValue<double> law = cell_law(r, x, eps), series = local.evaluate(x);
        error[0] += norm(series.acceleration - law.acceleration);
        error[1] += std::fabs(series.potential - law.potential);
    }
    return error;
}

template <int order>
void check_order()
{
    CAPTURE(order);
    for (const double eps : {0.0, 1.5}) {
        CAPTURE(eps);
        const auto near = errors_at<order>(24, eps), far = errors_at<order>(48, eps);
        for (int quantity = 0; quantity < 2; ++quantity) {
            CAPTURE(quantity);
            const double slope = std::log2(near[quantity] / far[quantity]);
            CHECK(slope > order + 1.75);
            CHECK(slope < order + 2.35);
        }
    }
}

/// Particles in pairs about the origin, so odd moments vanish.
struct Pairs {
    std::vector<Vec> position;
    double mass = 0.25; // per particle
    SymmetricTensor<double> second;
};

Pairs some_pairs(double size)
{
    Pairs pairs;
    for (const Vec& d : {Vec{0.9, 0.2, -0.1}, Vec{-0.3, 0.5, 0.6}, Vec{0.1, 0.8, -0.4}})
        for (const double sign : {size, -size})
            pairs.position.push_back(sign * d);
    for (const Vec& d : pairs.position) {
        auto& s = pairs.second;
        s.xx += pairs.mass * d.x * d.x, s.xy += pairs.mass * d.x * d.y;
        s.xz += pairs.mass * d.x * d.z, s.yy += pairs.mass * d.y * d.y;
        s.yz += pairs.mass * d.y * d.z, s.zz += pairs.mass * d.z * d.z;
    }
    return pairs;
}

template <int order>
void check_particles()
{
    CAPTURE(order);
    const double eps = 0.3, distance = 20;
    const Vec center = distance * direction, x{0.5, -0.4, 0.3};
    for (const double size : {0.2, 0.4}) {
        const Pairs pairs = some_pairs(size);
        LocalExpansion<double, order> local;
        local.add_cell(center, pairs.mass * double(pairs.position.size()), pairs.second, eps * eps);
        FieldValue<double> sum;
        for (const Vec& p : pairs.position) {
            const Vec r = center + p - x;
            const double u = std::sqrt(dot(r, r) + eps * eps);
            sum.acceleration += pairs.mass / (u * u * u) * r;
            sum.potential -= pairs.mass / u;
        }
        // Left out: the series beyond the order, and the fourth moments.
        const double ratio = norm(x) / distance, part = size / distance;
        const double left_out = std::pow(ratio, order) + 3 * std::pow(part, 4) +
                                3 * part * part * std::pow(ratio, order - 2);
        CHECK(norm(local.evaluate(x).acceleration - sum.acceleration) <
              4 * left_out * norm(sum.acceleration));
    }
}

template <int order>
void check_shift()
{
    CAPTURE(order);
    const auto local = expansion_of_cell<order>({3, -4, 2}, 0.5);
    const Vec d{0.7, -0.4, 0.9}, x{-0.3, 0.8, 0.2};
    auto shifted = local;
    shifted.shift(d);
    const auto before = local.evaluate(d + x), after = shifted.evaluate(x);
    CHECK(largest_error(before, after) < 4e-15);

    auto finer = shifted; // unit of length 8 times smaller
    finer.change_unit(8);
    const auto fine = finer.evaluate(8.0 * x);
    CHECK(largest_error(after, {64.0 * fine.acceleration, 8 * fine.potential}) < 4e-15);
}

template <int order>
void check_scale()
{
    CAPTURE(order);
    auto local = expansion_of_cell<order>({3, -4, 2}, 0.5);
    for (const double unit : {0x1p-20, 0x1p30}) {
        LocalExpansion<double, order> other;
        const auto& s = moments;
        const double w = unit * unit;
        other.add_cell(unit * Vec{3, -4, 2}, 2.0,
                       {w * s.xx, w * s.xy, w * s.xz, w * s.yy, w * s.yz, w * s.zz}, w * 0.25);
        other.change_unit(1 / unit);
        for (int t = 0; t < other.size; ++t)
            CHECK(other.term[t] == local.term[t]);
    }
}

template <int order, class T>
void check_packs()
{
    using P = simd::Pack<T>;
    CAPTURE(order);
    std::mt19937 generator(order);
    std::normal_distribution<double> normal;
    LocalExpansion<P, order> packed;
    std::vector<LocalExpansion<double, order>> single(P::width);
    for (int cell = 0; cell < 5; ++cell) {
        T in[10][P::width];
        for (int lane = 0; lane < P::width; ++lane) {
            const Vec r{normal(generator), 3 + normal(generator), 9 + normal(generator)};
            const double values[10] = {r.x, r.y, r.z, 1.25, 0.5, -0.2, 0.3, 0.9, 0.1, 0.4};
            for (int f = 0; f < 10; ++f)
                in[f][lane] = T(values[f]);
            single[std::size_t(lane)].add_cell(
                {double(in[0][lane]), double(in[1][lane]), double(in[2][lane])}, 1.25,
                {double(in[4][lane]), double(in[5][lane]), double(in[6][lane]), double(in[7][lane]),
                 double(in[8][lane]), double(in[9][lane])},
                0.0625);
        }
        P p[10];
        for (int f = 0; f < 10; ++f)
            p[f] = P::load(in[f]);
        packed.add_cell({p[0], p[1], p[2]}, p[3], {p[4], p[5], p[6], p[7], p[8], p[9]}, P(0.0625));
    }
    const double tolerance = std::is_same_v<T, float> ? 6e-7 : 1e-15;
    const Vec x{0.5, 0.25, -0.75};
    const auto value = packed.evaluate(Vec3<P>{P(T(x.x)), P(T(x.y)), P(T(x.z))});
    T lanes[4][P::width];
    value.acceleration.x.store(lanes[0]);
    value.acceleration.y.store(lanes[1]);
    value.acceleration.z.store(lanes[2]);
    value.potential.store(lanes[3]);
    for (int lane = 0; lane < P::width; ++lane) {
        const auto expected = single[std::size_t(lane)].evaluate(x);
        const Vec a{double(lanes[0][lane]), double(lanes[1][lane]), double(lanes[2][lane])};
        CHECK(norm(a - expected.acceleration) < tolerance * norm(expected.acceleration));
        CHECK(std::fabs(double(lanes[3][lane]) - expected.potential) <
              -tolerance * expected.potential);
    }
}

} // namespace

TEST_SUITE_BEGIN("local_expansion");

TEST_CASE("expansion terms follow the documented order")
{
    CHECK(term_of({0, 0, 0}) == 0);
    CHECK(term_of({1, 0, 0}) == 1);
    CHECK(term_of({0, 0, 1}) == 3);
    CHECK(term_of({1, 1, 0}) == 5);
    CHECK(term_of({0, 0, 6}) == term_count(6) - 1);
    for (int t = 0; t < term_count(6); ++t)
        CHECK(term_of(exponents_of(t)) == t);
}

TEST_CASE("expansion errors fall with distance as the order predicts, with and without softening")
{
    check_order<3>();
    check_order<4>();
    check_order<5>();
    check_order<6>();
}

TEST_CASE("a cell's expansion matches the field of its particles")
{
    check_particles<3>();
    check_particles<4>();
    check_particles<5>();
    check_particles<6>();
}

TEST_CASE("shifting an expansion is exact")
{
    check_shift<3>();
    check_shift<4>();
    check_shift<5>();
    check_shift<6>();
}

TEST_CASE("scaling lengths by powers of two changes no bit")
{
    check_scale<3>();
    check_scale<4>();
    check_scale<5>();
    check_scale<6>();
}

TEST_CASE("each lane of a pack equals a scalar evaluation")
{
    check_packs<3, float>();
    check_packs<4, float>();
    check_packs<5, float>();
    check_packs<6, float>();
    check_packs<3, double>();
    check_packs<4, double>();
    check_packs<5, double>();
    check_packs<6, double>();
}

TEST_CASE("float expansions stay accurate near and far")
{
    for (const double distance : {3.0, 1e6, 1e15}) {
        const Vec r = distance * direction;
        LocalExpansion<float, 5> local;
        local.add_cell({float(r.x), float(r.y), float(r.z)}, 2.0f,
                       {0.5f, -0.2f, 0.3f, 0.9f, 0.1f, 0.4f}, 0.0f);
        const auto value = local.evaluate(Vec3<float>{0.25f, 0.5f, -0.25f});
        const auto expected = expansion_of_cell<5>(r, 0).evaluate(Vec{0.25, 0.5, -0.25});
        const Vec a{value.acceleration.x, value.acceleration.y, value.acceleration.z};
        CHECK(norm(a - expected.acceleration) < 1e-6 * norm(expected.acceleration));
    }
}

TEST_SUITE_END();
