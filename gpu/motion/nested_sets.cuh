/// \file  The nested sets of a hierarchical step in GPU memory.
///
/// A set copies its members from the store's arrays, so its forces and kicks touch no others. Of
/// each member a block reads and writes 4 + 24 + 24 bytes for the request, 28 + 3 * 24 for a drift,
/// 76 for a kick and 100 for what others add. To open a set reads 5 bytes of each member of the set
/// around it.
///
/// Contraction: none, so that results match the host's bitwise.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <cub/device/device_select.cuh>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>

#include "chamomile/gpu/device/caching_allocator.cuh"
#include "chamomile/gpu/motion/store_kernels.cuh"
#include "chamomile/integrate/rungs/nested_sets.hpp"

namespace chamomile {
namespace {

struct IsDeep {
    const std::uint8_t* level;
    int min_level;
    __device__ bool operator()(Index i) const { return level[i] >= min_level; }
};

/// The arrays of a set, by member; absent arrays are null.
struct SetArrays {
    std::size_t count;
    const Index* member; ///< null: all particles
    Vec3<double>*position, *acceleration, *held;
    double *potential, *held_potential;

    __device__ std::size_t particle(std::size_t k) const { return member ? member[k] : k; }
};

/// The drifts of all levels, as a kernel argument.
struct KernelDrifts {
    double factor[level_count];
    FrameTurn turn[level_count];
    bool turns;
};

template <class T>
__global__ void __launch_bounds__(block_size)
    gather_members(std::size_t n, const Index* member, const T* from, T* to)
{
    const std::size_t k = thread_number();
    if (k < n)
        to[k] = from[member[k]];
}

__global__ void __launch_bounds__(block_size)
    hold_members(SetArrays set, StoreArrays s, ExternalTerms terms)
{
    const std::size_t k = thread_number();
    if (k >= set.count)
        return;
    const std::size_t i = set.particle(k);
    const ExternalPull pull = pull_of(terms, s.position[i]);
    set.held[k] = s.acceleration[i] - pull.acceleration - set.acceleration[k];
    if (set.potential)
        set.held_potential[k] = s.potential[i] - pull.potential - set.potential[k];
}

__global__ void __launch_bounds__(block_size)
    add_held_members(SetArrays set, StoreArrays s, double* potential)
{
    const std::size_t k = thread_number();
    if (k >= set.count)
        return;
    const std::size_t i = set.particle(k);
    s.acceleration[i] = set.held[k] + set.acceleration[k];
    if (potential)
        potential[i] = set.held_potential[k] + set.potential[k];
}

/// Sets `fault` if a position is not finite.
__global__ void __launch_bounds__(block_size)
    drift_members_by(SetArrays set, StoreArrays s, KernelDrifts drifts, Periodicity box)
{
    const std::size_t k = thread_number();
    if (k >= set.count)
        return;
    const std::size_t i = set.particle(k);
    const int level = s.level_of(i);
    Vec3<double> x = s.position[i];
    if (drifts.turns) {
        Vec3<double> v = s.velocity[i];
        drifts.turn[level].drift(drifts.factor[level], x, v);
        s.velocity[i] = v;
    } else {
        x = box.wrapped(x + drifts.factor[level] * s.velocity[i]);
    }
    s.position[i] = x;
    if (0 * (x.x + x.y + x.z) != 0)
        *s.fault = 1;
}

__global__ void __launch_bounds__(block_size)
    kick_members_by(SetArrays set, StoreArrays s, double factor, ExternalTerms terms)
{
    const std::size_t k = thread_number();
    if (k >= set.count)
        return;
    const std::size_t i = set.particle(k);
    Vec3<double> a;
    if (!set.member) {
        a = s.acceleration[i];
    } else {
        a = set.acceleration[k];
        if (terms.count > 0)
            a += pull_of(terms, s.position[i]).acceleration;
    }
    s.velocity[i] += factor * a;
}

class DeviceNestedSets final : public NestedSets {
public:
    /// The store's arrays and the external field at the present.
    struct Rows {
        StoreArrays arrays;
        const double *mass, *softening; ///< softening: null unless per particle
        ExternalTerms terms;
        Periodicity box;
        std::span<const std::uint64_t> id; ///< on the host
        cudaStream_t stream;
    };

    /// Returns the bytes of the sets of n particles, if a third of each set is in the next.
    static std::size_t bytes_of(std::size_t n) { return (4 + 108 / 2) * n; }

    /// Sets the arrays, before other calls: they change places from step to step.
    void show(const Rows& rows) { rows_ = rows; }

    void begin(std::size_t particles)
    {
        NestedSets::begin(particles);
        while (!sets_.empty())
            give_back(sets_);
        sets_.push_back(std::make_unique<Set>()); // of all particles, without members
    }

    /// The set is not whole.
    Request request(std::size_t which, bool potentials) override
    {
        Set& set = *sets_[which];
        const std::size_t n = size(which);
        gather(set, rows_.arrays.position, set.position);
        set.acceleration.reserve(n);
        set.has_potentials = potentials;
        if (potentials)
            set.potential.reserve(n);
        Request request{.count = n,
                        .position = view(set.position, n),
                        .mass = view(set.mass, n),
                        .acceleration = view(set.acceleration, n),
                        .stream = rows_.stream};
        if (potentials)
            request.potential = view(set.potential, n);
        if (rows_.softening)
            request.softening = view(set.softening, n);
        return request;
    }

    std::vector<std::uint64_t> ids(std::size_t which) override
    {
        const std::size_t n = size(which);
        std::vector<Index> members(n);
        check(cudaMemcpyAsync(members.data(), sets_[which]->members.data(), n * sizeof(Index),
                              cudaMemcpyDeviceToHost, rows_.stream),
              "copy the members of a set");
        check(status_when_done(rows_.stream), "wait for the members of a set");
        std::vector<std::uint64_t> ids;
        for (const Index i : members)
            ids.push_back(rows_.id.empty() ? i + 1 : rows_.id[i]);
        return ids;
    }

private:
    bool drift_members(std::size_t which, const LevelDrifts& drifts) override
    {
        KernelDrifts all{};
        std::copy(drifts.factor.begin(), drifts.factor.end(), all.factor);
        for (std::size_t level = 0; level < drifts.turn.size(); ++level)
            if (drifts.turn[level]) {
                all.turn[level] = *drifts.turn[level];
                all.turns = true;
            }
        unsigned* const fault = rows_.arrays.fault;
        check(cudaMemsetAsync(fault, 0, sizeof *fault, rows_.stream), "clear an array");
        run(which, "drift", [&](unsigned blocks, const SetArrays& set) {
            drift_members_by<<<blocks, block_size, 0, rows_.stream>>>(set, rows_.arrays, all,
                                                                      rows_.box);
        });
        return number_at(fault) == 0;
    }

    struct Set {
        std::size_t count = 0; ///< members, unless all particles
        DeviceBuffer<Index> members;
        DeviceBuffer<double> mass, softening, potential, held_potential;
        DeviceBuffer<Vec3<double>> position, acceleration, held;
        bool has_potentials = false;
        std::size_t room = 0; ///< largest number of members so far
    };
    using Sets = std::vector<std::unique_ptr<Set>>;

    void end_sets(std::size_t first) override
    {
        ended_.assign(std::make_move_iterator(sets_.begin() + std::ptrdiff_t(first)),
                      std::make_move_iterator(sets_.end()));
        sets_.resize(first);
    }

    std::vector<std::uint64_t> select(int level) override
    {
        const std::size_t n = selected_ = count_selected(sets_.size() - 1, level);
        std::vector<std::uint64_t> differing;
        for (const std::unique_ptr<Set>& set : ended_)
            differing.push_back(set->count != n || !has_places(*set));
        return differing;
    }

    std::size_t append(std::optional<std::size_t> same) override
    {
        const std::size_t n = selected_;
        if (same) {
            const auto found = ended_.begin() + std::ptrdiff_t(*same);
            sets_.push_back(std::move(*found));
            ended_.erase(found);
            return n;
        }
        std::unique_ptr<Set> next = spare(n);
        next->count = n;
        check(cudaMemcpyAsync(next->members.reserve(n), places_.data(), n * sizeof(Index),
                              cudaMemcpyDeviceToDevice, rows_.stream),
              "copy within the device");
        gather(*next, rows_.mass, next->mass);
        if (rows_.softening)
            gather(*next, rows_.softening, next->softening);
        sets_.push_back(std::move(next));
        return n;
    }

    void drop_ended() override
    {
        while (!ended_.empty())
            give_back(ended_);
    }

    void hold_others(std::size_t which) override
    {
        Set& set = *sets_[which];
        set.held.reserve(set.count);
        if (set.has_potentials)
            set.held_potential.reserve(set.count);
        run(which, "hold the accelerations by others",
            [&](unsigned blocks, const SetArrays& arrays) {
                hold_members<<<blocks, block_size, 0, rows_.stream>>>(arrays, rows_.arrays,
                                                                      rows_.terms);
            });
    }

    void add_others(std::size_t which, bool potentials) override
    {
        run(which, "add the accelerations by others", [&](unsigned blocks, const SetArrays& set) {
            add_held_members<<<blocks, block_size, 0, rows_.stream>>>(
                set, rows_.arrays, potentials ? rows_.arrays.potential : nullptr);
        });
    }

    /// Accelerations that are not finite show in the positions.
    bool kick_members(std::size_t which, double factor) override
    {
        run(which, "kick", [&](unsigned blocks, const SetArrays& set) {
            kick_members_by<<<blocks, block_size, 0, rows_.stream>>>(set, rows_.arrays, factor,
                                                                     rows_.terms);
        });
        return true;
    }

    /// Writes the members of a set of at least a level to `places_`, and returns their number.
    std::size_t count_selected(std::size_t outer, int level)
    {
        Index* const places = places_.reserve_exactly(rows_.arrays.count);
        Index* const count = count_.reserve(1);
        const auto select = [&](const auto& members) {
            const auto call = [&](void* scratch, std::size_t& bytes) {
                check(cub::DeviceSelect::If(scratch, bytes, members, places, count,
                                            std::int64_t(size(outer)),
                                            IsDeep{rows_.arrays.level, level}, rows_.stream),
                      "select the members of a set");
            };
            std::size_t bytes = 0;
            call(nullptr, bytes);
            call(scratch_.reserve(bytes), bytes);
        };
        if (is_whole(outer))
            select(thrust::counting_iterator<Index>(0));
        else
            select(sets_[outer]->members.data());
        return number_at(count);
    }

    bool has_places(Set& set)
    {
        bool same = false;
        call_thrust("compare the members of sets", [&] {
            same = thrust::equal(thrust::cuda::par(allocator_).on(rows_.stream), set.members.data(),
                                 set.members.data() + set.count, places_.data());
        });
        return same;
    }

    /// Returns a set with memory for n members, if there is one.
    std::unique_ptr<Set> spare(std::size_t n)
    {
        if (spare_.empty())
            spare_.push_back(std::make_unique<Set>());
        const auto fits = [&](const std::unique_ptr<Set>& a, const std::unique_ptr<Set>& b) {
            const bool has_a = a->room >= n, has_b = b->room >= n;
            return has_a != has_b ? has_a : has_a ? a->room < b->room : a->room > b->room;
        };
        const auto best = std::ranges::min_element(spare_, fits);
        std::unique_ptr<Set> set = std::move(*best);
        spare_.erase(best);
        set->room = std::max(set->room, n);
        set->has_potentials = false;
        return set;
    }
    void give_back(Sets& from)
    {
        if (from.back()->room > 0)
            spare_.push_back(std::move(from.back()));
        from.pop_back();
    }

    template <class T>
    void gather(Set& set, const T* from, DeviceBuffer<T>& to)
    {
        to.reserve(set.count);
        if (set.count > 0)
            gather_members<<<blocks_of(set.count), block_size, 0, rows_.stream>>>(
                set.count, set.members.data(), from, to.data());
        check(cudaGetLastError(), "gather the members of a set");
    }

    template <class Launch>
    void run(std::size_t which, const char* what, const Launch& launch)
    {
        Set& set = *sets_[which];
        const std::size_t n = size(which);
        const bool has_potentials = set.has_potentials;
        if (n > 0)
            launch(blocks_of(n),
                   SetArrays{n, is_whole(which) ? nullptr : set.members.data(), set.position.data(),
                             set.acceleration.data(), set.held.data(),
                             has_potentials ? set.potential.data() : nullptr,
                             has_potentials ? set.held_potential.data() : nullptr});
        check(cudaGetLastError(), what);
    }

    Index number_at(const Index* place)
    {
        Index* const here = host_count_.reserve(1);
        download(here, place, 1, rows_.stream);
        check(status_when_done(rows_.stream), "wait for a number");
        return *here;
    }

    static unsigned blocks_of(std::size_t n) { return unsigned((n + block_size - 1) / block_size); }

    template <class T>
    static ArrayView view(DeviceBuffer<T>& buffer, std::size_t n)
    {
        ArrayView view = view_of(std::span(buffer.data(), n));
        view.on_device = true;
        return view;
    }

    Rows rows_{};
    Sets sets_, ended_, spare_;
    DeviceBuffer<Index> places_, count_;
    std::size_t selected_ = 0; ///< of places_
    PinnedBuffer<Index> host_count_;
    DeviceBuffer<char> scratch_;
    CachingAllocator allocator_;
};

} // namespace
} // namespace chamomile
