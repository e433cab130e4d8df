// Ships batches of lists to the device and evaluates them there while the host walks on.
//
// Each batch takes the next of several slots: a stream with its own device buffers. The slot copies
// the lists, launches the kernel and copies the sums back, all in the order of its stream; a slot
// whose last batch is not done makes the walking thread wait, so that the host never runs away.
#include <algorithm>
#include <atomic>
#include <mutex>

#include <omp.h>

#include "force/gpu.hpp"
#include "force/list_pool.hpp"
#include "gpu/chamomile.cuh"
#include "gpu/device.cuh"
#include "gpu/time_line.cuh"

namespace chamomile {
namespace {

using Kernel = void (*)(DeviceBatch);

Kernel find_kernel(const EvaluationInput& input, Precision precision)
{
    constexpr auto p = SofteningKind::plummer, s = SofteningKind::spline;
    static constexpr Kernel kernels[2][2][2] = {
        {{chamomile<Gravity<p, false>, float>, chamomile<Gravity<p, false>, double>},
         {chamomile<Gravity<p, true>, float>, chamomile<Gravity<p, true>, double>}},
        {{chamomile<Gravity<s, false>, float>, chamomile<Gravity<s, false>, double>},
         {chamomile<Gravity<s, true>, float>, chamomile<Gravity<s, true>, double>}}};
    // A spline of no length is Newton's law, and so is Plummer's.
    const bool spline = input.softening.kind == SofteningKind::spline && input.softening.length > 0;
    return kernels[spline][input.quantities == Quantities::acceleration_potential]
                  [precision == Precision::double_precision];
}

/// A stream and what one batch at a time has on the device.
struct Slot {
    std::mutex mutex;
    Stream stream;
    std::unique_ptr<InteractionLists> lists; // in use by the stream
    std::pmr::vector<WarpWork> work;
    DeviceBuffer<WarpWork> device_work;
    DeviceBuffer<ListRow> rows;
    DeviceBuffer<Index> cells;
    DeviceBuffer<ParticleRange> ranges;

    explicit Slot(std::pmr::memory_resource* memory) : work(memory) {}
};

class CudaEvaluator final : public Evaluator {
public:
    CudaEvaluator(int device, Precision precision) : device_(device), precision_(precision)
    {
        check(cudaSetDevice(device_), "choose the device");
        cudaDeviceProp properties;
        check(cudaGetDeviceProperties(&properties, device_), "read the device's properties");
        name_ = properties.name;
        const int slots = std::clamp(2 * omp_get_max_threads(), 4, 32);
        for (int s = 0; s < slots; ++s)
            slots_.push_back(std::make_unique<Slot>(&memory_));
        uploads_ = std::make_unique<Stream>();
        uploaded_ = std::make_unique<Event>();
        time_line_ = std::make_unique<TimeLine>();
    }

    ~CudaEvaluator() override
    {
        cudaSetDevice(device_);
        cudaDeviceSynchronize(); // an exception may have left batches under way
    }

    void begin(const EvaluationInput& input) override
    {
        check(cudaSetDevice(device_), "choose the device");
        input_ = input;
        kernel_ = find_kernel(input, precision_);
        const Octree& octree = *input.octree;
        const TargetGroups& groups = *input.groups;
        upload_staged(sources_, pinned_sources_, octree.sources);
        upload_staged(multipoles_, pinned_multipoles_, input.moments->multipole);
        upload_staged(targets_, pinned_targets_, groups.targets);
        sums_.reserve(groups.target_count);
        host_sums_.reserve(groups.target_count);
        uploaded_->record(*uploads_);
        for (auto& slot : slots_)
            check(cudaStreamWaitEvent(slot->stream, *uploaded_), "order the streams");
        time_line_->begin(*uploads_);
        next_slot_ = 0;
        const std::size_t share = groups.groups.size() / std::size_t(4 * omp_get_max_threads());
        batch_size_ = std::clamp<std::size_t>(share, 16, 1024);
    }

    std::unique_ptr<InteractionLists> new_lists() override { return pool_.take(); }

    std::size_t batch_size() const override { return batch_size_; }

    void submit(std::unique_ptr<InteractionLists> lists) override
    {
        if (lists->rows.empty()) {
            pool_.give_back(std::move(lists));
            return;
        }
        check(cudaSetDevice(device_), "choose the device"); // of this thread
        Slot& slot = *slots_[next_slot_++ % slots_.size()];
        const std::lock_guard lock(slot.mutex);
        slot.stream.wait();
        pool_.give_back(std::move(slot.lists));
        slot.lists = std::move(lists);
        launch(slot);
    }

    std::span<const TargetSum> finish() override
    {
        for (auto& slot : slots_) {
            slot->stream.wait();
            pool_.give_back(std::move(slot->lists));
        }
        time_line_->finish();
        return {host_sums_.data(), input_.groups->target_count};
    }

    std::string device() const override { return name_; }

    void add_statistics(Profile& profile) const override
    {
        profile.add("gpu busy", time_line_->busy_seconds());
        profile.add("gpu first to last kernel", time_line_->span_seconds());
    }

private:
    template <class T>
    void upload_staged(DeviceBuffer<T>& to, PinnedBuffer<T>& staging, const std::vector<T>& from)
    {
        parallel_copy(staging.reserve(from.size()), from.data(), from.size());
        upload(to, staging.data(), from.size(), *uploads_);
    }

    /// Shares the targets of each row among warps, as evenly as whole lanes allow.
    void share_work(Slot& slot) const
    {
        const Index most =
            Index(warp_size * (precision_ == Precision::double_precision ? most_per_lane<double>
                                                                         : most_per_lane<float>));
        slot.work.clear();
        for (std::size_t r = 0; r < slot.lists->rows.size(); ++r) {
            const ListRow& row = slot.lists->rows[r];
            const Index count = row.target_end - row.target_begin;
            const Index warps = (count + most - 1) / most;
            for (Index w = 0; w < warps; ++w) {
                const Index begin = Index(std::uint64_t(count) * w / warps);
                const Index end = Index(std::uint64_t(count) * (w + 1) / warps);
                slot.work.push_back({Index(r), row.target_begin + begin, end - begin});
            }
        }
    }

    void launch(Slot& slot)
    {
        share_work(slot);
        const InteractionLists& lists = *slot.lists;
        upload(slot.device_work, slot.work.data(), slot.work.size(), slot.stream);
        upload(slot.rows, lists.rows.data(), lists.rows.size(), slot.stream);
        upload(slot.cells, lists.cells.data(), lists.cells.size(), slot.stream);
        upload(slot.ranges, lists.ranges.data(), lists.ranges.size(), slot.stream);
        const DeviceBatch batch{slot.device_work.data(),
                                Index(slot.work.size()),
                                slot.rows.data(),
                                slot.cells.data(),
                                slot.ranges.data(),
                                sources_.data(),
                                multipoles_.data(),
                                input_.groups->targets.empty() ? nullptr : targets_.data(),
                                sums_.data(),
                                1 / input_.scale.length,
                                1 / input_.scale.mass,
                                input_.softening.length / input_.scale.length,
                                input_.order};
        const unsigned blocks =
            unsigned((slot.work.size() + warps_per_block - 1) / warps_per_block);
        const TimeLine::Entry entry = time_line_->start(slot.stream);
        kernel_<<<blocks, warp_size * warps_per_block, 0, slot.stream>>>(batch);
        check(cudaGetLastError(), "launch the Chamomile kernel");
        time_line_->stop(entry, slot.stream);
        // The groups of a batch follow one another, and so do their targets.
        const Index first = lists.rows.front().target_begin, last = lists.rows.back().target_end;
        download(host_sums_.data() + first, sums_.data() + first, last - first, slot.stream);
    }

    int device_;
    Precision precision_;
    std::string name_;
    EvaluationInput input_;
    Kernel kernel_ = nullptr;
    std::size_t batch_size_ = 16;

    PinnedMemory memory_; // outlives the lists that lie in it
    ListPool pool_{&memory_};
    std::vector<std::unique_ptr<Slot>> slots_;
    std::atomic<std::size_t> next_slot_{0};
    std::unique_ptr<Stream> uploads_;
    std::unique_ptr<Event> uploaded_;
    std::unique_ptr<TimeLine> time_line_;

    DeviceBuffer<Source> sources_;
    DeviceBuffer<Multipole> multipoles_;
    DeviceBuffer<Index> targets_;
    DeviceBuffer<TargetSum> sums_;
    PinnedBuffer<Source> pinned_sources_;
    PinnedBuffer<Multipole> pinned_multipoles_;
    PinnedBuffer<Index> pinned_targets_;
    PinnedBuffer<TargetSum> host_sums_;
};

} // namespace

std::unique_ptr<Evaluator> make_cuda_evaluator(int device, Precision precision)
{
    return std::make_unique<CudaEvaluator>(device, precision);
}

} // namespace chamomile
