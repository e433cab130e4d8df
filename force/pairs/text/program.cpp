#include "chamomile/force/pairs/text/program.hpp"

#include <algorithm>

#include "chamomile/force/pairs/text/pair_slots.hpp"

namespace chamomile {
namespace {

using Code = TextCode;
using Bank = TextBank;

Bank bank_of(const Value& value)
{
    constexpr Bank banks[] = {Bank::shared, Bank::target, Bank::source, Bank::pair};
    return banks[value.depends];
}

/// Returns the code with the same name.
Code code_of(Op op)
{
    static_assert(int(Op::select) - int(Op::difference) ==
                  int(Code::select) - int(Code::difference));
    return Code(int(op) - int(Op::difference) + int(Code::difference));
}

/// A term in a sum: plus or minus a value.
struct Term {
    int value;
    bool minus;
};

/// Turns a law's expressions into instructions.
class Compiler {
public:
    Compiler(const LawText& law, CompiledText& to)
        : law_(law), all_(law.expressions), to_(to), uses_(std::size_t(all_.size())),
          slot_(std::size_t(all_.size()), -1), spread_(std::size_t(all_.size()), -1)
    {
        slots_[int(Bank::target)] = int(law.target.size());
        slots_[int(Bank::source)] = int(law.source.size());
    }

    void compile()
    {
        count_uses();
        struct Part {
            Term term;
            int sum;
        };
        std::vector<Part> parts;
        for (std::size_t k = 0; k < law_.added.size(); ++k)
            for (const Term& term : terms_of({law_.added[k], false}))
                parts.push_back({term, int(k)});
        std::stable_sort(parts.begin(), parts.end(),
                         [](const Part& a, const Part& b) { return a.term.value < b.term.value; });
        for (const Part& part : parts)
            add_to_sum(part.sum, part.term);
        slots_[int(Bank::pair)] = share_slots(to_.pair_code, slots(Bank::pair));
    }

    int slots(Bank bank) const { return slots_[int(bank)]; }

private:
    const Value& value(int v) const { return all_[v]; }

    void count_uses()
    {
        std::vector<int> open(law_.added.begin(), law_.added.end());
        std::vector<bool> seen(uses_.size());
        for (int v : open)
            ++uses_[std::size_t(v)];
        while (!open.empty()) {
            const int v = open.back();
            open.pop_back();
            if (seen[std::size_t(v)])
                continue;
            seen[std::size_t(v)] = true;
            for (int k = 0; k < operands_of(value(v).op); ++k) {
                const int operand = value(v).operand[std::size_t(k)];
                ++uses_[std::size_t(operand)];
                open.push_back(operand);
            }
        }
    }

    /// Returns whether the instruction that uses this value can include it: the value is in the
    /// same bank and has no other use.
    bool is_fused(int v, Op op, Bank bank) const
    {
        return value(v).op == op && uses_[std::size_t(v)] == 1 && bank_of(value(v)) == bank;
    }

    std::vector<Term> terms_of(Term term) const
    {
        const Value& v = value(term.value);
        const Bank bank = bank_of(v);
        if (bank != Bank::shared && uses_[std::size_t(term.value)] == 1) {
            if (v.op == Op::negate)
                return terms_of({v.operand[0], !term.minus});
            if (v.op == Op::add || v.op == Op::subtract) {
                std::vector<Term> terms;
                for (int k = 0; k < 2; ++k) {
                    const Term part{v.operand[std::size_t(k)],
                                    term.minus != (k == 1 && v.op == Op::subtract)};
                    // Sums in another bank are computed once, there.
                    if (bank_of(value(part.value)) != bank)
                        terms.push_back(part);
                    else
                        for (const Term& t : terms_of(part))
                            terms.push_back(t);
                }
                return terms;
            }
        }
        return {term};
    }

    std::vector<TextInstruction>& code_for(Bank bank)
    {
        return bank == Bank::target   ? to_.target_code
               : bank == Bank::source ? to_.source_code
                                      : to_.pair_code;
    }

    int new_slot(Bank bank) { return slots_[int(bank)]++; }

    /// Returns a value's place, after computing it if necessary.
    TextOperand place(int v)
    {
        const Value& x = value(v);
        const Bank bank = bank_of(x);
        int& slot = slot_[std::size_t(v)];
        if (slot < 0) {
            if (x.op == Op::target || x.op == Op::source) {
                slot = x.index;
            } else if (bank == Bank::shared) {
                slot = int(to_.shared.size());
                to_.shared.push_back(v);
            } else {
                const int made = make(v, bank);
                slot_[std::size_t(v)] = made;
                return {bank, std::uint16_t(made)};
            }
        }
        return {bank, std::uint16_t(slot)};
    }

    /// Returns where a value from another bank is repeated for each pair (target, source).
    TextOperand spread(int v, Bank bank)
    {
        const TextOperand from = place(v);
        if (from.bank == bank)
            return from;
        int& slot = spread_[std::size_t(v)];
        if (slot < 0 || bank != Bank::pair) {
            const int made = new_slot(bank);
            code_for(bank).push_back({Code::spread, std::uint16_t(made), {from}});
            if (bank != Bank::pair)
                return {bank, std::uint16_t(made)};
            slot = made;
        }
        return {bank, std::uint16_t(slot)};
    }

    /// A value, or a place in the code's bank with an intermediate result.
    struct Operand {
        int value = -1;
        TextOperand place{};
    };

    /// Appends an instruction; spreads operands that no loop reads directly.
    void append(Code code, int to, Bank bank, std::vector<Operand> operands)
    {
        for (Operand& operand : operands)
            if (operand.value >= 0)
                operand.place = place(operand.value);
        const auto access = [&](std::size_t k) {
            return access_of(k < operands.size() ? operands[k].place.bank : Bank::shared, bank);
        };
        const auto takes = [&] {
            return text_code_takes(code, access(0), access(1), access(2)) &&
                   (code != Code::squares_add || access(3) != TextAccess::source);
        };
        const bool commutes = code == Code::add || code == Code::multiply ||
                              (code >= Code::multiply_add && code <= Code::subtract_product) ||
                              code >= Code::sum_add_product;
        if (commutes && !takes())
            std::swap(operands[0], operands[1]);
        for (const TextAccess last : {TextAccess::source, TextAccess::same})
            for (std::size_t k = 0; k < operands.size() && !takes(); ++k)
                if (access(k) == last)
                    operands[k].place = spread(operands[k].value, bank);
        TextInstruction instruction{code, std::uint16_t(to), {}};
        for (std::size_t k = 0; k < operands.size(); ++k)
            instruction.operand[k] = operands[k].place;
        code_for(bank).push_back(instruction);
    }

    /// Appends an instruction with its result in a new slot; returns the slot.
    int append(Code code, Bank bank, const std::vector<Operand>& operands)
    {
        for (const Operand& operand : operands)
            if (operand.value >= 0)
                place(operand.value);
        const int slot = new_slot(bank);
        append(code, slot, bank, operands);
        return slot;
    }

    /// Appends code for a value; returns its slot.
    int make(int v, Bank bank)
    {
        const Value x = value(v);
        if (x.op == Op::add || x.op == Op::subtract)
            return make_sum(v, bank);
        if (x.op == Op::difference) {
            const int slot = new_slot(bank);
            const std::uint16_t k = std::uint16_t(x.index);
            code_for(bank).push_back(
                {Code::difference, std::uint16_t(slot), {{Bank::source, k}, {Bank::target, k}}});
            return slot;
        }
        Code code = code_of(x.op);
        std::vector<Operand> operands;
        for (int k = 0; k < operands_of(x.op); ++k)
            operands.push_back({x.operand[std::size_t(k)]});
        if (x.op == Op::divide && all_.is_constant(x.operand[0], 1)) {
            code = Code::reciprocal;
            operands.erase(operands.begin());
        }
        return append(code, bank, operands);
    }

    /// Appends code for a sum of several terms. It starts from a term that is no product, and adds
    /// products by multiply-adds.
    int make_sum(int v, Bank bank)
    {
        const Value x = value(v);
        std::vector<Term> terms;
        for (int k = 0; k < 2; ++k) {
            const Term part{x.operand[std::size_t(k)], k == 1 && x.op == Op::subtract};
            if (bank_of(value(part.value)) != bank)
                terms.push_back(part);
            else
                for (const Term& t : terms_of(part))
                    terms.push_back(t);
        }
        const auto is_product = [&](const Term& t) {
            return is_fused(t.value, Op::multiply, bank);
        };
        if (const int squares = sum_of_squares(terms, bank); squares >= 0)
            return squares;
        // Terms that are no products come first, positive ones before negative ones, so that the
        // first needs no sign.
        std::stable_sort(terms.begin(), terms.end(), [&](const Term& a, const Term& b) {
            const int rank_a = 2 * is_product(a) + a.minus, rank_b = 2 * is_product(b) + b.minus;
            return rank_a < rank_b;
        });
        if (terms[0].minus && !is_product(terms[0]))
            for (std::size_t k = 1; k < terms.size(); ++k)
                if (!terms[k].minus) { // a positive product before a negative number
                    std::rotate(terms.begin(), terms.begin() + std::ptrdiff_t(k),
                                terms.begin() + std::ptrdiff_t(k) + 1);
                    break;
                }
        const Term first = terms[0], second = terms[1];
        const auto factor = [&](const Term& t, std::size_t k) {
            return Operand{value(t.value).operand[k]};
        };
        int sum; // a slot in this bank
        std::size_t next = 2;
        if (first.minus) { // all terms are negative
            sum = append(Code::negate, bank, {{first.value}});
            next = 1;
        } else if (is_product(second)) {
            sum = append(second.minus ? Code::subtract_product : Code::multiply_add, bank,
                         {factor(second, 0), factor(second, 1), {first.value}});
        } else if (is_product(first)) {
            sum = append(second.minus ? Code::multiply_subtract : Code::multiply_add, bank,
                         {factor(first, 0), factor(first, 1), {second.value}});
        } else {
            sum = append(second.minus ? Code::subtract : Code::add, bank,
                         {{first.value}, {second.value}});
        }
        for (; next < terms.size(); ++next) {
            const Term& t = terms[next];
            const Operand so_far{-1, {bank, std::uint16_t(sum)}};
            if (is_product(t))
                sum = append(t.minus ? Code::subtract_product : Code::multiply_add, bank,
                             {factor(t, 0), factor(t, 1), so_far});
            else
                sum = append(t.minus ? Code::subtract : Code::add, bank, {so_far, {t.value}});
        }
        return sum;
    }

    /// Appends a a + b b + c c + d as one instruction; returns -1 for other terms.
    int sum_of_squares(const std::vector<Term>& terms, Bank bank)
    {
        if (bank != Bank::pair || terms.size() < 3 || terms.size() > 4)
            return -1;
        std::vector<int> squared;
        int rest = -1;
        for (const Term& t : terms) {
            const Value& x = value(t.value);
            if (!t.minus && is_fused(t.value, Op::multiply, bank) && x.operand[0] == x.operand[1] &&
                bank_of(value(x.operand[0])) == bank && squared.size() < 3)
                squared.push_back(x.operand[0]);
            else if (rest < 0 && !t.minus)
                rest = t.value;
            else
                return -1;
        }
        if (squared.size() != 3 || rest < 0)
            return -1;
        return append(Code::squares_add, bank, {{squared[0]}, {squared[1]}, {squared[2]}, {rest}});
    }

    void add_to_sum(int sum, Term term)
    {
        if (is_fused(term.value, Op::multiply, Bank::pair)) {
            const Value product = value(term.value);
            append(term.minus ? Code::sum_subtract_product : Code::sum_add_product, sum, Bank::pair,
                   {{product.operand[0]}, {product.operand[1]}});
        } else {
            append(term.minus ? Code::sum_subtract : Code::sum_add, sum, Bank::pair,
                   {{term.value}});
        }
    }

    const LawText& law_;
    const Expressions& all_;
    CompiledText& to_;
    std::vector<int> uses_, slot_, spread_;
    int slots_[4] = {};
};

} // namespace

std::shared_ptr<const CompiledText> compile(const LawText& law)
{
    auto to = std::make_shared<CompiledText>();
    Compiler compiler(law, *to);
    compiler.compile();
    to->is_condition = std::make_unique<bool[]>(to->shared.size());
    for (std::size_t k = 0; k < to->shared.size(); ++k)
        to->is_condition[k] = is_condition(law.expressions[to->shared[k]].op);
    const auto& t = to->target_code;
    const auto& s = to->source_code;
    const auto& p = to->pair_code;
    to->program = {law.shape(),
                   law.positions,
                   int(to->shared.size()),
                   compiler.slots(Bank::target),
                   compiler.slots(Bank::source),
                   compiler.slots(Bank::pair),
                   to->is_condition.get(),
                   t.data(),
                   t.data() + t.size(),
                   s.data(),
                   s.data() + s.size(),
                   p.data(),
                   p.data() + p.size()};
    return to;
}

std::vector<double> shared_numbers(const LawText& law, const CompiledText& compiled,
                                   std::span<const double> parameters)
{
    const auto values = evaluate(law.expressions, {parameters, {}, {}});
    std::vector<double> numbers;
    for (int v : compiled.shared)
        numbers.push_back(values[std::size_t(v)]);
    return numbers;
}

} // namespace chamomile
