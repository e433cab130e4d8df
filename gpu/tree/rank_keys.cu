// Contraction: fused.
#include "chamomile/gpu/tree/rank_keys.cuh"

namespace chamomile {
namespace {

constexpr int sample_count = 256, block_size = 256;
static_assert(sample_count == block_size);

/// True if key a of number i precedes key b of number j. The number breaks ties.
__device__ bool before(Key a, Index i, Key b, Index j)
{
    return a < b || (a == b && i < j);
}

/// Returns the first place of each thread's bin among all keys, a prefix sum of the bins' counts.
__device__ Index begin_of_bin(const Index* counts, Index* shared)
{
    const int t = int(threadIdx.x), lane = t % 32;
    const Index mine = counts[t];
    Index sum = mine;
    for (int d = 1; d < 32; d *= 2) {
        const Index below = __shfl_up_sync(0xffffffffu, sum, d);
        sum += lane >= d ? below : 0;
    }
    if (lane == 31)
        shared[t / 32] = sum;
    __syncthreads();
    for (int w = 0; w < t / 32; ++w)
        sum += shared[w];
    return sum - mine;
}

/// Finds the bin of each key and an arbitrary slot in the bin. Bin 0 ends at the second sample; the
/// first sample is no border.
__global__ void __launch_bounds__(block_size)
    find_bins(const Key* keys, Index n, Index* counts, Index* bins, Index* slots)
{
    __shared__ Key key[sample_count], border[sample_count];
    __shared__ Index number[sample_count], border_number[sample_count];
    const int t = int(threadIdx.x);
    const Index sampled = Index((std::uint64_t(t) * n) / sample_count);
    key[t] = keys[sampled];
    number[t] = sampled;
    __syncthreads();
    int rank = 0;
    for (int s = 0; s < sample_count; ++s) // equal samples are ordered by thread
        rank += before(key[s], number[s], key[t], number[t]) || (number[s] == number[t] && s < t);
    border[rank] = key[t];
    border_number[rank] = number[t];
    __syncthreads();
    const Index i = blockIdx.x * block_size + threadIdx.x;
    if (i >= n)
        return;
    const Key mine = keys[i];
    int low = 0, high = sample_count; // borders 1 .. low are at or before this key
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (before(mine, i, border[middle], border_number[middle]))
            high = middle;
        else
            low = middle;
    }
    bins[i] = Index(low);
    slots[i] = atomicAdd(&counts[low], 1u);
}

__global__ void __launch_bounds__(block_size)
    gather_bins(const Key* keys, Index n, const Index* counts, const Index* bins,
                const Index* slots, Key* binned, Index* numbers)
{
    __shared__ Index sums[block_size / 32], begin[sample_count];
    begin[threadIdx.x] = begin_of_bin(counts, sums);
    __syncthreads();
    const Index i = blockIdx.x * block_size + threadIdx.x;
    if (i >= n)
        return;
    const Index to = begin[bins[i]] + slots[i];
    binned[to] = keys[i];
    numbers[to] = i;
}

/// Ranks each key within its bin, one thread a place.
__global__ void __launch_bounds__(block_size)
    rank_in_bins(const Key* binned, const Index* numbers, const Index* bins, Index n,
                 const Index* counts, Index* order)
{
    __shared__ Index sums[block_size / 32], begin[sample_count];
    begin[threadIdx.x] = begin_of_bin(counts, sums);
    __syncthreads();
    const Index place = blockIdx.x * block_size + threadIdx.x;
    if (place >= n)
        return;
    const Key key = binned[place];
    const Index number = numbers[place], bin = bins[number], first = begin[bin];
    const Index last = bin + 1 < sample_count ? begin[bin + 1] : n;
    Index rank = first;
#pragma unroll 4
    for (Index j = first; j < last; ++j)
        rank += before(binned[j], numbers[j], key, number);
    order[rank] = number;
}

} // namespace

void KeyRanker::rank(const Key* keys, Index n, Index* order, cudaStream_t stream)
{
    const unsigned blocks = (n + block_size - 1) / block_size;
    Index* counts = counts_.reserve(sample_count);
    Index *bins = bins_.reserve(n), *slots = slots_.reserve(n), *numbers = numbers_.reserve(n);
    Key* binned = binned_.reserve(n);
    check(cudaMemsetAsync(counts, 0, sample_count * sizeof(Index), stream), "clear counts");
    find_bins<<<blocks, block_size, 0, stream>>>(keys, n, counts, bins, slots);
    gather_bins<<<blocks, block_size, 0, stream>>>(keys, n, counts, bins, slots, binned, numbers);
    rank_in_bins<<<blocks, block_size, 0, stream>>>(binned, numbers, bins, n, counts, order);
    check(cudaGetLastError(), "launch the ranking of keys");
}

} // namespace chamomile
