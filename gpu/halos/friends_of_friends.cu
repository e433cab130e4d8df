// Friends of friends on a GPU. Contraction: none, so that the groups are the host's.
//
// Each array is written once and read until the next needs its place, so four pieces of memory hold
// all of them, 64 bytes a particle:
//   24  positions; then the cells: keys, first members, sets, starts of key ranges
//   24  the sort's second arrays; places in the order of cells; then the groups and their members
//    8  keys; then counts and first members of sets
//    8  order and cell of each sorted particle
#include <bit>
#include <cassert>
#include <cstdint>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>

#include "chamomile/analysis/friends_of_friends.hpp"
#include "chamomile/core/trace.hpp"
#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/device/staging.cuh"
#include "chamomile/gpu/halos/link_kernels.cuh"
#include "chamomile/gpu/tree/device_keys.cuh"

namespace chamomile {
namespace {

/// Hands out arrays from a piece of device memory, one after another.
class Pieces {
public:
    static constexpr std::size_t alignment = 256, max_arrays = 8;

    template <class Memory>
    explicit Pieces(DeviceBuffer<Memory>& memory) : next_(reinterpret_cast<char*>(memory.data()))
    {}

    template <class T>
    T* array(std::size_t n)
    {
        T* const here = reinterpret_cast<T*>(next_);
        next_ += (n * sizeof(T) + alignment - 1) / alignment * alignment;
        return here;
    }

    /// Makes room for arrays of together `bytes` bytes.
    template <class Memory>
    static void reserve(DeviceBuffer<Memory>& memory, std::size_t bytes)
    {
        memory.reserve_exactly(bytes / sizeof(Memory) + 1 +
                               max_arrays * alignment / sizeof(Memory));
    }

private:
    char* next_;
};

/// Bits of numbers below n.
int bits_below(std::uint64_t n)
{
    return n > 1 ? int(std::bit_width(n - 1)) : 0;
}

/// A FriendSearch finds the groups of n > 0 particles. Its many members are buffers of the search.
class FriendSearch {
public:
    FriendSearch(int device, std::span<const Vec3<double>> position, const FriendRule& rule)
        : device_(device), n_(position.size()), position_(position), rule_(rule), staging_(device)
    {}
    ~FriendSearch() { synchronize_device(device_); }

    ParticleGroups groups()
    {
        reserve();
        link(sorted_cells());
        return collect();
    }

private:
    void reserve()
    {
        const double bytes = 64 * double(n_);
        try {
            Pieces::reserve(positions_, 24 * n_);
            Pieces::reserve(places_, 24 * n_);
            Pieces::reserve(keys_, 8 * n_);
            Pieces::reserve(numbers_, 8 * n_);
            Pieces::reserve(count_, sizeof(Index));
        } catch (const OutOfDeviceMemory& error) {
            throw OutOfDeviceMemory("friends of friends: " + std::to_string(n_) +
                                    " particles need " + std::to_string(int(bytes / 1048576) + 1) +
                                    " MiB of GPU memory: " + error.line());
        }
    }

    /// Sorts the particles by cell, as LinkingCells does, and returns the grid.
    LinkingGrid sorted_cells()
    {
        const TraceRange range("sort by linking cell");
        staging_.upload(positions_, position_.data(), n_, stream_);
        DeviceKeys extent(scratch_);
        extent.start_extent(positions_.data(), n_, stream_);
        Box box;
        if (!extent.add_extent(box))
            finite_box(position_); // throws with the number of the particle
        const LinkingGrid grid(position_, box, rule_.periodicity, rule_.linking_length);
        Pieces numbers(numbers_), second(places_);
        order_ = numbers.array<Index>(n_);
        cell_ = numbers.array<Index>(n_);
        Key* const keys = Pieces(keys_).array<Key>(n_);
        compute_linking_keys<<<blocks_of(n_), block_size, 0, stream_>>>(positions_.data(), n_, grid,
                                                                        keys, order_);
        check(cudaGetLastError(), "launch the linking keys");
        const std::uint64_t all = std::uint64_t(grid.extent[0]) * std::uint64_t(grid.extent[1]) *
                                  std::uint64_t(grid.extent[2]);
        sort_pairs(keys, order_, n_, bits_below(all), second);
        gather_places<<<blocks_of(n_), block_size, 0, stream_>>>(
            positions_.data(), n_, grid.periodicity, order_, places_.data());
        check(cudaGetLastError(), "launch the gather of places");
        find_cells(keys, all);
        return grid;
    }

    /// `all`: number of cells of the grid.
    void find_cells(const Key* keys, std::uint64_t all)
    {
        const auto opens = thrust::make_transform_iterator(thrust::make_counting_iterator(Index(0)),
                                                           OpensCell{keys});
        call_thrust("launch the numbers of cells", [&] {
            thrust::inclusive_scan(thrust::cuda::par_nosync(scratch_).on(stream_), opens,
                                   opens + std::ptrdiff_t(n_), cell_);
        });
        cells_.count = number_at(cell_ + n_ - 1) + 1;
        cells_.place = places_.data();
        while ((all - 1) >> cells_.shift > n_)
            ++cells_.shift;
        const std::size_t starts = std::size_t((all - 1) >> cells_.shift) + 2;
        Pieces pieces(positions_);
        cells_.key = pieces.array<Key>(cells_.count);
        cells_.first = pieces.array<Index>(std::size_t(cells_.count) + 1);
        cells_.set = pieces.array<Index>(cells_.count);
        cells_.start = pieces.array<Index>(starts);
        store_cells<<<blocks_of(n_), block_size, 0, stream_>>>(keys, cell_, n_, cells_);
        check(cudaGetLastError(), "launch the linking cells");
        find_starts<<<blocks_of(starts), block_size, 0, stream_>>>(cells_, starts);
        check(cudaGetLastError(), "launch the starts of cells");
    }

    void link(const LinkingGrid& grid)
    {
        const TraceRange range("link");
        const unsigned blocks = blocks_of(cells_.count);
        const int reach = int(grid.reach);
        for (const auto& [inner, outer] : {std::pair(0, 1), std::pair(1, reach)}) {
            link_cells<<<blocks, block_size, 0, stream_>>>(cells_, grid, inner, outer);
            check(cudaGetLastError(), "launch the links of cells");
            find_roots<<<blocks, block_size, 0, stream_>>>(cells_);
            check(cudaGetLastError(), "launch the sets of cells");
        }
        stream_.wait();
    }

    /// Numbers the sets with enough members, and sorts the members by group.
    ParticleGroups collect()
    {
        const TraceRange range("collect groups");
        Pieces of_sets(keys_);
        Index* const count = of_sets.array<Index>(cells_.count);
        Index* const min = of_sets.array<Index>(cells_.count);
        const std::size_t bytes = cells_.count * sizeof(Index);
        check(cudaMemsetAsync(count, 0, bytes, stream_), "clear the members of sets");
        check(cudaMemsetAsync(min, 0xff, bytes, stream_), "clear the members of sets");
        count_members<<<blocks_of(cells_.count), block_size, 0, stream_>>>(cells_, order_, count,
                                                                           min);
        check(cudaGetLastError(), "launch the members of sets");

        ParticleGroups result;
        result.first = sorted_groups(count, min);
        const std::size_t members = result.first.back();
        result.members.resize(members);
        if (members == 0)
            return result;
        Pieces pieces(places_);
        Index* const group = pieces.array<Index>(n_);
        find_groups<<<blocks_of(n_), block_size, 0, stream_>>>(cells_, cell_, order_, n_, count,
                                                               group);
        check(cudaGetLastError(), "launch the groups of particles");
        Index* const member = pieces.array<Index>(members);
        Index* const of_member = pieces.array<Index>(members);
        const std::size_t found = select(IsMember{group}, n_, member);
        assert(found == members);
        gather_groups<<<blocks_of(found), block_size, 0, stream_>>>(member, found, group,
                                                                    of_member);
        check(cudaGetLastError(), "launch the gather of groups");
        sort_pairs(of_member, member, found, bits_below(result.size()), pieces);
        staging_.download(result.members.data(), member, found, stream_);
        return result;
    }

    /// Returns ParticleGroups::first. Replaces counts by the numbers of groups.
    std::vector<std::size_t> sorted_groups(Index* count, const Index* min)
    {
        Pieces pieces(places_);
        Index* const root = pieces.array<Index>(cells_.count);
        const auto fewest = Index(std::min<std::size_t>(rule_.min_members, no_group));
        const std::size_t groups = select(IsGroup{cells_.set, count, fewest}, cells_.count, root);
        Key* const keys = pieces.array<Key>(groups);
        std::vector<Key> sorted(groups);
        if (groups > 0) {
            compute_group_keys<<<blocks_of(groups), block_size, 0, stream_>>>(root, groups, count,
                                                                              min, keys);
            check(cudaGetLastError(), "launch the keys of groups");
            sort_pairs(keys, root, groups, 64, pieces);
            staging_.download(sorted.data(), keys, groups, stream_);
        }
        check(cudaMemsetAsync(count, 0xff, cells_.count * sizeof(Index), stream_),
              "clear the groups of sets");
        if (groups > 0) {
            number_groups<<<blocks_of(groups), block_size, 0, stream_>>>(root, groups, count);
            check(cudaGetLastError(), "launch the numbers of groups");
        }
        std::vector<std::size_t> first{0};
        first.reserve(groups + 1);
        for (const Key key : sorted)
            first.push_back(first.back() + Index(~(key >> 32)));
        return first;
    }

    /// Sorts n pairs stably by the lowest `bits` bits of the keys, with `pieces` for the second
    /// arrays.
    template <class K>
    void sort_pairs(K* keys, Index* values, std::size_t n, int bits, Pieces& pieces)
    {
        if (bits == 0)
            return;
        cub::DoubleBuffer<K> both_keys(keys, pieces.array<K>(n));
        cub::DoubleBuffer<Index> both_values(values, pieces.array<Index>(n));
        call_cub("sort by key", [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(scratch, bytes, both_keys, both_values, Index(n),
                                                   0, bits, stream_);
        });
        const auto settle = [&](auto* wanted, const auto* sorted) {
            if (sorted != wanted)
                check(cudaMemcpyAsync(wanted, sorted, n * sizeof *wanted, cudaMemcpyDeviceToDevice,
                                      stream_),
                      "copy within the device");
        };
        settle(keys, both_keys.Current());
        settle(values, both_values.Current());
    }

    /// Writes the numbers below n with a property, in ascending order, and returns their number.
    template <class Property>
    std::size_t select(const Property& property, std::size_t n, Index* found)
    {
        call_cub("select by property", [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<Index>(0), found,
                                         count_.data(), std::int64_t(n), property, stream_);
        });
        return number_at(count_.data());
    }

    template <class Call>
    void call_cub(const char* tried, const Call& call)
    {
        std::size_t bytes = 0;
        check(call(nullptr, bytes), tried);
        check(call(temporary_.reserve(bytes), bytes), tried);
    }

    Index number_at(const Index* place)
    {
        download(host_count_.reserve(1), place, 1, stream_);
        stream_.wait();
        return *host_count_.data();
    }

    const int device_;
    const std::size_t n_;
    const std::span<const Vec3<double>> position_;
    const FriendRule& rule_;
    Staging staging_;
    Stream stream_;
    CachingAllocator scratch_;
    DeviceBuffer<Vec3<double>> positions_, places_;
    DeviceBuffer<Key> keys_;
    DeviceBuffer<Index> numbers_, count_;
    DeviceBuffer<char> temporary_;
    PinnedBuffer<Index> host_count_;
    Index *order_ = nullptr, *cell_ = nullptr; ///< of each sorted particle
    SortedCells cells_{};
};

} // namespace

ParticleGroups friends_of_friends_on_gpu(int number, std::span<const Vec3<double>> position,
                                         const FriendRule& rule)
{
    require_linkable(position.size(), rule.periodicity, rule.linking_length);
    if (position.empty())
        return {{0}, {}};
    check(cudaSetDevice(number), "choose the device");
    return FriendSearch(number, position, rule).groups();
}

} // namespace chamomile
