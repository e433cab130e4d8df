// Assignment: 4 threads to a particle, one for each z of its cloud, so that the atomic additions of
// a warp hit runs of neighboring words (half the time of a thread for each x and y). Interpolation:
// a thread to a target; sorted targets share lines of the mesh in the cache. Weights and sums are
// double, as these kernels are limited by memory. Contraction: fused.
#include <cmath>
#include <string>
#include <vector>

#include "chamomile/force/mesh/green_function.hpp"
#include "chamomile/force/mesh/mesh_field.hpp"
#include "chamomile/gpu/mesh/device_mesh.cuh"

namespace chamomile {
namespace {

constexpr int block_size = 256, sum_blocks = 256, threads_per_source = 4;

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

/// The mesh has masses in a unit, a power of two above the sum of |mass|, and lengths in box sides,
/// so that floats hold its values in any units of the caller.
struct MassScale {
    double unit;        ///< the caller's
    double to_integers; ///< 2^61 / unit
    double mean;        ///< of a cell, in the unit; without it a float holds small differences
};

__global__ void __launch_bounds__(block_size)
    choose_scale(const double* parts, double cells, MassScale* scale)
{
    const double sum = sum_of_block(parts[threadIdx.x]);
    if (threadIdx.x == 0) {
        int exponent = 0;
        frexp(sum, &exponent);
        scale->unit = sum > 0 && isfinite(sum) ? ldexp(1.0, exponent) : 1;
        scale->to_integers = 0x1p61 / scale->unit;
        scale->mean = sum / scale->unit / cells;
    }
}

template <int points>
__global__ void __launch_bounds__(block_size)
    share_masses(const Source* sources, std::size_t n, MeshFrame frame, const MassScale* scale,
                 unsigned long long* mesh)
{
    const std::size_t thread = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    const std::size_t i = thread / threads_per_source;
    const int c = int(thread % threads_per_source);
    if (i >= n || c >= points)
        return;
    const Source source = sources[i];
    const auto x = wrapped_cloud_at<points>(frame.in_cells(source.position.x), frame.cells);
    const auto y = wrapped_cloud_at<points>(frame.in_cells(source.position.y), frame.cells);
    const auto z = wrapped_cloud_at<points>(frame.in_cells(source.position.z), frame.cells);
    const std::size_t row = std::size_t(2 * (frame.cells / 2 + 1));
    double weight = source.mass * scale->to_integers;
#pragma unroll
    for (int p = 0; p < points; ++p) // not z.point[c]: registers have no index
        if (p == c) {
            weight *= z.weight[p];
            mesh += z.point[p];
        }
#pragma unroll
    for (int a = 0; a < points; ++a)
#pragma unroll
        for (int b = 0; b < points; ++b) {
            const std::size_t line =
                std::size_t(x.point[a]) * std::size_t(frame.cells) + std::size_t(y.point[b]);
            atomicAdd(mesh + line * row,
                      (unsigned long long)(__double2ll_rn(weight * x.weight[a] * y.weight[b])));
        }
}

/// Writes masses less their mean, which no force feels. With doubles both meshes are the same.
template <class T>
__global__ void __launch_bounds__(block_size) to_masses(const unsigned long long* integers, T* mesh,
                                                        std::size_t values, const MassScale* scale)
{
    const std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (i < values)
        mesh[i] = T(double((long long)(integers[i])) * 0x1p-61 - scale->mean);
}

/// A complex number.
template <class T>
struct alignas(2 * sizeof(T)) Mode {
    T x, y;
};

template <class T>
struct Spectra {
    Mode<T>* potential;
    Mode<T>* component[3]; ///< null with differences
};

template <class T>
__global__ void __launch_bounds__(block_size)
    multiply_modes(Spectra<T> spectra, GreenFunction green, const double* rows, int n)
{
    const std::size_t mode = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    const int half = n / 2 + 1;
    if (mode >= std::size_t(n) * std::size_t(n) * std::size_t(half))
        return;
    const int k = int(mode % std::size_t(half)), j = int(mode / std::size_t(half) % std::size_t(n)),
              i = int(mode / (std::size_t(half) * std::size_t(n)));
    const double *wave = rows, *factor = rows + n, *gradient = rows + 2 * n;
    const double g = green(wave, factor, gradient, i, j, k);
    const Mode<T> mass = spectra.potential[mode];
    const double x = g * double(mass.x), y = g * double(mass.y);
    spectra.potential[mode] = {T(x), T(y)};
    if (!spectra.component[0])
        return;
    const double slope[3] = {gradient[i], gradient[j], gradient[k]};
    for (int d = 0; d < 3; ++d) // -i times
        spectra.component[d][mode] = {T(slope[d] * y), T(-slope[d] * x)};
}

template <int points, class T>
__global__ void __launch_bounds__(block_size)
    add_field(MeshTargets targets, MeshFrame frame, MeshField<T> field, FieldFactors factors,
              const MassScale* scale, ArrayView acceleration, ArrayView potential)
{
    const std::size_t t = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (t >= targets.count)
        return;
    const FieldAt at = field_at<points>(
        targets.position.load_vector(targets.from ? targets.from[t] : t), frame, field);
    const std::size_t i = targets.to ? targets.to[t] : t;
    const double by_side = scale->unit * frame.box.inverse_side();
    acceleration.store_vector(i, acceleration.load_vector(i) + factors.acceleration * by_side *
                                                                   frame.box.inverse_side() *
                                                                   at.acceleration);
    if (potential.component[0])
        potential.store(i, 0, potential.load(i) + factors.potential * by_side * at.potential);
}

} // namespace

template <class T>
DeviceMesh<T>::DeviceMesh(Periodicity box, const MeshOptions& options)
    : box_(box), options_(options), split_(checked_split_radius(box, options)),
      fourier_(options.cells)
{
    const GreenRows rows =
        green_rows(options.cells, 1, split_ / box.side, int(options.kernel), differentiates());
    std::vector<double> values;
    for (const auto* row : {&rows.wave, &rows.factor, &rows.gradient})
        values.insert(values.end(), row->begin(), row->end());
    check(cudaMemcpy(rows_.reserve(values.size()), values.data(), values.size() * sizeof(double),
                     cudaMemcpyHostToDevice),
          "copy to the device");
    const std::size_t meshes = !differentiates() ? 4 : sizeof(T) < sizeof *masses() ? 3 : 1;
    meshes_.reserve_exactly(meshes * this->values());
    parts_.reserve(sum_blocks);
    scale_.reserve(sizeof(MassScale) / sizeof(double));
}

template <class T>
std::size_t DeviceMesh<T>::values() const
{
    const auto n = std::size_t(options_.cells);
    return n * n * 2 * (n / 2 + 1);
}

template <class T>
unsigned long long* DeviceMesh<T>::masses()
{
    return reinterpret_cast<unsigned long long*>(mesh(sizeof(T) < sizeof(long long) ? 1 : 0));
}

template <class T>
void DeviceMesh<T>::prepare(const Source* sources, std::size_t n, cudaStream_t stream)
{
    assign(sources, n, stream);
    fourier_.forward(potential(), stream);
    multiply(stream);
    is_potential_ = differentiates();
    if (is_potential_)
        fourier_.backward(potential(), stream);
    for (int d = 0; d < 3 && !is_potential_; ++d)
        fourier_.backward(component(d), stream);
}

template <class T>
void DeviceMesh<T>::assign(const Source* sources, std::size_t n, cudaStream_t stream)
{
    auto* scale = reinterpret_cast<MassScale*>(scale_.data());
    unsigned long long* mesh = masses();
    sum_masses<<<sum_blocks, block_size, 0, stream>>>(sources, n, parts_.data());
    choose_scale<<<1, block_size, 0, stream>>>(parts_.data(), std::pow(options_.cells, 3), scale);
    check(cudaMemsetAsync(mesh, 0, values() * sizeof *mesh, stream), "clear a mesh");
    const MeshFrame frame{box_, options_.cells};
    const unsigned blocks = blocks_for(n * threads_per_source);
    with_points(options_.kernel, [&](auto points) {
        if (n > 0)
            share_masses<points><<<blocks, block_size, 0, stream>>>(sources, n, frame, scale, mesh);
    });
    to_masses<<<blocks_for(values()), block_size, 0, stream>>>(mesh, potential(), values(), scale);
    check(cudaGetLastError(), "launch the assignment to a mesh");
}

template <class T>
void DeviceMesh<T>::multiply(cudaStream_t stream)
{
    Spectra<T> spectra{reinterpret_cast<Mode<T>*>(potential()), {}};
    for (int d = 0; d < 3; ++d)
        spectra.component[d] = reinterpret_cast<Mode<T>*>(component(d));
    multiply_modes<<<blocks_for(values() / 2), block_size, 0, stream>>>(
        spectra, GreenFunction{1, differentiates()}, rows_.data(), options_.cells);
    check(cudaGetLastError(), "launch Green's function");
}

template <class T>
void DeviceMesh<T>::add(const MeshTargets& targets, const FieldFactors& factors,
                        const ArrayView& acceleration, const ArrayView& potential,
                        cudaStream_t stream)
{
    if (targets.count == 0)
        return;
    if (potential && !is_potential_) {
        fourier_.backward(this->potential(), stream);
        is_potential_ = true;
    }
    const auto view = [&](const T* mesh) {
        return MeshView<T>{mesh, options_.cells, std::size_t(2 * (options_.cells / 2 + 1))};
    };
    MeshField<T> field{};
    field.cells_per_length = options_.cells;
    if (potential || differentiates())
        field.potential = view(this->potential());
    for (int d = 0; d < 3; ++d)
        field.component[d] = view(component(d));
    const MeshFrame frame{box_, options_.cells};
    const auto* scale = reinterpret_cast<const MassScale*>(scale_.data());
    const unsigned blocks = blocks_for(targets.count);
    with_points(options_.kernel, [&](auto points) {
        add_field<points><<<blocks, block_size, 0, stream>>>(targets, frame, field, factors, scale,
                                                             acceleration, potential);
    });
    check(cudaGetLastError(), "launch the interpolation on a mesh");
}

template class DeviceMesh<float>;
template class DeviceMesh<double>;

} // namespace chamomile
