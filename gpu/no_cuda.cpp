// Replaces the CUDA sources in a build without CUDA; CMake picks one or the other.
#include "chamomile/analysis/friends_of_friends.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/trace.hpp"
#include "chamomile/force/gpu_memory.hpp"
#include "chamomile/force/pairs/host_pair_solver.hpp"
#include "chamomile/force/pairs/text/device_law.hpp"
#include "chamomile/gpu/device/nvrtc.hpp"
#include "chamomile/integrate/batch/batch_rows.hpp"
#include "chamomile/integrate/particle_store.hpp"

namespace chamomile {

void open_trace_range(const char*) {}
void close_trace_range() {}

std::vector<GpuDescription> list_gpus()
{
    return {};
}

std::string why_no_gpu()
{
    return "this build has no CUDA; configure with -DCHAMOMILE_CUDA=ON";
}

double free_gpu_memory(int)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

std::string gpu_identity(int)
{
    return "";
}

bool gpu_hangs()
{
    return false;
}

bool gpu_sums_are_wrong()
{
    return false;
}

int gpu_of(const void*)
{
    return -1;
}

void wait_for_stream(int, std::uintptr_t)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

std::shared_ptr<std::byte> gpu_memory(int, std::size_t)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

void copy_from_gpu(int, void*, const void*, std::size_t)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

SolverParts make_cuda_domain_parts(int, Precision, Communicator&, const std::string&)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

std::unique_ptr<Evaluator> make_cuda_evaluator(int, Precision)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

SolverParts make_cuda_parts(int, Precision, bool, TreeBuiltBy)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

void read_from_device(int, const ArrayView&, std::size_t, double*)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

void read_some_from_device(int, const ArrayView&, std::span<const Index>, std::span<Vec3<double>>)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

std::pair<double, double> span_on_device(int, const ArrayView&, std::size_t)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

std::shared_ptr<std::byte> device_memory(int, std::size_t)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

void add_potential_offsets(int, const PotentialOffset&, const ArrayView&, std::size_t,
                           const ArrayView&)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

void write_to_device(int, const double*, std::size_t, const ArrayView&)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

std::unique_ptr<DirectSolver> make_cuda_direct_solver(int, const SolverOptions&)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

std::unique_ptr<LongRange> make_cuda_mesh_gravity(int, Periodicity, const MeshOptions&)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

std::unique_ptr<PairSolver> make_cuda_pair_solver(int, const LawCode&, const void*,
                                                  const PairOptions&)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

std::shared_ptr<const DeviceLaw> make_text_device_law(const std::string&, const std::string&,
                                                      LawShape, bool)
{
    return nullptr;
}

DeviceCode compile_for_device(const std::string&, const std::string&, const std::string&, int)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

ParticleGroups friends_of_friends_on_gpu(int, std::span<const Vec3<double>>, const FriendRule&)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

std::unique_ptr<BatchRows> make_cuda_batch_rows(int)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

std::unique_ptr<ParticleStore> make_device_store(int, const StoreOptions&)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

} // namespace chamomile
