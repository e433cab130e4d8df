/// \file  The other cards that share the work of a tree: they help to build it and get copies.
#pragma once

#include <memory>
#include <vector>

#include "chamomile/gpu/tree/card_keys.cuh"
#include "chamomile/gpu/tree/device_tree.cuh"

namespace chamomile {

/// OtherCards bring a part of the particles to the first card, each by its own link to the host,
/// and sort it on the way. They copy what is made of the tree while the first card builds on; the
/// lists that they sum refer to these copies. The first card is the current one between calls.
class OtherCards {
public:
    /// Lets the cards reach each other's memory without the host, where the machine can.
    OtherCards(std::shared_ptr<DeviceTree> first, std::vector<std::shared_ptr<DeviceTree>> others);
    ~OtherCards();
    OtherCards(const OtherCards&) = delete;
    OtherCards& operator=(const OtherCards&) = delete;

    /// Says that the first card's tree changes: what has been copied is of no use.
    void start();

    /// Tells whether trees of so many particles are worth being shared while they are built. Two
    /// H100 took 0.87 and 1.00 of the speed of one at 10^6, and 1.12 and 1.19 at 4e6.
    static bool share(std::size_t particles) { return particles >= 1500000; }
    /// Tells whether the others bring, or take, and sort a part of so many particles.
    bool bring(std::size_t particles) const { return share(particles) && reach_each_other_; }

    /// Uploads to the first card's positions, all of which are there in the order of its stream.
    /// Returns how many it has not got from others; these start to look for the box of theirs.
    std::size_t upload_positions(const Vec3<double>* from, std::size_t n);
    /// Does so for positions that the first card has already.
    std::size_t take_positions(std::size_t n);
    /// Uploads to another array of that card, in the order of this stream.
    void upload_numbers(DeviceBuffer<double>& to, const double* from, std::size_t n,
                        cudaStream_t stream);
    /// Adds the box of the positions that others have, as CardKeys does.
    bool add_extent(Box& box);
    /// Starts to make the first card's sorted keys and their order; `own` and scratch are its.
    void start_sort(CardKeys& own, CachingAllocator& scratch, const RootCube& cube);

    /// Starts to copy the sorted particles.
    void copy_particles();
    /// Starts to copy the cells, with moments of that order and nodes.
    void copy_cells(const Octree& octree, int order);
    /// Starts to copy what has not been copied yet of the tree, and so many targets.
    void copy_rest(const Octree& octree, int order, std::size_t targets);

private:
    static constexpr int most_parts = 8;

    /// A Helper is another card.
    struct Helper {
        explicit Helper(std::shared_ptr<DeviceTree> its_tree);

        std::shared_ptr<DeviceTree> tree;
        CachingAllocator scratch;
        CardKeys sorter;
        Stream up;
        Event passed_on, copied;
        Event has_part[most_parts];           ///< it has copied so many parts of an array
        DeviceBuffer<Vec3<double>> positions; // those that it brings
        DeviceBuffer<double> numbers;
        DeviceBuffer<Key> keys;
        DeviceBuffer<Index> order;
    };

    void choose_first() const;
    std::size_t start_extents(std::size_t n);
    std::size_t begin_of(std::size_t card, std::size_t n) const;
    template <class T>
    void pass_on(Helper& helper, const T* from, std::size_t n, T* to);
    template <class T>
    void upload(DeviceBuffer<T>& to, DeviceBuffer<T> Helper::*piece, const T* from, std::size_t n,
                cudaStream_t stream);
    template <class T>
    void copy_in_parts(std::size_t card, DeviceBuffer<T> DeviceTree::*buffer, std::size_t n);
    template <class Copy>
    void copy_to_all(const Copy& copy);

    std::shared_ptr<DeviceTree> first_;
    std::vector<std::unique_ptr<Helper>> helpers_;
    bool reach_each_other_ = true;
    bool have_particles_ = false, have_cells_ = false;
    std::unique_ptr<Event> is_there_; // on the first card
};

} // namespace chamomile
