#include "chamomile/force/adjoint/dual_moments.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/threads.hpp"
#include "chamomile/force/expansions/term_table.hpp"
#include "chamomile/tree/upwards.hpp"

namespace chamomile {
namespace {

constexpr int max_terms = term_count(5);

double length_of_lambda(const double* row)
{
    return std::sqrt(row[4] * row[4] + row[5] * row[5] + row[6] * row[6]);
}

/// Calls use(part, fraction) for the parts of a particle or a daughter with this eps^2.
template <class Span, class Use>
void divide(const Span& span, double eps2, const Use& use)
{
    const double range = span.max - span.min,
                 high = range > 0 ? std::clamp((eps2 - span.min) / range, 0.0, 1.0) : 0;
    if (high < 1)
        use(0, 1 - high);
    if (high > 0)
        use(1, high);
}

} // namespace

double unit_of_lambda(const InternalScale& scale, std::span<const Vec3<double>> lambda,
                      std::span<const double> mu)
{
    double max = 0;
    for (const Vec3<double>& l : lambda)
        max = std::max({max, std::abs(l.x), std::abs(l.y), std::abs(l.z)});
    for (const double m : mu)
        max = std::max(max, scale.length * std::abs(m));
    return max > 0 ? InternalScale::power_of_two_above(max) : 1;
}

void AdjointRows::take(const Octree& octree, const InternalScale& scale, double unit,
                       std::span<const Vec3<double>> lambda, std::span<const double> mu)
{
    const bool per_particle = !octree.softening.empty();
    width_ = per_particle ? 9 : 8;
    rows_.resize(width_ * octree.size);
    const double inverse_length = 1 / scale.length, inverse_mass = 1 / scale.mass;
#pragma omp parallel for if (octree.size > worth_threads) schedule(static)
    for (std::size_t k = 0; k < octree.size; ++k) {
        const Source& from = octree.sources[k];
        const Index i = octree.order[k];
        const Vec3<double> l = lambda.empty() ? Vec3<double>{} : (1 / unit) * lambda[i];
        const double row[8] = {from.position.x,
                               from.position.y,
                               from.position.z,
                               inverse_mass * from.mass,
                               l.x,
                               l.y,
                               l.z,
                               mu.empty() ? 0 : scale.length / unit * mu[i]};
        double* const to = rows_.data() + width_ * k;
        std::copy_n(row, 8, to);
        if (per_particle)
            to[8] = inverse_length * (inverse_length * octree.softening[k]);
    }
}

void DualMoments::sum(const Octree& octree, const Moments& moments, const AdjointRows& rows,
                      const InternalScale& scale, int order, bool softens,
                      const AcceptanceCriterion& criterion)
{
    octree_ = &octree;
    multipoles_ = moments.multipole.data();
    inverse_length_ = 1 / scale.length;
    order_ = order;
    masses_ = term_count(order - 1);
    size_ = term_count(order);
    parts_ = softens ? 2 : 1;
    moments_.assign(octree.cells.size() * std::size_t(parts_ * (masses_ + size_)), 0);
    spans_.resize(softens ? octree.cells.size() : 0);
    pass_upwards(octree, [&](Index begin, Index end) {
        for (Index c = end; c-- > begin;)
            if (octree.is_leaf(c))
                sum_leaf(c, rows);
            else
                sum_daughters(c);
    });
    extents_.clear();
    if (!criterion.takes_tolerance())
        return;
    opening_ = std::min(0.6, std::pow(10 * criterion.tolerance, 1.0 / criterion.neglected()));
    find_extents(moments, rows, criterion.kind);
}

/// Finds cells in which lambda and mu have much larger fractions of their sums than the masses, or
/// larger second moments, as the criterion weighs cells.
void DualMoments::find_extents(const Moments& moments, const AdjointRows& rows, Criterion kind)
{
    const std::size_t cells = octree_->cells.size();
    double lambda = 0, mu = 0;
    for (std::size_t k = 0; k < octree_->size; ++k) { // in order: threads change no bit
        lambda += length_of_lambda(rows.row(k));
        mu += std::abs(rows.row(k)[7]);
    }
    const double half = lambda > 0 && mu > 0 ? 0.5 : 1,
                 inverse_lambda = lambda > 0 ? half / lambda : 0,
                 inverse_mu = mu > 0 ? half / mu : 0, whole = multipoles_[0].mass;
    weights_.resize(cells);
    extents_.resize(cells);
    pass_upwards(*octree_, [&](Index begin, Index end) {
        for (Index c = end; c-- > begin;) {
            const Cell& cell = octree_->cells[c];
            const Multipole& m = multipoles_[c];
            Weights sum;
            if (octree_->is_leaf(c))
                for (Index k = cell.begin; k < cell.begin + cell.count; ++k) {
                    const double* const row = rows.row(k);
                    const Vec3<double> x{row[0], row[1], row[2]};
                    sum.add(inverse_lambda * length_of_lambda(row) + inverse_mu * std::abs(row[7]),
                            inverse_length_ * (x - m.center));
                }
            for (Index d = c + 1; d < cell.next; d = octree_->cells[d].next) {
                const Weights& w = weights_[d];
                const Vec3<double> s = inverse_length_ * (multipoles_[d].center - m.center);
                sum.add(w.sum, s);
                sum.first += w.first;
                sum.second += w.second + 2 * dot(s, w.first);
            }
            weights_[c] = sum;
            const double share = whole > 0 ? m.mass / whole : 0,
                         second = inverse_length_ * inverse_length_ * m.second.trace() / whole;
            const bool is_trusted =
                sum.sum <= 4 * share && (kind == Criterion::relative || sum.second <= 4 * second);
            extents_[c] =
                is_trusted ? -1
                           : float(inverse_length_ * moments.bounds[c].farthest_distance(m.center));
        }
    });
}

void DualMoments::sum_leaf(Index c, const AdjointRows& rows)
{
    const Cell& cell = octree_->cells[c];
    Span span{HUGE_VAL, 0};
    for (Index k = cell.begin; parts_ > 1 && k < cell.begin + cell.count; ++k)
        span = {std::min(span.min, rows.row(k)[8]), std::max(span.max, rows.row(k)[8])};
    const Vec3<double>& center = multipoles_[c].center;
    for (Index k = cell.begin; k < cell.begin + cell.count; ++k) {
        const double* const row = rows.row(k);
        const Vec3<double> s{inverse_length_ * (row[0] - center.x),
                             inverse_length_ * (row[1] - center.y),
                             inverse_length_ * (row[2] - center.z)};
        // With weights, a moment is the monomial of -s, and d/ds takes one power and the sign.
        double monomial[max_terms], dual[max_terms];
        term_table.monomials(-s.x, -s.y, -s.z, order_, monomial);
        for (int t = 0; t < size_; ++t)
            dual[t] = -row[7] * monomial[t];
        for (int t = 0; t < term_count(order_ - 1); ++t)
            for (int axis = 0; axis < 3; ++axis)
                dual[term_table.joint[1 + axis][t]] -= row[4 + axis] * monomial[t];
        const auto add = [&](int part, double fraction) {
            double* const to = of(c, part);
            for (int t = 0; t < masses_; ++t)
                to[t] += fraction * row[3] * monomial[t];
            for (int t = 0; t < size_; ++t)
                to[masses_ + t] += fraction * dual[t];
        };
        if (parts_ > 1)
            divide(span, row[8], add);
        else
            add(0, 1);
    }
    if (parts_ > 1)
        spans_[c] = span;
}

void DualMoments::sum_daughters(Index c)
{
    const std::vector<Span>& spans = spans_;
    Span span{HUGE_VAL, 0};
    const Index end = octree_->cells[c].next;
    for (Index d = c + 1; parts_ > 1 && d < end; d = octree_->cells[d].next)
        span = {std::min(span.min, spans[d].min), std::max(span.max, spans[d].max)};
    for (Index d = c + 1; d < end; d = octree_->cells[d].next) {
        const Vec3<double> s = inverse_length_ * (multipoles_[d].center - multipoles_[c].center);
        double monomial[max_terms];
        term_table.monomials(-s.x, -s.y, -s.z, order_, monomial);
        for (int from = 0; from < parts_; ++from) {
            const double* const given = of(d, from);
            double shifted[2 * max_terms] = {};
            for (int g = 0, degree = 0; g < size_; ++g) {
                degree += g == term_count(degree);
                for (int t = 0; t < term_count(order_ - degree); ++t) {
                    const int to = term_table.joint[g][t];
                    if (to < masses_)
                        shifted[to] += given[g] * monomial[t];
                    shifted[masses_ + to] += given[masses_ + g] * monomial[t];
                }
            }
            const auto add = [&](int part, double fraction) {
                double* const to = of(c, part);
                for (int t = 0; t < masses_ + size_; ++t)
                    to[t] += fraction * shifted[t];
            };
            if (parts_ > 1)
                divide(span, from == 0 ? spans[d].min : spans[d].max, add);
            else
                add(0, 1);
        }
    }
    if (parts_ > 1)
        spans_[c] = span;
}

void DualMoments::append(Index cell, const Vec3<double>& center, double eps2,
                         std::vector<DualCell>& cells) const
{
    const Vec3<double> place = inverse_length_ * (multipoles_[cell].center - center);
    if (parts_ == 1) {
        cells.push_back({place, eps2, of(cell, 0)});
        return;
    }
    const Span& span = spans_[cell];
    cells.push_back({place, span.min, of(cell, 0)});
    if (span.min < span.max)
        cells.push_back({place, span.max, of(cell, 1)});
}

} // namespace chamomile
