// Several cards share the lists of one tree: the first builds it, the others get a copy and sum
// batches of their own, and the first takes their sums, so that all else is as with one card.
// A target's sum depends on its list alone, so that cards of one kind give the bits of one card.
//
// Bytes from card to card: the tree, 36 a particle and some 160 a cell, and 32 a target back.
// Contraction: none.
#include <algorithm>
#include <atomic>
#include <vector>

#include "chamomile/force/gpu.hpp"
#include "chamomile/gpu/lists/card_evaluator.cuh"

namespace chamomile {
namespace {

/// Fewer targets are summed by the first card alone: two H100 took 0.87 and 1.00 of its speed at
/// 10^6, and 1.12 and 1.19 at 4e6.
constexpr std::size_t least_shared = 1500000;
constexpr std::size_t sources_per_target = 4; // at most

/// Takes the sums that another card has made; it has set all bits of the others.
__global__ void take_sums(const TargetSum* from, std::size_t n, TargetSum* to)
{
    const std::size_t t = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (t < n && __double_as_longlong(from[t].acceleration.x) != -1)
        to[t] = from[t];
}

/// Lets a card reach the memory of another without the host, where the machine can.
void enable_peer(int from, int to)
{
    int can = 0;
    check(cudaSetDevice(from), "choose the device");
    check(cudaDeviceCanAccessPeer(&can, from, to), "ask for access to another device");
    if (!can)
        return;
    const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled)
        cudaGetLastError();
    else
        check(status, "allow access to another device");
}

class CardsEvaluator final : public Evaluator {
public:
    /// The first of the cards has the builder's tree, and the others copies.
    explicit CardsEvaluator(std::vector<std::unique_ptr<CardEvaluator>> cards)
        : cards_(std::move(cards))
    {
        for (const auto& card : cards_) {
            if (card->device() != first().device())
                throw Error(Fault::usage, "device: cards that share a tree: " + first().device() +
                                              " and " + card->device() + ": must be of one kind");
            for (const auto& other : cards_)
                if (other != card)
                    enable_peer(card->tree().device, other->tree().device);
        }
        check(cudaSetDevice(first().tree().device), "choose the device");
        is_there_ = std::make_unique<Event>();
    }

    ~CardsEvaluator() override
    {
        for (const auto& card : cards_)
            synchronize_device(card->tree().device);
    }

    void begin(const EvaluationInput& input) override
    {
        first().begin(input);
        target_count_ = input.groups->target_count;
        used_ = !input.separate.octree && target_count_ >= least_shared &&
                        target_count_ * sources_per_target >= input.octree->size
                    ? cards_.size()
                    : 1;
        next_ = 0;
        check(cudaSetDevice(first().tree().device), "choose the device");
        is_there_->record(first().tree().stream);
        EvaluationInput part = input; // without what the first card does alone
        part.output = {};
        part.mesh = nullptr;
        for (std::size_t c = 1; c < used_; ++c) {
            copy_tree(cards_[c]->tree(), input);
            cards_[c]->begin(part);
        }
    }

    std::unique_ptr<InteractionLists> new_lists() override { return cards_[0]->new_lists(); }
    std::size_t batch_size() const override { return cards_[0]->batch_size(); }

    bool finishes_lists() const override
    {
        return std::all_of(cards_.begin(), cards_.begin() + std::ptrdiff_t(used_),
                           [](const auto& card) { return card->finishes_lists(); });
    }

    void submit(std::unique_ptr<InteractionLists> lists) override
    {
        cards_[next_++ % used_]->submit(std::move(lists));
    }

    bool needs_repetition() override
    {
        bool needs = false;
        for (std::size_t c = 0; c < used_; ++c)
            needs = cards_[c]->needs_repetition() || needs;
        return needs;
    }

    std::size_t finish() override
    {
        TargetSum* const sums = first().wait_for_sums();
        DeviceTree& tree = first().tree();
        for (std::size_t c = 1; c < used_ && target_count_ > 0; ++c) {
            const TargetSum* const from = cards_[c]->wait_for_sums();
            check(cudaSetDevice(tree.device), "choose the device");
            copy(arrived_, from, target_count_, cards_[c]->tree().device, tree);
            take_sums<<<unsigned((target_count_ + 255) / 256), 256, 0, tree.stream>>>(
                arrived_.data(), target_count_, sums);
            check(cudaGetLastError(), "take another card's sums");
        }
        return first().finish();
    }

    std::string device() const override
    {
        return std::to_string(cards_.size()) + " cards, " + cards_[0]->device();
    }

    std::unique_ptr<LongRange> make_mesh(Periodicity box, const MeshOptions& options) override
    {
        return first().make_mesh(box, options);
    }

    void add_statistics(ForceStatistics& statistics) const override
    {
        for (std::size_t c = 0; c < used_; ++c) {
            ForceStatistics one;
            cards_[c]->add_statistics(one);
            if (one.device_span < statistics.device_span) { // those of the card that takes longest
                one.device_busy = statistics.device_busy;
                one.device_span = statistics.device_span;
                one.device_wait = statistics.device_wait;
            }
            statistics.device_busy = statistics.device_span = statistics.device_wait = 0;
            add(statistics, one);
        }
    }

private:
    CardEvaluator& first() const { return *cards_[0]; }

    /// Copies an array of another card in the order of the tree's stream.
    template <class T>
    static void copy(DeviceBuffer<T>& to, const T* from, std::size_t n, int from_device,
                     DeviceTree& tree)
    {
        T* const data = to.reserve(n);
        if (n > 0)
            check(cudaMemcpyPeerAsync(data, tree.device, from, from_device, n * sizeof(T),
                                      tree.stream),
                  "copy from another device");
    }

    /// Gives another card what its kernels read of the first card's tree.
    void copy_tree(DeviceTree& to, const EvaluationInput& input)
    {
        DeviceTree& from = first().tree();
        check(cudaSetDevice(to.device), "choose the device");
        check(cudaStreamWaitEvent(to.stream, *is_there_), "order the streams");
        const auto take = [&](auto DeviceTree::*buffer, std::size_t n) {
            copy(to.*buffer, (from.*buffer).data(), n, from.device, to);
        };
        const std::size_t n = input.octree->size, cells = input.octree->cells.size();
        to.particles = from.particles;
        take(&DeviceTree::order, n);
        take(&DeviceTree::sources, n);
        take(&DeviceTree::targets, input.groups->targets.empty() ? 0 : target_count_);
        to.has_targets = true;
        take(&DeviceTree::cells, cells);
        take(&DeviceTree::multipoles, cells);
        take(&DeviceTree::higher, input.order > 2 ? cells : 0);
        take(&DeviceTree::nodes, 1 + input.octree->divided);
        to.has_softenings = from.has_softenings;
        take(&DeviceTree::softening, from.has_softenings ? n : 0);
        take(&DeviceTree::cell_softening, from.has_softenings ? cells : 0);
    }

    std::vector<std::unique_ptr<CardEvaluator>> cards_;
    std::size_t used_ = 1; // of the cards, in this evaluation
    std::size_t target_count_ = 0;
    std::atomic<std::size_t> next_{0};
    std::unique_ptr<Event> is_there_; // the tree, on the first card
    DeviceBuffer<TargetSum> arrived_;
};

} // namespace

SolverParts make_cuda_parts(const std::vector<int>& devices, Precision precision,
                            bool separate_targets)
{
    check(cudaSetDevice(devices[0]), "choose the device");
    auto tree = std::make_shared<DeviceTree>(devices[0]);
    auto memory = std::make_shared<PinnedMemory>();
    auto target_tree = separate_targets ? std::make_shared<DeviceTree>(devices[0]) : nullptr;
    auto pool = std::make_shared<ListPool>();
    std::vector<std::unique_ptr<CardEvaluator>> cards;
    cards.push_back(make_card_evaluator(tree, target_tree, precision, TreeFrom::builder, pool));
    for (std::size_t c = 1; c < devices.size(); ++c) {
        check(cudaSetDevice(devices[c]), "choose the device");
        cards.push_back(make_card_evaluator(std::make_shared<DeviceTree>(devices[c]), nullptr,
                                            precision, TreeFrom::other_card, pool));
    }
    check(cudaSetDevice(devices[0]), "choose the device");
    SolverParts parts{make_cuda_tree_builder(tree, memory), nullptr,
                      target_tree ? make_cuda_tree_builder(target_tree, memory) : nullptr};
    if (cards.size() == 1)
        parts.evaluator = std::move(cards[0]);
    else
        parts.evaluator = std::make_unique<CardsEvaluator>(std::move(cards));
    return parts;
}

std::unique_ptr<Evaluator> make_cuda_evaluator(int device, Precision precision)
{
    check(cudaSetDevice(device), "choose the device");
    return make_card_evaluator(std::make_shared<DeviceTree>(device), nullptr, precision,
                               TreeFrom::host, std::make_shared<ListPool>());
}

} // namespace chamomile
