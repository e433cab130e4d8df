// Assignment: 16 threads to a particle, one for each (x, y) of its cloud, so that the atomic
// additions of a warp hit runs of neighboring words. Interpolation: a thread to a target; sorted
// targets share lines of the mesh in the cache. All in double: at 11 bytes of traffic per flop
// these kernels are limited by memory. Contraction: fused.
#include <cmath>
#include <string>
#include <vector>

#include "chamomile/force/mesh/green_function.hpp"
#include "chamomile/force/mesh/mesh_field.hpp"
#include "chamomile/gpu/mesh/device_mesh.cuh"

namespace chamomile {
namespace {

constexpr int block_size = 256, sum_blocks = 256, threads_per_source = 16;

unsigned blocks_for(std::size_t threads)
{
    return unsigned((threads + block_size - 1) / block_size);
}

/// Returns the sum over the block, added by halves, valid in thread 0.
__device__ double sum_of_block(double value)
{
    __shared__ double shared[block_size];
    shared[threadIdx.x] = value;
    for (int half = block_size / 2; half > 0; half /= 2) {
        __syncthreads();
        if (int(threadIdx.x) < half)
            shared[threadIdx.x] += shared[threadIdx.x + half];
    }
    return shared[0];
}

__global__ void __launch_bounds__(block_size)
    sum_masses(const Source* sources, std::size_t n, double* parts)
{
    double sum = 0;
    for (std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x; i < n;
         i += std::size_t(sum_blocks) * block_size)
        sum += fabs(sources[i].mass);
    sum = sum_of_block(sum);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = sum;
}

/// Chooses the power of two that scales the sum of |mass| to less than 2^61, and its inverse.
__global__ void __launch_bounds__(block_size) choose_scale(const double* parts, double* scale)
{
    const double sum = sum_of_block(parts[threadIdx.x]);
    if (threadIdx.x == 0) {
        int exponent = 0;
        frexp(sum, &exponent);
        scale[0] = sum > 0 && isfinite(sum) ? ldexp(1.0, 61 - exponent) : 1;
        scale[1] = 1 / scale[0];
    }
}

template <int points>
__global__ void __launch_bounds__(block_size)
    share_masses(const Source* sources, std::size_t n, MeshFrame frame, const double* scale,
                 unsigned long long* mesh)
{
    const std::size_t thread = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    const std::size_t i = thread / threads_per_source;
    const int column = int(thread % threads_per_source), a = column / points, b = column % points;
    if (i >= n || a >= points)
        return;
    const Source source = sources[i];
    const auto x = wrapped_cloud_at<points>(frame.in_cells(source.position.x), frame.cells);
    const auto y = wrapped_cloud_at<points>(frame.in_cells(source.position.y), frame.cells);
    const auto z = wrapped_cloud_at<points>(frame.in_cells(source.position.z), frame.cells);
    const std::size_t row = std::size_t(2 * (frame.cells / 2 + 1));
    double weight = source.mass * scale[0];
    std::size_t first = 0;
#pragma unroll
    for (int p = 0; p < points; ++p) { // not x.point[a]: registers have no index
        if (p == a) {
            weight *= x.weight[p];
            first += std::size_t(x.point[p]) * std::size_t(frame.cells);
        }
        if (p == b) {
            weight *= y.weight[p];
            first += std::size_t(y.point[p]);
        }
    }
#pragma unroll
    for (int c = 0; c < points; ++c)
        atomicAdd(mesh + first * row + z.point[c],
                  (unsigned long long)(__double2ll_rn(weight * z.weight[c])));
}

__global__ void __launch_bounds__(block_size)
    to_doubles(double* mesh, std::size_t values, const double* scale)
{
    const std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (i < values)
        mesh[i] = double(__double_as_longlong(mesh[i])) * scale[1];
}

struct Spectra {
    double2* potential;
    double2* component[3]; ///< unused with differences
};

__global__ void __launch_bounds__(block_size)
    multiply_modes(Spectra spectra, GreenFunction green, const double* rows, int n)
{
    const std::size_t mode = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    const int half = n / 2 + 1;
    if (mode >= std::size_t(n) * std::size_t(n) * std::size_t(half))
        return;
    const int k = int(mode % std::size_t(half)), j = int(mode / std::size_t(half) % std::size_t(n)),
              i = int(mode / (std::size_t(half) * std::size_t(n)));
    const double *wave = rows, *factor = rows + n, *gradient = rows + 2 * n;
    const double g = green(wave, factor, gradient, i, j, k);
    const double2 mass = spectra.potential[mode];
    const double2 potential{g * mass.x, g * mass.y};
    spectra.potential[mode] = potential;
    if (!spectra.component[0])
        return;
    const double slope[3] = {gradient[i], gradient[j], gradient[k]};
    for (int d = 0; d < 3; ++d) // -i times
        spectra.component[d][mode] = {slope[d] * potential.y, -slope[d] * potential.x};
}

template <int points>
__global__ void __launch_bounds__(block_size)
    add_field(MeshTargets targets, MeshFrame frame, MeshField<double> field, FieldFactors factors,
              ArrayView acceleration, ArrayView potential)
{
    const std::size_t t = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (t >= targets.count)
        return;
    const FieldAt at = field_at<points>(
        targets.position.load_vector(targets.from ? targets.from[t] : t), frame, field);
    const std::size_t i = targets.to ? targets.to[t] : t;
    acceleration.store_vector(i,
                              acceleration.load_vector(i) + factors.acceleration * at.acceleration);
    if (potential.component[0])
        potential.store(i, 0, potential.load(i) + factors.potential * at.potential);
}

} // namespace

DeviceMesh::DeviceMesh(Periodicity box, const MeshOptions& options)
    : box_(box), options_(options), split_(checked_split_radius(box, options)),
      fourier_(options.cells)
{
    const bool four_point = options.differentiation == Differentiation::four_point;
    const GreenRows rows =
        green_rows(options.cells, box.side, split_, int(options.kernel), four_point);
    std::vector<double> values;
    for (const auto* row : {&rows.wave, &rows.factor, &rows.gradient})
        values.insert(values.end(), row->begin(), row->end());
    check(cudaMemcpy(rows_.reserve(values.size()), values.data(), values.size() * sizeof(double),
                     cudaMemcpyHostToDevice),
          "copy to the device");
    potential_.reserve_exactly(this->values());
    for (int d = 0; d < 3 && !four_point; ++d)
        component_[d].reserve_exactly(this->values());
    parts_.reserve(sum_blocks);
    scale_.reserve(2);
}

std::size_t DeviceMesh::values() const
{
    const auto n = std::size_t(options_.cells);
    return n * n * 2 * (n / 2 + 1);
}

std::size_t DeviceMesh::bytes() const
{
    const bool four_point = options_.differentiation == Differentiation::four_point;
    return (four_point ? 1 : 4) * values() * sizeof(double);
}

void DeviceMesh::prepare(const Source* sources, std::size_t n, cudaStream_t stream)
{
    assign(sources, n, stream);
    fourier_.forward(potential_.data(), stream);
    multiply(stream);
    is_potential_ = !component_[0].data();
    if (is_potential_)
        fourier_.backward(potential_.data(), stream);
    for (auto& component : component_)
        if (component.data())
            fourier_.backward(component.data(), stream);
}

void DeviceMesh::assign(const Source* sources, std::size_t n, cudaStream_t stream)
{
    sum_masses<<<sum_blocks, block_size, 0, stream>>>(sources, n, parts_.data());
    choose_scale<<<1, block_size, 0, stream>>>(parts_.data(), scale_.data());
    check(cudaMemsetAsync(potential_.data(), 0, values() * sizeof(double), stream), "clear a mesh");
    auto* mesh = reinterpret_cast<unsigned long long*>(potential_.data());
    const MeshFrame frame{box_, options_.cells};
    const unsigned blocks = blocks_for(n * threads_per_source);
    const auto share = [&](auto kernel) {
        if (n > 0)
            kernel<<<blocks, block_size, 0, stream>>>(sources, n, frame, scale_.data(), mesh);
    };
    switch (options_.kernel) {
    case Assignment::nearest_point:
        share(share_masses<1>);
        break;
    case Assignment::cloud_in_cell:
        share(share_masses<2>);
        break;
    case Assignment::triangular:
        share(share_masses<3>);
        break;
    case Assignment::piecewise_cubic:
        share(share_masses<4>);
        break;
    }
    to_doubles<<<blocks_for(values()), block_size, 0, stream>>>(potential_.data(), values(),
                                                                scale_.data());
    check(cudaGetLastError(), "launch the assignment to a mesh");
}

void DeviceMesh::multiply(cudaStream_t stream)
{
    Spectra spectra{reinterpret_cast<double2*>(potential_.data()), {}};
    for (int d = 0; d < 3; ++d)
        spectra.component[d] = reinterpret_cast<double2*>(component_[d].data());
    const bool four_point = options_.differentiation == Differentiation::four_point;
    multiply_modes<<<blocks_for(values() / 2), block_size, 0, stream>>>(
        spectra, GreenFunction{box_.side, four_point}, rows_.data(), options_.cells);
    check(cudaGetLastError(), "launch Green's function");
}

void DeviceMesh::add(const MeshTargets& targets, const FieldFactors& factors,
                     const ArrayView& acceleration, const ArrayView& potential, cudaStream_t stream)
{
    if (targets.count == 0)
        return;
    if (potential && !is_potential_) {
        fourier_.backward(potential_.data(), stream);
        is_potential_ = true;
    }
    const auto view = [&](DeviceBuffer<double>& mesh) {
        return MeshView<double>{mesh.data(), options_.cells,
                                std::size_t(2 * (options_.cells / 2 + 1))};
    };
    MeshField<double> field{};
    field.cells_per_length = options_.cells / box_.side;
    if (potential || !component_[0].data())
        field.potential = view(potential_);
    for (int d = 0; d < 3; ++d)
        field.component[d] = view(component_[d]);
    const MeshFrame frame{box_, options_.cells};
    const unsigned blocks = blocks_for(targets.count);
    const auto launch = [&](auto kernel) {
        kernel<<<blocks, block_size, 0, stream>>>(targets, frame, field, factors, acceleration,
                                                  potential);
    };
    switch (options_.kernel) {
    case Assignment::nearest_point:
        launch(add_field<1>);
        break;
    case Assignment::cloud_in_cell:
        launch(add_field<2>);
        break;
    case Assignment::triangular:
        launch(add_field<3>);
        break;
    case Assignment::piecewise_cubic:
        launch(add_field<4>);
        break;
    }
    check(cudaGetLastError(), "launch the interpolation on a mesh");
}

} // namespace chamomile
