// Contraction: fused.
#include "chamomile/force/gpu.hpp"
#include "chamomile/gpu/device/device_arrays.cuh"

namespace chamomile {
namespace {

constexpr unsigned block_size = 256;

unsigned blocks_of(std::size_t n)
{
    return unsigned((n + block_size - 1) / block_size);
}

__global__ void gather_items(ArrayView from, int components, std::size_t n, double* to)
{
    const std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (i < n)
        for (int c = 0; c < components; ++c)
            to[i * std::size_t(components) + std::size_t(c)] =
                from.component[0] ? from.load(i, c) : 1;
}

__global__ void gather_some(ArrayView from, const Index* items, std::size_t n, Vec3<double>* to)
{
    const std::size_t k = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (k < n)
        to[k] = from.load_vector(items[k]);
}

__global__ void scatter_items(const double* from, int components, std::size_t n, ArrayView to)
{
    const std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (i < n)
        for (int c = 0; c < components; ++c)
            to.store(i, c, from[i * std::size_t(components) + std::size_t(c)]);
}

void gather(const ArrayView& from, int components, std::size_t n, double* to, cudaStream_t stream)
{
    gather_items<<<blocks_of(n), block_size, 0, stream>>>(from, components, n, to);
    check(cudaGetLastError(), "launch the gather of an array");
}

} // namespace

void gather_vectors(const ArrayView& from, std::size_t n, Vec3<double>* to, cudaStream_t stream)
{
    gather(from, 3, n, &to->x, stream);
}

void gather_numbers(const ArrayView& from, std::size_t n, double* to, cudaStream_t stream)
{
    gather(from, 1, n, to, stream);
}

void require_on_device(const ArrayView& array, int device)
{
    for (int c = 0; c < array.components(); ++c) {
        cudaPointerAttributes attributes;
        const cudaError_t status = cudaPointerGetAttributes(&attributes, array.component[c]);
        cudaGetLastError(); // old drivers refuse what they do not know
        const bool here =
            status == cudaSuccess &&
            ((attributes.type == cudaMemoryTypeDevice && attributes.device == device) ||
             attributes.type == cudaMemoryTypeManaged);
        if (!here)
            throw Error(Fault::usage, "array: said to be on the device: is not memory of gpu:" +
                                          std::to_string(device));
    }
}

std::shared_ptr<std::byte> device_memory(int device, std::size_t bytes)
{
    check(cudaSetDevice(device), "choose the device");
    auto buffer = std::make_shared<DeviceBuffer<std::byte>>();
    return {buffer, buffer->reserve(bytes)};
}

void read_from_device(int device, const ArrayView& from, std::size_t n, double* rows)
{
    if (n == 0)
        return;
    check(cudaSetDevice(device), "choose the device");
    require_on_device(from, device);
    const int components = from.components();
    DeviceBuffer<double> items;
    wait_for_owner();
    gather(from, components, n, items.reserve(n * std::size_t(components)), nullptr);
    check(cudaMemcpy(rows, items.data(), n * std::size_t(components) * sizeof(double),
                     cudaMemcpyDeviceToHost),
          "read an array");
}

void read_some_from_device(int device, const ArrayView& from, std::span<const Index> items,
                           std::span<Vec3<double>> to)
{
    const std::size_t n = items.size();
    if (n == 0)
        return;
    check(cudaSetDevice(device), "choose the device");
    require_on_device(from, device);
    DeviceBuffer<Index> numbers;
    DeviceBuffer<Vec3<double>> vectors;
    wait_for_owner();
    check(cudaMemcpy(numbers.reserve(n), items.data(), n * sizeof(Index), cudaMemcpyHostToDevice),
          "read some of an array");
    gather_some<<<blocks_of(n), block_size>>>(from, numbers.data(), n, vectors.reserve(n));
    check(cudaGetLastError(), "launch the gather of some of an array");
    check(cudaMemcpy(to.data(), vectors.data(), n * sizeof(Vec3<double>), cudaMemcpyDeviceToHost),
          "read some of an array");
}

void write_to_device(int device, const double* rows, std::size_t n, const ArrayView& to)
{
    if (n == 0)
        return;
    check(cudaSetDevice(device), "choose the device");
    require_on_device(to, device);
    const int components = to.components();
    const std::size_t count = n * std::size_t(components);
    DeviceBuffer<double> items;
    check(cudaMemcpy(items.reserve(count), rows, count * sizeof(double), cudaMemcpyHostToDevice),
          "write an array");
    scatter_items<<<blocks_of(n), block_size>>>(items.data(), components, n, to);
    check(cudaGetLastError(), "launch the scatter of an array");
    check(cudaDeviceSynchronize(), "write an array");
}

} // namespace chamomile
