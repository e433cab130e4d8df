// Ships batches of lists to the device and evaluates them there while the host walks on.
//
// Each batch takes the next of several slots: a stream with its own device buffers. The slot copies
// the lists, launches the kernel and copies the sums back, all in the order of its stream; a slot
// whose last batch is not done makes the walking thread wait, so that the host never runs away.
#include <algorithm>
#include <atomic>
#include <mutex>

#include "force/gpu.hpp"
#include "core/threads.hpp"
#include "force/list_pool.hpp"
#include "gpu/chamomile.cuh"
#include "gpu/device.cuh"
#include "gpu/device_tree.cuh"
#include "gpu/far_field.cuh"
#include "gpu/time_line.cuh"

namespace chamomile {
namespace {

using Kernel = void (*)(DeviceBatch);

/// The driver runs at most eight streams side by side (CUDA_DEVICE_MAX_CONNECTIONS), so eight
/// batches must be able to fill the card: 128 groups of a few hundred targets are some 400 warps.
constexpr int slot_count = 8;
constexpr std::size_t least_batch = 128;

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
    DeviceBuffer<ClusterRow> clusters;
    DeviceBuffer<Index> far_cells;
    DeviceBuffer<char> cluster_terms;

    explicit Slot(std::pmr::memory_resource* memory) : work(memory) {}
};

/// From internal units and sorted order to the caller's; counts sums that are not finite.
__global__ void scatter_sums(const TargetSum* sums, const Index* order, std::size_t n,
                             double acceleration_unit, double potential_unit,
                             Vec3<double>* acceleration, double* potential, unsigned* not_finite)
{
    const std::size_t k = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    const TargetSum sum = sums[k];
    const Index i = order[k];
    acceleration[i] = acceleration_unit * sum.acceleration;
    if (potential)
        potential[i] = potential_unit * sum.potential;
    if (!isfinite(sum.acceleration.x + sum.acceleration.y + sum.acceleration.z + sum.potential))
        atomicAdd(not_finite, 1u);
}

class CudaEvaluator final : public Evaluator {
public:
    CudaEvaluator(std::shared_ptr<DeviceTree> tree, std::shared_ptr<PinnedMemory> memory,
                  Precision precision)
        : tree_(std::move(tree)), device_(tree_->device), precision_(precision),
          memory_(std::move(memory))
    {
        check(cudaSetDevice(device_), "choose the device");
        cudaDeviceProp properties;
        check(cudaGetDeviceProperties(&properties, device_), "read the device's properties");
        name_ = properties.name;
        for (int s = 0; s < slot_count; ++s)
            slots_.push_back(std::make_unique<Slot>(memory_.get()));
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
        const TargetGroups& groups = *input.groups;
        if (!groups.targets.empty())
            tree_->staging.upload(targets_, groups.targets.data(), groups.targets.size(),
                                  tree_->stream);
        sums_.reserve(groups.target_count);
        uploaded_->record(tree_->stream);
        for (auto& slot : slots_)
            check(cudaStreamWaitEvent(slot->stream, *uploaded_), "order the streams");
        time_line_->begin(tree_->stream);
        next_slot_ = 0;
        batch_size_ = std::clamp<std::size_t>(groups.groups.size() / 32, least_batch, 1024);
    }

    std::unique_ptr<InteractionLists> new_lists() override { return pool_.take(); }

    std::size_t batch_size() const override { return batch_size_; }

    void submit(std::unique_ptr<InteractionLists> lists) override
    {
        if (lists->rows.empty()) {
            pool_.give_back(std::move(lists));
            return;
        }
        const TraceRange range("submit");
        check(cudaSetDevice(device_), "choose the device"); // of this thread
        Slot& slot = *slots_[next_slot_++ % slots_.size()];
        const std::lock_guard lock(slot.mutex);
        slot.stream.wait();
        pool_.give_back(std::move(slot.lists));
        slot.lists = std::move(lists);
        launch(slot);
    }

    std::size_t finish(const ForceOutput& output) override
    {
        check(cudaSetDevice(device_), "choose the device");
        {
            const TraceRange range("wait");
            const double start = wall_clock_seconds();
            for (auto& slot : slots_) {
                slot->stream.wait();
                pool_.give_back(std::move(slot->lists));
            }
            wait_ = wall_clock_seconds() - start;
        }
        time_line_->finish();
        const std::size_t targets = input_.groups->target_count;
        if (targets == 0)
            return 0;
        return input_.groups->targets.empty() ? store_all(output) : store_active(output);
    }

    std::string device() const override { return name_; }

    void add_statistics(ForceStatistics& statistics) const override
    {
        statistics.device_busy = time_line_->busy_seconds();
        statistics.device_span = time_line_->span_seconds();
        statistics.device_wait = wait_;
    }

private:
    /// All particles are targets: sorted back on the device.
    std::size_t store_all(const ForceOutput& output)
    {
        const std::size_t n = input_.groups->target_count;
        const cudaStream_t stream = tree_->stream;
        const bool potential = !output.potential.empty();
        check(cudaMemsetAsync(not_finite_.reserve(1), 0, sizeof(unsigned), stream),
              "clear a count");
        accelerations_.reserve(n);
        if (potential)
            potentials_.reserve(n);
        scatter_sums<<<unsigned((n + 255) / 256), 256, 0, stream>>>(
            sums_.data(), tree_->order.data(), n, output.acceleration_unit, output.potential_unit,
            accelerations_.data(), potential ? potentials_.data() : nullptr, not_finite_.data());
        check(cudaGetLastError(), "launch the sorting back");
        download(host_not_finite_.reserve(1), not_finite_.data(), 1, stream);
        tree_->staging.download(output.acceleration.data(), accelerations_.data(), n, stream);
        if (potential)
            tree_->staging.download(output.potential.data(), potentials_.data(), n, stream);
        tree_->stream.wait();
        return *host_not_finite_.data();
    }

    /// Only the active particles' entries of the caller's arrays may change.
    std::size_t store_active(const ForceOutput& output)
    {
        const TargetGroups& groups = *input_.groups;
        host_sums_.resize(groups.target_count);
        tree_->staging.download(host_sums_.data(), sums_.data(), groups.target_count,
                                tree_->stream);
        std::size_t not_finite = 0;
#pragma omp parallel for if (groups.target_count > worth_threads) reduction(+ : not_finite)
        for (std::size_t t = 0; t < groups.target_count; ++t)
            not_finite += !store_sum(output, input_.octree->order[groups.target(t)], host_sums_[t]);
        return not_finite;
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
        if (input_.local_order > 0) {
            upload(slot.clusters, lists.clusters.data(), lists.clusters.size(), slot.stream);
            upload(slot.far_cells, lists.far_cells.data(), lists.far_cells.size(), slot.stream);
        }
        const DeviceBatch batch{slot.device_work.data(),
                                Index(slot.work.size()),
                                slot.rows.data(),
                                slot.cells.data(),
                                slot.ranges.data(),
                                tree_->sources.data(),
                                tree_->multipoles.data(),
                                input_.groups->targets.empty() ? nullptr : targets_.data(),
                                sums_.data(),
                                1 / input_.scale.length,
                                1 / input_.scale.mass,
                                input_.softening.length / input_.scale.length,
                                input_.order,
                                input_.local_order > 0};
        const unsigned blocks =
            unsigned((slot.work.size() + warps_per_block - 1) / warps_per_block);
        const TimeLine::Entry entry = time_line_->start(slot.stream);
        if (input_.local_order > 0)
            launch_far_field(slot, batch);
        kernel_<<<blocks, warp_size * warps_per_block, 0, slot.stream>>>(batch);
        check(cudaGetLastError(), "launch the Chamomile kernel");
        time_line_->stop(entry, slot.stream);
    }

    void launch_far_field(Slot& slot, const DeviceBatch& batch)
    {
        const FarFieldKernels kernels = find_far_field_kernels(input_.local_order, precision_);
        const Index clusters = Index(slot.lists->clusters.size());
        const bool spline = input_.softening.kind == SofteningKind::spline;
        const DeviceFarField far{
            slot.clusters.data(),
            clusters,
            Index(slot.lists->rows.size()),
            slot.far_cells.data(),
            spline ? 0 : batch.softening_length,
            slot.cluster_terms.reserve(clusters * kernels.bytes_per_cluster)};
        constexpr Index warps = far_field_block / warp_size;
        if (clusters > 0)
            kernels.clusters<<<(clusters + warps - 1) / warps, far_field_block, 0, slot.stream>>>(
                batch, far);
        kernels.groups<<<(far.row_count + warps - 1) / warps, far_field_block, 0, slot.stream>>>(
            batch, far);
        check(cudaGetLastError(), "launch the expansions");
    }

    std::shared_ptr<DeviceTree> tree_;
    int device_;
    Precision precision_;
    std::string name_;
    EvaluationInput input_;
    Kernel kernel_ = nullptr;
    std::size_t batch_size_ = 16;
    double wait_ = 0; // seconds, of finish()

    std::shared_ptr<PinnedMemory> memory_; // outlives the lists that lie in it
    ListPool pool_{memory_.get()};
    std::vector<std::unique_ptr<Slot>> slots_;
    std::atomic<std::size_t> next_slot_{0};
    std::unique_ptr<Event> uploaded_;
    std::unique_ptr<TimeLine> time_line_;

    DeviceBuffer<Index> targets_;
    DeviceBuffer<TargetSum> sums_;
    DeviceBuffer<Vec3<double>> accelerations_; // in the caller's order
    DeviceBuffer<double> potentials_;
    DeviceBuffer<unsigned> not_finite_;
    PinnedBuffer<unsigned> host_not_finite_;
    std::vector<TargetSum> host_sums_;
};

} // namespace

SolverParts make_cuda_parts(int device, Precision precision)
{
    check(cudaSetDevice(device), "choose the device");
    auto tree = std::make_shared<DeviceTree>(device);
    auto memory = std::make_shared<PinnedMemory>();
    return {make_cuda_tree_builder(tree, memory),
            std::make_unique<CudaEvaluator>(tree, memory, precision)};
}

} // namespace chamomile
