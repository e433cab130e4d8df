// Contraction: none. From card to card go the particles that others bring (40 bytes each, 12 of
// them sorted keys and places) and of the tree 36 bytes a particle and some 160 a cell.
#include <thrust/execution_policy.h>
#include <thrust/merge.h>

#include "chamomile/gpu/tree/other_cards.cuh"

namespace chamomile {
namespace {

/// Lets a card reach the memory of another without the host. Returns false where the machine
/// cannot.
bool enable_peer(int from, int to)
{
    int can = 0;
    check(cudaSetDevice(from), "choose the device");
    check(cudaDeviceCanAccessPeer(&can, from, to), "ask for access to another device");
    if (!can)
        return false;
    const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled)
        cudaGetLastError();
    else
        check(status, "allow access to another device");
    return true;
}

/// Arrays of more bytes are copied in parts.
constexpr std::size_t worth_parts = 16 << 20;

/// SortedKeys are runs of sorted keys with the places of their positions.
struct SortedKeys {
    Key* keys;
    Index* order;

    SortedKeys from(std::size_t begin) const { return {keys + begin, order + begin}; }
};

/// ScratchKeys is scratch memory for such runs, of the stream that uses it next.
class ScratchKeys {
public:
    ScratchKeys(CachingAllocator& scratch, std::size_t n)
        : scratch_(scratch), keys_(scratch.allocate(std::ptrdiff_t(n * sizeof(Key)))),
          order_(scratch.allocate(std::ptrdiff_t(n * sizeof(Index))))
    {}
    ScratchKeys(const ScratchKeys&) = delete;
    ~ScratchKeys()
    {
        scratch_.deallocate(keys_, 0);
        scratch_.deallocate(order_, 0);
    }
    operator SortedKeys() const
    {
        return {reinterpret_cast<Key*>(keys_), reinterpret_cast<Index*>(order_)};
    }

private:
    CachingAllocator& scratch_;
    char *keys_, *order_;
};

} // namespace

OtherCards::Helper::Helper(std::shared_ptr<DeviceTree> its_tree)
    : tree(std::move(its_tree)), sorter(scratch)
{}

OtherCards::OtherCards(std::shared_ptr<DeviceTree> first,
                       std::vector<std::shared_ptr<DeviceTree>> others)
    : first_(std::move(first))
{
    for (auto& tree : others) {
        reach_each_other_ = enable_peer(first_->device, tree->device) && reach_each_other_;
        for (const auto& other : others)
            if (other != tree)
                enable_peer(tree->device, other->device);
        reach_each_other_ = enable_peer(tree->device, first_->device) && reach_each_other_;
        helpers_.push_back(std::make_unique<Helper>(tree)); // on its own card
    }
    choose_first();
    is_there_ = std::make_unique<Event>();
}

OtherCards::~OtherCards()
{
    for (const auto& helper : helpers_)
        synchronize_device(helper->tree->device);
}

void OtherCards::choose_first() const
{
    check(cudaSetDevice(first_->device), "choose the device");
}

/// Returns where the part of a card begins.
std::size_t OtherCards::begin_of(std::size_t card, std::size_t n) const
{
    return n * card / (helpers_.size() + 1);
}

void OtherCards::start()
{
    have_particles_ = have_cells_ = false;
    for (const auto& helper : helpers_) // which may still copy what nobody has asked for
        check(cudaStreamWaitEvent(first_->stream, helper->copied), "order the streams");
}

/// Copies to the first card's memory, in the order of the helper's stream.
template <class T>
void OtherCards::pass_on(Helper& helper, const T* from, std::size_t n, T* to)
{
    check(cudaMemcpyPeerAsync(to, first_->device, from, helper.tree->device, n * sizeof(T),
                              helper.up),
          "copy to another device");
    helper.passed_on.record(helper.up);
}

template <class T>
void OtherCards::upload(DeviceBuffer<T>& to, DeviceBuffer<T> Helper::*piece, const T* from,
                        std::size_t n, cudaStream_t stream)
{
    T* const all = to.reserve(n);
    is_there_->record(stream);
    std::vector<CardPiece<T>> pieces{{all, 0, begin_of(1, n), first_->device, stream}};
    for (std::size_t c = 1; c <= helpers_.size(); ++c) {
        Helper& helper = *helpers_[c - 1];
        const std::size_t begin = begin_of(c, n), count = begin_of(c + 1, n) - begin;
        check(cudaSetDevice(helper.tree->device), "choose the device");
        check(cudaStreamWaitEvent(helper.up, *is_there_), "order the streams");
        pieces.push_back(
            {(helper.*piece).reserve(count), begin, count, helper.tree->device, helper.up});
    }
    first_->staging.upload(std::span<const CardPiece<T>>(pieces), from);
    for (std::size_t c = 1; c <= helpers_.size(); ++c) {
        const CardPiece<T>& part = pieces[c];
        check(cudaSetDevice(part.device), "choose the device");
        pass_on(*helpers_[c - 1], part.data, part.count, all + part.begin);
        check(cudaStreamWaitEvent(stream, helpers_[c - 1]->passed_on), "order the streams");
    }
    choose_first();
}

std::size_t OtherCards::upload_positions(const Vec3<double>* from, std::size_t n)
{
    upload(first_->positions, &Helper::positions, from, n, first_->stream);
    return start_extents(n);
}

std::size_t OtherCards::take_positions(std::size_t n)
{
    is_there_->record(first_->stream);
    for (std::size_t c = 1; c <= helpers_.size(); ++c) {
        Helper& helper = *helpers_[c - 1];
        const std::size_t begin = begin_of(c, n), count = begin_of(c + 1, n) - begin;
        check(cudaSetDevice(helper.tree->device), "choose the device");
        check(cudaStreamWaitEvent(helper.up, *is_there_), "order the streams");
        check(cudaMemcpyPeerAsync(helper.positions.reserve(count), helper.tree->device,
                                  first_->positions.data() + begin, first_->device,
                                  count * sizeof(Vec3<double>), helper.up),
              "copy from another device");
    }
    return start_extents(n);
}

/// Has the others look for the boxes of their positions. Returns where these begin.
std::size_t OtherCards::start_extents(std::size_t n)
{
    for (std::size_t c = 1; c <= helpers_.size(); ++c) {
        Helper& helper = *helpers_[c - 1];
        check(cudaSetDevice(helper.tree->device), "choose the device");
        helper.sorter.start_extent(helper.positions.data(), begin_of(c + 1, n) - begin_of(c, n),
                                   helper.up);
    }
    choose_first();
    return begin_of(1, n);
}

void OtherCards::upload_numbers(DeviceBuffer<double>& to, const double* from, std::size_t n,
                                cudaStream_t stream)
{
    upload(to, &Helper::numbers, from, n, stream);
}

bool OtherCards::add_extent(Box& box)
{
    bool are_finite = true;
    for (const auto& helper : helpers_)
        are_finite = helper->sorter.add_extent(box) && are_finite;
    return are_finite;
}

void OtherCards::start_sort(CardKeys& own, CachingAllocator& scratch, const RootCube& cube)
{
    DeviceTree& t = *first_;
    const std::size_t n = t.particles;
    const SortedKeys sorted{t.keys.reserve(n), t.order.reserve(n)};
    const ScratchKeys memory(scratch, n);
    const SortedKeys runs = memory; // one of each card
    is_there_->record(t.stream);
    for (std::size_t c = 1; c <= helpers_.size(); ++c) {
        Helper& helper = *helpers_[c - 1];
        const std::size_t begin = begin_of(c, n), count = begin_of(c + 1, n) - begin;
        check(cudaSetDevice(helper.tree->device), "choose the device");
        helper.sorter.start_sort(helper.positions.data(), count, Index(begin), cube,
                                 helper.keys.reserve(count), helper.order.reserve(count),
                                 helper.up);
        check(cudaStreamWaitEvent(helper.up, *is_there_), "order the streams");
        pass_on(helper, helper.keys.data(), count, runs.keys + begin);
        pass_on(helper, helper.order.data(), count, runs.order + begin);
    }
    choose_first();
    own.start_sort(t.positions.data(), begin_of(1, n), 0, cube, runs.keys, runs.order, t.stream);
    std::optional<ScratchKeys> spare;
    if (helpers_.size() > 1)
        spare.emplace(scratch, n);
    SortedKeys merged = runs;
    for (std::size_t c = 1; c <= helpers_.size(); ++c) {
        const std::size_t begin = begin_of(c, n), end = begin_of(c + 1, n);
        const SortedKeys next = runs.from(begin);
        const SortedKeys to = (helpers_.size() - c) % 2 == 0 ? sorted : SortedKeys(*spare);
        check(cudaStreamWaitEvent(t.stream, helpers_[c - 1]->passed_on), "order the streams");
        call_thrust("launch the merge of keys", [&] { // of equal ones the first come first
            thrust::merge_by_key(thrust::cuda::par_nosync(scratch).on(t.stream), merged.keys,
                                 merged.keys + begin, next.keys, next.keys + (end - begin),
                                 merged.order, next.order, to.keys, to.order);
        });
        merged = to;
    }
}

/// Has a helper copy an array from the card before it, part by part as that has copied it: the
/// cards are a chain, so that the first one sends the array once.
template <class T>
void OtherCards::copy_in_parts(std::size_t card, DeviceBuffer<T> DeviceTree::*buffer, std::size_t n)
{
    Helper& helper = *helpers_[card];
    Helper* const before = card > 0 ? helpers_[card - 1].get() : nullptr;
    DeviceTree &from = before ? *before->tree : *first_, &to = *helper.tree;
    const bool is_chain = helpers_.size() > 1 && n * sizeof(T) > worth_parts;
    const std::size_t parts = is_chain ? most_parts : 1;
    check(cudaSetDevice(to.device), "choose the device");
    T* const data = ((*helper.tree).*buffer).reserve(n);
    for (std::size_t k = 0; n > 0 && k < parts; ++k) {
        const std::size_t begin = n * k / parts, end = n * (k + 1) / parts;
        if (before)
            check(cudaStreamWaitEvent(to.stream, before->has_part[k]), "order the streams");
        check(cudaMemcpyPeerAsync(data + begin, to.device, (from.*buffer).data() + begin,
                                  from.device, (end - begin) * sizeof(T), to.stream),
              "copy from another device");
        helper.has_part[k].record(to.stream);
    }
}

/// Has each helper copy in the order of its tree's stream, after what the first card makes now.
template <class Copy>
void OtherCards::copy_to_all(const Copy& copy)
{
    is_there_->record(first_->stream);
    for (const auto& helper : helpers_) {
        check(cudaSetDevice(helper->tree->device), "choose the device");
        check(cudaStreamWaitEvent(helper->tree->stream, *is_there_), "order the streams");
    }
    copy([&](auto DeviceTree::*buffer, std::size_t n) {
        for (std::size_t card = 0; card < helpers_.size(); ++card)
            copy_in_parts(card, buffer, n);
    });
    for (const auto& helper : helpers_) {
        check(cudaSetDevice(helper->tree->device), "choose the device");
        helper->copied.record(helper->tree->stream);
    }
    choose_first();
}

void OtherCards::copy_particles()
{
    const std::size_t n = first_->particles;
    for (const auto& helper : helpers_) {
        helper->tree->particles = n;
        helper->tree->has_softenings = first_->has_softenings;
    }
    copy_to_all([&](const auto& take) {
        take(&DeviceTree::order, n);
        take(&DeviceTree::sources, n);
        take(&DeviceTree::softening, first_->has_softenings ? n : 0);
    });
    have_particles_ = true;
}

void OtherCards::copy_cells(const Octree& octree, int order)
{
    const std::size_t cells = octree.cells.size();
    copy_to_all([&](const auto& take) {
        take(&DeviceTree::cells, cells);
        take(&DeviceTree::multipoles, cells);
        take(&DeviceTree::higher, order > 2 ? cells : 0);
        take(&DeviceTree::nodes, 1 + octree.divided);
        take(&DeviceTree::cell_softening, first_->has_softenings ? cells : 0);
    });
    have_cells_ = true;
}

void OtherCards::copy_rest(const Octree& octree, int order, std::size_t targets)
{
    if (!have_particles_)
        copy_particles();
    if (!have_cells_)
        copy_cells(octree, order);
    copy_to_all([&](const auto& take) { take(&DeviceTree::targets, targets); });
    for (const auto& helper : helpers_)
        helper->tree->has_targets = true;
}

} // namespace chamomile
