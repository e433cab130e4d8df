// A block copies one row: 8 (n / 2 + 1) bytes of floats, twice as many of doubles and integers.
//
// Bytes sent by each of P ranks of a mesh of n^3 cells, in floats: 4 n^3 (P - 1) / P^2 for each of
// three transpositions. Masses (8 bytes a cell) and three components (4 bytes each) travel only
// for rows where a rank has particles outside its slab of planes. Morton order divides the first
// axis first: for P = 2 these are the margins, for P = 4 half the cells of a rank.
// Contraction: none.
#include <algorithm>

#include "chamomile/gpu/mesh/device_slab_fourier.cuh"

namespace chamomile {
namespace {

using Word = unsigned long long;
constexpr unsigned block_size = 256;

__global__ void __launch_bounds__(block_size)
    pack_rows(const Word* grid, const Index* rows, std::size_t words, Word* to)
{
    const Word* const from = grid + rows[blockIdx.x] * words;
    for (std::size_t w = threadIdx.x; w < words; w += block_size)
        to[blockIdx.x * words + w] = from[w];
}

template <bool adds>
__global__ void __launch_bounds__(block_size)
    unpack_rows(const Word* from, const Index* rows, std::size_t words, Word* grid)
{
    Word* const to = grid + rows[blockIdx.x] * words;
    for (std::size_t w = threadIdx.x; w < words; w += block_size) {
        const Word arrived = from[blockIdx.x * words + w];
        to[w] = adds ? to[w] + arrived : arrived;
    }
}

__global__ void __launch_bounds__(block_size)
    clear_rows(const Index* rows, std::size_t words, Word* grid)
{
    for (std::size_t w = threadIdx.x; w < words; w += block_size)
        grid[rows[blockIdx.x] * words + w] = 0;
}

/// Returns the rows of a block, plane by plane.
std::vector<Index> rows_of_block(int n, MeshRange planes, MeshRange rows)
{
    std::vector<Index> found;
    for (int i = planes.begin; i < planes.end; ++i)
        for (int j = rows.begin; j < rows.end; ++j)
            found.push_back(Index(i) * Index(n) + Index(j));
    return found;
}

} // namespace

template <class T>
DeviceSlabFourier<T>::DeviceSlabFourier(int n, Communicator* ranks)
    : n_(n), ranks_(ranks && ranks->size() > 1 ? ranks : nullptr),
      fourier_(n, ranks_ ? std::optional(own().count()) : std::nullopt)
{
    if (!ranks_)
        return;
    const Stream stream;
    list_rows([&](int r) { return rows_of_block(n, own(), slab(r)); }, planes_, stream);
    list_rows([&](int r) { return rows_of_block(n, slab(r), own()); }, columns_, stream);
    stream.wait();
}

template <class T>
MeshRange DeviceSlabFourier<T>::slab(int rank) const
{
    if (!ranks_)
        return {0, n_};
    return {int(ranks_->first_of_run(std::uint64_t(n_), rank)),
            int(ranks_->first_of_run(std::uint64_t(n_), rank + 1))};
}

/// Lists rows_of(r) for every other rank r.
template <class T>
void DeviceSlabFourier<T>::list_rows(const RowsOf& rows_of, RowsOfRanks& rows,
                                     const Stream& stream) const
{
    std::vector<Index> all;
    rows.begin = {0};
    for (int r = 0; r < ranks_->size(); ++r) {
        if (r != ranks_->rank()) {
            const std::vector<Index> some = rows_of(r);
            all.insert(all.end(), some.begin(), some.end());
        }
        rows.begin.push_back(all.size());
    }
    upload(rows.row, all.data(), all.size(), stream);
}

template <class T>
void DeviceSlabFourier<T>::cover(const std::uint8_t* marks, const Stream& stream)
{
    const std::size_t of_plane = std::size_t(marks_of_plane()), count = std::size_t(n_) * of_plane;
    std::uint8_t* const here = marks_.reserve(count);
    download(here, marks, count, stream);
    stream.wait();
    const std::vector<std::uint8_t> all =
        ranks_->all_gather(std::span<const std::uint8_t>(here, count));
    const auto rows_of = [&](int rank, MeshRange planes) {
        std::vector<Index> found;
        for (int i = planes.begin; i < planes.end; ++i)
            for (std::size_t mark = 0; mark < of_plane; ++mark) {
                const bool is_set =
                    all[std::size_t(rank) * count + std::size_t(i) * of_plane + mark];
                for (int j = int(mark) * rows_of_mark, end = std::min(j + rows_of_mark, n_);
                     is_set && j < end; ++j)
                    found.push_back(Index(i) * Index(n_) + Index(j));
            }
        return found;
    };
    list_rows([&](int r) { return rows_of(ranks_->rank(), slab(r)); }, covered_, stream);
    list_rows([&](int r) { return rows_of(r, own()); }, shared_, stream);
}

template <class T>
void DeviceSlabFourier<T>::clear(unsigned long long* grid, const Stream& stream)
{
    const std::size_t plane = std::size_t(n_) * row();
    check(cudaMemsetAsync(grid + std::size_t(own().begin) * plane, 0,
                          std::size_t(own().count()) * plane * sizeof *grid, stream),
          "clear a mesh");
    if (ranks_ && covered_.begin.back() > 0)
        clear_rows<<<unsigned(covered_.begin.back()), block_size, 0, stream>>>(covered_.row.data(),
                                                                               row(), grid);
    check(cudaGetLastError(), "clear a mesh");
}

template <class T>
void DeviceSlabFourier<T>::sum_integers(unsigned long long* grid, const Stream& stream)
{
    if (ranks_)
        send(grid, covered_, shared_, true, stream);
}

template <class T>
void DeviceSlabFourier<T>::forward(T* grid, const Stream& stream)
{
    fourier_.forward(own_planes(grid), stream);
    if (!ranks_)
        return;
    send(grid, planes_, columns_, false, stream);
    fourier_.columns_forward(own_rows(grid), stream);
}

template <class T>
void DeviceSlabFourier<T>::to_planes(T* spectrum, const Stream& stream)
{
    fourier_.columns_backward(own_rows(spectrum), stream);
    send(spectrum, columns_, planes_, false, stream);
}

template <class T>
void DeviceSlabFourier<T>::backward(T* grid, const Stream& stream)
{
    fourier_.backward(own_planes(grid), stream);
    if (ranks_)
        send(grid, shared_, covered_, false, stream);
}

/// Sends rows of a grid to each rank. Arriving rows are added, as integers, or replace the grid's.
template <class T>
template <class Number>
void DeviceSlabFourier<T>::send(Number* grid, RowsOfRanks& leaving, RowsOfRanks& arriving,
                                bool adds, const Stream& stream)
{
    auto* const values = reinterpret_cast<Word*>(grid);
    const std::size_t words = row() * sizeof(Number) / sizeof(Word);
    auto* next = reinterpret_cast<Word*>(
        leaving_[turn_ ^= 1].reserve(leaving.begin.back() * words * sizeof(Word)));
    std::vector<DeviceMessage> messages{std::size_t(ranks_->size())};
    for (std::size_t r = 0; r < messages.size(); ++r) {
        const std::size_t n = leaving.count(r);
        if (n == 0)
            continue;
        pack_rows<<<unsigned(n), block_size, 0, stream>>>(
            values, leaving.row.data() + leaving.begin[r], words, next);
        check(cudaGetLastError(), "launch the packing of a mesh");
        messages[r] = {{}, reinterpret_cast<const std::byte*>(next), n * words * sizeof(Word)};
        next += n * words;
    }
    exchange_.exchange(messages, *ranks_, stream);
    for (std::size_t r = 0; r < messages.size(); ++r) {
        const std::size_t n = arriving.count(r);
        if (n == 0)
            continue;
        const auto unpack = adds ? unpack_rows<true> : unpack_rows<false>;
        unpack<<<unsigned(n), block_size, 0, stream>>>(
            reinterpret_cast<const Word*>(exchange_.data(int(r))),
            arriving.row.data() + arriving.begin[r], words, values);
        check(cudaGetLastError(), "launch the unpacking of a mesh");
    }
}

template class DeviceSlabFourier<float>;
template class DeviceSlabFourier<double>;

} // namespace chamomile
