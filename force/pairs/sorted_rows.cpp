#include "chamomile/force/pairs/sorted_rows.hpp"

#include <cmath>
#include <numeric>

#include "chamomile/core/interruption.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/tree/hilbert_key.hpp"

namespace chamomile {

void SortedRows::take(std::span<const double> rows, int width)
{
    rows_ = rows.data();
    width_ = std::size_t(width);
    size_ = Index(rows.size() / width_);
    order_.clear();
}

void SortedRows::sort(std::span<const double> rows, int width, const Vec3<double>& period)
{
    width_ = std::size_t(width);
    size_ = Index(rows.size() / width_);
    const auto wrapped = [](double x, double side) {
        if (!(side > 0))
            return x;
        const double y = x - side * std::floor(x / side);
        return y < side ? y : 0.0; // a tiny negative x gives the side itself
    };
    positions_.resize(size_);
    keys_.resize(size_);
    order_.resize(size_);
    copy_.resize(rows.size());
#pragma omp parallel for if (size_ > worth_threads)
    for (Index i = 0; i < size_; ++i) {
        const double* r = rows.data() + std::size_t(i) * width_;
        positions_[i] = {wrapped(r[0], period.x), wrapped(r[1], period.y), wrapped(r[2], period.z)};
        order_[i] = i;
    }
    int levels = 8; // one cell per row, and 8 levels more for clumps
    while (levels < key_levels && std::uint64_t(size_) >> (3 * levels - 24) > 0)
        ++levels;
    const RootCube cube = bounding_cube(positions_);
    const double to_cube = 2 / cube.size;
#pragma omp parallel for if (size_ > worth_threads)
    for (Index i = 0; i < size_; ++i) {
        const Vec3<double> x = to_cube * (positions_[i] - cube.low);
        keys_[i] = hilbert_key(x - Vec3<double>{1, 1, 1}, levels);
    }
    look_for_interruption();
    radix_sort(keys_, order_, scratch_);
    look_for_interruption();
#pragma omp parallel for if (size_ > worth_threads)
    for (Index k = 0; k < size_; ++k) {
        const double* from = rows.data() + std::size_t(order_[k]) * width_;
        double* to = copy_.data() + std::size_t(k) * width_;
        std::copy(from, from + width_, to);
        const Vec3<double>& x = positions_[order_[k]];
        to[0] = x.x;
        to[1] = x.y;
        to[2] = x.z;
    }
    rows_ = copy_.data();
}

std::vector<Index> SortedRows::ranks() const
{
    std::vector<Index> ranks(order_.size());
    for (Index k = 0; k < order_.size(); ++k)
        ranks[order_[k]] = k;
    return ranks;
}

Box box_of(const SortedRows& rows, Index begin, Index end)
{
    Box box;
    for (Index k = begin; k < end; ++k)
        box.add(rows.position(k));
    return box;
}

} // namespace chamomile
