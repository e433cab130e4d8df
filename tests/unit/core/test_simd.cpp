// Lane order with baseline instructions; host_force compares other instruction sets with the
// baseline.
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "chamomile/core/periodic.hpp"
#include "chamomile/force/simd/rows.hpp"

using namespace chamomile;
namespace simd = chamomile::CHAMOMILE_INSTRUCTION_SET;

namespace {

template <class T, int columns>
void check_transpose()
{
    using P = simd::Pack<T>;
    T rows[columns * P::width];
    for (int k = 0; k < columns * P::width; ++k)
        rows[k] = T(k);
    P table[columns];
    for (int k = 0; k < columns; ++k)
        table[k] = P::load(rows + k * P::width);
    simd::transpose(table);
    for (int column = 0; column < columns; ++column)
        for (int row = 0; row < P::width; ++row)
            CHECK(T(table[column].lanes[row]) == T(row * columns + column));
}

template <class T>
void check_rows()
{
    const Frame frame{{1, -2, 3}, 0.5, 8};
    std::vector<Source> sources;
    for (int k = 0; k < 5; ++k)
        sources.push_back({{1.0 / (k + 3), k * 1.1, k - 0.7}, 0.3 + k});
    T packed[4 * 5], residue[4 * 5];
    simd::ParticleReader(frame).pack(sources.data(), 5, packed, residue);
    for (int k = 0; k < 5; ++k) {
        const Vec3<double> x = frame.of(sources[k].position);
        const double exact[4] = {x.x, x.y, x.z, 8 * sources[k].mass};
        for (int f = 0; f < 4; ++f) {
            CHECK(packed[4 * k + f] == T(exact[f]));
            CHECK(double(packed[4 * k + f]) + double(residue[4 * k + f]) ==
                  doctest::Approx(exact[f]).epsilon(1e-14));
        }
    }
    const Multipole m{{3, 5, 7}, 0.1, {1, 2, 3, 4, 5, 6}};
    T row[8], tail[2];
    simd::MultipoleRows(frame).pack(m, row, tail);
    const double w = frame.inverse_moment();
    const double exact[8] = {1, 3.5, 2, 0.8, w, 2 * w, 3 * w, 4 * w};
    for (int f = 0; f < 8; ++f)
        CHECK(row[f] == T(exact[f]));
    CHECK(tail[0] == T(5 * w));
    CHECK(tail[1] == T(6 * w));
}

template <class T>
void check_higher_rows()
{
    const Frame frame{{1, -2, 3}, 0.5, 8};
    const simd::HigherRows rows(frame);
    HigherMoments m;
    for (int k = 0; k < HigherMoments::count; ++k)
        m.moment[k] = 1 + 0.1 * k;
    m.length = 0.25;
    T packed[8 * simd::HigherRows::rows + 2];
    for (int row = 0; row < simd::HigherRows::rows; ++row)
        rows.pack(m, row, packed + 8 * row);
    rows.pack_tail(m, packed + 8 * simd::HigherRows::rows);
    int k = 0;
    for (int degree = 3; degree <= 4; ++degree)
        for (int x = degree; x >= 0; --x)
            for (int y = degree - x; y >= 0; --y, ++k)
                CHECK(double(packed[k]) ==
                      doctest::Approx((degree == 3 ? -8 : 8) * m.moment[k] / std::tgamma(x + 1) /
                                      std::tgamma(y + 1) / std::tgamma(degree - x - y + 1))
                          .epsilon(std::is_same_v<T, float> ? 1e-7 : 1e-15));
    CHECK(packed[k] == T(0.125));
}

} // namespace

TEST_SUITE_BEGIN("simd");

TEST_CASE("rows transpose to columns")
{
    check_transpose<float, 2>();
    check_transpose<float, 4>();
    check_transpose<float, 8>();
    check_transpose<double, 2>();
    check_transpose<double, 4>();
    check_transpose<double, 8>();
}

TEST_CASE("records are centered and scaled, and rounding residues kept")
{
    check_rows<float>();
    check_rows<double>();
    check_higher_rows<float>();
    check_higher_rows<double>();
}

TEST_CASE("lanes of a pack are added in double")
{
    using P = simd::Pack<float>;
    float lanes[P::width];
    double sums[P::width];
    for (int k = 0; k < P::width; ++k) {
        lanes[k] = 0.1f * float(k + 1);
        sums[k] = 100 * k;
    }
    simd::add_lanes(P::load(lanes), 3, sums);
    for (int k = 0; k < P::width; ++k)
        CHECK(sums[k] == 100 * k + 3 * double(lanes[k]));
}

TEST_CASE("less_bits() sets a bit for each smaller lane")
{
    using P = simd::Pack<float>;
    for (int which = 0; which < P::width; ++which) {
        float lanes[P::width];
        for (int k = 0; k < P::width; ++k)
            lanes[k] = k == which ? 1 : k % 2 ? 2 : __builtin_nanf("");
        CHECK(simd::less_bits(P::load(lanes), P(1.5f)) == 1u << which);
    }
}

TEST_CASE("a nearest image is rounded as by rint(), also halfway between two")
{
    for (const double side : {1.0, 0.3, 25.0})
        for (double images : {0.3, 0.5, 0.7, 1.0, 1.5, 2.5, 3.5, 1e9 + 0.5, 0x1p50 + 0.5})
            for (const double d : {images * side, -images * side})
                CHECK(Periodicity{side}.nearest(d) == d - side * std::rint(d * (1 / side)));
}

TEST_SUITE_END();
