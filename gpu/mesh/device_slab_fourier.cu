// A block copies one row: 8 (n / 2 + 1) bytes of floats, twice as many of doubles and integers.
//
// Bytes sent by each of P ranks of a mesh of n^3 cells, in floats: 4 n^3 (P - 1) / P^2 for each of
// three transpositions. Masses (8 bytes a cell) and three components (4 bytes each) travel only
// for rows where a rank has particles outside its slab of planes. Morton order divides the first
// axis first: for P = 2 these are the margins, for P = 4 half the cells of a rank.
// Contraction: none.
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
    copy_rows(const Word* from, const Index* from_rows, std::size_t words, const Index* to_rows,
              Word* to)
{
    for (std::size_t w = threadIdx.x; w < words; w += block_size)
        to[to_rows[blockIdx.x] * words + w] = from[from_rows[blockIdx.x] * words + w];
}

/// Fills places[k] with k + `first`, or places[rows[k]], when rows[k] becomes this place too.
__global__ void __launch_bounds__(block_size)
    place_rows(Index* rows, std::size_t count, Index first, Index* places)
{
    const std::size_t k = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (k >= count)
        return;
    const Index place = first + Index(k);
    places[rows ? rows[k] : k] = place;
    if (rows)
        rows[k] = place;
}

/// Returns the places of rows of a block in an array with `length` rows of each plane.
std::vector<Index> places_of_block(int length, MeshRange planes, MeshRange rows)
{
    std::vector<Index> found;
    for (int i = planes.begin; i < planes.end; ++i)
        for (int j = rows.begin; j < rows.end; ++j)
            found.push_back(Index(i) * Index(length) + Index(j));
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
    const MeshRange all{0, own().count()};
    std::vector<std::vector<Index>> planes, columns;
    for (int r = 0; r < ranks_->size(); ++r) {
        planes.push_back(places_of_block(n, all, slab_of(n, ranks_, r)));
        columns.push_back(places_of_block(all.end, slab_of(n, ranks_, r), all));
    }
    list_rows(planes, planes_, stream);
    list_rows(columns, columns_, stream);
    stream.wait();
}

/// Lists rows for every rank.
template <class T>
void DeviceSlabFourier<T>::list_rows(const std::vector<std::vector<Index>>& rows_of_ranks,
                                     RowsOfRanks& rows, const Stream& stream) const
{
    std::vector<Index> all;
    rows.begin = {0};
    for (const std::vector<Index>& some : rows_of_ranks) {
        all.insert(all.end(), some.begin(), some.end());
        rows.begin.push_back(all.size());
    }
    upload(rows.row, all.data(), all.size(), stream);
}

template <class T>
void DeviceSlabFourier<T>::cover(const RowMarks& rows, const std::uint8_t* marks,
                                 const Stream& stream)
{
    const std::size_t count = rows.count();
    std::uint8_t* const here = marks_.reserve(count);
    download(here, marks, count, stream);
    stream.wait();
    const CoveredRows found = CoveredRows::of(rows, std::span(here, count), *ranks_);
    list_rows(found.covered, covered_, stream);
    list_rows(found.shared, shared_, stream);
    const std::size_t all_rows = std::size_t(n_) * std::size_t(n_), covered = covered_.begin.back();
    Index* const places = places_.reserve(all_rows);
    check(cudaMemsetAsync(places, 0, all_rows * sizeof *places, stream), "clear places of rows");
    const auto place = [&](Index* rows, std::size_t number, Index first, Index* into) {
        if (number > 0)
            place_rows<<<unsigned((number + block_size - 1) / block_size), block_size, 0, stream>>>(
                rows, number, first, into);
        check(cudaGetLastError(), "launch the places of rows");
    };
    place(nullptr, own_rows(), 0, places + std::size_t(own().begin) * std::size_t(n_));
    place(covered_.row.data(), covered, Index(own_rows()), places);
}

template <class T>
void DeviceSlabFourier<T>::sum_integers(unsigned long long* grid, const Stream& stream)
{
    if (!ranks_)
        return;
    start(grid, covered_, grid, shared_, stream);
    finish(grid, shared_, true, stream);
}

template <class T>
void DeviceSlabFourier<T>::forward(T* grid, T* spectrum, const Stream& stream)
{
    fourier_.forward(grid, stream);
    if (!ranks_)
        return;
    start(grid, planes_, spectrum, columns_, stream);
    finish(spectrum, columns_, false, stream);
    fourier_.columns_forward(spectrum, stream);
}

template <class T>
void DeviceSlabFourier<T>::columns_backward(T* spectrum, const Stream& stream)
{
    fourier_.columns_backward(spectrum, stream);
}

template <class T>
void DeviceSlabFourier<T>::start_to_planes(const T* spectrum, T* grid, const Stream& stream)
{
    start(spectrum, columns_, grid, planes_, stream);
}

template <class T>
void DeviceSlabFourier<T>::finish_to_planes(T* grid, const Stream& stream)
{
    finish(grid, planes_, false, stream);
}

template <class T>
void DeviceSlabFourier<T>::planes_backward(T* grid, const Stream& stream)
{
    fourier_.backward(grid, stream);
}

template <class T>
void DeviceSlabFourier<T>::share(T* grid, const Stream& stream)
{
    if (!ranks_)
        return;
    start(grid, shared_, grid, covered_, stream);
    finish(grid, covered_, false, stream);
}

/// Sends rows to each rank, and copies the rows that stay.
template <class T>
template <class Number>
void DeviceSlabFourier<T>::start(const Number* from, RowsOfRanks& leaving, Number* to,
                                 RowsOfRanks& arriving, const Stream& stream)
{
    const auto* const source = reinterpret_cast<const Word*>(from);
    const std::size_t words = row() * sizeof(Number) / sizeof(Word);
    const auto me = std::size_t(ranks_->rank());
    auto* next = reinterpret_cast<Word*>(leaving_[turn_ ^= 1].reserve(
        (leaving.begin.back() - leaving.count(me)) * words * sizeof(Word)));
    std::vector<DeviceMessage> messages{std::size_t(ranks_->size())};
    for (std::size_t r = 0; r < messages.size(); ++r) {
        const std::size_t n = r == me ? 0 : leaving.count(r);
        if (n == 0)
            continue;
        pack_rows<<<unsigned(n), block_size, 0, stream>>>(
            source, leaving.row.data() + leaving.begin[r], words, next);
        check(cudaGetLastError(), "launch the packing of a mesh");
        messages[r] = {{}, reinterpret_cast<const std::byte*>(next), n * words * sizeof(Word)};
        next += n * words;
    }
    if (const std::size_t n = leaving.count(me); n > 0)
        copy_rows<<<unsigned(n), block_size, 0, stream>>>(
            source, leaving.row.data() + leaving.begin[me], words,
            arriving.row.data() + arriving.begin[me], reinterpret_cast<Word*>(to));
    check(cudaGetLastError(), "launch the copy of rows of a mesh");
    exchange_.start(messages, *ranks_, stream);
}

/// Adds the received rows, as integers, or writes them.
template <class T>
template <class Number>
void DeviceSlabFourier<T>::finish(Number* to, RowsOfRanks& arriving, bool adds,
                                  const Stream& stream)
{
    exchange_.finish(stream);
    const std::size_t words = row() * sizeof(Number) / sizeof(Word);
    for (int r = 0; r < ranks_->size(); ++r) {
        const std::size_t n = r == ranks_->rank() ? 0 : arriving.count(std::size_t(r));
        if (n == 0)
            continue;
        const auto unpack = adds ? unpack_rows<true> : unpack_rows<false>;
        unpack<<<unsigned(n), block_size, 0, stream>>>(
            reinterpret_cast<const Word*>(exchange_.data(r)),
            arriving.row.data() + arriving.begin[std::size_t(r)], words,
            reinterpret_cast<Word*>(to));
        check(cudaGetLastError(), "launch the unpacking of a mesh");
    }
}

template class DeviceSlabFourier<float>;
template class DeviceSlabFourier<double>;

} // namespace chamomile
