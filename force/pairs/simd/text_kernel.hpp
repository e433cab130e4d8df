/// \file  The Chamomile scheme on a CPU core for a law given as text.
///
/// Packing, near tiles and excluded pairs work as in force/pairs/simd/pair_kernel.hpp. A compiled
/// law keeps a pair in registers. Here instead, each instruction runs over the sources in one or
/// two tiles and one pack of targets before the next instruction starts.
#pragma once

#include "chamomile/force/pairs/simd/packed_group.hpp"
#include "chamomile/force/pairs/simd/text_steps.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

/// Runs a law's instructions for one group of targets.
template <class T>
class TextGroupSum {
    using P = Pack<T>;
    static constexpr int width = P::width;
    /// Number of sources at a time: two tiles if pair values are small, else one.
    static constexpr int max_sources = sizeof(P) > 32 ? pair_tile : 2 * pair_tile;

public:
    TextGroupSum(const PairGroupWork& work, KernelScratch& scratch)
        : work_(work), law_(*static_cast<const TextLawData*>(work.law)), program_(*law_.program),
          group_(work, program_.shape, program_.positions, scratch, doubles_needed(work))
    {
        lay_out(group_.extra());
        share();
        prepare_targets();
    }

    void run()
    {
        group_.for_each_batch(
            program_.shape, program_.positions, max_sources,
            [&](int sources, bool near, bool excludes) { meet_targets(sources, near, excludes); });
        group_.store(program_.shape);
    }

private:
    static std::size_t lines(std::size_t values)
    {
        const std::size_t line = 64 / sizeof(T);
        return (values + line - 1) / line * line;
    }

    static std::size_t resolved_doubles(const TextProgram& program)
    {
        return (std::size_t(program.pair_end - program.pair_code) * sizeof(TextStep<T>) + 63) / 64 *
               8;
    }

    std::size_t doubles_needed(const PairGroupWork& work) const
    {
        const std::size_t padded = (work.target_count + width - 1) / width * width;
        const std::size_t values =
            std::size_t(program_.shared + program_.shape.sum) * lines(width) +
            std::size_t(program_.target_slots) * lines(padded) +
            std::size_t(program_.source_slots + 3) * max_sources +
            std::size_t(program_.pair_slots) * max_sources * width;
        return values * sizeof(T) / sizeof(double) + resolved_doubles(program_) + 64;
    }

    void lay_out(double* memory)
    {
        code_ = reinterpret_cast<TextStep<T>*>(memory);
        T* at = reinterpret_cast<T*>(memory + resolved_doubles(program_));
        const auto take = [&](int slots, std::size_t values) {
            T* const taken = at;
            at += std::size_t(slots) * values;
            return taken;
        };
        shared_ = take(program_.shared, lines(width));
        sums_ = take(program_.shape.sum, lines(width));
        target_step_ = lines(std::size_t(group_.padded()));
        targets_ = take(program_.target_slots, target_step_);
        sources_ = take(program_.source_slots, max_sources);
        residues_ = take(3, max_sources);
        pairs_ = take(program_.pair_slots, max_sources * width);
        int k = 0;
        for (const TextInstruction* i = program_.pair_code; i < program_.pair_end; ++i)
            code_[k++] = resolve(*i, TextBank::pair);
    }

    T* place(TextOperand operand) const
    {
        switch (operand.bank) {
        case TextBank::shared:
            return shared_ + operand.slot * lines(width);
        case TextBank::target:
            return targets_ + operand.slot * target_step_;
        case TextBank::source:
            return sources_ + operand.slot * max_sources;
        default:
            return pairs_ + operand.slot * max_sources * width;
        }
    }

    TextStep<T> resolve(const TextInstruction& instruction, TextBank bank) const
    {
        TextStep<T> r{};
        TextAccess access[4];
        for (int k = 0; k < 4; ++k) {
            const TextOperand& operand = instruction.operand[k];
            access[k] = access_of(operand.bank, bank);
            r.operand[k] = place(operand);
            r.per_target[k] = bank == TextBank::pair && operand.bank == TextBank::target;
        }
        const bool is_sum = instruction.code >= TextCode::sum_add;
        r.to = is_sum ? sums_ + instruction.to * lines(width) : place({bank, instruction.to});
        r.last_step = access[3] == TextAccess::each ? width : 0;
        const auto number =
            std::size_t(text_loop_number(instruction.code, access[0], access[1], access[2]));
        for (int kind = 0; kind < 4; ++kind)
            r.loop[kind] = text_loops<T, false>[number];
        if (is_sum)
            r.loop[2] = r.loop[3] = text_loops<T, true>[number];
        if (instruction.code == TextCode::difference) {
            r.loop[1] = r.loop[3] = text_loops<T, true>[number];
            r.residue[0] = residues_ + instruction.operand[0].slot * max_sources;
            r.residue[1] = group_.residues(instruction.operand[1].slot, 0);
        }
        return r;
    }

    /// Copies shared numbers to all lanes; conditions become bits.
    void share()
    {
        for (int k = 0; k < program_.shared; ++k) {
            const double number = law_.shared()[k];
            P p = P(T(number));
            if (program_.is_condition[k])
                p = from_bits<P>(typename P::Mask{} - (number != 0));
            p.store(shared_ + std::size_t(k) * lines(width));
        }
    }

    /// Runs code for targets or for sources, over `count` packs.
    void run_once(const TextInstruction* from, const TextInstruction* end, TextBank bank, int count)
    {
        TextRun<T> run{};
        run.count = count;
        for (; from < end; ++from) {
            const TextStep<T> step = resolve(*from, bank);
            step.loop[0](step, run);
        }
    }

    void prepare_targets()
    {
        for (int f = 0; f < program_.shape.target; ++f)
            for (int t = 0; t < group_.padded(); t += width)
                group_.target(f, t).store(targets_ + std::size_t(f) * target_step_ + t);
        run_once(program_.target_code, program_.target_end, TextBank::target,
                 group_.padded() / width);
    }

    void prepare_sources(int count)
    {
        const int values = program_.shape.source;
        const int packs = (count + width - 1) / width;
        for (int j = 0; j < packs * width; ++j) {
            // Whole packs are computed, so the last source is repeated.
            const int real = j < count ? j : count - 1;
            const T* row = group_.row(real, program_.shape);
            for (int f = 0; f < values; ++f)
                sources_[f * max_sources + j] = row[f];
            if (program_.positions)
                for (int f = 0; f < 3; ++f)
                    residues_[f * max_sources + j] = group_.row_residue(real, f);
        }
        run_once(program_.source_code, program_.source_end, TextBank::source, packs);
    }

    void meet_targets(int sources, bool near, bool excludes)
    {
        prepare_sources(sources);
        for (int t = 0; t < group_.padded(); t += width)
            meet(t, sources, near, excludes);
    }

    /// Runs the pairs between one pack of targets and the packed sources.
    void meet(int t, int count, bool near, bool excludes)
    {
        for (int f = 0; f < program_.shape.sum; ++f)
            P(T(0)).store(sums_ + std::size_t(f) * lines(width));
        const int kind = near + 2 * excludes;
        const TextRun<T> run{t, count, excludes ? group_.mask(t) : typename P::Mask{}};
        const TextStep<T>* const end = code_ + (program_.pair_end - program_.pair_code);
        for (const TextStep<T>* step = code_; step < end; ++step)
            step->loop[kind](*step, run);
        for (int f = 0; f < program_.shape.sum; ++f)
            group_.add(f, t, P::load(sums_ + std::size_t(f) * lines(width)));
    }

    const PairGroupWork& work_;
    const TextLawData& law_;
    const TextProgram& program_;
    PackedGroup<T> group_;
    TextStep<T>* code_;
    T *shared_, *sums_, *targets_, *sources_, *residues_, *pairs_;
    std::size_t target_step_;
};

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
