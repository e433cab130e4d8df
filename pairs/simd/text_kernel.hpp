/// \file  The Chamomile scheme on a processor core for a law given as text.
///
/// As pairs/simd/pair_kernel.hpp, from which it takes packing, tiles of close sources and excluded
/// pairs; but where a compiled law keeps a pair in registers, here each instruction runs over the
/// 32 sources of a tile and one pack of targets before the next one does.
#pragma once

#include "pairs/simd/packed_group.hpp"
#include "pairs/simd/text_steps.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

template <class T>
class TextGroupSum {
    using P = Pack<T>;
    static constexpr int width = P::width;

public:
    TextGroupSum(const PairGroupWork& work, PairScratch& scratch)
        : work_(work), law_(*static_cast<const TextLawData*>(work.law)), program_(*law_.program),
          group_(work, program_.shape, program_.positions, scratch, doubles_needed(work))
    {
        lay_out(group_.extra());
        share();
        prepare_targets();
    }

    void run()
    {
        for (const TileEntry* tile = work_.tiles; tile < work_.tiles_end; ++tile) {
            const bool near = program_.positions && tile < work_.near_end;
            const bool excludes = group_.find_excluded(*tile);
            const int count = group_.pack_tile(*tile, 0, program_.shape, program_.positions);
            prepare_sources(count);
            for (int t = 0; t < group_.padded(); t += width)
                meet(t, count, near, excludes);
        }
        group_.store(program_.shape);
    }

private:
    /// An instruction with the places of its operands; those of targets move with the pack.
    struct Resolved {
        TextLoop<T> loop[2]; ///< plain and special
        T* to;
        const T* operand[4];
        int per_target[4]; ///< 1: moves
        int last_step, slot[2];
        bool is_sum, is_difference;
    };

    static std::size_t lines(std::size_t values)
    {
        const std::size_t line = 64 / sizeof(T);
        return (values + line - 1) / line * line;
    }

    static std::size_t resolved_doubles(const TextProgram& program)
    {
        return (std::size_t(program.pair_end - program.pair_code) * sizeof(Resolved) + 63) / 64 * 8;
    }

    std::size_t doubles_needed(const PairGroupWork& work) const
    {
        const std::size_t padded = (work.target_count + width - 1) / width * width;
        const std::size_t values =
            std::size_t(program_.shared + program_.shape.sum) * lines(width) +
            std::size_t(program_.target_slots) * lines(padded) +
            std::size_t(program_.source_slots + 3) * pair_tile +
            std::size_t(program_.pair_slots) * pair_tile * width;
        return values * sizeof(T) / sizeof(double) + resolved_doubles(program_) + 64;
    }

    void lay_out(double* memory)
    {
        code_ = reinterpret_cast<Resolved*>(memory);
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
        sources_ = take(program_.source_slots, pair_tile);
        residues_ = take(3, pair_tile);
        pairs_ = take(program_.pair_slots, pair_tile * width);
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
            return sources_ + operand.slot * pair_tile;
        default:
            return pairs_ + operand.slot * pair_tile * width;
        }
    }

    Resolved resolve(const TextInstruction& instruction, TextBank bank) const
    {
        Resolved r{};
        TextAccess access[4];
        for (int k = 0; k < 4; ++k) {
            const TextOperand& operand = instruction.operand[k];
            access[k] = access_of(operand.bank, bank);
            r.operand[k] = place(operand);
            r.per_target[k] = bank == TextBank::pair && operand.bank == TextBank::target;
        }
        r.is_sum = instruction.code >= TextCode::sum_add;
        r.is_difference = instruction.code == TextCode::difference;
        r.to = r.is_sum ? sums_ + instruction.to * lines(width) : place({bank, instruction.to});
        r.last_step = access[3] == TextAccess::each ? width : 0;
        r.slot[0] = instruction.operand[0].slot;
        r.slot[1] = instruction.operand[1].slot;
        const int number = text_loop_number(instruction.code, access[0], access[1], access[2]);
        r.loop[0] = text_loops<T, false>[std::size_t(number)];
        r.loop[1] =
            r.is_sum || r.is_difference ? text_loops<T, true>[std::size_t(number)] : r.loop[0];
        return r;
    }

    /// The same number in all lanes; conditions as bits.
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

    /// Code for targets or sources alone, over `count` packs.
    void run_once(const TextInstruction* from, const TextInstruction* end, TextBank bank, int count)
    {
        for (; from < end; ++from) {
            const Resolved r = resolve(*from, bank);
            TextStep<T> step{};
            step.to = r.to;
            for (int k = 0; k < 4; ++k)
                step.operand[k] = r.operand[k];
            step.count = count;
            r.loop[0](step);
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
        for (int j = 0; j < pair_tile; ++j) {
            // Beyond the last one the same again: whole packs are computed.
            const int real = j < count ? j : count - 1;
            const T* row = group_.row(real, program_.shape);
            for (int f = 0; f < values; ++f)
                sources_[f * pair_tile + j] = row[f];
            if (program_.positions)
                for (int f = 0; f < 3; ++f)
                    residues_[f * pair_tile + j] = group_.row_residue(real, f);
        }
        run_once(program_.source_code, program_.source_end, TextBank::source, pair_tile / width);
    }

    /// One pack of targets and the tile.
    void meet(int t, int count, bool near, bool excludes)
    {
        for (int f = 0; f < program_.shape.sum; ++f)
            P(T(0)).store(sums_ + std::size_t(f) * lines(width));
        TextStep<T> step{};
        step.count = count;
        if (excludes)
            step.excluded = group_.mask(t);
        const Resolved* const end = code_ + (program_.pair_end - program_.pair_code);
        for (const Resolved* r = code_; r < end; ++r) {
            step.to = r->to;
            for (int k = 0; k < 4; ++k)
                step.operand[k] = r->operand[k] + r->per_target[k] * t;
            step.last_step = r->last_step;
            if (near && r->is_difference) {
                step.residue[0] = residues_ + r->slot[0] * pair_tile;
                step.residue[1] = group_.residues(r->slot[1], t);
            }
            r->loop[r->is_sum ? excludes : near](step);
        }
        for (int f = 0; f < program_.shape.sum; ++f)
            group_.add(f, t, P::load(sums_ + std::size_t(f) * lines(width)));
    }

    const PairGroupWork& work_;
    const TextLawData& law_;
    const TextProgram& program_;
    PackedGroup<T> group_;
    Resolved* code_;
    T *shared_, *sums_, *targets_, *sources_, *residues_, *pairs_;
    std::size_t target_step_;
};

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
