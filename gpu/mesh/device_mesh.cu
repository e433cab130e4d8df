// Assignment: 4 threads to a particle, one for each z of its cloud, so that the atomic additions of
// a warp hit runs of neighboring words (half the time of a thread for each x and y). Interpolation:
// a thread to a target; sorted targets share lines of the mesh in the cache. Gradients read five
// meshes, with 128 registers. Weights and sums are double, as these kernels are limited by memory.
// Contraction: fused.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "chamomile/force/mesh/mesh_field.hpp"
#include "chamomile/gpu/mesh/device_mesh.cuh"
#include "chamomile/gpu/mesh/mesh_modes.cuh"

namespace chamomile {
namespace {

constexpr int block_size = block_of_modes, sum_blocks = 256, threads_per_source = 4;

/// Returns the sum over the block, added by halves, valid in thread 0.
__device__ double sum_of_block(double value)
{
    __shared__ double shared[block_size];
    __syncthreads(); // the last sum is read
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
    double sum = 0, with_signs = 0;
    for (std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x; i < n;
         i += std::size_t(sum_blocks) * block_size) {
        sum += fabs(sources[i].mass);
        with_signs += sources[i].mass;
    }
    sum = sum_of_block(sum);
    with_signs = sum_of_block(with_signs);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
        parts[sum_blocks + blockIdx.x] = with_signs;
    }
}

__global__ void __launch_bounds__(block_size)
    choose_scale(const double* parts, double cells, MassScale* scale)
{
    const double sum = sum_of_block(parts[threadIdx.x]),
                 with_signs = sum_of_block(parts[sum_blocks + threadIdx.x]);
    if (threadIdx.x == 0) {
        int exponent = 0;
        frexp(sum, &exponent);
        scale->unit = sum > 0 && isfinite(sum) ? ldexp(1.0, exponent) : 1;
        scale->to_integers = 0x1p61 / scale->unit;
        scale->mean = sum / scale->unit / cells;
        scale->sum = with_signs;
    }
}

template <int points>
__global__ void __launch_bounds__(block_size)
    share_masses(const Source* sources, std::size_t n, MeshFrame frame, MeshRows rows,
                 const MassScale* scale, unsigned long long* mesh)
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
        for (int b = 0; b < points; ++b)
            atomicAdd(mesh + rows.at(x.point[a], y.point[b]),
                      (unsigned long long)(__double2ll_rn(weight * x.weight[a] * y.weight[b])));
}

/// Marks the rows of clouds at these places, in the first plane of each cloud.
template <int points>
__global__ void __launch_bounds__(block_size)
    mark_rows(MeshTargets places, MeshFrame frame, RowMarks rows, std::uint8_t* marks)
{
    const std::size_t t = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (t >= places.count)
        return;
    const Vec3<double> place = places.position.load_vector(t);
    rows.for_first_plane<points>(frame.in_cells(place.x), frame.in_cells(place.y),
                                 [&](std::size_t mark) {
                                     if (!marks[mark]) // others write the same
                                         marks[mark] = 1;
                                 });
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

/// Writes sources with component d of lambda, or with mu for d = -1, in place of mass.
__global__ void __launch_bounds__(block_size)
    take_charges(const Source* sources, std::size_t n, MeshLoss loss, int d, double factor,
                 Source* charges)
{
    const std::size_t k = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (k < n)
        charges[k] = {sources[k].position, factor * (d < 0 ? loss.mu.load(loss.order[k])
                                                           : loss.lambda.load(loss.order[k], d))};
}

/// Adds gradients, a thread to a source. The second scale is of mu.
template <int points, class T>
__global__ void __launch_bounds__(block_size)
    add_gradients(const Source* sources, std::size_t n, MeshLoss loss, MeshFrame frame,
                  MeshField<T> field, const T* psi, FieldFactors factors, double split_radius,
                  const MassScale* scale, ArrayView position, ArrayView mass)
{
    const std::size_t k = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (k >= n)
        return;
    const Index i = loss.order[k];
    const double side = frame.box.side, unit = loss.unit * frame.box.inverse_side();
    SourceOfLoss own{sources[k].position, sources[k].mass / scale->unit, {}, 0};
    if (loss.lambda.component[0])
        own.lambda = 1 / loss.unit * loss.lambda.load_vector(i);
    if (loss.mu.component[0])
        own.mu = side / loss.unit * loss.mu.load(i);
    const GradientAt at = gradient_at<points>(own, frame, field, psi);
    position.store_vector(i, position.load_vector(i) + factors.acceleration * unit * scale->unit /
                                                           (side * side) * at.position);
    if (!mass.component[0])
        return;
    double of_mass = unit / side * at.mass;
    if (loss.mu.component[0])
        of_mass += unit * missing_potential(split_radius, side, own.mu, scale[1].sum);
    mass.store(i, 0, mass.load(i) + factors.potential * of_mass);
}

} // namespace

template <class T>
DeviceMesh<T>::DeviceMesh(Periodicity box, const MeshOptions& options, Communicator* ranks)
    : box_(box), options_(options), split_(checked_split_radius(box, options)),
      fourier_(options.cells, ranks)
{
    const GreenRows rows =
        green_rows(options.cells, 1, split_ / box.side, int(options.kernel), differentiates());
    std::vector<double> values;
    for (const auto* row : {&rows.wave, &rows.factor, &rows.gradient})
        values.insert(values.end(), row->begin(), row->end());
    check(cudaMemcpy(rows_.reserve(values.size()), values.data(), values.size() * sizeof(double),
                     cudaMemcpyHostToDevice),
          "copy to the device");
    if (!fourier_.ranks())
        meshes_.reserve_exactly(std::size_t(meshes()) * this->values());
    parts_.reserve(2 * sum_blocks);
    scale_.reserve(2);
}

template <class T>
int DeviceMesh<T>::meshes() const
{
    if (!differentiates())
        return 4;
    return sizeof(T) < sizeof(long long) ? 3 : fourier_.ranks() ? 2 : 1;
}

template <class T>
unsigned long long* DeviceMesh<T>::masses()
{
    return reinterpret_cast<unsigned long long*>(mesh(sizeof(T) < sizeof(long long) ? 1 : 0));
}

template <class T>
void DeviceMesh<T>::prepare(const Source* sources, std::size_t n, const MeshTargets& others,
                            const Stream& stream)
{
    if (fourier_.ranks())
        find_rows(sources, n, others, stream);
    assign(sources, n, masses(), scale(), potential(), stream);
    fourier_.forward(potential(), spectrum(), stream);
    multiply(stream);
    is_potential_ = false;
    if (fourier_.ranks())
        to_planes(stream);
    if (differentiates())
        return prepare_potential(stream);
    for (int d = 0; d < 3; ++d) {
        if (!fourier_.ranks())
            fourier_.planes_backward(component(d), stream);
        fourier_.share(component(d), stream);
    }
}

template <class T>
void DeviceMesh<T>::prepare_potential(const Stream& stream)
{
    if (std::exchange(is_potential_, true))
        return;
    fourier_.planes_backward(potential(), stream);
    fourier_.share(potential(), stream);
}

/// Finds the rows of this rank, and makes room for them.
template <class T>
void DeviceMesh<T>::find_rows(const Source* sources, std::size_t n, const MeshTargets& others,
                              const Stream& stream)
{
    const std::size_t marks = row_marks().count();
    check(cudaMemsetAsync(marks_.reserve(marks), 0, marks, stream), "clear marks of rows");
    ArrayView position = view_of(std::span(&sources->position, 1));
    position.stride = sizeof(Source);
    cover({n, position}, stream);
    cover(others, stream);
    fourier_.cover(row_marks(), marks_.data(), stream);
    meshes_.reserve(std::size_t(meshes()) * values());
}

/// Assigns masses to a mesh by way of integers, and sets their scale.
template <class T>
void DeviceMesh<T>::assign(const Source* sources, std::size_t n, unsigned long long* integers,
                           MassScale* scale, T* mesh, const Stream& stream)
{
    sum_masses<<<sum_blocks, block_size, 0, stream>>>(sources, n, parts_.data());
    if (fourier_.ranks())
        share_sum(stream);
    choose_scale<<<1, block_size, 0, stream>>>(parts_.data(), std::pow(options_.cells, 3), scale);
    check(cudaMemsetAsync(integers, 0, values() * sizeof *integers, stream), "clear a mesh");
    const MeshFrame frame{box_, options_.cells};
    const unsigned blocks = blocks_for(n * threads_per_source);
    with_points(options_.kernel, [&](auto points) {
        if (n > 0)
            share_masses<points><<<blocks, block_size, 0, stream>>>(
                sources, n, frame, fourier_.rows(), scale, integers);
    });
    fourier_.sum_integers(integers, stream);
    const std::size_t own = fourier_.own_rows() * fourier_.rows().length;
    to_masses<<<blocks_for(own), block_size, 0, stream>>>(integers, mesh, own, scale);
    check(cudaGetLastError(), "launch the assignment to a mesh");
}

/// Marks the rows around these places.
template <class T>
void DeviceMesh<T>::cover(const MeshTargets& places, const Stream& stream)
{
    if (places.count == 0)
        return;
    with_points(options_.kernel, [&](auto points) {
        mark_rows<points><<<blocks_for(places.count), block_size, 0, stream>>>(
            places, MeshFrame{box_, options_.cells}, row_marks(), marks_.data());
    });
    check(cudaGetLastError(), "launch the marks of a mesh");
}

/// Replaces this rank's partial sums of masses by sums over all ranks.
template <class T>
void DeviceMesh<T>::share_sum(const Stream& stream)
{
    double parts[sum_blocks];
    download(parts, parts_.data(), sum_blocks, stream);
    stream.wait();
    const double own = std::accumulate(parts, parts + sum_blocks, 0.0);
    const std::vector<double> all = fourier_.ranks()->all_gather(own);
    std::fill(parts, parts + sum_blocks, 0.0);
    parts[0] = std::accumulate(all.begin(), all.end(), 0.0);
    upload(parts_, parts, sum_blocks, stream);
}

/// Makes the spectra of the potential and the accelerations; on ranks of the potential and the
/// first component, at this rank's rows.
template <class T>
void DeviceMesh<T>::multiply(const Stream& stream)
{
    const bool shares = fourier_.ranks();
    const int n = options_.cells;
    const unsigned blocks = blocks_for(fourier_.own_rows() * fourier_.rows().length / 2);
    Spectra<T> spectra{modes(spectrum()), {}};
    for (int d = 0; d < (shares ? 0 : 3); ++d)
        spectra.component[d] = modes(component(d));
    if (shares && !differentiates())
        spectra.component[0] = modes(component(1)); // to_planes() sends it to 0
    multiply_modes<<<blocks, block_size, 0, stream>>>(spectra, GreenFunction{1, differentiates()},
                                                      rows_.data(), n, fourier_.own());
    check(cudaGetLastError(), "launch Green's function");
}

/// Sends the spectra of ranks to their planes, and transforms the planes of accelerations. While
/// one spectrum travels, another is transformed.
template <class T>
void DeviceMesh<T>::to_planes(const Stream& stream)
{
    T *const sent = component(1), *const first = component(0);
    fourier_.columns_backward(spectrum(), stream);
    fourier_.start_to_planes(spectrum(), potential(), stream);
    if (!differentiates())
        fourier_.columns_backward(sent, stream);
    fourier_.finish_to_planes(potential(), stream);
    if (differentiates())
        return;
    fourier_.start_to_planes(sent, first, stream);
    const int n = options_.cells, planes = fourier_.own().count();
    const unsigned blocks =
        blocks_for(std::size_t(planes) * std::size_t(n) * fourier_.rows().length / 2);
    differentiate_planes<<<blocks, block_size, 0, stream>>>(
        Spectra<T>{modes(potential()), {nullptr, modes(component(1)), modes(component(2))}},
        rows_.data() + 2 * n, n, planes);
    check(cudaGetLastError(), "launch the differentiation of planes");
    for (int d = 1; d < 3; ++d)
        fourier_.planes_backward(component(d), stream);
    fourier_.finish_to_planes(first, stream);
    fourier_.planes_backward(first, stream);
}

template <class T>
void DeviceMesh<T>::add(const MeshTargets& targets, const FieldFactors& factors,
                        const ArrayView& acceleration, const ArrayView& potential,
                        const Stream& stream)
{
    if (targets.count == 0)
        return;
    if (potential)
        prepare_potential(stream);
    const MeshField<T> field = this->field(potential || differentiates());
    const MeshFrame frame{box_, options_.cells};
    const unsigned blocks = blocks_for(targets.count);
    with_points(options_.kernel, [&](auto points) {
        add_field<points><<<blocks, block_size, 0, stream>>>(targets, frame, field, factors,
                                                             scale(), acceleration, potential);
    });
    check(cudaGetLastError(), "launch the interpolation on a mesh");
}

template <class T>
MeshField<T> DeviceMesh<T>::field(bool has_potential)
{
    MeshField<T> field{.rows = fourier_.rows(),
                       .potential = has_potential ? potential() : nullptr,
                       .cells_per_length = double(options_.cells)};
    for (int d = 0; d < 3; ++d)
        field.component[d] = component(d);
    return field;
}

template <class T>
void DeviceMesh<T>::add_adjoint(const Source* sources, std::size_t n, const MeshLoss& loss,
                                const FieldFactors& factors, const ArrayView& position,
                                const ArrayView& mass, const Stream& stream)
{
    require_gradients(options_, fourier_.ranks());
    if (n == 0)
        return;
    constexpr std::size_t width = sizeof(long long) / sizeof(T); // with doubles the same mesh
    T* const psi = dual_meshes_.reserve_exactly(2 * width * values());
    T* const charge = psi + values();
    auto* const integers = reinterpret_cast<unsigned long long*>(psi + width * values());
    check(cudaMemsetAsync(psi, 0, values() * sizeof(T), stream), "clear a mesh");
    Source* const charges = charges_.reserve(n);
    for (int d = 2; d >= -1; --d) { // the components of lambda, and mu
        if (!(d < 0 ? loss.mu : loss.lambda))
            continue;
        take_charges<<<blocks_for(n), block_size, 0, stream>>>(
            sources, n, loss, d, (d < 0 ? box_.side : 1) / loss.unit, charges);
        assign(charges, n, integers, scale() + 1, charge, stream);
        fourier_.forward(charge, charge, stream);
        add_dual_modes<<<blocks_for(values() / 2), block_size, 0, stream>>>(
            modes(charge), scale() + 1, GreenFunction{1, false}, rows_.data(), options_.cells, d,
            modes(psi));
    }
    if (loss.mu)
        prepare_potential(stream);
    fourier_.planes_backward(psi, stream);
    const MeshField<T> field = this->field(bool(loss.mu));
    with_points(options_.kernel, [&](auto points) {
        add_gradients<points><<<blocks_for(n), block_size, 0, stream>>>(
            sources, n, loss, MeshFrame{box_, options_.cells}, field, psi, factors, split_, scale(),
            position, mass);
    });
    check(cudaGetLastError(), "launch the gradients of a mesh");
}

template class DeviceMesh<float>;
template class DeviceMesh<double>;

} // namespace chamomile
