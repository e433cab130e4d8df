#include "chamomile/force/pairs/text/device_source.hpp"

#include <charconv>

namespace chamomile {
namespace {

using Code = TextCode;

std::string literal(double number)
{
    char text[32];
    std::string literal = "T(";
    literal.append(text, std::to_chars(text, text + sizeof text, number).ptr);
    return literal += ')';
}

/// Writes a law's instructions as C++.
class SourceWriter {
public:
    SourceWriter(const LawText& law, const CompiledText& compiled)
        : law_(law), compiled_(compiled), program_(compiled.program)
    {}

    std::string text()
    {
        const int shared = program_.shared;
        text_ = "struct TextLaw {\n    unsigned long long program;\n";
        if (shared > 0)
            text_ += "    double shared[" + std::to_string(shared) + "];\n";
        const bool positions = program_.positions;
        record("Target", program_.shape.target, positions);
        record("Source", program_.shape.source, positions);
        record("Sum", program_.shape.sum, false);
        text_ += "    template <class T>\n"
                 "    __device__ __forceinline__ void operator()(const Target<T>& i, const "
                 "Source<T>& j, Sum<T>& sum) const\n    {\n";
        lines(program_.target_code, program_.target_end, TextBank::target);
        lines(program_.source_code, program_.source_end, TextBank::source);
        lines(program_.pair_code, program_.pair_end, TextBank::pair);
        return text_ + "    }\n};\n";
    }

private:
    /// A variable for a value in the code's bank.
    struct Variable {
        std::string name;
        bool is_condition = false;
    };

    void record(const char* name, int values, bool has_position)
    {
        text_ += std::string("    template <class T>\n    struct ") + name + " {";
        if (has_position)
            text_ += " chamomile::Vec3<T> position;";
        for (int v = has_position ? 3 : 0; v < values; ++v)
            text_ += " T v" + std::to_string(v) + ";";
        text_ += " };\n";
    }

    Variable member(const char* record, int values, TextOperand operand) const
    {
        const int slot = operand.slot;
        if (slot >= values)
            return variables_[int(operand.bank)][std::size_t(slot)];
        if (program_.positions && slot < 3)
            return {std::string(record) + ".position." + "xyz"[slot]};
        return {std::string(record) + ".v" + std::to_string(slot)};
    }

    Variable read(TextOperand operand) const
    {
        switch (operand.bank) {
        case TextBank::target:
            return member("i", program_.shape.target, operand);
        case TextBank::source:
            return member("j", program_.shape.source, operand);
        case TextBank::pair:
            return variables_[int(TextBank::pair)][operand.slot];
        default:
            break;
        }
        if (compiled_.shared.empty()) // an operand that the code lacks
            return {};
        const Value& value = law_.expressions[compiled_.shared[operand.slot]];
        const std::string number = "shared[" + std::to_string(operand.slot) + "]";
        if (is_condition(value.op))
            return {"(" + number + " != 0)", true};
        return {value.op == Op::constant ? literal(value.number) : "T(" + number + ")"};
    }

    static std::string result(Code code, const Variable (&x)[4])
    {
        const std::string &a = x[0].name, &b = x[1].name, &c = x[2].name;
        const auto call = [](const char* function, const std::string& arguments) {
            return std::string("chamomile::") + function + "(" + arguments + ")";
        };
        switch (code) {
        case Code::add:
            return a + " + " + b;
        case Code::difference:
        case Code::subtract:
            return a + " - " + b;
        case Code::multiply:
        case Code::sum_add_product:
        case Code::sum_subtract_product:
            return a + " * " + b;
        case Code::divide:
            return a + " / " + b;
        case Code::minimum:
            return call("smaller", a + ", " + b);
        case Code::maximum:
            return call("larger", a + ", " + b);
        case Code::negate:
            return "-" + a;
        case Code::absolute:
            return call("absolute", a);
        case Code::square_root:
            return call("square_root", a);
        case Code::inverse_square_root:
            return call("inverse_sqrt", a);
        case Code::exponential:
            return call("exponential", a);
        case Code::logarithm:
            return call("logarithm", a);
        case Code::sine:
            return call("sine", a);
        case Code::cosine:
            return call("cosine", a);
        case Code::power:
            return call("power", a + ", " + b);
        case Code::less:
            return a + " < " + b;
        case Code::less_equal:
            return a + " <= " + b;
        case Code::equal:
            return a + " == " + b;
        case Code::both:
            return a + " && " + b;
        case Code::either:
            return a + " || " + b;
        case Code::opposite:
            return "!" + a;
        case Code::select:
            return a + " ? " + b + " : " + c;
        case Code::reciprocal:
            return call("reciprocal", a);
        case Code::multiply_add:
            return c + " + " + a + " * " + b;
        case Code::multiply_subtract:
            return a + " * " + b + " - " + c;
        case Code::subtract_product:
            return c + " - " + a + " * " + b;
        case Code::squares_add:
            return x[3].name + " + " + a + " * " + a + " + " + b + " * " + b + " + " + c + " * " +
                   c;
        default:
            return a;
        }
    }

    void lines(const TextInstruction* code, const TextInstruction* end, TextBank bank)
    {
        for (; code < end; ++code) {
            Variable operand[4];
            for (int k = 0; k < 4; ++k)
                operand[k] = read(code->operand[k]);
            const std::string value = result(code->code, operand);
            const bool minus =
                code->code == Code::sum_subtract || code->code == Code::sum_subtract_product;
            if (code->code >= Code::sum_add) {
                text_ += "        sum.v" + std::to_string(code->to) + (minus ? " -= " : " += ") +
                         value + ";\n";
                continue;
            }
            auto& known = variables_[int(bank)];
            if (known.size() <= code->to)
                known.resize(code->to + 1u);
            const bool condition = (code->code >= Code::less && code->code <= Code::opposite) ||
                                   (code->code == Code::spread && operand[0].is_condition);
            Variable made{"x", condition};
            made.name += std::to_string(count_++);
            text_ += std::string("        const ") + (condition ? "bool " : "T ") + made.name +
                     " = " + value + ";\n";
            known[code->to] = made;
        }
    }

    const LawText& law_;
    const CompiledText& compiled_;
    const TextProgram& program_;
    std::string text_;
    std::vector<Variable> variables_[4]; ///< current ones, by bank and slot
    int count_ = 0;
};

} // namespace

std::string device_source(const LawText& law, const CompiledText& compiled)
{
    return SourceWriter(law, compiled).text();
}

} // namespace chamomile
