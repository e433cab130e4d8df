// Contraction: none.
#include <algorithm>

#include "chamomile/core/threads.hpp"
#include "chamomile/gpu/ranks/item_threads.cuh"
#include "chamomile/gpu/ranks/returned_sums.cuh"

namespace chamomile {
namespace {

__global__ void scatter_work(const float* of_targets, const Index* targets, const Index* order,
                             std::size_t n, float* work, unsigned long long* all)
{
    const std::size_t t = thread_number();
    unsigned long long own = 0;
    if (t < n) {
        work[order[targets ? targets[t] : t]] = of_targets[t];
        own = (unsigned long long)of_targets[t];
    }
    for (int step = 16; step > 0; step /= 2)
        own += __shfl_xor_sync(0xffffffffu, own, step);
    if (threadIdx.x % 32 == 0 && own > 0)
        atomicAdd(all, own);
}

__global__ void store_rows(const Vec3<double>* acceleration, const double* potential,
                           const std::uint8_t* is_target, std::size_t n, SumArrays to)
{
    const std::size_t i = thread_number();
    if (i >= n || (is_target && !is_target[i]))
        return;
    to.acceleration.store_vector(i, acceleration[i]);
    if (to.potential.component[0])
        to.potential.store(i, 0, potential[i]);
}

__global__ void gather_rows(const Vec3<double>* acceleration, const double* potential,
                            const Index* rows, std::size_t n, Vec3<double>* some, double* some_of)
{
    const std::size_t k = thread_number();
    if (k >= n)
        return;
    some[k] = acceleration[rows[k]];
    if (potential)
        some_of[k] = potential[rows[k]];
}

template <class T>
ArrayView device_view(DeviceBuffer<T>& buffer, std::size_t n)
{
    ArrayView view = view_of(std::span(buffer.data(), n));
    view.on_device = true;
    return view;
}

} // namespace

void RowWork::begin(std::size_t rows, std::uint64_t arrangement)
{
    if (arrangement == arrangement_ + 1) {
        work_.swap(placed_);
        std::swap(rows_, placed_rows_);
    } else if (arrangement != arrangement_)
        is_known_ = false;
    arrangement_ = arrangement;
    if (rows_ != rows) // rows of a different particle set
        is_known_ = false;
}

ArrivalSums ReturnedSums::begin(const SumArrays& to, bool are_all, std::size_t targets,
                                bool with_potentials, RowWork& work)
{
    const std::size_t n = rows_.rows(), count = n + rows_.received();
    goes_straight_ = are_all && to.acceleration.on_device;
    const std::size_t here = goes_straight_ ? rows_.received() : count;
    to_ = to;
    target_count_ = targets;
    has_potentials_ = with_potentials;
    acceleration_.reserve(here);
    potential_.reserve(with_potentials ? here : 0);
    row_work_ = &work;
    work_ = work.of_rows(count);
    of_targets_ = work.of_targets(targets);
    const SumArrays own =
        here == 0 ? SumArrays{}
                  : SumArrays{device_view(acceleration_, here),
                              with_potentials ? device_view(potential_, here) : ArrayView{}};
    return goes_straight_ ? ArrivalSums{to, n, count, own} : ArrivalSums{own, count, count};
}

std::uint64_t ReturnedSums::send(const std::uint8_t* is_target, std::span<const Index> targets,
                                 Communicator& ranks)
{
    const cudaStream_t stream = tree_.stream;
    const std::size_t n = rows_.rows(), all = n + rows_.received();
    unsigned long long* const sum = all_work_.reserve(1);
    check(cudaMemsetAsync(sum, 0, sizeof *sum, stream), "clear a sum");
    if (is_target && all > 0)
        check(cudaMemsetAsync(work_, 0, all * sizeof(float), stream), "clear the work");
    if (target_count_ > 0)
        scatter_work<<<blocks_of(target_count_), block_size, 0, stream>>>(
            of_targets_, is_target ? tree_.targets.data() : nullptr, tree_.order.data(),
            target_count_, work_, sum);
    check(cudaGetLastError(), "launch the work of rows");
    download(host_work_.reserve(1), sum, 1, stream);
    const std::size_t first = goes_straight_ ? 0 : n; // first received particle
    SumArrays to = to_;
    if (!goes_straight_ && n > 0)
        to = {device_view(acceleration_, n),
              has_potentials_ ? device_view(potential_, n) : ArrayView{}};
    rows_.return_results(
        {acceleration_.data() + first, potential_.data() + first, work_ + n, has_potentials_}, to,
        work_, ranks);
    row_work_->finish(n, is_target ? 0 : rows_.arrivals());
    if (is_target)
        store(is_target, targets);
    else if (!goes_straight_)
        store_all();
    tree_.stream.wait();
    return *host_work_.data();
}

/// Copies the sums of all rows to the caller's host arrays.
void ReturnedSums::store_all()
{
    const auto store = [&](const double* from, std::size_t components, const ArrayView& to) {
        double* const dense = to.is_dense() ? reinterpret_cast<double*>(to.component[0]) : nullptr;
        tree_.staging.take(from, rows_.rows() * components, tree_.stream,
                           [&](std::size_t begin, std::span<const double> some) {
                               if (dense)
                                   std::copy(some.begin(), some.end(), dense + begin);
                               else
                                   for (std::size_t k = begin; k < begin + some.size(); ++k)
                                       to.store(k / components, int(k % components),
                                                some[k - begin]);
                           });
    };
    store(reinterpret_cast<const double*>(acceleration_.data()), 3, to_.acceleration);
    if (to_.potential && has_potentials_)
        store(potential_.data(), 1, to_.potential);
}

/// Copies the sums of targets to the caller's arrays, on the GPU or the host.
void ReturnedSums::store(const std::uint8_t* is_target, std::span<const Index> targets)
{
    const std::size_t n = rows_.rows(), count = targets.size();
    const double* const potential = to_.potential && has_potentials_ ? potential_.data() : nullptr;
    if (n == 0)
        return;
    if (to_.acceleration.on_device) {
        store_rows<<<blocks_of(n), block_size, 0, tree_.stream>>>(acceleration_.data(), potential,
                                                                  is_target, n, to_);
        check(cudaGetLastError(), "launch the sums of rows");
        return;
    }
    if (count == 0)
        return;
    tree_.staging.upload(list_, targets.data(), count, tree_.stream);
    some_accelerations_.reserve(count);
    some_potentials_.reserve(count);
    gather_rows<<<blocks_of(count), block_size, 0, tree_.stream>>>(
        acceleration_.data(), potential, list_.data(), count, some_accelerations_.data(),
        some_potentials_.data());
    check(cudaGetLastError(), "launch the sums of targets");
    std::vector<Vec3<double>> accelerations(count);
    std::vector<double> potentials(potential ? count : 0);
    tree_.staging.download(accelerations.data(), some_accelerations_.data(), count, tree_.stream);
    if (potential)
        tree_.staging.download(potentials.data(), some_potentials_.data(), count, tree_.stream);
#pragma omp parallel for if (count > worth_threads) schedule(static)
    for (std::size_t k = 0; k < count; ++k) {
        to_.acceleration.store_vector(targets[k], accelerations[k]);
        if (potential)
            to_.potential.store(targets[k], 0, potentials[k]);
    }
}

} // namespace chamomile
