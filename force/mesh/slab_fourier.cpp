#include "chamomile/force/mesh/slab_fourier.hpp"

#include <bit>
#include <cstdint>

namespace chamomile {
namespace {

/// Calls visit(run, offset, count) for the values of a block: in each plane its rows are adjacent.
/// `offset` is the place of the run in a message.
template <class T, class Block, class Visit>
void for_each_run(Grid<T>& grid, const Block& block, const Visit& visit)
{
    const std::size_t count = std::size_t(block.rows.count()) * grid.row();
#pragma omp parallel for schedule(static) if (block.planes.count() > 1)
    for (int i = block.planes.begin; i < block.planes.end; ++i)
        if (count > 0)
            visit(&grid(i, block.rows.begin, 0), std::size_t(i - block.planes.begin) * count,
                  count);
}

} // namespace

template <class T>
SlabFourier<T>::SlabFourier(int n, Communicator* ranks)
    : n_(n), ranks_(ranks && ranks->size() > 1 ? ranks : nullptr), fourier_(n)
{}

template <class T>
MeshRange SlabFourier<T>::slab(int rank) const
{
    if (!ranks_)
        return {0, n_};
    return {int(ranks_->first_of_run(std::uint64_t(n_), rank)),
            int(ranks_->first_of_run(std::uint64_t(n_), rank + 1))};
}

template <class T>
void SlabFourier<T>::sum_integers(Grid<double>& grid)
{
    if (!ranks_)
        return;
    const auto planes_of = [&](int rank) {
        const MeshRange planes = slab(rank);
        return std::span(grid.data() + std::size_t(planes.begin) * grid.plane(),
                         std::size_t(planes.count()) * grid.plane());
    };
    std::vector<std::span<const double>> to;
    for (int r = 0; r < ranks_->size(); ++r)
        to.push_back(r == ranks_->rank() ? std::span<const double>() : planes_of(r));
    ranks_->all_to_all<double>(to, arriving_);
    const std::span<double> sum = planes_of(ranks_->rank());
    for (int r = 0; r < ranks_->size(); ++r) {
        const std::span<const double> more = arriving_.from<double>(r);
#pragma omp parallel for schedule(static)
        for (std::size_t k = 0; k < more.size(); ++k)
            sum[k] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum[k]) +
                                           std::bit_cast<std::uint64_t>(more[k]));
    }
}

/// Sends the block sent(r) to each other rank r, and receives the block received(r). A grid in
/// slabs becomes `after`.
template <class T>
template <class Sent, class Received>
void SlabFourier<T>::transpose(Grid<T>& grid, const Sent& sent, const Received& received,
                               const Block& after)
{
    const bool is_whole = grid.is_whole(); // then this rank's block stays
    const auto moves = [&](int r) { return !is_whole || r != ranks_->rank(); };
    std::vector<std::size_t> begin{0};
    for (int r = 0; r < ranks_->size(); ++r)
        begin.push_back(begin.back() + (moves(r) ? sent(r).size(grid) : 0));
    leaving_.resize(begin.back());
    std::vector<std::span<const T>> to;
    for (int r = 0; r < ranks_->size(); ++r) {
        T* const message = leaving_.data() + begin[std::size_t(r)];
        to.push_back({message, begin[std::size_t(r) + 1] - begin[std::size_t(r)]});
        if (moves(r))
            for_each_run(grid, sent(r), [&](const T* run, std::size_t at, std::size_t count) {
                std::copy_n(run, count, message + at);
            });
    }
    ranks_->all_to_all<T>(to, arriving_);
    if (!is_whole)
        grid.reshape(after.planes, after.rows);
    for (int r = 0; r < ranks_->size(); ++r)
        if (moves(r))
            for_each_run(grid, received(r), [&](T* run, std::size_t at, std::size_t count) {
                std::copy_n(arriving_.from<T>(r).data() + at, count, run);
            });
}

/// Gathers the planes of all ranks.
template <class T>
void SlabFourier<T>::gather(Grid<T>& grid)
{
    const MeshRange planes = own();
    ranks_->gather(std::as_bytes(std::span(grid.data() + std::size_t(planes.begin) * grid.plane(),
                                           std::size_t(planes.count()) * grid.plane())),
                   Communicator::Sizes::any, arriving_);
    for (int r = 0; r < ranks_->size(); ++r)
        if (r != ranks_->rank())
            copy_bytes(arriving_.from<std::byte>(r),
                       reinterpret_cast<std::byte*>(grid.data() +
                                                    std::size_t(slab(r).begin) * grid.plane()));
}

template <class T>
void SlabFourier<T>::forward(Grid<T>& grid)
{
    fourier_.planes_forward(grid, own());
    if (ranks_)
        transpose(
            grid,
            [&](int r) {
                return Block{own(), slab(r)};
            },
            [&](int r) {
                return Block{slab(r), own()};
            },
            Block{all(), own()});
    fourier_.columns_forward(grid, own());
}

template <class T>
void SlabFourier<T>::backward(Grid<T>& grid)
{
    fourier_.columns_backward(grid, own());
    if (ranks_)
        transpose(
            grid,
            [&](int r) {
                return Block{slab(r), own()};
            },
            [&](int r) {
                return Block{own(), slab(r)};
            },
            Block{own(), all()});
    fourier_.planes_backward(grid, own());
    if (ranks_ && grid.is_whole())
        gather(grid);
}

template <class T>
const Grid<T>& SlabFourier<T>::window(const Grid<T>& field, MeshRange wanted,
                                      std::optional<Grid<T>>& into)
{
    if (!ranks_)
        return field;
    const std::vector<MeshRange> of_ranks = ranks_->all_gather(wanted);
    const auto for_planes = [&](int sender, int receiver, const auto& visit) {
        const MeshRange held = slab(sender), asked = of_ranks[std::size_t(receiver)];
        for (int i = asked.begin; i < asked.end; ++i)
            if (i % n_ >= held.begin && i % n_ < held.end)
                visit(i);
    };
    const int me = ranks_->rank();
    const std::size_t plane = Grid<T>::row(n_) * std::size_t(n_);
    std::vector<std::size_t> begin{0};
    leaving_.clear();
    for (int r = 0; r < ranks_->size(); ++r) {
        for_planes(me, r, [&](int i) {
            const T* const from = &field(i % n_, 0, 0);
            leaving_.insert(leaving_.end(), from, from + plane);
        });
        begin.push_back(leaving_.size());
    }
    std::vector<std::span<const T>> to;
    for (std::size_t r = 0; r + 1 < begin.size(); ++r)
        to.push_back({leaving_.data() + begin[r], begin[r + 1] - begin[r]});
    ranks_->all_to_all<T>(to, arriving_);
    if (!into || into->planes() != wanted)
        into.emplace(n_, wanted, all());
    for (int r = 0; r < ranks_->size(); ++r) {
        const T* next = arriving_.from<T>(r).data();
        for_planes(r, me, [&](int i) {
            std::copy_n(next, plane, &(*into)(i, 0, 0));
            next += plane;
        });
    }
    return *into;
}

template class SlabFourier<float>;
template class SlabFourier<double>;

} // namespace chamomile
