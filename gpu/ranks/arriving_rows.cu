// Exchange of rows between ranks. A row sent to the rank of its domain takes 48 bytes (57 with a
// softening length and a target mark); its result takes 28 or 36 bytes back. Contraction: none.
#include <algorithm>
#include <utility>

#include <thrust/execution_policy.h>
#include <thrust/merge.h>
#include <thrust/sort.h>

#include "chamomile/core/threads.hpp"
#include "chamomile/gpu/ranks/arriving_rows.cuh"
#include "chamomile/gpu/ranks/item_threads.cuh"

namespace chamomile {
namespace {

constexpr unsigned chunks_of_run = 16;

/// A PackedRows places the columns of n rows in a message, one column after the next.
struct PackedRows {
    std::byte* at;
    std::size_t n;
    bool has_softening, has_targets;

    __host__ __device__ Key* key() const { return reinterpret_cast<Key*>(at); }
    __host__ __device__ Vec3<double>* position() const
    {
        return reinterpret_cast<Vec3<double>*>(key() + n);
    }
    __host__ __device__ double* mass() const { return reinterpret_cast<double*>(position() + n); }
    __host__ __device__ double* softening() const { return mass() + n; }
    __host__ __device__ GlobalIndex* number() const
    {
        return reinterpret_cast<GlobalIndex*>(softening() + (has_softening ? n : 0));
    }
    __host__ __device__ std::uint8_t* is_target() const
    {
        return reinterpret_cast<std::uint8_t*>(number() + n);
    }
    __host__ __device__ std::size_t bytes() const
    {
        const std::byte* const end =
            reinterpret_cast<const std::byte*>(is_target() + (has_targets ? n : 0));
        return std::size_t(end - at + 7) / 8 * 8;
    }
};

__global__ void pack_rows(RowColumns from, const Key* keys, const Index* order, PackedRows to)
{
    const std::size_t k = thread_number();
    if (k >= to.n)
        return;
    const Index i = order[k];
    to.key()[k] = keys[k];
    to.position()[k] = from.position[i];
    to.mass()[k] = from.mass[i];
    if (to.has_softening)
        to.softening()[k] = from.softening[i];
    to.number()[k] = from.number[i];
    if (to.has_targets)
        to.is_target()[k] = from.is_target[i];
}

/// Unpacks received particles; the first becomes row `first`.
__global__ void unpack_rows(PackedRows from, RowColumns to, Index first, Key* keys, Index* order)
{
    const std::size_t k = thread_number();
    if (k >= from.n)
        return;
    const std::size_t i = first + k;
    keys[k] = from.key()[k];
    order[k] = Index(i);
    to.position[i] = from.position()[k];
    to.mass[i] = from.mass()[k];
    if (from.has_softening)
        to.softening[i] = from.softening()[k];
    to.number[i] = from.number()[k];
    if (from.has_targets)
        to.is_target[i] = from.is_target()[k];
}

__global__ void find_places(const Key* keys, Index n, const Key* asked, std::size_t count,
                            Index* places)
{
    const std::size_t k = thread_number();
    if (k >= count)
        return;
    Index low = 0, high = n; // the place is in [low, high]
    while (low < high) {
        const Index middle = low + (high - low) / 2;
        if (keys[middle] < asked[k])
            low = middle + 1;
        else
            high = middle;
    }
    places[k] = low;
}

/// Sums over one chunk of a run of rows.
struct RunSums {
    Box box;
    unsigned long long work, targets;
};

/// Block (r, c) sums chunk c of run r.
__global__ void measure_runs(const Vec3<double>* position, const Index* order, const Index* begins,
                             const std::uint8_t* is_target, const float* work, RunSums* sums)
{
    const std::size_t begin = begins[blockIdx.x], n = begins[blockIdx.x + 1] - begin,
                      first = begin + n * blockIdx.y / gridDim.y,
                      last = begin + n * (blockIdx.y + 1) / gridDim.y;
    RunSums own{{}, 0, 0};
    for (std::size_t k = first + threadIdx.x; k < last; k += block_size) {
        const Index i = order[k];
        own.box.add(position[i]);
        if (is_target && !is_target[i])
            continue;
        own.work += work ? (unsigned long long)ceil(work[i]) : 1;
        ++own.targets;
    }
    __shared__ RunSums shared[block_size];
    shared[threadIdx.x] = own;
    for (unsigned half = block_size / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            RunSums& mine = shared[threadIdx.x];
            const RunSums& other = shared[threadIdx.x + half];
            mine.box.add(other.box);
            mine.work += other.work;
            mine.targets += other.targets;
        }
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x * gridDim.y + blockIdx.y] = shared[0];
}

/// Lets `row` sink from `place` in a heap of rows by number, the largest first.
__device__ void sink(Index* heap, std::size_t size, std::size_t place, Index row,
                     const GlobalIndex* number)
{
    for (std::size_t child = 2 * place + 1; child < size; child = 2 * place + 1) {
        if (child + 1 < size && number[heap[child]] < number[heap[child + 1]])
            ++child;
        if (number[heap[child]] <= number[row])
            break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = row;
}

/// Orders each run of equal keys by number: a thread sorts a run, which can be long (heapsort).
__global__ void order_equal_keys(const Key* keys, std::size_t n, const GlobalIndex* number,
                                 Index* order)
{
    const std::size_t k = thread_number();
    if (k + 1 >= n || keys[k] != keys[k + 1] || (k > 0 && keys[k - 1] == keys[k]))
        return;
    std::size_t size = 2;
    while (k + size < n && keys[k + size] == keys[k])
        ++size;
    Index* const run = order + k;
    for (std::size_t place = size / 2; place-- > 0;)
        sink(run, size, place, run[place], number);
    while (--size > 0) {
        const Index last = run[size];
        run[size] = run[0];
        sink(run, size, 0, last, number);
    }
}

__global__ void pack_positions(RowColumns from, const Index* order, std::size_t n,
                               Vec3<double>* position, std::uint8_t* is_target)
{
    const std::size_t k = thread_number();
    if (k >= n)
        return;
    position[k] = from.position[order[k]];
    if (from.is_target)
        is_target[k] = from.is_target[order[k]];
}

/// Scatters returned sums and work to the rows on the device.
__global__ void scatter_results(ResultColumns from, std::size_t n, const Index* order, SumArrays to,
                                float* work)
{
    const std::size_t k = thread_number();
    if (k >= n)
        return;
    const Index i = order[k];
    work[i] = from.work[k];
    if (to.acceleration.component[0])
        to.acceleration.store_vector(i, from.acceleration[k]);
    if (to.potential.component[0] && from.has_potentials)
        to.potential.store(i, 0, from.potential[k]);
}

std::size_t moved_bytes(std::size_t n, bool has_targets)
{
    return (n * (sizeof(Vec3<double>) + (has_targets ? 1 : 0)) + 7) / 8 * 8;
}

std::size_t result_bytes(std::size_t n, bool has_potentials)
{
    return (n * (sizeof(Vec3<double>) + (has_potentials ? sizeof(double) : 0) + sizeof(float)) +
            7) /
           8 * 8;
}

ResultColumns results_at(std::byte* at, std::size_t n, bool has_potentials)
{
    auto* const acceleration = reinterpret_cast<Vec3<double>*>(at);
    auto* const potential = reinterpret_cast<double*>(acceleration + n);
    return {acceleration, potential, reinterpret_cast<float*>(potential + (has_potentials ? n : 0)),
            has_potentials};
}

} // namespace

void ArrivingRows::begin(std::size_t n)
{
    n_ = n;
    keys_.reserve(n);
    order_.reserve(n);
}

std::vector<std::size_t> ArrivingRows::places(std::span<const Key> keys)
{
    const std::size_t n = keys.size();
    if (n == 0)
        return {};
    tree_.staging.upload(asked_, keys.data(), n, tree_.stream);
    find_places<<<blocks_of(n), block_size, 0, tree_.stream>>>(
        keys_.data(), Index(n_), asked_.data(), n, places_.reserve(n));
    check(cudaGetLastError(), "launch the places of keys");
    download(host_places_.reserve(n), places_.data(), n, tree_.stream);
    tree_.stream.wait();
    return {host_places_.data(), host_places_.data() + n};
}

LeafSums ArrivingRows::measure(std::span<const std::size_t> begins, const std::uint8_t* is_target,
                               const float* work)
{
    const std::size_t runs = begins.size() - 1, parts = runs * chunks_of_run;
    Index* const places = host_places_.reserve(begins.size());
    std::copy(begins.begin(), begins.end(), places);
    upload(places_, places, begins.size(), tree_.stream);
    auto* const sums = reinterpret_cast<RunSums*>(measures_.reserve(parts * sizeof(RunSums)));
    measure_runs<<<dim3(unsigned(runs), chunks_of_run), block_size, 0, tree_.stream>>>(
        tree_.positions.data(), order_.data(), places_.data(), is_target, work, sums);
    check(cudaGetLastError(), "launch the measures of rows");
    auto* const here = reinterpret_cast<RunSums*>(host_measures_.reserve(parts * sizeof(RunSums)));
    download(here, sums, parts, tree_.stream);
    tree_.stream.wait();
    LeafSums all{std::vector<Box>(runs), std::vector<std::uint64_t>(runs),
                 std::vector<std::uint64_t>(runs)};
    for (std::size_t p = 0; p < parts; ++p) {
        const std::size_t r = p / chunks_of_run;
        all.box[r].add(here[p].box);
        all.work[r] += here[p].work;
        all.targets[r] += here[p].targets;
    }
    return all;
}

void ArrivingRows::send(std::vector<std::size_t> begins, const RowColumns& columns,
                        Communicator& ranks)
{
    begins_ = std::move(begins);
    rank_ = std::size_t(ranks.rank());
    std::vector<DeviceMessage> messages{std::size_t(ranks.size())};
    const auto packed = [&](std::byte* at, std::size_t r) {
        return PackedRows{at, r == rank_ ? 0 : begins_[r + 1] - begins_[r],
                          columns.softening != nullptr, columns.is_target != nullptr};
    };
    std::size_t room = 0;
    for (std::size_t r = 0; r < messages.size(); ++r)
        room += packed(nullptr, r).bytes();
    std::byte* next = room_to_leave(room);
    for (std::size_t r = 0; r < messages.size(); ++r) {
        const PackedRows rows = packed(next, r);
        if (rows.n == 0)
            continue;
        pack_rows<<<blocks_of(rows.n), block_size, 0, tree_.stream>>>(
            columns, keys_.data() + begins_[r], order_.data() + begins_[r], rows);
        check(cudaGetLastError(), "launch the packing of rows");
        const std::uint64_t count = rows.n;
        const auto head = std::as_bytes(std::span(&count, 1));
        messages[r] = {{head.begin(), head.end()}, next, rows.bytes()};
        next += rows.bytes();
    }
    exchange_.exchange(messages, ranks, tree_.stream);
    first_received_ = {0};
    for (int r = 0; r < ranks.size(); ++r) {
        std::uint64_t count = 0;
        if (const auto head = exchange_.head(r); !head.empty())
            std::memcpy(&count, head.data(), sizeof count);
        first_received_.push_back(first_received_.back() + std::size_t(count));
    }
}

void ArrivingRows::take(const RowColumns& columns, Communicator& ranks)
{
    Key* const keys = received_keys_.reserve(received());
    Index* const order = received_order_.reserve(received());
    for (int r = 0; r < ranks.size(); ++r) {
        const std::size_t first = first_received_[std::size_t(r)],
                          count = first_received_[std::size_t(r) + 1] - first;
        if (count == 0)
            continue;
        const PackedRows rows{const_cast<std::byte*>(exchange_.data(r)), count,
                              columns.softening != nullptr, columns.is_target != nullptr};
        unpack_rows<<<blocks_of(count), block_size, 0, tree_.stream>>>(
            rows, columns, Index(n_ + first), keys + first, order + first);
        check(cudaGetLastError(), "launch the unpacking of rows");
    }
}

void ArrivingRows::merge(const GlobalIndex* number)
{
    const std::size_t stay = staying(), all = arrivals();
    check_number(n_ + received());
    Key* const keys = tree_.keys.reserve(all);
    Index* const order = tree_.order.reserve(all);
    if (all == 0)
        return;
    const auto policy = thrust::cuda::par_nosync(scratch_).on(tree_.stream);
    Key *const own = keys_.data() + begins_[rank_], *const received_row = received_keys_.data();
    call_thrust("launch the merge of received rows", [&] {
        thrust::stable_sort_by_key(policy, received_row, received_row + received(),
                                   received_order_.data());
        thrust::merge_by_key(policy, own, own + stay, received_row, received_row + received(),
                             order_.data() + begins_[rank_], received_order_.data(), keys, order);
    });
    order_equal_keys<<<blocks_of(all), block_size, 0, tree_.stream>>>(keys, all, number, order);
    check(cudaGetLastError(), "launch the order of equal keys");
}

void ArrivingRows::exchange_moved(const RowColumns& columns, Communicator& ranks)
{
    const bool has_targets = columns.is_target != nullptr;
    std::vector<DeviceMessage> messages{std::size_t(ranks.size())};
    const auto count_to = [&](std::size_t r) {
        return r == rank_ ? 0 : begins_[r + 1] - begins_[r];
    };
    std::size_t room = 0;
    for (std::size_t r = 0; r < messages.size(); ++r)
        room += moved_bytes(count_to(r), has_targets);
    std::byte* next = room_to_leave(room);
    for (std::size_t r = 0; r < messages.size(); ++r) {
        const std::size_t n = count_to(r);
        if (n == 0)
            continue;
        auto* const position = reinterpret_cast<Vec3<double>*>(next);
        pack_positions<<<blocks_of(n), block_size, 0, tree_.stream>>>(
            columns, order_.data() + begins_[r], n, position,
            reinterpret_cast<std::uint8_t*>(position + n));
        check(cudaGetLastError(), "launch the packing of positions");
        messages[r] = {{}, next, moved_bytes(n, has_targets)};
        next += messages[r].bytes;
    }
    exchange_.exchange(messages, ranks, tree_.stream);
    for (int r = 0; r < ranks.size(); ++r) {
        const std::size_t first = first_received_[std::size_t(r)],
                          n = first_received_[std::size_t(r) + 1] - first;
        if (n == 0)
            continue;
        const auto* const position = reinterpret_cast<const Vec3<double>*>(exchange_.data(r));
        const auto copy = [&](auto* to, const auto* from) {
            check(cudaMemcpyAsync(to, from, n * sizeof *to, cudaMemcpyDeviceToDevice, tree_.stream),
                  "copy within the device");
        };
        copy(columns.position + n_ + first, position);
        if (has_targets)
            copy(columns.is_target + n_ + first,
                 reinterpret_cast<const std::uint8_t*>(position + n));
    }
}

void ArrivingRows::return_results(const ResultColumns& received, const SumArrays& to, float* work,
                                  Communicator& ranks)
{
    const bool has_potentials = received.has_potentials;
    std::vector<DeviceMessage> messages{std::size_t(ranks.size())};
    const auto received_from = [&](std::size_t r) {
        return first_received_[r + 1] - first_received_[r];
    };
    std::size_t room = 0;
    for (std::size_t r = 0; r < messages.size(); ++r)
        room += result_bytes(received_from(r), has_potentials);
    std::byte* next = room_to_leave(room);
    for (std::size_t r = 0; r < messages.size(); ++r) {
        const std::size_t n = received_from(r), first = first_received_[r];
        if (n == 0)
            continue;
        const ResultColumns packed = results_at(next, n, has_potentials);
        const auto copy = [&](auto* into, const auto* from) {
            check(cudaMemcpyAsync(into, from + first, n * sizeof *into, cudaMemcpyDeviceToDevice,
                                  tree_.stream),
                  "copy within the device");
        };
        copy(packed.acceleration, received.acceleration);
        if (has_potentials)
            copy(packed.potential, received.potential);
        copy(packed.work, received.work);
        messages[r] = {{}, next, result_bytes(n, has_potentials)};
        next += messages[r].bytes;
    }
    exchange_.exchange(messages, ranks, tree_.stream);
    for (std::size_t r = 0; r < messages.size(); ++r) {
        const std::size_t n = r == rank_ ? 0 : begins_[r + 1] - begins_[r];
        if (n == 0)
            continue;
        const ResultColumns from =
            results_at(const_cast<std::byte*>(exchange_.data(int(r))), n, has_potentials);
        scatter_results<<<blocks_of(n), block_size, 0, tree_.stream>>>(
            from, n, order_.data() + begins_[r], to, work);
        check(cudaGetLastError(), "launch the sums of returned results");
    }
}

std::vector<Index> ArrivingRows::order_on_host()
{
    std::vector<Index> order(n_);
    tree_.staging.download(order.data(), order_.data(), n_, tree_.stream);
    return order;
}

std::vector<Index> ArrivingRows::arriving_on_host()
{
    const std::vector<Index> leaving = order_on_host();
    std::vector<Index> place(n_), order(arrivals());   // place: of a row that stays
    const std::size_t before = first_received_[rank_]; // received from lower ranks
    for (std::size_t k = begins_[rank_]; k < begins_[rank_ + 1]; ++k)
        place[leaving[k]] = Index(before + k - begins_[rank_]);
    tree_.staging.download(order.data(), tree_.order.data(), order.size(), tree_.stream);
    for (Index& i : order) {
        if (i < n_)
            i = place[i];
        else if (std::size_t received_row = i - n_; received_row < before)
            i = Index(received_row);
        else
            i = Index(received_row + staying());
    }
    return order;
}

} // namespace chamomile
