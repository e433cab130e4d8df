/// \file  Functions that need CUDA; without CUDA they report so.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/mesh/mesh_gravity.hpp"

namespace chamomile {

/// A CUDA device as listed by `chamomile devices`.
struct GpuDescription {
    int number = 0;
    std::string name;
    int compute_capability = 0; ///< such as 90
    double memory_in_bytes = 0;
    int multiprocessors = 0;
    double clock = 0; ///< max clock of the multiprocessors, in Hz
};

/// Returns all devices that this process can use; empty without a driver or without CUDA.
std::vector<GpuDescription> list_gpus();

/// Returns a line that says why list_gpus() is empty; empty text if it is not.
std::string why_no_gpu();

/// Returns the GPU numbers that `device` (auto, cpu, gpu, gpu:n, gpu:n,m,... or gpu:all) selects;
/// empty for the CPU. Throws Error(usage) for another word, Error(device) for an absent GPU.
std::vector<int> choose_gpus(const std::string& device);

/// Returns the first number from choose_gpus(); -1 for the CPU. Throws like choose_gpus().
int first_gpu(const std::string& device);

/// Returns the GPU number that `device` selects; -1 for the CPU. Throws like choose_gpus(), and
/// Error(usage) for several GPUs.
int choose_gpu(const std::string& device);

/// Returns the device word for these GPUs, at least one.
std::string name_of_gpus(const std::vector<int>& numbers);

/// Returns the free memory on that device, in bytes. Throws Error(device) if unknown.
double free_gpu_memory(int number);

/// Returns a name such as "host node7, device 0, NVIDIA H200, UUID GPU-...", for error lines.
std::string gpu_identity(int number);

/// Returns whether a device has timed out. A process that ends normally would wait for it.
bool gpu_hangs();

/// Returns whether the environment asks for a wrong sum now (gpu/device/fault_plan.hpp).
bool gpu_sums_are_wrong();

/// Returns a builder that sorts particles and sums moments on that device, or copies trees built by
/// the host to it, with the evaluator for these trees. For separate targets, adds a second builder.
/// Throws Error(device).
SolverParts make_cuda_parts(int device, Precision precision, bool separate_targets,
                            TreeBuiltBy built_by);

/// Returns the parts for a rank with particles on that device: the builder for the global tree and
/// its evaluator. Throws Error(device).
SolverParts make_cuda_domain_parts(int device, Precision precision, Communicator& ranks,
                                   const std::string& instruction_set);

/// Returns an evaluator on that device for trees in host memory. begin() copies particles, cells
/// and moments to the device. Throws Error(device).
std::unique_ptr<Evaluator> make_cuda_evaluator(int device, Precision precision);

/// Reads or writes the first n items of a device array, as rows of doubles on the host. Throws
/// Error(device).
void read_from_device(int device, const ArrayView& from, std::size_t n, double* rows);
void write_to_device(int device, const double* rows, std::size_t n, const ArrayView& to);
/// Reads vectors from a device array by index.
void read_some_from_device(int device, const ArrayView& from, std::span<const Index> items,
                           std::span<Vec3<double>> to);

/// Returns min and max over n > 0 numbers in a device array; min is -1 if a number is negative or
/// not finite. Throws Error(device).
std::pair<double, double> span_on_device(int device, const ArrayView& numbers, std::size_t n);

/// Adds the offset of each mass to n potentials; both arrays lie on that device. Throws
/// Error(device).
void add_potential_offsets(int device, const PotentialOffset& offset, const ArrayView& mass,
                           std::size_t n, const ArrayView& potential);

/// Allocates device memory, for callers without an allocator. Throws Error(device).
std::shared_ptr<std::byte> device_memory(int device, std::size_t bytes);

/// Makes the long range by a mesh on that device, in double whatever `scalar` says; arrays are on
/// the host. Throws like make_mesh_gravity(), and Error(device) without cuFFT.
std::unique_ptr<LongRange> make_cuda_mesh_gravity(int device, Periodicity box,
                                                  const MeshOptions& options);

/// Group size for direct sums on a GPU, whatever the options say: its largest block of targets.
inline constexpr int direct_block_of_gpu = 256;

/// Makes a solver for direct sums over all pairs on that device, for resolved options. Throws
/// Error(device).
std::unique_ptr<DirectSolver> make_cuda_direct_solver(int device, const SolverOptions& options);

} // namespace chamomile
