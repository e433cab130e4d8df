// Sends batches of lists to the device and evaluates them there during the host's walk.
//
// Each batch takes the next slot, a stream with its buffers. The slot copies the lists and launches
// the kernels in the order of its stream. If the slot's last batch is not done, the walking thread
// waits; this limits the memory in use. Contraction: fused.
#include <algorithm>
#include <atomic>
#include <mutex>

#include "chamomile/core/threads.hpp"
#include "chamomile/core/trace.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/lists/list_buffers.hpp"
#include "chamomile/gpu/device/device_arrays.cuh"
#include "chamomile/gpu/device/time_line.cuh"
#include "chamomile/gpu/lists/batch_slot.cuh"
#include "chamomile/gpu/lists/copied_tree.cuh"
#include "chamomile/gpu/lists/cuda_evaluator.cuh"
#include "chamomile/gpu/lists/device_duals.cuh"
#include "chamomile/gpu/lists/list_kernels.cuh"
#include "chamomile/gpu/lists/prune.cuh"
#include "chamomile/gpu/lists/sum_storage.cuh"
#include "chamomile/gpu/mesh/tree_mesh.cuh"

namespace chamomile {
namespace {

/// Two slots for each of 16 walking threads: one is packed while the other is evaluated. The driver
/// runs eight streams in parallel by default (CUDA_DEVICE_MAX_CONNECTIONS). Eight batches must
/// therefore fill the GPU: 512 groups of 90 targets are as many warps.
constexpr int slot_count = 32;
/// Warps of the Chamomile kernel on a multiprocessor, limited by registers.
constexpr int warps_per_multiprocessor = 20;
constexpr std::size_t min_batch = 256, largest_batch = 2048;
/// Evaluates lists in batches. Its many members are buffers and clocks that batches share, kept
/// between evaluations.
class CudaEvaluator final : public Evaluator {
public:
    CudaEvaluator(std::shared_ptr<DeviceTree> tree, std::shared_ptr<DeviceTree> target_tree,
                  Precision precision, TreeFrom from)
        : tree_(std::move(tree)), target_tree_(std::move(target_tree)), from_(from),
          device_(tree_->device), precision_(precision), storage_(*tree_), duals_(*tree_)
    {
        check(cudaSetDevice(device_), "choose the device");
        cudaDeviceProp properties;
        check(cudaGetDeviceProperties(&properties, device_), "read the device's properties");
        name_ = properties.name;
        warps_to_fill_ = std::size_t(properties.multiProcessorCount) * warps_per_multiprocessor;
        for (int s = 0; s < slot_count; ++s)
            slots_.push_back(std::make_unique<BatchSlot>());
        uploaded_ = std::make_unique<Event>();
        sorted_ = std::make_unique<Event>();
        time_line_ = std::make_unique<TimeLine>();
    }

    ~CudaEvaluator() override { synchronize_device(device_); }

    bool has_adjoint(const LawChoice& law) const override
    {
        return from_ == TreeFrom::builder && law.order == 2 && !law.per_particle;
    }

    AdjointStart begin_adjoint(const AdjointInput& loss, const Tree& tree,
                               const InternalScale& scale) override
    {
        check(cudaSetDevice(device_), "choose the device");
        return duals_.begin(loss, tree, scale, precision_ == Precision::double_precision);
    }

    void begin(const EvaluationInput& input) override
    {
        check(cudaSetDevice(device_), "choose the device");
        bool writes_on_device = false;
        for (const ArrayView& view : {input.output.acceleration, input.output.potential})
            if (view.on_device) {
                require_on_device(view, device_);
                writes_on_device = true;
            }
        if (writes_on_device)
            wait_for_owner();
        input_ = input;
        const TargetGroups& groups = *input.groups;
        if (from_ == TreeFrom::host)
            copy_tree(*input.octree, *input.moments, input.nodes);
        law_ = LawChoice::of(input.softening, tree_->has_softenings);
        law_.is_periodic = input.form;
        law_.with_potential = input.is_adjoint
                                  ? bool(duals_.loss().mu)
                                  : input.quantities == Quantities::acceleration_potential;
        law_.in_double = precision_ == Precision::double_precision;
        law_.order = input.order;
        law_.is_adjoint = input.is_adjoint;
        kernel_ = find_list_kernel(law_);
        if (!groups.targets.empty() && !std::exchange(tree_->has_targets, false))
            tree_->staging.upload(tree_->targets, groups.targets.data(), groups.targets.size(),
                                  tree_->stream);
        if (input.separate.octree) {
            if (input.separate.self)
                tree_->staging.upload(self_, input.separate.self, groups.target_count,
                                      tree_->stream);
            sorted_->record(target_tree_->stream);
            check(cudaStreamWaitEvent(tree_->stream, *sorted_), "order the streams");
        }
        const std::size_t rows = input.arrivals.count;
        sums_.reserve(std::max(groups.target_count, rows));
        if (rows > 0 && groups.targets.empty()) // some rows are summed on other ranks
            check(cudaMemsetAsync(sums_.data(), 0, rows * sizeof(TargetSum), tree_->stream),
                  "clear the sums");
        if (from_ == TreeFrom::host)
            work_.reserve(input.work.size());
        time_line_->begin(groups.clusters.size(), tree_->stream); // a batch has a cluster at least
        uploaded_->record(tree_->stream);
        begin_slots();
        per_lane_ =
            precision_ == Precision::double_precision ? max_per_lane<double> : max_per_lane<float>;
        const std::size_t targets =
            input.targets_of_ranks > 0 ? input.targets_of_ranks : groups.target_count;
        while (per_lane_ > 1 && targets < warps_to_fill_ * warp_size * per_lane_)
            per_lane_ /= 2;
        next_slot_ = 0;
        are_done_ = false;
        batch_size_ = std::clamp<std::size_t>(groups.groups.size() / 128, min_batch, largest_batch);
    }

    std::unique_ptr<InteractionLists> new_lists() override { return pool_.take(); }

    std::size_t batch_size() const override { return batch_size_; }

    bool finishes_lists() const override
    {
        return !tree_is_too_deep_ && (from_ != TreeFrom::host || input_.nodes) &&
               input_.octree->divided + 1 <= max_lanes / std::size_t(WalkNode::width);
    }

    void submit(std::unique_ptr<InteractionLists> lists) override
    {
        if (!lists->rows.empty()) {
            const TraceRange range("submit");
            check(cudaSetDevice(device_), "choose the device"); // of this thread
            BatchSlot& slot = *slots_[next_slot_++ % slots_.size()];
            const std::lock_guard lock(slot.mutex);
            launch(slot, *lists);
        }
        pool_.give_back(std::move(lists));
    }

    bool needs_repetition() override
    {
        wait_for_batches();
        const TimeLine::ListNotes& notes = time_line_->lists();
        if (notes.open_absent)
            throw Error(Fault::numeric, "domains: a list opens a cell that was not imported");
        tree_is_too_deep_ = tree_is_too_deep_ || notes.are_too_deep;
        const bool has_room = notes.words_per_list <= words_per_list_;
        if (!has_room)
            words_per_list_ = 1.25 * notes.words_per_list;
        return notes.are_too_deep || !has_room;
    }

    std::size_t finish() override
    {
        wait_for_batches();
        const std::size_t targets = input_.groups->target_count;
        if (targets == 0)
            return 0;
        if (!input_.work.empty() && from_ == TreeFrom::host &&
            finishes_lists()) // then its kernels have recorded all work
            tree_->staging.download(input_.work.data(), work_.data(), targets, tree_->stream);
        if (input_.mesh)
            add_mesh(static_cast<const DeviceLongRange&>(*input_.mesh));
        const bool all = input_.groups->targets.empty();
        const SumStorage::Sums sums{sums_.data(),
                                    all && input_.arrivals.count > 0 ? input_.arrivals.own
                                                                     : targets,
                                    input_.octree->size,
                                    input_.active,
                                    all,
                                    precision_ == Precision::single_precision,
                                    all ? input_.arrivals : ArrivalSums{}};
        return storage_.store(sums, input_.output);
    }

    std::string device() const override { return name_; }

    std::unique_ptr<LongRange> make_mesh(Periodicity box, const MeshOptions& asked,
                                         Communicator* ranks) override
    {
        if (from_ == TreeFrom::host) // its particles come too late
            return nullptr;
        MeshOptions options = asked;
        if (precision_ == Precision::single_precision)
            options.scalar = Scalar::float32;
        return make_tree_mesh(tree_, box, options, ranks);
    }

    void add_statistics(ForceStatistics& statistics) const override
    {
        statistics.device_busy = time_line_->busy_seconds();
        statistics.device_span = time_line_->span_seconds();
        statistics.device_wait = wait_;
        const TimeLine::ListNotes& notes = time_line_->lists();
        statistics.particle_particle += notes.particle_pairs;
        statistics.particle_cell += notes.cell_pairs;
        statistics.expansions += notes.expansions;
        statistics.bytes_from_device = storage_.bytes_down();
        for (DeviceTree* tree : {tree_.get(), target_tree_.get()})
            if (tree) { // of a build since the last evaluation
                statistics.bytes_to_device += std::exchange(tree->bytes_up, 0);
                statistics.bytes_from_device += std::exchange(tree->bytes_down, 0);
            }
        for (const auto& slot : slots_)
            statistics.bytes_to_device += slot->bytes_sent;
    }

private:
    /// Gives all slots the memory of the largest, since any slot may get the largest batch.
    void begin_slots()
    {
        BatchRoom max;
        for (const auto& slot : slots_)
            max.widen(slot->used);
        try {
            for (auto& slot : slots_)
                slot->begin(max);
        } catch (const OutOfDeviceMemory&) { // later batches will be smaller
            for (auto& slot : slots_)
                slot->used = {};
            throw;
        }
        for (auto& slot : slots_)
            check(cudaStreamWaitEvent(slot->stream, *uploaded_), "order the streams");
    }

    void wait_for_batches()
    {
        check(cudaSetDevice(device_), "choose the device");
        if (std::exchange(are_done_, true))
            return;
        const TraceRange range("wait");
        const double start = wall_clock_seconds();
        for (auto& slot : slots_)
            slot->wait();
        wait_ = wall_clock_seconds() - start;
        time_line_->finish(tree_->stream);
    }

    /// Copies a tree from the host. Its order may list the first sources only.
    void copy_tree(const Octree& octree, const Moments& moments, const WalkNodes* nodes)
    {
        DeviceTree& t = *tree_;
        t.bytes_down = 0;
        t.has_targets = false;
        t.particles = octree.size;
        t.bytes_up = 0;
        const auto take = [&t](auto& to, const auto& from) {
            t.bytes_up += from.size() * sizeof from[0];
            t.staging.upload(to, from.data(), from.size(), t.stream);
        };
        take(t.order, octree.order);
        take(t.sources, octree.sources);
        take(t.multipoles, moments.multipole);
        take(t.higher, moments.higher);
        t.has_softenings = !octree.softening.empty();
        take(t.softening, octree.softening);
        take(t.cell_softening, moments.softening);
        if (!nodes)
            return;
        take(t.cells, octree.cells);
        take(t.nodes, nodes->nodes);
    }

    /// Adds the mesh's field, or its gradients, to the sums, in internal units.
    void add_mesh(const DeviceLongRange& mesh)
    {
        const TargetGroups& groups = *input_.groups;
        const bool all = groups.targets.empty();
        ArrayView position = view_of(std::span(&tree_->sources.data()->position, 1));
        position.stride = sizeof(Source);
        TargetSum* const sums = sums_.data();
        ArrayView acceleration = view_of(std::span(&sums->acceleration, 1)), potential;
        acceleration.stride = sizeof(TargetSum);
        if (input_.output.potential) {
            potential = view_of(std::span(&sums->potential, 1));
            potential.stride = sizeof(TargetSum);
        }
        const double length = input_.scale.length, mass = input_.scale.mass;
        if (input_.is_adjoint) {
            const double of_mass = length * length / duals_.unit();
            return mesh.add_adjoint_to_sums(
                {duals_.loss().lambda, duals_.loss().mu, tree_->order.data(), duals_.unit()},
                {of_mass * length / mass, of_mass}, acceleration, potential);
        }
        mesh.add_to_sums({groups.target_count, position, all ? nullptr : tree_->targets.data(),
                          all ? tree_->order.data() : nullptr},
                         {length * length / mass, length / mass}, acceleration, potential);
    }

    void launch(BatchSlot& slot, const InteractionLists& lists)
    {
        const bool expands = input_.local_order > 0, all = input_.groups->targets.empty();
        DeviceTree& targets = input_.separate.octree ? *target_tree_ : *tree_;
        DeviceBatch batch{};
        batch.sources = tree_->sources.data();
        batch.multipoles = tree_->multipoles.data();
        batch.higher = tree_->higher.data();
        batch.own = targets.sources.data();
        batch.separate = input_.separate.octree;
        batch.self = input_.separate.self ? self_.data() : nullptr;
        batch.targets = all ? nullptr : tree_->targets.data();
        batch.places = all ? targets.order.data() : nullptr;
        batch.sums = sums_.data();
        batch.inverse_length = 1 / input_.scale.length;
        batch.inverse_mass = 1 / input_.scale.mass;
        batch.softening_length = input_.softening.length / input_.scale.length;
        batch.order = input_.order;
        batch.periodicity = input_.periodicity;
        if (input_.form)
            batch.form = *input_.form;
        batch.note = time_line_->next();
        if (law_.is_adjoint) {
            batch.duals = duals_.particles();
            batch.dual_rows = duals_.rows();
            batch.moving = duals_.moving();
        }
        DeviceFarField far{};
        far.softens_cells = input_.softening.softens_cells();
        if (far.softens_cells)
            far.softening_length = batch.softening_length;
        DeviceOpenLists open{};
        slot.send(lists, Index(warp_size * per_lane_), expands, batch, far, open);
        if (lists.are_open())
            launch_pruning(slot, batch, far, open);
        if (law_.per_particle) {
            batch.of_source = tree_->softening.data();
            batch.of_own = targets.softening.data();
            batch.of_cell = tree_->cell_softening.data();
            batch.rule_weight = input_.softening.rule_weight();
        }
        if (input_.local_order > 0)
            launch_far_field(slot, batch, far);
        const unsigned blocks = (batch.work_count + warps_per_block - 1) / warps_per_block;
        kernel_<<<blocks, warp_size * warps_per_block, 0, slot.stream>>>(batch);
        check(cudaGetLastError(), "launch the Chamomile kernel");
    }

    void launch_pruning(BatchSlot& slot, DeviceBatch& batch, DeviceFarField& far,
                        DeviceOpenLists& open)
    {
        open.nodes = law_.is_adjoint ? duals_.nodes() : tree_->nodes.data();
        open.cells = tree_->cells.data();
        open.period = {input_.periodicity, input_.cut};
        open.note = batch.note;
        open.targets = batch.targets;
        open.separate = batch.separate;
        if (!input_.work.empty())
            open.work = from_ == TreeFrom::host ? work_.data() : input_.work.data();
        open.groups_per_cluster = input_.groups_per_cluster;
        slot.make_room(std::size_t(words_per_list_ * open.row_count) + 2, batch, far, open);
        find_prune_kernel(
            bool(input_.periodicity))<<<(open.row_count + prune_warps - 1) / prune_warps,
                                        warp_size * prune_warps, 0, slot.stream>>>(open);
        check(cudaGetLastError(), "launch the pruning of lists");
    }

    void launch_far_field(BatchSlot& slot, DeviceBatch& batch, DeviceFarField& far)
    {
        const FarFieldKernels kernels = law_.is_adjoint
                                            ? find_adjoint_far_field_kernels(law_)
                                            : find_far_field_kernels(input_.local_order, law_);
        const Index expansions = far.cluster_count + far.row_count;
        BatchLayout layout;
        const std::size_t terms = layout.add<char>(expansions * kernels.bytes_of_terms),
                          sums = layout.add<char>(far.target_count * kernels.bytes_of_sum);
        char* const memory = slot.terms(layout.bytes());
        far.terms = memory + terms;
        batch.far_sums = far.sums = memory + sums;
        const auto launch = [&](auto kernel, Index threads) {
            kernel<<<(threads + far_field_block - 1) / far_field_block, far_field_block, 0,
                     slot.stream>>>(batch, far);
        };
        launch(kernels.expand, expansions * warp_size);
        if (kernels.expand_duals)
            launch(kernels.expand_duals, expansions * warp_size);
        launch(kernels.evaluate, far.row_count * warp_size);
        check(cudaGetLastError(), "launch the expansions");
    }

    std::shared_ptr<DeviceTree> tree_, target_tree_;
    TreeFrom from_;
    int device_;
    Precision precision_;
    std::string name_;
    EvaluationInput input_;
    LawChoice law_;
    ListKernel kernel_ = nullptr;
    std::size_t batch_size_ = 16;
    bool are_done_ = true;          // all batches
    bool tree_is_too_deep_ = false; // for lists finished on the device
    double words_per_list_ = 256;   // words of memory a list, mean of a batch
    std::size_t warps_to_fill_;
    int per_lane_ = 1; // targets of a lane: fewer if the GPU would not be full
    double wait_ = 0;  // seconds in finish()

    ListPool pool_;
    std::vector<std::unique_ptr<BatchSlot>> slots_;
    std::atomic<std::size_t> next_slot_{0};
    std::unique_ptr<Event> uploaded_, sorted_; // sorted_: separate targets
    std::unique_ptr<TimeLine> time_line_;

    DeviceBuffer<Index> self_;
    DeviceBuffer<TargetSum> sums_;
    DeviceBuffer<float> work_; // of each target
    SumStorage storage_;
    DeviceDuals duals_;
};

} // namespace

std::unique_ptr<Evaluator> make_tree_evaluator(std::shared_ptr<DeviceTree> tree,
                                               std::shared_ptr<DeviceTree> target_tree,
                                               Precision precision, TreeFrom from)
{
    return std::make_unique<CudaEvaluator>(std::move(tree), std::move(target_tree), precision,
                                           from);
}

std::unique_ptr<Evaluator> make_cuda_evaluator(int device, Precision precision)
{
    check(cudaSetDevice(device), "choose the device");
    return make_tree_evaluator(std::make_shared<DeviceTree>(device), nullptr, precision,
                               TreeFrom::host);
}

SolverParts make_cuda_parts(int device, Precision precision, bool separate_targets,
                            TreeBuiltBy built_by)
{
    check(cudaSetDevice(device), "choose the device");
    auto tree = std::make_shared<DeviceTree>(device);
    auto target_tree = separate_targets ? std::make_shared<DeviceTree>(device) : nullptr;
    auto memory = std::make_shared<PinnedMemory>();
    const auto make_builder = [&](const std::shared_ptr<DeviceTree>& of) {
        return built_by == TreeBuiltBy::host ? make_copied_tree_builder(of)
                                             : make_cuda_tree_builder(of, memory);
    };
    SolverParts parts{make_builder(tree), nullptr,
                      target_tree ? make_builder(target_tree) : nullptr};
    parts.evaluator =
        make_tree_evaluator(std::move(tree), std::move(target_tree), precision, TreeFrom::builder);
    return parts;
}

} // namespace chamomile
