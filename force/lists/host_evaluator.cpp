// The host evaluates each batch at once, in the thread that walked it, with the lists in cache.
#include <algorithm>

#include <omp.h>

#include "chamomile/core/interruption.hpp"
#include "chamomile/force/evaluator.hpp"
#include "chamomile/force/lists/kernels.hpp"
#include "chamomile/force/lists/list_buffers.hpp"

namespace chamomile {
namespace {

class HostEvaluator final : public Evaluator {
public:
    HostEvaluator(Precision precision, const std::string& instruction_set)
        : kernels_(find_kernels(instruction_set)), precision_(precision)
    {}

    void begin(const EvaluationInput& input) override
    {
        input_ = input;
        own_ = {};
        LawChoice law = LawChoice::of(input.softening, false);
        law.is_periodic = input.form;
        law.with_potential = input.quantities == Quantities::acceleration_potential;
        law.in_double = precision_ == Precision::double_precision;
        softens_cells_ = input.softening.softens_cells();
        kernel_ = kernels_.kernel(law);
        // A rank may have imported cells but no particle; then no length is read.
        static constexpr double unread = 0;
        const bool has_lengths = !input.octree->softening.empty();
        if (has_lengths || !input.moments->softening.empty()) {
            own_ = {has_lengths ? input.octree->softening.data() : &unread,
                    input.separate.octree ? input.separate.octree->softening.data() : nullptr,
                    input.moments->softening.data(), input.softening.rule_weight()};
            law.per_particle = true;
            law.kind = input.softening.kind; // targets may be softened where sources are not
            per_particle_kernel_ = kernels_.kernel(law);
        }
        expand_ = input.local_order == 0
                      ? nullptr
                      : kernels_.expand[law.in_double][input.local_order - lowest_local_order]
                                       [input.order <= 2 ? 0 : input.order - 2];
        threads_.resize(std::size_t(omp_get_max_threads()));
        for (Thread& thread : threads_) {
            thread.not_finite = 0;
            thread.self.clear();
        }
    }

    std::unique_ptr<InteractionLists> new_lists() override { return lists_.take(); }

    std::size_t batch_size() const override { return 1; }

    void submit(std::unique_ptr<InteractionLists> lists) override
    {
        Thread& thread = threads_[std::size_t(omp_get_thread_num())];
        thread.clusters.resize(lists->clusters.size());
        for (std::size_t c = 0; c < lists->clusters.size(); ++c)
            expand(*lists, lists->clusters[c], nullptr, thread.clusters[c]);
        Expansion own;
        for (const ListRow& row : lists->rows) {
            look_for_interruption(); // a direct sum has few rows, each with all sources
            ask_for_output(row);
            const Expansion* expansion = nullptr;
            if (row.cluster != no_cluster || row.far_begin < row.far_end) {
                expand(*lists, row,
                       row.cluster == no_cluster ? nullptr : &thread.clusters[row.cluster], own);
                expansion = &own;
            }
            const Octree* separate = input_.separate.octree;
            if (separate && input_.separate.self)
                find_self_pairs(row, thread.self);
            const GroupWork work{input_.octree->sources.data(),
                                 separate ? separate->sources.data() : nullptr,
                                 thread.self.data(),
                                 int(thread.self.size()),
                                 input_.moments->multipole.data(),
                                 input_.moments->higher.data(),
                                 input_.groups->targets.empty() ? nullptr
                                                                : input_.groups->targets.data(),
                                 lists->cells.data(),
                                 lists->ranges.data(),
                                 expansion,
                                 input_.local_order,
                                 row,
                                 1 / input_.scale.length,
                                 1 / input_.scale.mass,
                                 input_.softening.length / input_.scale.length,
                                 input_.order,
                                 input_.periodicity,
                                 input_.form,
                                 softens_apart(row) ? own_ : OwnSoftenings{}};
            thread.sums.resize(row.target_end - row.target_begin);
            (softens_apart(row) ? per_particle_kernel_ : kernel_)(work, thread.scratch,
                                                                  thread.sums.data());
            for (Index t = row.target_begin; t < row.target_end; ++t)
                thread.not_finite +=
                    !store_sum(input_.output, particle(t), thread.sums[t - row.target_begin]);
        }
        lists_.give_back(std::move(lists));
    }

    std::size_t finish() override
    {
        std::size_t not_finite = 0;
        for (const Thread& thread : threads_)
            not_finite += thread.not_finite;
        return not_finite;
    }

    std::string device() const override
    {
        return std::string("CPU, ") + kernels_.name + ", " + std::to_string(omp_get_max_threads()) +
               " threads";
    }

private:
    struct Thread {
        KernelScratch scratch;
        std::vector<Expansion> clusters; // in the batch
        std::vector<TargetSum> sums;     // in the group
        std::vector<SelfPair> self;      // for a group with separate targets
        std::size_t not_finite = 0;
    };

    /// Returns whether softening differs between pairs with the targets of a group or cluster. With
    /// the rule "larger" it does not if all targets have the max. Separate targets may exceed the
    /// max of the sources.
    template <class Row>
    bool softens_apart(const Row& row) const
    {
        const double largest = input_.softening.length * input_.softening.length;
        return own_.of_source &&
               (input_.separate.octree || input_.softening.rule != SofteningRule::larger ||
                row.softening.min != largest);
    }

    /// Returns the caller's index of a target.
    Index particle(Index target) const
    {
        const Octree& octree = input_.separate.octree ? *input_.separate.octree : *input_.octree;
        return octree.order[input_.groups->target(target)];
    }

    /// Finds the self pairs for separate targets, ascending by source.
    void find_self_pairs(const ListRow& row, std::vector<SelfPair>& pairs) const
    {
        pairs.clear();
        for (Index t = row.target_begin; t < row.target_end; ++t)
            if (const Index self = input_.separate.self[t]; self != no_source_here)
                pairs.push_back({self, int(t - row.target_begin)});
        std::sort(pairs.begin(), pairs.end(),
                  [](const SelfPair& a, const SelfPair& b) { return a.sorted < b.sorted; });
    }

    /// Prefetches output entries, which are scattered in memory, while sums are computed.
    void ask_for_output(const ListRow& row) const
    {
        for (Index t = row.target_begin; t < row.target_end; ++t) {
            const Index i = particle(t);
            __builtin_prefetch(input_.output.acceleration.at(i, 0), 1);
            __builtin_prefetch(input_.output.acceleration.at(i, 2), 1);
            if (input_.output.potential)
                __builtin_prefetch(input_.output.potential.at(i, 0), 1);
        }
    }

    /// Expands the far cells of a cluster or a group about its center.
    template <class Row>
    void expand(const InteractionLists& lists, const Row& row, const Expansion* wider,
                Expansion& expansion) const
    {
        expansion.center = row.center;
        expansion.targets = softens_cells_ ? row.softening : SofteningSpan{};
        expansion.unit = InternalScale::unit_of_radius(row.radius / input_.scale.length);
        expand_({input_.moments->multipole.data(), input_.moments->higher.data(),
                 lists.far_cells.data() + row.far_begin, row.far_end - row.far_begin,
                 1 / input_.scale.length, 1 / input_.scale.mass,
                 softens_cells_ ? input_.softening.length / input_.scale.length : 0, input_.order,
                 softens_cells_ && softens_apart(row) ? own_.of_cell : nullptr, own_.rule_weight},
                wider, expansion);
    }

    HostKernels kernels_;
    Precision precision_;
    EvaluationInput input_;
    HostKernel kernel_ = nullptr, per_particle_kernel_ = nullptr;
    ExpansionKernel expand_ = nullptr;
    bool softens_cells_ = true;
    OwnSoftenings own_;
    ListPool lists_;
    std::vector<Thread> threads_;
};

} // namespace

std::unique_ptr<Evaluator> make_host_evaluator(Precision precision,
                                               const std::string& instruction_set)
{
    return std::make_unique<HostEvaluator>(precision, instruction_set);
}

} // namespace chamomile
