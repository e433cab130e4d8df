// Contraction: fused.
#include <algorithm>
#include <span>

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

/// Each block finds min and max of its numbers.
__global__ void __launch_bounds__(block_size)
    find_span(ArrayView numbers, std::size_t n, double2* of_block)
{
    double2 own{HUGE_VAL, -HUGE_VAL};
    const auto join = [&](const double2& other) {
        own = {fmin(own.x, other.x), fmax(own.y, other.y)};
    };
    for (std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * block_size) {
        const double x = numbers.load(i);
        join(x >= 0 && x < HUGE_VAL ? double2{x, x} : double2{-1, -1});
    }
    for (int lane = 16; lane > 0; lane /= 2)
        join(
            {__shfl_xor_sync(0xffffffffu, own.x, lane), __shfl_xor_sync(0xffffffffu, own.y, lane)});
    __shared__ double2 of_warp[block_size / 32];
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    for (const double2& other : of_warp)
        join(other);
    of_block[blockIdx.x] = own;
}

void gather(const ArrayView& from, int components, std::size_t n, double* to, cudaStream_t stream)
{
    if (from.is_packed() && from.components() == components)
        return check(cudaMemcpyAsync(to, from.component[0],
                                     n * std::size_t(components) * sizeof(double),
                                     cudaMemcpyDeviceToDevice, stream),
                     "copy within the device");
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
        cudaGetLastError(); // old drivers reject memory unknown to CUDA
        const bool here =
            status == cudaSuccess &&
            ((attributes.type == cudaMemoryTypeDevice && attributes.device == device) ||
             attributes.type == cudaMemoryTypeManaged);
        if (!here)
            throw Error(Fault::usage, "array: marked as GPU memory: must be memory of gpu:" +
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
    const std::size_t count = n * std::size_t(components);
    DeviceBuffer<double> items;
    wait_for_owner();
    const void* packed = from.component[0];
    if (!from.is_packed()) {
        gather(from, components, n, items.reserve(count), nullptr);
        packed = items.data();
    }
    check(cudaMemcpy(rows, packed, count * sizeof(double), cudaMemcpyDeviceToHost),
          "read an array");
}

std::pair<double, double> span_on_device(int device, const ArrayView& numbers, std::size_t n)
{
    constexpr unsigned max_blocks = 256;
    check(cudaSetDevice(device), "choose the device");
    require_on_device(numbers, device);
    wait_for_owner();
    const unsigned blocks = std::min(max_blocks, blocks_of(n));
    DeviceBuffer<double2> spans;
    find_span<<<blocks, block_size>>>(numbers, n, spans.reserve(blocks));
    check(cudaGetLastError(), "launch the minimum and maximum of an array");
    double2 found[max_blocks];
    check(cudaMemcpy(found, spans.data(), blocks * sizeof(double2), cudaMemcpyDeviceToHost),
          "read the minimum and maximum of an array");
    std::pair<double, double> all{found[0].x, found[0].y};
    for (const double2& each : std::span(found, blocks))
        all = {std::min(all.first, each.x), std::max(all.second, each.y)};
    return all;
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
          "read values of an array");
    gather_some<<<blocks_of(n), block_size>>>(from, numbers.data(), n, vectors.reserve(n));
    check(cudaGetLastError(), "launch the gather of values");
    check(cudaMemcpy(to.data(), vectors.data(), n * sizeof(Vec3<double>), cudaMemcpyDeviceToHost),
          "read values of an array");
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
    void* const packed =
        to.is_packed() ? static_cast<void*>(to.component[0]) : items.reserve(count);
    check(cudaMemcpy(packed, rows, count * sizeof(double), cudaMemcpyHostToDevice),
          "write an array");
    if (!to.is_packed())
        scatter_items<<<blocks_of(n), block_size>>>(items.data(), components, n, to);
    check(cudaGetLastError(), "launch the scatter of an array");
    check(cudaDeviceSynchronize(), "write an array");
}

} // namespace chamomile
