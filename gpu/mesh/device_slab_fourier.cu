// A block copies a row at a time: 8 (n / 2 + 1) bytes of floats, twice as many of doubles and
// integers.
//
// Bytes sent by each of P ranks of a mesh of n^3 cells, in floats: 4 n^3 (P - 1) / P^2 for each of
// three transpositions. Masses (8 bytes a cell) and three components (4 bytes each) travel only
// for rows where a rank has particles outside its slab of planes. Morton order divides the first
// axis first: for P = 2 these are the margins, for P = 4 half the cells of a rank.
// Contraction: none.
#include <algorithm>
#include <cassert>
#include <cstring>

#include "chamomile/gpu/mesh/device_slab_fourier.cuh"

namespace chamomile {
namespace {

using Word = unsigned long long;
constexpr unsigned block_size = 512;
constexpr int in_flight = 4; ///< loads of a thread before its first store

/// Copies rows, or adds them as integers. Null lists stand for 0, 1, 2, ... `from` and its rows may
/// lie on another GPU; their latency is hidden by the next row's number and by many threads.
template <bool adds>
__global__ void __launch_bounds__(block_size)
    copy_listed(const Word* __restrict__ from, const Index* __restrict__ from_rows,
                std::size_t count, std::size_t words, const Index* __restrict__ to_rows,
                Word* __restrict__ to)
{
    const auto row_of = [&](const Index* rows, std::size_t k) {
        return rows && k < count ? std::size_t(rows[k]) : k;
    };
    std::size_t next = row_of(from_rows, blockIdx.x);
    for (std::size_t k = blockIdx.x; k < count; k += gridDim.x) {
        const Word* const source = from + next * words;
        Word* const target = to + row_of(to_rows, k) * words;
        next = row_of(from_rows, k + gridDim.x);
        for (std::size_t first = threadIdx.x; first < words; first += in_flight * block_size) {
            Word word[in_flight];
#pragma unroll
            for (int part = 0; part < in_flight; ++part) // all loads before the first store
                if (const std::size_t w = first + part * block_size; w < words)
                    word[part] = source[w];
#pragma unroll
            for (int part = 0; part < in_flight; ++part)
                if (const std::size_t w = first + part * block_size; w < words)
                    target[w] = adds ? target[w] + word[part] : word[part];
        }
    }
}

/// Copies rows of a mesh to the same number of rows, or adds them as integers. Sets without lists
/// go by the copy engines, which reach 390 GB/s between two H200; kernels reach 280. Two blocks of
/// 512 threads for each multiprocessor of an H200 leave half of its threads to other kernels.
template <bool adds = false>
void copy_rows(const Word* from, const MeshRowSet& source, Word* to, const MeshRowSet& target,
               std::size_t words, cudaStream_t stream)
{
    constexpr std::size_t max_blocks = 264, bytes = sizeof(Word);
    if (source.count == 0)
        return;
    assert(source.list || target.list || (!adds && source.rows == target.rows));
    if (!source.list && !target.list)
        return check(cudaMemcpy2DAsync(to + target.first * words, target.pitch * words * bytes,
                                       from + source.first * words, source.pitch * words * bytes,
                                       source.rows * words * bytes, source.count / source.rows,
                                       cudaMemcpyDefault, stream),
                     "copy rows of a mesh");
    copy_listed<adds><<<unsigned(std::min(source.count, max_blocks)), block_size, 0, stream>>>(
        from, source.list, source.count, words, target.list, to);
    check(cudaGetLastError(), "launch the copy of rows of a mesh");
}

/// The head of a message whose receiver reads the rows from the sender's memory.
struct RemoteRows {
    const Word* mesh;
    MeshRowSet rows;
};

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

/// Marks the neighbours of marks too. `rows`: marks of a plane.
__global__ void __launch_bounds__(block_size)
    widen_marks(const std::uint8_t* marks, std::size_t planes, std::size_t rows,
                std::uint8_t* widened)
{
    const std::size_t k = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (k >= planes * rows)
        return;
    std::uint8_t found = 0;
    for (std::size_t i = planes - 1; i <= planes + 1; ++i)
        for (std::size_t j = rows - 1; j <= rows + 1; ++j)
            found |= marks[(k / rows + i) % planes * rows + (k + j) % rows];
    widened[k] = found;
}

/// Counts marks, and sets `missing` if one of them is not known.
__global__ void __launch_bounds__(block_size)
    count_marks(const std::uint8_t* marks, const std::uint8_t* known, std::size_t count,
                unsigned* all, unsigned* missing)
{
    const std::size_t k = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    const bool is_set = k < count && marks[k];
    const int of_block = __syncthreads_count(is_set);
    if (threadIdx.x == 0)
        atomicAdd(all, unsigned(of_block));
    if (is_set && !known[k])
        *missing = 1;
}

unsigned blocks_of_threads(std::size_t n)
{
    return unsigned((n + block_size - 1) / block_size);
}

} // namespace

template <class T>
DeviceSlabFourier<T>::DeviceSlabFourier(int n, Communicator* ranks)
    : n_(n), ranks_(ranks && ranks->size() > 1 ? ranks : nullptr), fourier_(n, own().count())
{
    if (!ranks_)
        return;
    const std::size_t length = std::size_t(n), mine = std::size_t(own().count());
    for (int r = 0; r < ranks_->size(); ++r) {
        const MeshRange other = slab_of(n, ranks_, r);
        const std::size_t begin = std::size_t(other.begin), count = std::size_t(other.count());
        planes_.of.push_back(MeshRowSet::block(begin, count, length, mine));
        columns_.of.push_back(MeshRowSet::block(begin * mine, mine, mine, count));
    }
}

/// Lists rows for every rank.
template <class T>
void DeviceSlabFourier<T>::list_rows(const std::vector<std::vector<Index>>& rows_of_ranks,
                                     RowsOfRanks& rows, const Stream& stream) const
{
    std::vector<Index> all;
    for (const std::vector<Index>& some : rows_of_ranks)
        all.insert(all.end(), some.begin(), some.end());
    upload(rows.row, all.data(), all.size(), stream);
    const Index* list = rows.row.data();
    rows.of.clear();
    for (const std::vector<Index>& some : rows_of_ranks) {
        rows.of.push_back({some.size(), list});
        list += some.size();
    }
}

/// Returns whether the covered rows of all ranks include these marks, and are not many more.
template <class T>
bool DeviceSlabFourier<T>::has_covered(std::size_t count, const std::uint8_t* marks,
                                       const Stream& stream)
{
    constexpr std::size_t too_many = 4; // listed for each one needed
    unsigned* const counts = counts_.reserve(2);
    check(cudaMemsetAsync(counts, 0, 2 * sizeof *counts, stream), "clear counts of marks");
    const bool are_known = marks_count_ == count;
    if (are_known)
        count_marks<<<blocks_of_threads(count), block_size, 0, stream>>>(marks, marks_.data(),
                                                                         count, counts, counts + 1);
    check(cudaGetLastError(), "launch the count of marks");
    download(host_counts_.reserve(2), counts, 2, stream);
    stream.wait();
    const unsigned* const here = host_counts_.data();
    std::uint64_t ranks = !are_known || here[1] > 0 || listed_ > too_many * here[0];
    ranks_->sum(std::span(&ranks, 1));
    return ranks == 0;
}

/// Lists more rows than are needed now: the next steps need about the same, and a list takes
/// milliseconds on the host.
template <class T>
void DeviceSlabFourier<T>::cover(const RowMarks& rows, const std::uint8_t* marks,
                                 const Stream& stream)
{
    const std::size_t count = rows.count();
    if (has_covered(count, marks, stream))
        return;
    marks_count_ = 0; // until all is listed
    widen_marks<<<blocks_of_threads(count), block_size, 0, stream>>>(
        marks, std::size_t(rows.n), std::size_t(rows.of_plane()), marks_.reserve(count));
    check(cudaGetLastError(), "launch the widening of marks");
    std::uint8_t* const here = host_marks_.reserve(count);
    download(here, marks_.data(), count, stream);
    stream.wait();
    listed_ = count - std::size_t(std::count(here, here + count, std::uint8_t(0)));
    const CoveredRows found = CoveredRows::of(rows, std::span(here, count), *ranks_);
    list_rows(found.covered, covered_, stream);
    list_rows(found.shared, shared_, stream);
    const std::size_t all_rows = std::size_t(n_) * std::size_t(n_), covered = covered_.count();
    Index* const places = places_.reserve(all_rows);
    check(cudaMemsetAsync(places, 0, all_rows * sizeof *places, stream), "clear places of rows");
    const auto place = [&](Index* rows, std::size_t number, Index first, Index* into) {
        if (number > 0)
            place_rows<<<blocks_of_threads(number), block_size, 0, stream>>>(rows, number, first,
                                                                             into);
        check(cudaGetLastError(), "launch the places of rows");
    };
    place(nullptr, own_rows(), 0, places + std::size_t(own().begin) * std::size_t(n_));
    place(covered_.row.data(), covered, Index(own_rows()), places);
    marks_count_ = count;
}

template <class T>
void DeviceSlabFourier<T>::sum_integers(unsigned long long* grid, const Stream& stream)
{
    if (!ranks_)
        return;
    start<true>(grid, covered_, grid, shared_, stream);
    finish<true>(grid, shared_, stream);
}

template <class T>
void DeviceSlabFourier<T>::forward(T* grid, T* spectrum, const Stream& stream)
{
    fourier_.forward(grid, stream);
    if (ranks_) {
        start<false>(grid, planes_, spectrum, columns_, stream);
        finish<false>(spectrum, columns_, stream);
    }
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
    if (ranks_)
        start<false>(spectrum, columns_, grid, planes_, stream);
}

template <class T>
void DeviceSlabFourier<T>::finish_to_planes(T* grid, const Stream& stream)
{
    if (ranks_)
        finish<false>(grid, planes_, stream);
}

template <class T>
void DeviceSlabFourier<T>::planes_backward(T* grid, const Stream& stream)
{
    fourier_.backward(grid, stream);
}

template <class T>
void DeviceSlabFourier<T>::start_share(T* grid, const Stream& stream)
{
    if (ranks_)
        start<false>(grid, shared_, grid, covered_, stream);
}

template <class T>
void DeviceSlabFourier<T>::finish_share(T* grid, const Stream& stream)
{
    if (ranks_)
        finish<false>(grid, covered_, stream);
}

template <class T>
void DeviceSlabFourier<T>::settle(const Stream& stream)
{
    if (!ranks_ || !exchange_.reads_others(*ranks_))
        return;
    exchange_.start(std::vector<DeviceMessage>{std::size_t(ranks_->size())}, *ranks_, stream);
    exchange_.finish(stream);
}

/// Sends rows to each rank, and copies the rows that stay. Ranks that can read each other's memory
/// copy or add rows from there; for others they are packed.
template <class T>
template <bool adds, class Number>
void DeviceSlabFourier<T>::start(const Number* from, RowsOfRanks& leaving, Number* to,
                                 RowsOfRanks& arriving, const Stream& stream)
{
    const auto* const source = reinterpret_cast<const Word*>(from);
    auto* const target = reinterpret_cast<Word*>(to);
    const std::size_t words = row() * sizeof(Number) / sizeof(Word),
                      me = std::size_t(ranks_->rank()), ranks = std::size_t(ranks_->size());
    const bool packs = !exchange_.reads_others(*ranks_);
    const std::size_t packed = packs ? leaving.count() - leaving.of[me].count : 0;
    auto* next =
        reinterpret_cast<Word*>(leaving_[turn_ ^= 1].reserve(packed * words * sizeof(Word)));
    std::vector<DeviceMessage> messages{ranks};
    for (std::size_t r = 0; r < ranks; ++r) {
        const MeshRowSet& rows = leaving.of[r];
        if (r == me || rows.count == 0)
            continue;
        const std::size_t bytes = rows.count * words * sizeof(Word);
        if (packs) {
            copy_rows(source, rows, next, rows.packed(), words, stream);
            messages[r] = {{}, reinterpret_cast<const std::byte*>(next), bytes};
            next += rows.count * words;
        } else {
            const RemoteRows remote{source, rows};
            const auto head = std::as_bytes(std::span(&remote, 1));
            messages[r].head.assign(head.begin(), head.end());
            ranks_->count_bytes(bytes);
        }
    }
    exchange_.start(messages, *ranks_, stream);
    // Copies the rows that stay. Sums of integers have none.
    copy_rows(source, leaving.of[me], target, arriving.of[me], words, stream);
    for (std::size_t k = 1; k < ranks && !packs; ++k) { // each rank from another one at a time
        const std::size_t r = (me + k) % ranks;
        if (arriving.of[r].count == 0)
            continue;
        RemoteRows remote;
        std::memcpy(&remote, exchange_.head(int(r)).data(), sizeof remote);
        copy_rows<adds>(remote.mesh, remote.rows, target, arriving.of[r], words,
                        exchange_.copies());
    }
}

/// Adds the received rows, as integers, or writes them.
template <class T>
template <bool adds, class Number>
void DeviceSlabFourier<T>::finish(Number* to, RowsOfRanks& arriving, const Stream& stream)
{
    exchange_.finish(stream);
    if (exchange_.reads_others(*ranks_))
        return;
    exchange_.copies().wait(); // `leaving_` may be freed
    const std::size_t words = row() * sizeof(Number) / sizeof(Word);
    for (int r = 0; r < ranks_->size(); ++r)
        if (const MeshRowSet& rows = arriving.of[std::size_t(r)]; r != ranks_->rank())
            copy_rows<adds>(reinterpret_cast<const Word*>(exchange_.data(r)), rows.packed(),
                            reinterpret_cast<Word*>(to), rows, words, stream);
}

template class DeviceSlabFourier<float>;
template class DeviceSlabFourier<double>;

} // namespace chamomile
