// The device's mesh behind the host mesh's interface: arrays are uploaded and results downloaded.
// Contraction: fused.
#include <cmath>
#include <vector>

#include "chamomile/core/threads.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/gpu/device/staging.cuh"
#include "chamomile/gpu/mesh/tree_mesh.cuh"

namespace chamomile {
namespace {

/// Makes device `number` current and returns `number`.
int use_device(int number)
{
    check(cudaSetDevice(number), "choose the device");
    return number;
}

/// Targets on the host: uploads positions and downloads the field.
class HostTargets {
public:
    explicit HostTargets(int device) : staging_(device) {}

    template <class T>
    void add(DeviceMesh<T>& mesh, std::size_t n, const ArrayView& position,
             std::span<const std::uint32_t> active, double gravitational_constant,
             const ArrayView& acceleration, const ArrayView& potential, const Stream& stream)
    {
        const std::size_t targets = active.empty() ? n : active.size();
        if (targets == 0)
            return;
        items_.resize(targets);
        const auto item = [&](std::size_t t) { return active.empty() ? t : active[t]; };
#pragma omp parallel for if (targets >= worth_threads)
        for (std::size_t t = 0; t < targets; ++t)
            items_[t] = position.load_vector(item(t));
        staging_.upload(positions_, items_.data(), targets, stream);
        Vec3<double>* sums = sums_.reserve(targets);
        double* potentials = potential ? potentials_.reserve(targets) : nullptr;
        check(cudaMemsetAsync(sums, 0, targets * sizeof *sums, stream), "clear sums");
        if (potentials)
            check(cudaMemsetAsync(potentials, 0, targets * sizeof *potentials, stream),
                  "clear sums");
        mesh.add({targets, view_of(std::span(positions_.data(), targets))},
                 {gravitational_constant, gravitational_constant},
                 view_of(std::span(sums, targets)),
                 view_of(std::span(potentials, potentials ? targets : 0)), stream);
        staging_.download(items_.data(), sums, targets, stream);
        host_potentials_.resize(potentials ? targets : 0);
        if (potentials)
            staging_.download(host_potentials_.data(), potentials, targets, stream);
#pragma omp parallel for if (targets >= worth_threads)
        for (std::size_t t = 0; t < targets; ++t) {
            const std::size_t i = item(t);
            acceleration.store_vector(i, acceleration.load_vector(i) + items_[t]);
            if (potential)
                potential.store(i, 0, potential.load(i) + host_potentials_[t]);
        }
    }

private:
    Staging staging_;
    std::vector<Vec3<double>> items_;
    std::vector<double> host_potentials_;
    DeviceBuffer<Vec3<double>> positions_, sums_;
    DeviceBuffer<double> potentials_;
};

template <class T>
class CudaMeshGravity final : public LongRange {
public:
    CudaMeshGravity(int device, Periodicity box, const MeshOptions& options)
        : device_(use_device(device)), staging_(device), mesh_(box, options, memory_),
          targets_(device)
    {}
    ~CudaMeshGravity() override { synchronize_device(device_); }

    void prepare(std::size_t n, const ArrayView& position, const ArrayView& mass,
                 Profile& profile) override
    {
        use_device(device_);
        const TimedPhase phase(profile, "mesh: prepare");
        host_sources_.resize(n);
        std::size_t wrong = n;
#pragma omp parallel for if (n >= worth_threads) reduction(min : wrong)
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3<double> x = position.load_vector(i);
            host_sources_[i] = {x, mass ? mass.load(i) : 1};
            if (!std::isfinite(x.x + x.y + x.z + host_sources_[i].mass))
                wrong = std::min(wrong, i);
        }
        if (wrong < n)
            throw Error(Fault::input,
                        "particle " + item(wrong) + ": position and mass: must be finite");
        staging_.upload(sources_, host_sources_.data(), n, stream_);
        mesh_.prepare(sources_.data(), n, {}, stream_);
        stream_.wait();
    }

    void add(std::size_t n, const ArrayView& position, std::span<const std::uint32_t> active,
             double gravitational_constant, const ArrayView& acceleration,
             const ArrayView& potential, Profile& profile) const override
    {
        use_device(device_);
        const TimedPhase phase(profile, "mesh: interpolate");
        targets_.add(mesh_, n, position, active, gravitational_constant, acceleration, potential,
                     stream_);
    }

    double split_radius() const override
    {
        return mesh_.split_radius();
    }

private:
    int device_;
    mutable Staging staging_;
    Stream stream_;
    PhaseMemory memory_; ///< of the mesh alone
    mutable DeviceMesh<T> mesh_;
    std::vector<Source> host_sources_;
    DeviceBuffer<Source> sources_;
    mutable HostTargets targets_;
};

/// A TreeMesh computes the field of the sources in the device tree in a separate stream, while
/// groups and imports are made. Work in the tree's stream waits before it uses the field.
template <class T>
class TreeMesh final : public DeviceLongRange {
public:
    TreeMesh(std::shared_ptr<DeviceTree> tree, Periodicity box, const MeshOptions& options,
             Communicator* ranks)
        : device_(use_device(tree->device)), tree_(std::move(tree)),
          mesh_(box, options, tree_->phase_memory, ranks), is_of_ranks_(ranks), targets_(device_)
    {}
    ~TreeMesh() override { synchronize_device(device_); }

    void prepare(std::size_t n, const ArrayView&, const ArrayView&, Profile& profile) override
    {
        use_device(device_);
        const TimedPhase phase(profile, "mesh: prepare");
        MeshTargets rows; // not those of one rank, which may lie in the caller's memory
        if (is_of_ranks_)
            rows = {n, view_of(std::span(tree_->positions.data(), n))};
        tree_ready_.record(tree_->stream);
        check(cudaStreamWaitEvent(stream_, tree_ready_), "wait for the tree");
        const MeshMade made{*this};
        mesh_.prepare(tree_->sources.data(), tree_->particles, rows, stream_);
    }

    void prepare_potential(Profile& profile) const override
    {
        use_device(device_);
        const TimedPhase phase(profile, "mesh: prepare");
        const MeshMade made{*this};
        mesh_.prepare_potential(stream_);
    }

    void add(std::size_t n, const ArrayView& position, std::span<const std::uint32_t> active,
             double gravitational_constant, const ArrayView& acceleration,
             const ArrayView& potential, Profile& profile) const override
    {
        use_device(device_);
        await_mesh();
        if (acceleration.on_device) {
            const TimedPhase phase(profile, "mesh: interpolate");
            const double G = gravitational_constant;
            mesh_.add({n, position}, {G, G}, acceleration, potential, tree_->stream);
            return tree_->stream.wait();
        }
        const TimedPhase phase(profile, "mesh: sample");
        targets_.add(mesh_, n, position, active, gravitational_constant, acceleration, potential,
                     tree_->stream);
    }

    void wait() const override
    {
        tree_->stream.wait();
        stream_.wait();
    }

    void add_to_sums(const MeshTargets& targets, const FieldFactors& factors,
                     const ArrayView& acceleration, const ArrayView& potential) const override
    {
        await_mesh();
        mesh_.add(targets, factors, acceleration, potential, tree_->stream);
    }

    void add_adjoint_to_sums(const MeshLoss& loss, const FieldFactors& factors,
                             const ArrayView& position, const ArrayView& mass) const override
    {
        await_mesh();
        mesh_.add_adjoint(tree_->sources.data(), tree_->particles, loss, factors, position, mass,
                          tree_->stream);
    }

    double split_radius() const override { return mesh_.split_radius(); }

private:
    /// Records the event after the work that was queued, also if an error ends it: the next
    /// evaluation then waits for it.
    struct MeshMade {
        const TreeMesh& mesh;
        ~MeshMade() { cudaEventRecord(mesh.tree_->phase_memory.mesh_made(), mesh.stream_); }
    };

    void await_mesh() const
    {
        check(cudaStreamWaitEvent(tree_->stream, tree_->phase_memory.mesh_made()),
              "wait for the mesh");
    }

    int device_;
    std::shared_ptr<DeviceTree> tree_;
    Stream stream_;
    Event tree_ready_;
    mutable DeviceMesh<T> mesh_;
    bool is_of_ranks_;
    mutable HostTargets targets_;
};

} // namespace

std::unique_ptr<DeviceLongRange> make_tree_mesh(std::shared_ptr<DeviceTree> tree, Periodicity box,
                                                const MeshOptions& options, Communicator* ranks)
{
    if (options.scalar == Scalar::float32)
        return std::make_unique<TreeMesh<float>>(std::move(tree), box, options, ranks);
    return std::make_unique<TreeMesh<double>>(std::move(tree), box, options, ranks);
}

std::unique_ptr<LongRange> make_cuda_mesh_gravity(int device, Periodicity box,
                                                  const MeshOptions& options)
{
    if (options.scalar == Scalar::float32)
        return std::make_unique<CudaMeshGravity<float>>(device, box, options);
    return std::make_unique<CudaMeshGravity<double>>(device, box, options);
}

} // namespace chamomile
