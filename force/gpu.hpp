/// \file  The functions that a build with CUDA adds; a build without says so instead.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/mesh/mesh_gravity.hpp"

namespace chamomile {

/// This is a CUDA device as `chamomile devices` lists it.
struct GpuDescription {
    int number = 0;
    std::string name;
    int compute_capability = 0; ///< such as 90
    double memory_in_bytes = 0;
    int multiprocessors = 0;
    double clock = 0; ///< of the multiprocessors at most, in Hz
};

/// Returns all devices that this process can use; none without a driver or in a build without CUDA.
std::vector<GpuDescription> list_gpus();

/// Tells in one line why list_gpus() is empty; an empty text if it is not.
std::string why_no_gpu();

/// Returns the numbers of the GPUs that `device` (auto, cpu, gpu, gpu:n, gpu:n,m,... or gpu:all)
/// means; none for the CPU. Throws Error(usage) for another word, Error(device) for a GPU that is
/// not there.
std::vector<int> choose_gpus(const std::string& device);

/// Returns the first of them; -1 for the CPU. Throws as choose_gpus() does.
int first_gpu(const std::string& device);

/// Returns the number of the one GPU that `device` means; -1 for the CPU. Throws as choose_gpus()
/// does, and Error(usage) for several.
int choose_gpu(const std::string& device);

/// Returns what means these GPUs, which are at least one.
std::string name_of_gpus(const std::vector<int>& numbers);

/// Returns the bytes of that device's memory that nobody uses now. Throws Error(device) if it
/// cannot say.
double free_gpu_memory(int number);

/// Returns a name such as "host node7, device 0, NVIDIA H200, UUID GPU-...", for lines about
/// faults.
std::string gpu_identity(int number);

/// Tells whether a device has not answered in time. A process that ends normally would wait for it.
bool gpu_hangs();

/// Tells whether the environment asks for a wrong sum now (gpu/device/fault_plan.hpp).
bool gpu_sums_are_wrong();

/// Returns a builder that sorts particles and sums moments on that device, or copies to it the
/// trees that the host builds, and an evaluator that finds them there; another builder sorts
/// separate targets, if they will come. Throws Error(device) if it cannot.
SolverParts make_cuda_parts(int device, Precision precision, bool separate_targets,
                            TreeBuiltBy built_by);

/// Returns the parts of a rank of several whose particles are on that device: the builder of the
/// tree of all ranks and an evaluator that finds it there. Throws Error(device) if it cannot.
SolverParts make_cuda_domain_parts(int device, Precision precision, Communicator& ranks,
                                   const std::string& instruction_set);

/// Returns an evaluator on that device for trees whose particles, cells and moments are on the
/// host; it copies them in begin(). Throws Error(device) if it cannot.
std::unique_ptr<Evaluator> make_cuda_evaluator(int device, Precision precision);

/// Reads or writes the first n items of an array on a device, through rows of doubles on the host.
/// Throws Error(device).
void read_from_device(int device, const ArrayView& from, std::size_t n, double* rows);
void write_to_device(int device, const double* rows, std::size_t n, const ArrayView& to);
/// Reads vectors of an array on a device, by their numbers.
void read_some_from_device(int device, const ArrayView& from, std::span<const Index> items,
                           std::span<Vec3<double>> to);

/// Returns the least and the largest of n > 0 numbers of an array on a device; the least is -1 if
/// one is negative or not finite. Throws Error(device).
std::pair<double, double> span_on_device(int device, const ArrayView& numbers, std::size_t n);

/// Allocates memory of a device, for those who have no other way to get some. Throws Error(device).
std::shared_ptr<std::byte> device_memory(int device, std::size_t bytes);

/// Makes the long range by a mesh on that device, in double whatever `scalar` says; arrays are the
/// host's. Throws as make_mesh_gravity() does, and Error(device) without cuFFT.
std::unique_ptr<LongRange> make_cuda_mesh_gravity(int device, Periodicity box,
                                                  const MeshOptions& options);

/// A direct sum on a GPU has this size of groups, whatever the options say: that of its largest
/// blocks of targets.
inline constexpr int direct_block_of_gpu = 256;

/// Makes a solver that sums over all pairs on that device, without a tree, for options that are
/// resolved. Throws Error(device) if it cannot.
std::unique_ptr<DirectSolver> make_cuda_direct_solver(int device, const SolverOptions& options);

} // namespace chamomile
