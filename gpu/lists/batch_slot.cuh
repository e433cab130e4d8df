/// \file  A stream with the page-locked and device memory of one batch of lists at a time.
///
/// All arrays of a batch are contiguous in one page-locked buffer and go to the device in one copy.
/// The lists themselves are in ordinary memory: walking threads may grow them without a call to the
/// driver.
#pragma once

#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>
#include <utility>

#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/lists/chamomile.cuh"
#include "chamomile/gpu/lists/far_field.cuh"
#include "chamomile/gpu/lists/prune.cuh"

namespace chamomile {

/// A BatchLayout sums the bytes of a batch's arrays, each aligned to 256.
class BatchLayout {
public:
    template <class T>
    std::size_t add(std::size_t n)
    {
        const std::size_t place = bytes_;
        bytes_ = (bytes_ + n * sizeof(T) + 255) / 256 * 256;
        return place;
    }
    std::size_t bytes() const { return bytes_; }

private:
    std::size_t bytes_ = 0;
};

/// Memory for a batch.
struct BatchRoom {
    std::size_t bytes = 0, words = 0, terms = 0; ///< words of finished lists, bytes of expansions

    void widen(const BatchRoom& other)
    {
        bytes = std::max(bytes, other.bytes);
        words = std::max(words, other.words);
        terms = std::max(terms, other.terms);
    }
};

struct BatchSlot {
    std::mutex mutex; ///< held while a batch is packed and launched
    Stream stream;
    std::size_t bytes_sent = 0; ///< since begin()
    BatchRoom used;             ///< max of all batches so far

    /// Allocates `room`, so that the walk needs no allocation.
    void begin(const BatchRoom& room)
    {
        wait();
        host_.reserve(room.bytes);
        device_.reserve(room.bytes);
        lists_.reserve(room.words);
        terms_.reserve(room.terms);
        bytes_sent = 0;
    }

    /// Waits for the last batch.
    void wait()
    {
        if (std::exchange(in_use_, false))
            stream.wait();
    }

    /// Waits for the slot's last batch, packs the lists and starts their copy. A warp gets at most
    /// `max` targets. Sets only the list pointers of `batch`, `far` and `open`.
    void send(const InteractionLists& lists, Index max, bool expands, DeviceBatch& batch,
              DeviceFarField& far, DeviceOpenLists& open)
    {
        wait();
        in_use_ = true;
        Index warps = 0;
        for (const ListRow& row : lists.rows)
            warps += warps_of(row, max);
        const std::size_t clusters = expands || lists.are_open() ? lists.clusters.size() : 0,
                          far_cells = expands ? lists.far_cells.size() : 0;
        BatchLayout layout;
        const std::size_t work = layout.add<WarpWork>(warps),
                          rows = layout.add<ListRow>(lists.rows.size()),
                          cells = layout.add<Index>(lists.cells.size()),
                          ranges = layout.add<ParticleRange>(lists.ranges.size()),
                          cluster_rows = layout.add<ClusterRow>(clusters),
                          far_list = layout.add<Index>(far_cells),
                          open_list = layout.add<Index>(lists.open.size()),
                          regions = layout.add<WalkRegion>(lists.regions.size());
        char* host = host_.reserve(layout.bytes());
        char* device = device_.reserve(layout.bytes());
        share_work(reinterpret_cast<WarpWork*>(host + work), lists, max);
        put(host + rows, lists.rows, lists.rows.size());
        put(host + cells, lists.cells, lists.cells.size());
        put(host + ranges, lists.ranges, lists.ranges.size());
        put(host + cluster_rows, lists.clusters, clusters);
        put(host + far_list, lists.far_cells, far_cells);
        put(host + open_list, lists.open, lists.open.size());
        put(host + regions, lists.regions, lists.regions.size());
        check(cudaMemcpyAsync(device, host, layout.bytes(), cudaMemcpyHostToDevice, stream),
              "copy lists to the device");
        bytes_sent += layout.bytes();
        used.widen({.bytes = layout.bytes()});

        batch.work = reinterpret_cast<WarpWork*>(device + work);
        batch.work_count = warps;
        batch.rows = reinterpret_cast<ListRow*>(device + rows);
        batch.first_target = lists.rows.front().target_begin;
        batch.cells = reinterpret_cast<Index*>(device + cells);
        batch.ranges = reinterpret_cast<ParticleRange*>(device + ranges);
        far.clusters = reinterpret_cast<ClusterRow*>(device + cluster_rows);
        far.cluster_count = Index(clusters);
        far.row_count = Index(lists.rows.size());
        far.target_count = lists.rows.back().target_end - batch.first_target;
        far.far_cells = far.group_far_cells = reinterpret_cast<Index*>(device + far_list);
        open.clusters = far.clusters;
        open.regions = reinterpret_cast<WalkRegion*>(device + regions);
        open.open = reinterpret_cast<Index*>(device + open_list);
        open.rows = reinterpret_cast<ListRow*>(device + rows);
        open.row_count = far.row_count;
    }

    /// Allocates memory for lists finished on the device, and sets the pointers of `batch`, `far`
    /// and `open` to it.
    void make_room(std::size_t words, DeviceBatch& batch, DeviceFarField& far,
                   DeviceOpenLists& open)
    {
        open.words = lists_.reserve(words);
        used.widen({.words = words});
        open.room = Index(words);
        batch.cells = far.group_far_cells = open.words;
        batch.ranges = reinterpret_cast<ParticleRange*>(open.words);
    }

    /// Allocates the expansions and far sums of the batch.
    char* terms(std::size_t bytes)
    {
        char* const terms = terms_.reserve(bytes);
        used.widen({.terms = bytes});
        return terms;
    }

private:
    static Index warps_of(const ListRow& row, Index max)
    {
        return (row.target_end - row.target_begin + max - 1) / max;
    }

    /// Divides the targets of each row among its warps evenly. Warps with full lanes come first and
    /// together: they run the same instructions.
    static void share_work(WarpWork* work, const InteractionLists& lists, Index max)
    {
        const auto share = [&](const auto& take) {
            for (std::size_t r = 0; r < lists.rows.size(); ++r) {
                const ListRow& row = lists.rows[r];
                const Index count = row.target_end - row.target_begin, warps = warps_of(row, max);
                for (Index w = 0; w < warps; ++w) {
                    const Index begin = Index(std::uint64_t(count) * w / warps);
                    const Index end = Index(std::uint64_t(count) * (w + 1) / warps);
                    take(WarpWork{Index(r), row.target_begin + begin, end - begin});
                }
            }
        };
        const auto fewer_lanes = [max](const WarpWork& w) { // 0 if lanes are full
            return (max - w.count) / warp_size;
        };
        Index first[max_per_lane<float> + 1] = {};
        share([&](const WarpWork& w) { ++first[fewer_lanes(w) + 1]; });
        std::partial_sum(std::begin(first), std::end(first), std::begin(first));
        share([&](const WarpWork& w) { work[first[fewer_lanes(w)]++] = w; });
    }

    template <class T>
    static void put(char* to, const std::vector<T>& from, std::size_t n)
    {
        if (n > 0)
            std::memcpy(to, from.data(), n * sizeof(T));
    }

    bool in_use_ = false;
    PinnedBuffer<char> host_;
    DeviceBuffer<char> device_;
    DeviceBuffer<char> terms_;
    DeviceBuffer<Index> lists_; // lists finished on the device
};

} // namespace chamomile
