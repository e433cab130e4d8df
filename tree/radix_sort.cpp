#include "chamomile/tree/radix_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include <omp.h>

#include "chamomile/core/resize_discarding.hpp"
#include "chamomile/core/threads.hpp"

namespace chamomile {
namespace {

constexpr std::size_t max_buckets = 512, bucket_size = 4096, min_bucket_size = 1024;
constexpr std::size_t sampled_per_bucket = 16, max_strays = 1024;
constexpr std::size_t insertion_size = 24, nearly_sorted_moves = 4;
constexpr std::size_t ahead = 128; // pairs to prefetch before they are read
constexpr int min_digit_bits = 4, max_digit_bits = 11;

/// Keys with their particle numbers.
struct Pairs {
    Key* keys;
    Index* order;

    Pairs from(std::size_t k) const { return {keys + k, order + k}; }
};

/// The range of one thread.
struct Part {
    std::size_t begin, end;
};

Part part_of(std::size_t n, int thread, int threads)
{
    return {n * std::size_t(thread) / std::size_t(threads),
            n * std::size_t(thread + 1) / std::size_t(threads)};
}

/// Sorts by comparison: for the few buckets whose keys differ in bits too far apart, and for equal
/// keys out of order.
void sort_pairs(const Pairs& pairs, std::size_t n)
{
    std::vector<std::pair<Key, Index>> sorted(n);
    for (std::size_t k = 0; k < n; ++k)
        sorted[k] = {pairs.keys[k], pairs.order[k]};
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t k = 0; k < n; ++k) {
        pairs.keys[k] = sorted[k].first;
        pairs.order[k] = sorted[k].second;
    }
}

/// Sorts n words by insertion. Returns false, with the words in some order, if this takes more than
/// about `limit` moves per word.
bool insert_words(std::uint64_t* words, std::size_t n, std::size_t limit)
{
    std::size_t moves_left = limit * limit;
    for (std::size_t k = 1; k < n; ++k) {
        const std::uint64_t word = words[k];
        std::size_t at = k;
        for (; at > 0 && words[at - 1] > word; --at)
            words[at] = words[at - 1];
        words[at] = word;
        moves_left += limit;
        if (k - at > moves_left)
            return false;
        moves_left -= k - at;
    }
    return true;
}

/// Sorts n different words by about 2 log2 n leading bits that differ, least significant digit
/// first, then words that agree in these bits by further bits.
void sort_words(std::uint64_t* words, std::uint64_t* buffer, std::size_t n)
{
    if (n <= insertion_size) {
        insert_words(words, n, insertion_size);
        return;
    }
    std::uint64_t differing = 0;
    for (std::size_t k = 1; k < n; ++k)
        differing |= words[k] ^ words[0];
    const int width = std::bit_width(differing);
    const int bits = std::clamp(int(std::bit_width(n)) - 2, min_digit_bits, max_digit_bits);
    const int shift = std::max(0, width - 2 * bits);
    const std::size_t digits = std::size_t(1) << bits, mask = digits - 1;
    std::array<Index, 1 << max_digit_bits> low, high;
    std::fill_n(low.begin(), digits, 0);
    std::fill_n(high.begin(), digits, 0);
    for (std::size_t k = 0; k < n; ++k) {
        ++low[words[k] >> shift & mask];
        ++high[words[k] >> shift >> bits & mask];
    }
    Index low_place = 0, high_place = 0;
    for (std::size_t d = 0; d < digits; ++d) {
        low_place += std::exchange(low[d], low_place);
        high_place += std::exchange(high[d], high_place);
    }
    for (std::size_t k = 0; k < n; ++k)
        buffer[low[words[k] >> shift & mask]++] = words[k];
    for (std::size_t k = 0; k < n; ++k)
        words[high[buffer[k] >> shift >> bits & mask]++] = buffer[k];
    if (shift == 0)
        return;
    for (std::size_t begin = 0, k = 1; k <= n; ++k)
        if (k == n || words[k] >> shift != words[begin] >> shift) {
            if (k - begin > 1)
                sort_words(words + begin, buffer, k - begin);
            begin = k;
        }
}

/// Memory for sort_bucket().
struct Words {
    std::vector<std::uint64_t> words, buffer;
};

/// Sorts n pairs from `from` to `to`. Only words move within the cache: each holds the leading bits
/// in which the keys differ, and the pair's number.
void sort_bucket(const Pairs& from, const Pairs& to, std::size_t n, Words& scratch)
{
    if (n == 0)
        return;
    Key differing = 0;
    for (std::size_t k = 1; k < n; ++k)
        differing |= from.keys[k] ^ from.keys[0];
    const int number_bits = std::bit_width(n - 1);
    const int unused = std::countl_zero(differing | 1);
    const std::uint64_t numbers = (std::uint64_t(1) << number_bits) - 1;
    if (scratch.words.size() < n) {
        resize_discarding(scratch.words, n);
        resize_discarding(scratch.buffer, n);
    }
    std::uint64_t* const words = scratch.words.data();
    for (std::size_t k = 0; k < n; ++k)
        words[k] = (from.keys[k] << unused & ~numbers) | k;
    if (!insert_words(words, n, nearly_sorted_moves))
        sort_words(words, scratch.buffer.data(), n);
    bool ascends = true;
    Key last_key = 0;
    Index last = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t at = words[k] & numbers;
        const Key key = from.keys[at];
        const Index index = from.order[at];
        ascends &= last_key < key || (last_key == key && last <= index);
        to.keys[k] = last_key = key;
        to.order[k] = last = index;
    }
    if (!ascends)
        sort_pairs(to, n);
}

/// Splitters divide keys into buckets with about equal counts, by a binary search tree: node t has
/// the daughters 2 t and 2 t + 1.
class Splitters {
public:
    Splitters(std::span<const Key> keys, std::size_t buckets) : levels_(std::bit_width(buckets) - 1)
    {
        const std::size_t samples = buckets * sampled_per_bucket;
        std::vector<Key> sample(samples);
        for (std::size_t s = 0; s < samples; ++s)
            sample[s] = keys[keys.size() * s / samples];
        std::vector<Key> sorted = sample;
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t b = 0; b < buckets; ++b)
            begins_[b] = b == 0 ? 0 : sorted[b * sampled_per_bucket];
        begins_[buckets] = ~Key(0); // above all keys, which have 63 bits
        std::size_t in_place = 0;
        for (std::size_t s = 0; s < samples; ++s)
            in_place += is_in(sample[s], s / sampled_per_bucket);
        nearly_sorted_ = in_place > samples / 4 * 3;
        for (int level = 0; level < levels_; ++level)
            for (std::size_t t = 0; t < std::size_t(1) << level; ++t)
                tree_[(std::size_t(1) << level) + t] = sorted[(2 * t + 1) * samples >> (level + 1)];
    }

    /// Returns whether most keys lie in the bucket that their position predicts.
    bool nearly_sorted() const { return nearly_sorted_; }

    bool is_in(Key key, std::size_t bucket) const
    {
        return (key >= begins_[bucket]) & (key < begins_[bucket + 1]);
    }

    /// Finds the buckets of a few keys. All descend at once, so that no load waits for the previous
    /// one.
    template <std::size_t count>
    void find(const Key* keys, std::uint16_t* bucket) const
    {
        std::uint32_t node[count];
        for (std::uint32_t& t : node)
            t = 1;
        for (int level = 0; level < levels_; ++level)
            for (std::size_t i = 0; i < count; ++i)
                node[i] = 2 * node[i] + (keys[i] >= tree_[node[i]]);
        for (std::size_t i = 0; i < count; ++i)
            bucket[i] = std::uint16_t(node[i] - (1u << levels_));
    }

private:
    int levels_;
    bool nearly_sorted_;
    std::array<Key, max_buckets> tree_;
    std::array<Key, max_buckets + 1> begins_;
};

using Counts = std::array<std::size_t, max_buckets>;

/// Fills the bucket of each pair begin .. end and counts the pairs per bucket.
void count_any(std::span<const Key> keys, Part part, const Splitters& splitters,
               std::uint16_t* bucket, Counts& counts)
{
    constexpr std::size_t together = 8;
    std::size_t k = part.begin;
    for (; k + together <= part.end; k += together) {
        __builtin_prefetch(keys.data() + std::min(k + ahead, keys.size() - 1));
        splitters.find<together>(&keys[k], &bucket[k]);
        for (std::size_t i = k; i < k + together; ++i)
            ++counts[bucket[i]];
    }
    for (; k < part.end; ++k) {
        splitters.find<1>(&keys[k], &bucket[k]);
        ++counts[bucket[k]];
    }
}

/// Like count_any() for nearly sorted keys: most keys in share b, out of `buckets` equal shares,
/// belong to bucket b. Looks up only the strays.
void count_nearly_sorted(std::span<const Key> keys, Part part, const Splitters& splitters,
                         std::size_t buckets, std::uint16_t* bucket, Counts& counts)
{
    std::vector<Index> strays(max_strays);
    for (std::size_t b = part.begin * buckets / keys.size(); part.begin < part.end; ++b) {
        const std::size_t share_end = std::min(part.end, (b + 1) * keys.size() / buckets);
        for (std::size_t k = part.begin; k < share_end;) {
            const std::size_t end = std::min(share_end, k + max_strays);
            const std::size_t begin = k;
            std::size_t stray = 0;
            for (; k < end; ++k) {
                __builtin_prefetch(keys.data() + std::min(k + ahead, keys.size() - 1));
                bucket[k] = std::uint16_t(b);
                strays[stray] = Index(k);
                stray += !splitters.is_in(keys[k], b);
            }
            counts[b] += end - begin - stray;
            for (std::size_t s = 0; s < stray; ++s) {
                splitters.find<1>(&keys[strays[s]], &bucket[strays[s]]);
                ++counts[bucket[strays[s]]];
            }
        }
        part.begin = std::max(part.begin, share_end);
    }
}

/// Turns counts per thread and bucket into first places; returns where buckets begin.
std::vector<std::size_t> counts_to_places(std::vector<Counts>& counts, std::size_t buckets)
{
    std::vector<std::size_t> begins(buckets + 1);
    std::size_t place = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
        begins[b] = place;
        for (Counts& of_thread : counts) {
            const std::size_t count = of_thread[b];
            of_thread[b] = place;
            place += count;
        }
    }
    begins[buckets] = place;
    return begins;
}

/// Returns the number of buckets, a power of two: several per thread, but few enough to write to
/// all at once.
std::size_t bucket_number(std::size_t n, int threads)
{
    const std::size_t wanted =
        std::max(n / bucket_size, std::min(4 * std::size_t(threads), n / min_bucket_size));
    return std::bit_floor(std::min(wanted, max_buckets));
}

/// Sorts the order of adjacent equal keys by `number`.
void order_equal_keys(std::span<const Key> keys, std::span<Index> order,
                      std::span<const GlobalIndex> number)
{
    const std::size_t n = keys.size();
#pragma omp parallel for if (n > worth_threads) schedule(static)
    for (std::size_t k = 0; k < n; ++k) {
        if (k > 0 && keys[k - 1] == keys[k])
            continue; // not the first of equal keys
        std::size_t end = k + 1;
        while (end < n && keys[end] == keys[k])
            ++end;
        if (end > k + 1)
            std::sort(order.begin() + std::ptrdiff_t(k), order.begin() + std::ptrdiff_t(end),
                      [&](Index i, Index j) { return number[i] < number[j]; });
    }
}

void sort_pairs(std::span<Key> keys, std::span<Index> order, RadixScratch& scratch)
{
    const std::size_t n = keys.size();
    resize_discarding(scratch.keys, n);
    resize_discarding(scratch.order, n);
    resize_discarding(scratch.bucket, n);
    const Pairs here{keys.data(), order.data()};
    const Pairs there{scratch.keys.data(), scratch.order.data()};
    if (n <= worth_threads) {
        std::copy_n(here.keys, n, there.keys);
        std::copy_n(here.order, n, there.order);
        Words words;
        return sort_bucket(there, here, n, words);
    }
    const int threads = omp_in_parallel() ? 1 : omp_get_max_threads();
    const std::size_t buckets = bucket_number(n, threads);
    const Splitters splitters(keys, buckets);
    std::vector<Counts> counts(std::size_t(threads), Counts{});
    std::vector<std::size_t> begins;
#pragma omp parallel num_threads(threads)
    {
        const int thread = omp_get_thread_num();
        const Part part = part_of(n, thread, omp_get_num_threads());
        Counts& own = counts[std::size_t(thread)];
        own.fill(0);
        if (splitters.nearly_sorted())
            count_nearly_sorted(keys, part, splitters, buckets, scratch.bucket.data(), own);
        else
            count_any(keys, part, splitters, scratch.bucket.data(), own);
#pragma omp barrier
#pragma omp single
        begins = counts_to_places(counts, buckets);
        for (std::size_t k = part.begin; k < part.end; ++k) {
            __builtin_prefetch(keys.data() + std::min(k + ahead, keys.size() - 1));
            __builtin_prefetch(order.data() + std::min(k + ahead, n - 1));
            const std::size_t at = own[scratch.bucket[k]]++;
            there.keys[at] = keys[k];
            there.order[at] = order[k];
        }
#pragma omp barrier
        Words words;
#pragma omp for schedule(dynamic, 1)
        for (std::size_t b = 0; b < buckets; ++b)
            sort_bucket(there.from(begins[b]), here.from(begins[b]), begins[b + 1] - begins[b],
                        words);
    }
}

} // namespace

void radix_sort(std::span<Key> keys, std::span<Index> order, RadixScratch& scratch,
                std::span<const GlobalIndex> number)
{
    sort_pairs(keys, order, scratch);
    if (!number.empty())
        order_equal_keys(keys, order, number);
}

} // namespace chamomile
