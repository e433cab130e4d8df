// Interpolation: 4 threads to a target, one for each z of its cloud; sorted targets share lines of
// the mesh in the cache. Sums along y are of the mesh's type, since a conversion to double takes
// longer than an addition; other sums and weights are double. Differences and gradients: a thread
// to a target; gradients read five meshes, with 128 registers. Contraction: fused.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "chamomile/force/mesh/mesh_field.hpp"
#include "chamomile/gpu/mesh/device_mesh.cuh"
#include "chamomile/gpu/mesh/mesh_assignment.cuh"
#include "chamomile/gpu/mesh/mesh_modes.cuh"

namespace chamomile {
namespace {

constexpr int block_size = block_of_modes, sum_blocks = 256, threads_per_cloud = 4;

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

/// Adds a field at a target.
__device__ void add_at(const MeshTargets& targets, std::size_t t, const FieldAt& at,
                       const MeshFrame& frame, const FieldFactors& factors, const MassScale* scale,
                       const ArrayView& acceleration, const ArrayView& potential)
{
    const std::size_t i = targets.to ? targets.to[t] : t;
    const double by_side = scale->unit * frame.inverse_side;
    acceleration.store_vector(i, acceleration.load_vector(i) + factors.acceleration * by_side *
                                                                   frame.inverse_side *
                                                                   at.acceleration);
    if (potential.component[0])
        potential.store(i, 0, potential.load(i) + factors.potential * by_side * at.potential);
}

__device__ Vec3<double> place_of(const MeshTargets& targets, std::size_t t)
{
    return targets.position.load_vector(targets.from ? targets.from[t] : t);
}

/// Adds the field by differences of the potential, a thread to a target.
template <int points, class T>
__global__ void __launch_bounds__(block_size)
    add_differences(MeshTargets targets, MeshFrame frame, MeshField<T> field, FieldFactors factors,
                    const MassScale* scale, ArrayView acceleration, ArrayView potential)
{
    const std::size_t t = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (t < targets.count)
        add_at(targets, t, field_at<points>(place_of(targets, t), frame, field), frame, factors,
               scale, acceleration, potential);
}

/// Adds the field by its components, `threads_per_cloud` threads to a target.
template <int points, class T>
__global__ void __launch_bounds__(block_size)
    add_components(MeshTargets targets, MeshFrame frame, MeshField<T> field, FieldFactors factors,
                   const MassScale* scale, ArrayView acceleration, ArrayView potential)
{
    const std::size_t thread = std::size_t(blockIdx.x) * block_size + threadIdx.x,
                      t = thread / threads_per_cloud;
    const int c = int(thread % threads_per_cloud);
    if (t >= targets.count) // all threads of the target
        return;
    const Vec3<double> place = place_of(targets, t);
    const auto x = wrapped_cloud_at<points>(frame.in_cells(place.x), frame.cells);
    const auto y = wrapped_cloud_at<points>(frame.in_cells(place.y), frame.cells);
    const auto z = wrapped_cloud_at<points>(frame.in_cells(place.z), frame.cells);
    double weight = 0;
    std::size_t k = 0;
#pragma unroll
    for (int p = 0; p < points; ++p) // not z.point[c]: registers have no index
        if (p == c) {
            weight = z.weight[p];
            k = std::size_t(z.point[p]);
        }
    FieldAt at{};
#pragma unroll
    for (int a = 0; a < points; ++a) {
        T sum[4] = {};
#pragma unroll
        for (int b = 0; b < points; ++b) {
            const std::size_t number = field.rows.at(x.point[a], y.point[b]) + k;
            const T w = T(y.weight[b]);
#pragma unroll
            for (int d = 0; d < 3; ++d)
                sum[d] += w * field.component[d][number];
            if (field.potential)
                sum[3] += w * field.potential[number];
        }
        const double w = x.weight[a] * weight;
        at.acceleration += w * Vec3<double>{double(sum[0]), double(sum[1]), double(sum[2])};
        at.potential += w * double(sum[3]);
    }
    const unsigned lanes = 0xfu << (threadIdx.x % 32 / threads_per_cloud * threads_per_cloud);
    for (double* sum : {&at.acceleration.x, &at.acceleration.y, &at.acceleration.z, &at.potential})
        for (int step = 1; step < threads_per_cloud; step *= 2)
            *sum += __shfl_xor_sync(lanes, *sum, step);
    if (c == 0)
        add_at(targets, t, at, frame, factors, scale, acceleration, potential);
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
    const double side = frame.box.side, unit = loss.unit * frame.inverse_side;
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
DeviceMesh<T>::DeviceMesh(Periodicity box, const MeshOptions& options, PhaseMemory& memory,
                          Communicator* ranks)
    : box_(box), options_(options), split_(checked_split_radius(box, options)),
      fourier_(options.cells, ranks), memory_(memory)
{
    const GreenRows rows =
        green_rows(options.cells, 1, split_ / box.side, int(options.kernel), differentiates());
    std::vector<double> values;
    for (const auto* row : {&rows.wave, &rows.factor, &rows.gradient})
        values.insert(values.end(), row->begin(), row->end());
    check(cudaMemcpy(rows_.reserve(values.size()), values.data(), values.size() * sizeof(double),
                     cudaMemcpyHostToDevice),
          "copy to the device");
    memory_.resize(fourier_.ranks() ? 0 : bytes()); // ranks do not know their rows yet
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
    meshes_ = nullptr;
    meshes_ = reinterpret_cast<T*>(memory_.acquire(bytes()));
    assign(sources, n, masses(), scale(), potential(), stream);
    fourier_.forward(potential(), spectrum(), stream);
    multiply(stream);
    is_potential_ = false;
    to_planes(stream);
    differentiates() ? prepare_potential(stream) : share_components(stream);
}

template <class T>
void DeviceMesh<T>::prepare_potential(const Stream& stream)
{
    if (std::exchange(is_potential_, true))
        return;
    fourier_.planes_backward(potential(), stream);
    fourier_.start_share(potential(), stream);
    fourier_.finish_share(potential(), stream);
    fourier_.settle(stream);
}

/// Finds the rows of this rank.
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
    const MeshTiles tiles(options_.cells);
    const auto blocks = unsigned((n + sources_of_block - 1) / sources_of_block);
    const std::size_t shared = std::size_t(tiles.points()) * sizeof *integers;
    with_points(options_.kernel, [&](auto points) {
        check(cudaFuncSetAttribute(share_masses<points>,
                                   cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)),
              "choose the shared memory of a kernel");
        if (n > 0)
            share_masses<points><<<blocks, assignment_block, shared, stream>>>(
                sources, n, frame, tiles, fourier_.rows(), scale, integers);
    });
    check(cudaGetLastError(), "launch the assignment to a mesh");
    fourier_.sum_integers(integers, stream);
    // With doubles these rows lie in the mesh of integers. Other ranks still read other rows.
    const std::size_t own = fourier_.own_rows() * fourier_.rows().length;
    to_masses<<<blocks_for(own), block_size, 0, stream>>>(integers, mesh, own, scale);
    check(cudaGetLastError(), "launch the conversion of a mesh");
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

/// Makes the spectra of the potential and of the first component, at this rank's rows.
template <class T>
void DeviceMesh<T>::multiply(const Stream& stream)
{
    const unsigned blocks = blocks_for(fourier_.own_rows() * fourier_.rows().length / 2);
    multiply_modes<<<blocks, block_size, 0, stream>>>(
        modes(spectrum()), differentiates() ? nullptr : modes(first_spectrum()),
        GreenFunction{1, differentiates()}, rows_.data(), options_.cells, fourier_.own());
    check(cudaGetLastError(), "launch Green's function");
}

/// Transforms the spectra of the potential and of the first component along the first index, and
/// makes the third component. While one travels, another is transformed. No function writes to
/// rows that travel, or to their target.
template <class T>
void DeviceMesh<T>::to_planes(const Stream& stream)
{
    fourier_.columns_backward(spectrum(), stream);
    fourier_.start_to_planes(spectrum(), potential(), stream);
    if (!differentiates())
        fourier_.columns_backward(first_spectrum(), stream);
    fourier_.finish_to_planes(potential(), stream);
    if (differentiates())
        return;
    fourier_.start_to_planes(first_spectrum(), component(0), stream);
    differentiate(2, stream);
    fourier_.finish_to_planes(component(0), stream);
}

/// Makes a component from the potential's spectrum at planes.
template <class T>
void DeviceMesh<T>::differentiate(int d, const Stream& stream)
{
    const int n = options_.cells, planes = fourier_.own().count();
    const unsigned blocks =
        blocks_for(std::size_t(planes) * std::size_t(n) * fourier_.rows().length / 2);
    differentiate_planes<<<blocks, block_size, 0, stream>>>(modes(potential()), modes(component(d)),
                                                            rows_.data() + 2 * n, n, planes, d);
    check(cudaGetLastError(), "launch the differentiation of planes");
    fourier_.planes_backward(component(d), stream);
}

/// Shares a component with other ranks while the next one is transformed.
template <class T>
void DeviceMesh<T>::share_components(const Stream& stream)
{
    fourier_.start_share(component(2), stream);
    differentiate(1, stream);
    fourier_.finish_share(component(2), stream);
    fourier_.start_share(component(1), stream);
    fourier_.planes_backward(component(0), stream);
    fourier_.finish_share(component(1), stream);
    fourier_.start_share(component(0), stream);
    fourier_.finish_share(component(0), stream);
    fourier_.settle(stream);
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
    const std::size_t threads = differentiates() ? 1 : threads_per_cloud;
    with_points(options_.kernel, [&](auto points) {
        const auto add = differentiates() ? add_differences<points, T> : add_components<points, T>;
        add<<<blocks_for(targets.count * threads), block_size, 0, stream>>>(
            targets, frame, field, factors, scale(), acceleration, potential);
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
    fourier_.columns_backward(psi, stream);
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
