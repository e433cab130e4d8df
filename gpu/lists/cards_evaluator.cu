// Several cards share the lists of one tree: the first builds it, with the help of the others,
// which get copies and sum batches of their own. Each brings the sums of a part of the targets to
// the host. A target's sum depends on its list alone, so that cards of one kind give the bits of
// one.
//
// Bytes from card to card: the tree (gpu/tree/other_cards.cu), and 32 of each target to the card
// that has its part. Contraction: none.
#include <algorithm>
#include <atomic>
#include <vector>

#include "chamomile/force/gpu.hpp"
#include "chamomile/gpu/lists/card_evaluator.cuh"
#include "chamomile/gpu/lists/copied_tree.cuh"
#include "chamomile/gpu/tree/other_cards.cuh"

namespace chamomile {
namespace {

constexpr std::size_t sources_per_target = 4; // at most

/// Takes the sums that another card has made; it has set all bits of the others.
__global__ void take_sums(const TargetSum* from, std::size_t n, TargetSum* to)
{
    const std::size_t t = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (t < n && __double_as_longlong(from[t].acceleration.x) != -1)
        to[t] = from[t];
}

class CardsEvaluator final : public Evaluator {
public:
    /// The first of the cards has the builder's tree, and the others copies.
    CardsEvaluator(std::vector<std::unique_ptr<CardEvaluator>> cards,
                   std::shared_ptr<OtherCards> others)
        : cards_(std::move(cards)), others_(std::move(others)), arrived_(cards_.size())
    {
        for (const auto& card : cards_)
            if (card->device() != first().device())
                throw Error(Fault::usage, "device: cards that share a tree: " + first().device() +
                                              " and " + card->device() + ": must be of one kind");
        check(cudaSetDevice(first().tree().device), "choose the device");
    }

    ~CardsEvaluator() override
    {
        for (const auto& card : cards_)
            synchronize_device(card->tree().device);
    }

    void begin(const EvaluationInput& input) override
    {
        target_count_ = input.groups->target_count;
        used_ = !input.separate.octree && OtherCards::share(target_count_) &&
                        target_count_ * sources_per_target >= input.octree->size
                    ? cards_.size()
                    : 1;
        next_ = 0;
        // Sums of all particles for the host come from all cards.
        have_parts_ = input.groups->targets.empty() && !input.mesh &&
                      !input.output.acceleration.on_device && !input.output.potential.on_device;
        first().share_lists(used_ > 1);
        first().begin(input);
        if (used_ == 1)
            return;
        check(cudaSetDevice(first().tree().device), "choose the device");
        others_->copy_rest(*input.octree, input.order,
                           input.groups->targets.empty() ? 0 : target_count_);
        EvaluationInput part = input; // without what the first card does alone
        part.output = {};
        part.mesh = nullptr;
        for (std::size_t c = 1; c < used_; ++c) {
            cards_[c]->share_lists(true);
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
        if (used_ == 1 || target_count_ == 0)
            return first().finish();
        std::vector<TargetSum*> sums;
        for (std::size_t c = 0; c < used_; ++c)
            sums.push_back(cards_[c]->wait_for_sums());
        if (!have_parts_) {
            take_from_others(0, sums, 0, target_count_);
            return first().finish();
        }
        std::vector<SumStorage::Part> parts;
        for (std::size_t c = 0; c < used_; ++c) {
            const std::size_t begin = begin_of(c), count = begin_of(c + 1) - begin;
            take_from_others(c, sums, begin, count);
            parts.push_back({cards_[c]->storage(), sums[c], begin, count});
        }
        return first().store(parts);
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

    /// Returns where the part of the targets begins whose sums a card brings to the host.
    std::size_t begin_of(std::size_t card) const
    {
        constexpr std::size_t line = 64; // whole lines of any numbers
        return card == used_ ? target_count_ : target_count_ * card / used_ / line * line;
    }

    /// Has a card take the sums of a part of the targets that others have made, which are there.
    void take_from_others(std::size_t card, const std::vector<TargetSum*>& sums, std::size_t begin,
                          std::size_t count)
    {
        DeviceTree& tree = cards_[card]->tree();
        check(cudaSetDevice(tree.device), "choose the device");
        for (std::size_t other = 0; other < used_; ++other) {
            if (other == card)
                continue;
            TargetSum* const arrived = arrived_[card].reserve(count);
            check(cudaMemcpyPeerAsync(arrived, tree.device, sums[other] + begin,
                                      cards_[other]->tree().device, count * sizeof(TargetSum),
                                      tree.stream),
                  "copy from another device");
            take_sums<<<unsigned((count + 255) / 256), 256, 0, tree.stream>>>(arrived, count,
                                                                              sums[card] + begin);
            check(cudaGetLastError(), "take another card's sums");
        }
    }

    std::vector<std::unique_ptr<CardEvaluator>> cards_;
    std::shared_ptr<OtherCards> others_;
    std::size_t used_ = 1;    // of the cards, in this evaluation
    bool have_parts_ = false; // of the sums, for the host
    std::size_t target_count_ = 0;
    std::atomic<std::size_t> next_{0};
    std::vector<DeviceBuffer<TargetSum>> arrived_; // of each card, from others
};

} // namespace

SolverParts make_cuda_parts(const std::vector<int>& devices, Precision precision,
                            bool separate_targets, TreeBuiltBy built_by)
{
    check(cudaSetDevice(devices[0]), "choose the device");
    auto tree = std::make_shared<DeviceTree>(devices[0]);
    auto memory = std::make_shared<PinnedMemory>();
    auto target_tree = separate_targets ? std::make_shared<DeviceTree>(devices[0]) : nullptr;
    auto pool = std::make_shared<ListPool>();
    std::vector<std::shared_ptr<DeviceTree>> copies;
    std::vector<std::unique_ptr<CardEvaluator>> cards;
    cards.push_back(make_card_evaluator(tree, target_tree, precision, TreeFrom::builder, pool));
    for (std::size_t c = 1; c < devices.size(); ++c) {
        check(cudaSetDevice(devices[c]), "choose the device");
        copies.push_back(std::make_shared<DeviceTree>(devices[c]));
        cards.push_back(
            make_card_evaluator(copies.back(), nullptr, precision, TreeFrom::other_card, pool));
    }
    auto others = copies.empty() ? nullptr : std::make_shared<OtherCards>(tree, copies);
    check(cudaSetDevice(devices[0]), "choose the device");
    const auto make_builder = [&](const auto& of, const auto& helpers) {
        return built_by == TreeBuiltBy::host ? make_copied_tree_builder(of, helpers)
                                             : make_cuda_tree_builder(of, memory, helpers);
    };
    SolverParts parts{make_builder(tree, others), nullptr,
                      target_tree ? make_builder(target_tree, nullptr) : nullptr};
    if (cards.size() == 1)
        parts.evaluator = std::move(cards[0]);
    else
        parts.evaluator = std::make_unique<CardsEvaluator>(std::move(cards), std::move(others));
    return parts;
}

std::unique_ptr<Evaluator> make_cuda_evaluator(int device, Precision precision)
{
    check(cudaSetDevice(device), "choose the device");
    return make_card_evaluator(std::make_shared<DeviceTree>(device), nullptr, precision,
                               TreeFrom::host, std::make_shared<ListPool>());
}

} // namespace chamomile
