// The far field of single moments, from cells and from local expansions, against derivatives of 1/u
// computed term by term.
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/force/expansions/local_expansion.hpp"
#include "chamomile/force/gravity.hpp"

using namespace chamomile;

namespace {

using Vec = Vec3<double>;
using Law = Gravity<PlummerKernel, OneLength, true>;

/// A sum of coefficient * x^a y^b z^c u^-k, by (a, b, c, k); u^2 = x^2 + y^2 + z^2 + eps^2.
using Terms = std::map<std::array<int, 4>, long double>;

Terms differentiated(const Terms& terms, int axis)
{
    Terms result;
    for (const auto& [powers, coefficient] : terms) {
        auto lower = powers, higher = powers;
        if (powers[std::size_t(axis)] > 0) {
            --lower[std::size_t(axis)];
            result[lower] += coefficient * powers[std::size_t(axis)];
        }
        ++higher[std::size_t(axis)];
        higher[3] += 2;
        result[higher] -= coefficient * powers[3];
    }
    return result;
}

/// d^a/dx^a d^b/dy^b d^c/dz^c of 1/u at r.
double derivative(const Exponents& e, const Vec& r, double eps)
{
    Terms terms{{{0, 0, 0, 1}, 1}};
    const int power[] = {e.x, e.y, e.z};
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k < power[axis]; ++k)
            terms = differentiated(terms, axis);
    const long double u = std::sqrt((long double)(dot(r, r) + eps * eps));
    long double sum = 0;
    for (const auto& [powers, coefficient] : terms)
        sum += coefficient * std::pow((long double)r.x, powers[0]) *
               std::pow((long double)r.y, powers[1]) * std::pow((long double)r.z, powers[2]) *
               std::pow(u, -powers[3]);
    return double(sum);
}

Exponents operator+(const Exponents& a, const Exponents& b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

/// A cell with one moment: term `moment` in exponents.hpp, in units of length to its degree.
struct OneMoment {
    Multipole multipole;
    HigherMoments higher;
    double value; ///< the moment's value

    explicit OneMoment(int moment)
    {
        higher.length = 0.5;
        const int degree = exponents_of(moment).degree();
        value = 3 * std::pow(higher.length, degree);
        double* second = &multipole.second.xx;
        if (degree == 0)
            multipole.mass = value;
        else if (degree == 2)
            second[moment - 4] = value;
        else
            higher.moment[moment - HigherMoments::first] = 3;
    }
};

/// Returns derivative d^e of the moment's field at r: sum of M / (a! b! c!) times derivatives.
double exact(int moment, double value, const Exponents& e, const Vec& r, double eps)
{
    const Exponents m = exponents_of(moment);
    return value / (std::tgamma(m.x + 1.0) * std::tgamma(m.y + 1.0) * std::tgamma(m.z + 1.0)) *
           derivative(m + e, r, eps);
}

bool near(double a, double b, double scale)
{
    return std::abs(a - b) <= 1e-13 * scale;
}

template <int order>
void check_cells()
{
    const Frame frame{{0, 0, 0}, 1, 1};
    for (const double eps : {0.0, 1.5, 6.0})
        for (int moment = 0; moment < term_count(order); ++moment) {
            if (moment > 0 && moment < 4)
                continue;
            CAPTURE(eps);
            CAPTURE(moment);
            const OneMoment cell(moment);
            SeriesSource<double, order> packed;
            Law::pack_cell(cell.multipole, cell.higher, frame, packed);
            const Vec target{-1.5, 2, -2.5};
            Law::Sum<double> sum;
            Law::of({eps})(Law::Target<double>{target}, packed, sum);
            const Vec r = -1.0 * target;
            const auto at = [&](const Exponents& e) {
                return exact(moment, cell.value, e, r, eps);
            };
            // The field's derivative by target position is minus its derivative by r.
            const Vec a{-at({1, 0, 0}), -at({0, 1, 0}), -at({0, 0, 1})};
            CHECK(near(sum.acceleration.x, a.x, norm(a)));
            CHECK(near(sum.acceleration.y, a.y, norm(a)));
            CHECK(near(sum.acceleration.z, a.z, norm(a)));
            CHECK(near(sum.potential, -at({0, 0, 0}), 0.1 * cell.value));
        }
}

template <int local_order, int order>
void check_local_expansion()
{
    const Vec r{1.5, -2, 2.5};
    for (const double eps : {0.0, 1.5})
        for (int moment = 0; moment < term_count(order); ++moment) {
            if (moment > 0 && moment < 4)
                continue;
            CAPTURE(eps);
            CAPTURE(local_order);
            CAPTURE(moment);
            const OneMoment cell(moment);
            const SecondMoments& s = cell.multipole.second;
            constexpr HigherWeights weights;
            std::vector<double> higher;
            for (int k = 0; k < HigherMoments::count; ++k)
                higher.push_back(weights.of[k] * cell.higher.moment[k]);
            LocalExpansion<double, local_order> local;
            local.template add_cell<order>(r, cell.multipole.mass,
                                           {s.xx, s.xy, s.xz, s.yy, s.yz, s.zz}, cell.higher.length,
                                           higher.data(), eps * eps);
            const int degree = exponents_of(moment).degree();
            for (int t = 0; t < local.size; ++t) {
                CAPTURE(t);
                const Exponents e = exponents_of(t);
                const double sign = e.degree() % 2 ? -1 : 1;
                const double expected = e.degree() + degree > local_order
                                            ? 0
                                            : sign * exact(moment, cell.value, e, r, eps);
                CHECK(near(local.term[t], expected, factorial(degree + e.degree()) * 1e-2));
            }
        }
}

} // namespace

TEST_SUITE_BEGIN("cell_series");

TEST_CASE("each moment contributes the matching derivatives of 1/u")
{
    check_cells<3>();
    check_cells<4>();
}

TEST_CASE("each moment contributes to a local expansion")
{
    check_local_expansion<3, 3>();
    check_local_expansion<4, 3>();
    check_local_expansion<5, 3>();
    check_local_expansion<6, 3>();
    check_local_expansion<3, 4>();
    check_local_expansion<4, 4>();
    check_local_expansion<5, 4>();
    check_local_expansion<6, 4>();
}

TEST_CASE("float series stay accurate at small and large distances for any cell size")
{
    // Distances in units of the whole tree, as with an outlier.
    for (const double size : {1e-12, 1e-6, 0.1})
        for (const double distance : {2.5 * size, 1.0}) {
            CAPTURE(size);
            CAPTURE(distance);
            const Frame frame{{0, 0, 0}, 1, 1};
            Multipole m{{distance, 0.5 * distance, -distance}, 1, {}};
            HigherMoments higher;
            higher.length = std::exp2(std::floor(std::log2(size)));
            double* second = &m.second.xx;
            for (int k = 0; k < 6; ++k)
                second[k] = size * size * (0.2 - 0.01 * k);
            for (int k = 0; k < HigherMoments::count; ++k)
                higher.moment[k] = 0.1 - 0.007 * k;
            SeriesSource<float, 4> in_float;
            SeriesSource<double, 4> in_double;
            Law::pack_cell(m, higher, frame, in_float);
            Law::pack_cell(m, higher, frame, in_double);
            Law::Sum<float> a;
            Law::Sum<double> b;
            Law::of({0})(Law::Target<float>{}, in_float, a);
            Law::of({0})(Law::Target<double>{}, in_double, b);
            const Vec value{a.acceleration.x, a.acceleration.y, a.acceleration.z};
            CHECK(norm(value - b.acceleration) < 1e-6 * norm(b.acceleration));
            CHECK(std::abs(double(a.potential) - b.potential) < -1e-6 * b.potential);
        }
}

TEST_SUITE_END();
