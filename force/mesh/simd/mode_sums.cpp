// Lanes are particles. Waves follow from wave number 1 by multiplication, waves of x and y are
// multiplied once per row, and the modes z and -z share their products: 4 multiply-adds per
// particle for two modes of the sums, 8 for two modes of the field with its three slopes.
// Contraction: fused.
#include "chamomile/force/mesh/simd/mode_sums.hpp"

#include "chamomile/core/simd.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {
namespace {

using P = Pack<double>;
constexpr int size = ModeBlock::size, width = P::width;

/// Waves along one dimension: cosines of wave number h from 2 h size on, then sines.
struct Waves {
    const double* of;

    CHAMOMILE_HD P cosine(int h, int p) const { return P::load(of + 2 * h * size + p); }
    CHAMOMILE_HD P sine(int h, int p) const { return P::load(of + (2 * h + 1) * size + p); }
};

Waves waves_along(int dimension, const ModeBlock& block, int waves)
{
    double* of = block.waves + ModeBlock::room(waves) / 3 * std::size_t(dimension);
    for (int p = 0; p < size; p += width) {
        const P c = P::load(block.cosine[dimension] + p), s = P::load(block.sine[dimension] + p);
        P re(1.0), im(0.0);
        for (int h = 0; h < waves; ++h) {
            re.store(of + 2 * h * size + p);
            im.store(of + (2 * h + 1) * size + p);
            const P next = re * c - im * s;
            im = re * s + im * c;
            re = next;
        }
    }
    return {of};
}

/// Computes e = exp(i (k_x x + k_y y)) of a row for all particles in a block, optionally times
/// their masses.
template <bool with_mass>
CHAMOMILE_HD void waves_of_row(const ModeRow& row, const Waves& x, const Waves& y,
                               const ModeBlock& block, double* re, double* im)
{
    const int up = row.y < 0 ? -row.y : row.y;
    const P sign(row.y < 0 ? -1.0 : 1.0);
    for (int p = 0; p < size; p += width) {
        P a = x.cosine(row.x, p), b = x.sine(row.x, p);
        if (with_mass) {
            const P mass = P::load(block.mass + p);
            a = mass * a;
            b = mass * b;
        }
        const P c = y.cosine(up, p), s = sign * y.sine(up, p);
        (a * c - b * s).store(re + p);
        (a * s + b * c).store(im + p);
    }
}

CHAMOMILE_HD void add(ModeSums& sums, P rr, P ii, P ri, P ir)
{
    sums.rr += sum_of_lanes(rr);
    sums.ii += sum_of_lanes(ii);
    sums.ri += sum_of_lanes(ri);
    sums.ir += sum_of_lanes(ir);
}

void add_sums(ModeBlock& block, const ModeRows& rows, ModeSums* sums)
{
    const Waves x = waves_along(0, block, rows.waves), y = waves_along(1, block, rows.waves),
                z = waves_along(2, block, rows.waves);
    alignas(64) double re[size], im[size];
    for (std::size_t r = 0; r < rows.count; ++r) {
        const ModeRow& row = rows.row[r];
        waves_of_row<true>(row, x, y, block, re, im);
        for (int h = 0; h < row.waves; h += 2) {
            const int other = h + 1 < row.waves ? h + 1 : h;
            P rr[2], ii[2], ri[2], ir[2];
            for (int p = 0; p < size; p += width) {
                const P a = P::load(re + p), b = P::load(im + p);
                for (int k = 0; k < 2; ++k) {
                    const P c = z.cosine(k ? other : h, p), s = z.sine(k ? other : h, p);
                    rr[k] += a * c;
                    ii[k] += b * s;
                    ri[k] += a * s;
                    ir[k] += b * c;
                }
            }
            add(sums[row.first + std::size_t(h)], rr[0], ii[0], ri[0], ir[0]);
            if (other != h)
                add(sums[row.first + std::size_t(other)], rr[1], ii[1], ri[1], ir[1]);
        }
    }
}

CHAMOMILE_HD void add(double* to, P value)
{
    (P::load(to) + value).store(to);
}

void sum_field(ModeBlock& block, const ModeRows& rows, const ModeCoefficients* modes)
{
    const Waves x = waves_along(0, block, rows.waves), y = waves_along(1, block, rows.waves),
                z = waves_along(2, block, rows.waves);
    alignas(64) double re[size], im[size];
    for (int p = 0; p < size; ++p)
        block.potential[p] = block.slope[0][p] = block.slope[1][p] = block.slope[2][p] = 0;
    for (std::size_t r = 0; r < rows.count; ++r) {
        const ModeRow& row = rows.row[r];
        waves_of_row<false>(row, x, y, block, re, im);
        const ModeCoefficients* mode = modes + row.first;
        for (int p = 0; p < size; p += width) {
            P u, v, uz, vz;
            for (int h = 0; h < row.waves; ++h) {
                const P c = z.cosine(h, p), s = z.sine(h, p);
                u += P(mode[h].a) * c + P(mode[h].c) * s;
                v += P(mode[h].b) * c + P(mode[h].d) * s;
                uz += P(mode[h].zc) * c - P(mode[h].za) * s;
                vz += P(mode[h].zd) * c - P(mode[h].zb) * s;
            }
            const P a = P::load(re + p), b = P::load(im + p);
            const P turned = a * v - b * u;
            add(block.potential + p, a * u + b * v);
            add(block.slope[0] + p, P(double(row.x)) * turned);
            add(block.slope[1] + p, P(double(row.y)) * turned);
            add(block.slope[2] + p, a * uz + b * vz);
        }
    }
}

} // namespace

ModeKernels mode_kernels()
{
#define CHAMOMILE_NAME(set) CHAMOMILE_QUOTE(set)
#define CHAMOMILE_QUOTE(set) #set
    return {CHAMOMILE_NAME(CHAMOMILE_INSTRUCTION_SET), add_sums, sum_field};
}

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
