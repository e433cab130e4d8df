/// \file  Kernels of the tree's build: boundaries, gather, moments.
///
/// Contraction: none, so that moments and nodes match the host's bitwise.
#pragma once

#include "chamomile/core/periodic.hpp"
#include "chamomile/gpu/tree/mothers.cuh"
#include "chamomile/tree/cell_moments.hpp"
#include "chamomile/tree/groups.hpp"
#include "chamomile/tree/higher_moments.hpp"
#include "chamomile/tree/own_softenings.hpp"

namespace chamomile {
namespace {

constexpr unsigned block_size = 256;

unsigned blocks_of(std::size_t n)
{
    return unsigned((n + block_size - 1) / block_size);
}

static_assert(Boundaries::block == block_size);

/// Finds `level` and `octants` between keys k and k + 1, and the min level of each block.
__global__ void find_boundaries(const Key* keys, std::size_t n, std::uint8_t* level,
                                std::uint8_t* octants, std::uint8_t* min_level)
{
    const std::size_t k = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    unsigned own = key_levels;
    if (k < n) {
        const Boundary b = boundary_between(keys[k], keys[k + 1 < n ? k + 1 : k]);
        level[k] = b.level;
        octants[k] = b.octants;
        own = b.level;
    }
    __shared__ unsigned of_warp[block_size / 32];
    for (int step = 16; step > 0; step /= 2)
        own = min(own, __shfl_xor_sync(0xffffffffu, own, step));
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < block_size / 32; ++w)
            own = min(own, of_warp[w]);
        min_level[blockIdx.x] = std::uint8_t(own);
    }
}

__global__ void gather(const Vec3<double>* positions, const double* masses, const Index* order,
                       std::size_t n, Source* sources)
{
    const std::size_t k = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (k < n)
        sources[k] = {positions[order[k]], masses ? masses[order[k]] : sources[k].mass};
}

/// Gathers new positions of sources, each as the periodic image nearest to its previous position.
__global__ void gather_images(const Vec3<double>* positions, const double* masses,
                              const Index* order, std::size_t n, Periodicity periodicity,
                              Source* sources)
{
    const std::size_t k = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (k < n)
        sources[k] = {periodicity.nearest_to(sources[k].position, positions[order[k]]),
                      masses ? masses[order[k]] : sources[k].mass};
}

/// Gathers the squares of softening lengths, limited to `longest`.
__global__ void gather_softenings(const double* lengths, double longest, const Index* order,
                                  std::size_t n, double* softening)
{
    const std::size_t k = std::size_t(blockIdx.x) * block_size + threadIdx.x;
    if (k >= n)
        return;
    const double own = lengths[order[k]], length = longest < own ? longest : own;
    softening[k] = length * length;
}

/// Copies moments to host memory: those of the root, and of cells whose mother may exceed the size
/// limits of groups. Counts the doubles sent. One thread a double of a cell.
template <class Moment>
__global__ void send_moments(const Cell* cells, Index n, const Index* mother, const Box* bounds,
                             std::uint64_t max, double longest, const Moment* moments, Moment* host,
                             unsigned long long* sent)
{
    constexpr std::size_t numbers = sizeof(Moment) / sizeof(double);
    static_assert(sizeof(Moment) == numbers * sizeof(double));
    const std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x, c = i / numbers;
    const bool is_sent = c < n && (c == 0 || cells[mother[c]].count > max ||
                                   !(bounds[mother[c]].longest_side() <= longest));
    if (is_sent)
        reinterpret_cast<double*>(host)[i] = reinterpret_cast<const double*>(moments)[i];
    const int sent_here = __syncthreads_count(is_sent);
    if (threadIdx.x == 0 && sent_here > 0)
        atomicAdd(sent, (unsigned long long)sent_here);
}

/// Copies nodes to host memory. A copy by the copy engine would delay all other copies to the host,
/// such as groups and data for imports. Eight blocks fill the link. 64 blocks copy no faster, and
/// make other kernels and copies several times slower (measured on an H200).
__global__ void copy_nodes(const uint4* from, std::size_t n, uint4* host)
{
    for (std::size_t i = std::size_t(blockIdx.x) * block_size + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * block_size)
        host[i] = from[i];
}

/// Each thread sums its leaf, then climbs. Up to order 2 there are no higher moments. Cells above a
/// leaf of another rank are not summed.
template <int order>
__global__ void sum_moments(const Cell* cells, Index n, const Source* sources, const Index* mother,
                            Index* missing, Multipole* multipoles, Box* bounds,
                            HigherMoments* higher)
{
    const Index leaf = blockIdx.x * block_size + threadIdx.x;
    if (leaf >= n || cells[leaf].next != leaf + 1 || cells[leaf].begin == absent_particles)
        return;
    const Source* own = sources + cells[leaf].begin;
    sum_leaf(own, cells[leaf].count, multipoles[leaf], bounds[leaf]);
    if constexpr (order > 2)
        HigherSums<order>::sum_leaf(own, cells[leaf].count, multipoles[leaf], bounds[leaf],
                                    higher[leaf]);
    climb(leaf, mother, missing, [&](Index c) {
        sum_daughters(cells, c, multipoles, bounds);
        if constexpr (order > 2)
            HigherSums<order>::sum_daughters(cells, c, multipoles, bounds, higher);
    });
}

/// Climbs like sum_moments() and sums softenings. Needs the multipoles, and `missing` as set by
/// find_mothers().
__global__ void sum_softenings(SofteningSums sums, Index n, const Index* mother, Index* missing)
{
    const Index leaf = blockIdx.x * block_size + threadIdx.x;
    if (leaf >= n || sums.cells[leaf].next != leaf + 1 ||
        sums.cells[leaf].begin == absent_particles)
        return;
    sums.sum(leaf);
    climb(leaf, mother, missing, [&](Index c) { sums.sum(c); });
}

} // namespace
} // namespace chamomile
