#include "chamomile/force/mesh/slab_fourier.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

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

template <class T>
void copy_values(std::span<const T> from, T* to)
{
    copy_bytes(std::as_bytes(from), reinterpret_cast<std::byte*>(to));
}

} // namespace

template <class T>
SlabFourier<T>::SlabFourier(int n, Communicator* ranks)
    : n_(n), ranks_(ranks && ranks->size() > 1 ? ranks : nullptr), fourier_(n)
{}

template <class T>
void SlabFourier<T>::cover(const MarkedRows& marked)
{
    if (!ranks_)
        return;
    rows_ = CoveredRows::of(marked.of, marked.marks, *ranks_);
    const auto n = std::size_t(n_), first = std::size_t(own().begin) * n;
    Index next = Index(own().count()) * Index(n_);
    places_.assign(n * n, 0);
    std::iota(places_.begin() + std::ptrdiff_t(first),
              places_.begin() + std::ptrdiff_t(first + next), Index(0));
    begin_ = {0};
    for (const std::vector<Index>& rows : rows_.covered) {
        for (const Index row : rows)
            places_[row] = next++;
        begin_.push_back(begin_.back() + rows.size());
    }
}

/// Returns the values of covered rows in the planes of a rank.
template <class T>
template <class Number>
std::span<Number> SlabFourier<T>::covered(Grid<Number>& grid, int rank) const
{
    Number* const first = grid.data() + std::size_t(own().count()) * grid.plane();
    const std::size_t begin = begin_[std::size_t(rank)], end = begin_[std::size_t(rank) + 1];
    return {first + begin * grid.row(), (end - begin) * grid.row()};
}

template <class T>
void SlabFourier<T>::sum_integers(Grid<double>& grid)
{
    if (!ranks_)
        return;
    std::vector<std::span<const std::byte>> to;
    for (int r = 0; r < ranks_->size(); ++r)
        to.push_back(std::as_bytes(covered(grid, r)));
    ranks_->exchange(to, arriving_, [&](Communicator::Messages messages) {
        for (int r = 0; r < ranks_->size(); ++r) {
            const std::vector<Index>& rows = rows_.shared[std::size_t(r)];
            const auto* const more =
                reinterpret_cast<const double*>(messages[std::size_t(r)].data());
#pragma omp parallel for schedule(static)
            for (std::size_t p = 0; p < rows.size(); ++p)
                for (std::size_t k = 0; k < grid.row(); ++k) {
                    double& sum = grid.data()[rows[p] * grid.row() + k];
                    sum = std::bit_cast<double>(
                        std::bit_cast<std::uint64_t>(sum) +
                        std::bit_cast<std::uint64_t>(more[p * grid.row() + k]));
                }
        }
    });
}

template <class T>
template <class Fill, class Use>
void SlabFourier<T>::exchange(std::vector<std::size_t> counts, const Fill& fill, const Use& use)
{
    for (std::size_t& count : counts)
        count *= sizeof(T);
    std::byte* const begin = leaving_.make_room(counts);
    std::vector<std::span<const std::byte>> to;
    for (int r = 0; r < ranks_->size(); ++r) {
        to.push_back(leaving_.from<std::byte>(r));
        fill(r, reinterpret_cast<T*>(begin + leaving_.begin(r)));
    }
    ranks_->exchange(to, arriving_, [&](Communicator::Messages messages) {
        for (int r = 0; r < ranks_->size(); ++r) {
            const std::span<const std::byte> bytes = messages[std::size_t(r)];
            use(r, std::span(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)));
        }
    });
}

template <class T>
void SlabFourier<T>::share(Grid<T>& grid)
{
    if (!ranks_)
        return;
    std::vector<std::size_t> counts;
    for (const std::vector<Index>& rows : rows_.shared)
        counts.push_back(rows.size() * grid.row());
    const auto fill = [&](int r, T* message) {
        const std::vector<Index>& rows = rows_.shared[std::size_t(r)];
#pragma omp parallel for schedule(static)
        for (std::size_t p = 0; p < rows.size(); ++p)
            std::copy_n(grid.data() + rows[p] * grid.row(), grid.row(), message + p * grid.row());
    };
    exchange(std::move(counts), fill, [&](int r, std::span<const T> values) {
        copy_values(values, covered(grid, r).data());
    });
}

/// Sends the block sent(r) to each rank r, and receives the block received(r). The grid becomes
/// `after`.
template <class T>
template <class Sent, class Received>
void SlabFourier<T>::transpose(Grid<T>& grid, const Sent& sent, const Received& received,
                               const Block& after)
{
    std::vector<std::size_t> counts;
    for (int r = 0; r < ranks_->size(); ++r)
        counts.push_back(sent(r).size(grid));
    const auto fill = [&](int r, T* message) {
        for_each_run(grid, sent(r), [&](const T* run, std::size_t at, std::size_t count) {
            std::copy_n(run, count, message + at);
        });
    };
    exchange(std::move(counts), fill, [&](int r, std::span<const T> values) {
        grid.reshape(after.planes, after.rows); // once all blocks are in messages
        for_each_run(grid, received(r), [&](T* run, std::size_t at, std::size_t count) {
            std::copy_n(values.data() + at, count, run);
        });
    });
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
void SlabFourier<T>::columns_backward(Grid<T>& grid)
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
}

template <class T>
const Grid<T>& SlabFourier<T>::window(const Grid<T>& field, MeshRange wanted,
                                      std::optional<Grid<T>>& into)
{
    if (!ranks_)
        return field;
    const std::vector<MeshRange> of_ranks = ranks_->all_gather(wanted);
    bool are_own = true;
    for (int r = 0; r < ranks_->size(); ++r)
        are_own = are_own && of_ranks[std::size_t(r)] == slab(r);
    if (are_own)
        return field;
    const auto for_planes = [&](int sender, int receiver, const auto& visit) {
        const MeshRange held = slab(sender), asked = of_ranks[std::size_t(receiver)];
        for (int i = asked.begin; i < asked.end; ++i)
            if (i % n_ >= held.begin && i % n_ < held.end)
                visit(i);
    };
    const int me = ranks_->rank();
    const std::size_t plane = Grid<T>::row(n_) * std::size_t(n_);
    std::vector<std::size_t> counts(of_ranks.size());
    for (int r = 0; r < ranks_->size(); ++r)
        for_planes(me, r, [&](int) { counts[std::size_t(r)] += plane; });
    if (!into || into->planes() != wanted)
        into.emplace(n_, wanted, all());
    const auto fill = [&](int r, T* message) {
        for_planes(me, r, [&](int i) {
            copy_values<T>({&field(i % n_, 0, 0), plane}, message);
            message += plane;
        });
    };
    exchange(std::move(counts), fill, [&](int r, std::span<const T> values) {
        for_planes(r, me, [&](int i) {
            copy_values(values.first(plane), &(*into)(i, 0, 0));
            values = values.subspan(plane);
        });
    });
    return *into;
}

template class SlabFourier<float>;
template class SlabFourier<double>;

} // namespace chamomile
