// A thread adds the offset of one particle: 8 bytes read, 8 bytes read and written.
// Contraction: none, so that results match the host's bitwise.
#include "chamomile/force/gpu.hpp"
#include "chamomile/gpu/device/device_arrays.cuh"

namespace chamomile {
namespace {

constexpr unsigned offset_block = 256;

__global__ void __launch_bounds__(offset_block)
    add_offsets(PotentialOffset offset, ArrayView mass, std::size_t n, ArrayView potential)
{
    if (const std::size_t i = std::size_t(blockIdx.x) * offset_block + threadIdx.x; i < n)
        potential.store(i, 0, potential.load(i) + offset(mass.load(i)));
}

} // namespace

void add_potential_offsets(int device, const PotentialOffset& offset, const ArrayView& mass,
                           std::size_t n, const ArrayView& potential)
{
    if (n == 0)
        return;
    check(cudaSetDevice(device), "choose the device");
    require_on_device(mass, device);
    require_on_device(potential, device);
    wait_for_owner();
    const Stream stream;
    add_offsets<<<unsigned((n + offset_block - 1) / offset_block), offset_block, 0, stream>>>(
        offset, mass, n, potential);
    check(cudaGetLastError(), "launch the offsets of potentials");
    stream.wait();
}

} // namespace chamomile
