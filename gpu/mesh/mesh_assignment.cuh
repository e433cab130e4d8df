/// \file  The kernel that assigns masses to a mesh.
///
/// 4 threads to a source, one for each z of its cloud. Atomic additions in global memory limit the
/// kernel, so the sums of a tile are made in shared memory: up to 20^3 points of 8 bytes, three
/// blocks on a multiprocessor of an H200. The sums are of integers: their order does not matter.
#pragma once

#include <cmath>
#include <cstddef>

#include "chamomile/gpu/mesh/device_mesh.cuh"

namespace chamomile {

struct TileNumber {
    int x, y, z;

    CHAMOMILE_HD bool operator==(const TileNumber& t) const
    {
        return x == t.x && y == t.y && z == t.z;
    }
};

/// Tiles of a mesh are octants of the box, so that sources in the order of a tree come tile by
/// tile. A tile has the points of all clouds in its octant.
struct MeshTiles {
    static constexpr double longest_side = 16;
    double side, inverse_side; ///< of an octant, in cells
    int extent;                ///< points along an axis

    explicit MeshTiles(int cells) : side(cells)
    {
        while (side > longest_side)
            side /= 2;
        inverse_side = 1 / side;
        extent = int(std::ceil(side)) + (side == std::floor(side) ? 3 : 4);
    }
    CHAMOMILE_HD int points() const { return extent * extent * extent; }
    CHAMOMILE_HD TileNumber of(const Vec3<double>& u) const
    {
        return {int(u.x * inverse_side), int(u.y * inverse_side), int(u.z * inverse_side)};
    }
    /// Returns the first point of a tile along an axis, which may be -1.
    CHAMOMILE_HD int first(int number) const { return int(number * side) - 1; }
};

/// A block of share_masses() takes `sources_of_block` sources in passes of `sources_of_pass`, with
/// `threads_per_source` threads for each, one for each z of its cloud.
constexpr int assignment_block = 512, threads_per_source = 4,
              sources_of_pass = assignment_block / threads_per_source, sources_of_block = 4096;
/// Opening a tile takes about as long as adding this number of sources to the mesh directly.
constexpr int worth_a_tile = sources_of_pass / 2;

/// A tile of the mesh of integers in shared memory. A sum has two words, since an atomic addition
/// of 64 bits is a loop there. All threads of a block call each function except has() and add().
class SharedTile {
public:
    __device__ SharedTile(const MeshTiles& tiles, unsigned* words)
        : tiles_(tiles), low_(words), high_(words + tiles.points())
    {
        for (int w = int(threadIdx.x); w < 2 * tiles.points(); w += assignment_block)
            words[w] = 0;
    }
    __device__ bool is_open() const { return is_open_; }
    __device__ bool is_open_at(const TileNumber& number) const
    {
        return is_open_ && number == number_;
    }
    __device__ void open(const TileNumber& number)
    {
        number_ = number;
        is_open_ = true;
    }
    /// Adds the sums to the mesh and clears them, a warp to a row.
    __device__ void close(unsigned long long* mesh, const MeshRows& rows)
    {
        if (!is_open_)
            return;
        __syncthreads();
        const auto wrapped = [&](int i) { return (i + rows.n) % rows.n; };
        const int extent = tiles_.extent;
        for (int row = int(threadIdx.x / 32); row < extent * extent; row += assignment_block / 32)
            for (int z = int(threadIdx.x % 32); z < extent; z += 32) {
                const int point = row * extent + z;
                const unsigned long long sum =
                    (unsigned long long)(high_[point]) << 32 | low_[point];
                if (sum == 0) // also in rows of other ranks
                    continue;
                low_[point] = high_[point] = 0;
                atomicAdd(mesh +
                              rows.at(wrapped(tiles_.first(number_.x) + row / extent),
                                      wrapped(tiles_.first(number_.y) + row % extent)) +
                              wrapped(tiles_.first(number_.z) + z),
                          sum);
            }
        __syncthreads();
        is_open_ = false;
    }

    /// True if the tile is open and has `width` points in x and y from (x, y, z) on.
    __device__ bool has(int x, int y, int z, int width) const
    {
        const auto is_inside = [&](int from, int end) { return from >= 0 && end <= tiles_.extent; };
        const int i = x - tiles_.first(number_.x), j = y - tiles_.first(number_.y),
                  k = z - tiles_.first(number_.z);
        return is_open_ && is_inside(i, i + width) && is_inside(j, j + width) &&
               is_inside(k, k + 1);
    }
    __device__ void add(int x, int y, int z, long long value)
    {
        const int i = x - tiles_.first(number_.x), j = y - tiles_.first(number_.y),
                  point = (i * tiles_.extent + j) * tiles_.extent + z - tiles_.first(number_.z);
        const auto word = unsigned(value);
        const bool carries = atomicAdd(low_ + point, word) > ~word;
        if (const unsigned rest = unsigned(value >> 32) + carries)
            atomicAdd(high_ + point, rest);
    }

private:
    MeshTiles tiles_;
    unsigned *low_, *high_;
    TileNumber number_{};
    bool is_open_ = false;
};

/// Adds masses to the mesh as integers. Sources of one tile that follow each other are summed in
/// the tile first.
template <int points>
__global__ void __launch_bounds__(assignment_block)
    share_masses(const Source* sources, std::size_t n, MeshFrame frame, MeshTiles tiles,
                 MeshRows rows, const MassScale* scale, unsigned long long* mesh)
{
    extern __shared__ unsigned tile_words[];
    __shared__ TileNumber first_tile;
    __shared__ int in_first_tile;
    SharedTile tile(tiles, tile_words);
    const int own = int(threadIdx.x) / threads_per_source,
              c = int(threadIdx.x) % threads_per_source;
    const auto wrapped = [&](int p) { return p < 0 ? p + rows.n : p >= rows.n ? p - rows.n : p; };
    const double to_integers = scale->to_integers;
    const std::size_t end = min(n, (std::size_t(blockIdx.x) + 1) * sources_of_block);
    for (std::size_t begin = std::size_t(blockIdx.x) * sources_of_block; begin < end;) {
        const int count = int(min(std::size_t(sources_of_pass), end - begin));
        const Source source = own < count ? sources[begin + std::size_t(own)] : Source{};
        const Vec3<double> u{frame.in_cells(source.position.x), frame.in_cells(source.position.y),
                             frame.in_cells(source.position.z)};
        __syncthreads(); // before the shared values of the last pass change
        if (threadIdx.x == 0) {
            first_tile = tiles.of(u);
            in_first_tile = count;
        }
        __syncthreads();
        const TileNumber number = first_tile;
        if (own < count && !(tiles.of(u) == number))
            atomicMin(&in_first_tile, own);
        if (!tile.is_open_at(number))
            tile.close(mesh, rows);
        __syncthreads();
        const int together = in_first_tile;
        if (together >= worth_a_tile)
            tile.open(number);
        const int taken = tile.is_open() ? together : count;
        begin += std::size_t(taken);
        if (own >= taken || c >= points)
            continue;
        const auto x = cloud_at<points>(u.x), y = cloud_at<points>(u.y), z = cloud_at<points>(u.z);
        double weight = source.mass * to_integers;
#pragma unroll
        for (int p = 0; p < points; ++p) // not z.weight[c]: registers have no index
            if (p == c)
                weight *= z.weight[p];
        const bool in_tile = tile.has(x.first, y.first, z.first + c, points);
        unsigned long long* const in_plane = mesh + wrapped(z.first + c);
#pragma unroll
        for (int a = 0; a < points; ++a)
#pragma unroll
            for (int b = 0; b < points; ++b) {
                const long long value = __double2ll_rn(weight * x.weight[a] * y.weight[b]);
                if (in_tile)
                    tile.add(x.first + a, y.first + b, z.first + c, value);
                else
                    atomicAdd(in_plane + rows.at(wrapped(x.first + a), wrapped(y.first + b)),
                              (unsigned long long)(value));
            }
    }
    tile.close(mesh, rows);
}

} // namespace chamomile
