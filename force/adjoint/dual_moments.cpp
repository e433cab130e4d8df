#include "chamomile/force/adjoint/dual_moments.hpp"

#include <algorithm>
#include <cmath>

#include "chamomile/core/threads.hpp"
#include "chamomile/force/expansions/taylor_terms.hpp"
#include "chamomile/tree/upwards.hpp"

namespace chamomile {
namespace {

constexpr int max_degree = 5;

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

/// Adds moments to a degree about another center, a distance away of which `monomial` are.
template <int order, int... t>
void shift(const double* moments, const double* monomial, double* to,
           std::integer_sequence<int, t...>)
{
    const auto add = [&]<int from, int by>() __attribute__((always_inline))
    {
        constexpr Exponents a = exponents_of(from), b = exponents_of(by);
        if constexpr (a.degree() + b.degree() <= order)
            to[term_of({a.x + b.x, a.y + b.y, a.z + b.z})] += moments[from] * monomial[by];
    };
    const auto add_all = [&]<int from>() __attribute__((always_inline))
    {
        (add.template operator()<from, t>(), ...);
    };
    (add_all.template operator()<t>(), ...);
}

} // namespace

double unit_of_lambda(const InternalScale& scale, const AdjointInput& loss, std::size_t n)
{
    double max = 0;
    const auto look = [&](const ArrayView& view, std::size_t i, double unit) {
        for (int c = 0; view && c < view.components(); ++c)
            max = std::max(max, unit * std::abs(view.load(i, c)));
    };
    for (std::size_t i = 0; i < n; ++i) {
        look(loss.lambda, i, 1);
        look(loss.mu, i, scale.length);
        look(loss.velocity, i, scale.mass);
    }
    return unit_of_lambda(max);
}

void AdjointRows::take(const Octree& octree, const InternalScale& scale, double unit,
                       const ArrayView& lambda, const ArrayView& mu)
{
    const bool per_particle = !octree.softening.empty();
    width_ = per_particle ? 9 : 8;
    rows_.resize(width_ * octree.size);
    const double inverse_length = 1 / scale.length, inverse_mass = 1 / scale.mass;
#pragma omp parallel for if (octree.size > worth_threads) schedule(static)
    for (std::size_t k = 0; k < octree.size; ++k) {
        const Source& from = octree.sources[k];
        const Index i = octree.order[k];
        const Vec3<double> l = lambda ? (1 / unit) * lambda.load_vector(i) : Vec3<double>{};
        const double row[8] = {from.position.x,
                               from.position.y,
                               from.position.z,
                               inverse_mass * from.mass,
                               l.x,
                               l.y,
                               l.z,
                               mu ? scale.length / unit * mu.load(i) : 0};
        double* const to = rows_.data() + width_ * k;
        std::copy_n(row, 8, to);
        if (per_particle)
            to[8] = inverse_length * (inverse_length * octree.softening[k]);
    }
}

void DualMoments::sum(const AdjointKernels& kernels, const Octree& octree, const Moments& moments,
                      const AdjointRows& rows, const InternalScale& scale, int order, bool softens,
                      bool precise, const AcceptanceCriterion& criterion)
{
    kernels_ = &kernels;
    octree_ = &octree;
    multipoles_ = moments.multipole.data();
    inverse_length_ = 1 / scale.length;
    order_ = order;
    masses_ = term_count(order - 1);
    size_ = term_count(order);
    parts_ = softens ? 2 : 1;
    moments_.assign(octree.cells.size() * std::size_t(parts_ * (masses_ + size_)), 0);
    spans_.resize(softens ? octree.cells.size() : 0);
    order == 2   ? sum_cells<2>(rows)
    : order == 3 ? sum_cells<3>(rows)
    : order == 4 ? sum_cells<4>(rows)
                 : sum_cells<5>(rows);
    rows_.clear();
    precise_rows_.clear();
    if (precise)
        write_rows(moments, precise_rows_);
    else
        write_rows(moments, rows_);
    extents_.clear();
    if (!criterion.takes_tolerance())
        return;
    opening_ = dual_opening(criterion);
    find_extents(moments, rows, criterion.kind);
}

/// Writes the coefficients of all cells.
template <class T>
void DualMoments::write_rows(const Moments& moments, std::vector<T>& rows)
{
    const DualRow layout{order_};
    std::vector<DualStep> steps;
    for_each_dual_step(order_, [&](const DualStep& step) { steps.push_back(step); });
    const std::size_t cells = octree_->cells.size(), width = std::size_t(layout.size());
    rows.assign(cells * std::size_t(parts_) * width, 0);
    all_rows_ = reinterpret_cast<const char*>(rows.data());
    row_bytes_ = width * sizeof(T);
    heads_.resize(cells);
#pragma omp parallel for if (cells > worth_threads) schedule(static)
    for (std::size_t c = 0; c < cells; ++c) {
        const double extent =
            inverse_length_ * moments.bounds[c].farthest_distance(multipoles_[c].center);
        const double size = InternalScale::power_of_two_above(std::max(extent, 0x1p-31));
        heads_[c] = {multipoles_[c].center, size};
        double power[max_degree + 1] = {1};
        for (int k = 1; k <= order_; ++k)
            power[k] = power[k - 1] / size;
        for (int part = 0; part < parts_; ++part) {
            const double* const from = of(Index(c), part);
            T* const to = rows.data() + (c * std::size_t(parts_) + std::size_t(part)) * width;
            for (const DualStep& step : steps)
                to[step.to] += T(step.weight * power[step.degree] * from[step.from]);
        }
    }
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

template <int order>
void DualMoments::sum_cells(const AdjointRows& rows)
{
    pass_upwards(*octree_, [&](Index begin, Index end) {
        for (Index c = end; c-- > begin;)
            if (octree_->is_leaf(c))
                sum_leaf(c, rows);
            else
                sum_daughters<order>(c);
    });
}

void DualMoments::sum_leaf(Index c, const AdjointRows& rows)
{
    const Cell& cell = octree_->cells[c];
    DualParticles particles{rows.row(cell.begin), rows.width(), cell.count, multipoles_[c].center,
                            inverse_length_};
    if (parts_ == 1)
        return kernels_->sum_particles(particles, order_, of(c, 0));
    Span span{HUGE_VAL, 0};
    for (Index k = cell.begin; k < cell.begin + cell.count; ++k)
        span = {std::min(span.min, rows.row(k)[8]), std::max(span.max, rows.row(k)[8])};
    spans_[c] = span;
    if (span.min < span.max) {
        particles.slope = 1 / (span.max - span.min);
        particles.fraction = -span.min * particles.slope;
        kernels_->sum_particles(particles, order_, of(c, 1));
        particles.slope = -particles.slope;
        particles.fraction = 1 - particles.fraction;
    }
    kernels_->sum_particles(particles, order_, of(c, 0));
}

template <int order>
void DualMoments::sum_daughters(Index c)
{
    constexpr int masses = term_count(order - 1), size = term_count(order);
    const std::vector<Span>& spans = spans_;
    Span span{HUGE_VAL, 0};
    const Index end = octree_->cells[c].next;
    for (Index d = c + 1; parts_ > 1 && d < end; d = octree_->cells[d].next)
        span = {std::min(span.min, spans[d].min), std::max(span.max, spans[d].max)};
    for (Index d = c + 1; d < end; d = octree_->cells[d].next) {
        constexpr std::make_integer_sequence<int, size> all;
        double monomial[size];
        taylor::find_monomials(inverse_length_ * (multipoles_[c].center - multipoles_[d].center),
                               monomial, all);
        for (int from = 0; from < parts_; ++from) {
            double shifted[masses + size] = {};
            shift<order - 1>(of(d, from), monomial, shifted,
                             std::make_integer_sequence<int, masses>{});
            shift<order>(of(d, from) + masses, monomial, shifted + masses, all);
            const auto add = [&](int part, double fraction) {
                double* const to = of(c, part);
                for (int t = 0; t < masses + size; ++t)
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

void DualMoments::append(Index cell, const Vec3<double>& center, const Periodicity& box,
                         double eps2, std::vector<DualCell>& cells) const
{
    const Head& head = heads_[cell];
    const Vec3<double> place = inverse_length_ * box.nearest(head.center - center);
    if (parts_ == 1) {
        cells.push_back({place, eps2, head.size, row_of(cell, 0)});
        return;
    }
    const Span& span = spans_[cell];
    cells.push_back({place, span.min, head.size, row_of(cell, 0)});
    if (span.min < span.max)
        cells.push_back({place, span.max, head.size, row_of(cell, 1)});
}

} // namespace chamomile
