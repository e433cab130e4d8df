#include "chamomile/force/pairs/text/expression_reader.hpp"

#include <cmath>
#include <numbers>

#include "chamomile/core/options/nearest_name.hpp"

namespace chamomile {
namespace {

std::string list_of(const std::vector<std::string>& names, const char* between)
{
    std::string list;
    for (const std::string& name : names)
        list += (list.empty() ? "" : between) + name;
    return list;
}

constexpr int deepest = 200; // each parenthesis counts two

} // namespace

/// Limits the recursion depth, to stay within the stack.
struct ExpressionReader::Depth {
    explicit Depth(ExpressionReader& reader) : depth(reader.depth_)
    {
        if (++depth > deepest)
            reader.words_.refuse(reader.words_.now().place,
                                 "nested too deep: must be at most " + std::to_string(deepest / 2) +
                                     " nested parentheses and signs; give names to parts");
    }
    ~Depth() { --depth; }
    int& depth;
};

bool ExpressionReader::is_coordinate(int value) const
{
    const Value& v = law_.expressions[value];
    return law_.positions && (v.op == Op::target || v.op == Op::source) && v.index < 3;
}

int ExpressionReader::number(Operand operand) const
{
    const Value& value = law_.expressions[operand.value];
    if (is_condition(value.op))
        words_.refuse(operand.place,
                      "condition: must be a number; select(condition, a, b) returns one");
    if (is_coordinate(operand.value)) {
        const std::string of = value.op == Op::target ? "target" : "source";
        const std::string& name =
            (of == "target" ? law_.target : law_.source)[std::size_t(value.index)];
        words_.refuse(operand.place,
                      name + " of the " + of +
                          " is a coordinate of a position: must be used in a difference, source." +
                          law_.source[std::size_t(value.index)] + " - target." +
                          law_.target[std::size_t(value.index)]);
    }
    return operand.value;
}

int ExpressionReader::condition(Operand operand) const
{
    if (!is_condition(law_.expressions[operand.value].op))
        words_.refuse(operand.place, "number: must be a condition, such as r2 < 1");
    return operand.value;
}

ExpressionReader::Operand ExpressionReader::apply(Place place, Op op, int a, int b, int c)
{
    Expressions& all = law_.expressions;
    const int value = op == Op::power ? all.power(a, b) : all.apply(op, a, b, c);
    bool known = all[value].op != Op::constant && !is_condition(op);
    for (int k : {a, b, c})
        known = known && (k < 0 || all[k].op == Op::constant);
    if (known)
        words_.refuse(place, "constant: must be finite");
    constexpr int max = 4000;
    if (all.size() > max)
        words_.refuse(place, "too long: a law must have at most " + std::to_string(max) +
                                 " different values");
    return {value, place};
}

/// Reads a - b; both may be coordinates.
int ExpressionReader::difference(Place place, Operand a, Operand b)
{
    Expressions& all = law_.expressions;
    const Value x = all[a.value], y = all[b.value];
    if (is_coordinate(a.value) && is_coordinate(b.value) && x.index == y.index && x.op != y.op) {
        const int towards_source = all.leaf(Op::difference, x.index);
        return x.op == Op::source ? towards_source : all.apply(Op::negate, towards_source);
    }
    const int left = number(a);
    return apply(place, Op::subtract, left, number(b)).value;
}

int ExpressionReader::line()
{
    const Operand operand = either();
    const Word& next = words_.now();
    if (next.is(")") && next.kind == Word::Kind::sign)
        words_.refuse(next.place, "')' without its '('");
    if (next.kind == Word::Kind::name || next.kind == Word::Kind::number || next.is("("))
        words_.refuse(next.place, quoted(next) + ": operator missing before it");
    if (!words_.at_end_of_line())
        words_.refuse(next.place, quoted(next) + ": must be an operator or the end of the line");
    if (is_condition(law_.expressions[operand.value].op) || is_coordinate(operand.value))
        return operand.value; // allowed or not, depending on the name's use
    return number(operand);
}

int ExpressionReader::number_line()
{
    const Place place = words_.now().place;
    return number({line(), place});
}

int ExpressionReader::bracketed(const std::string& letter, int count)
{
    words_.take("[");
    const Word index = words_.take();
    if (index.kind != Word::Kind::number || index.number != std::floor(index.number) ||
        index.number >= count)
        words_.refuse(index.place, quoted(index) + ": must be a whole number from 0 to " +
                                       std::to_string(count - 1) + " after " + letter + "[");
    if (!words_.take("]"))
        words_.refuse(words_.now().place, "']' is missing");
    return int(index.number);
}

ExpressionReader::Operand ExpressionReader::either()
{
    const Depth depth(*this);
    Operand a = both();
    while (words_.now().is("or")) {
        const Place place = words_.take().place;
        const int left = condition(a);
        a = apply(place, Op::either, left, condition(both()));
    }
    return a;
}

ExpressionReader::Operand ExpressionReader::both()
{
    Operand a = opposite();
    while (words_.now().is("and")) {
        const Place place = words_.take().place;
        const int left = condition(a);
        a = apply(place, Op::both, left, condition(opposite()));
    }
    return a;
}

ExpressionReader::Operand ExpressionReader::opposite()
{
    if (!words_.now().is("not"))
        return comparison();
    const Depth depth(*this);
    const Place place = words_.take().place;
    return apply(place, Op::opposite, condition(opposite()));
}

ExpressionReader::Operand ExpressionReader::comparison()
{
    const auto is_comparison = [this] {
        const Word& word = words_.now();
        return word.is("<") || word.is("<=") || word.is(">") || word.is(">=") || word.is("==") ||
               word.is("!=");
    };
    const Operand a = sum();
    if (!is_comparison())
        return a;
    const Word word = words_.take();
    const int left = number(a);
    const int right = number(sum());
    if (is_comparison())
        words_.refuse(words_.now().place, "conditions: cannot be chained; write a < b and b < c");
    if (word.is("<"))
        return apply(a.place, Op::less, left, right);
    if (word.is(">"))
        return apply(a.place, Op::less, right, left);
    if (word.is("<="))
        return apply(a.place, Op::less_equal, left, right);
    if (word.is(">="))
        return apply(a.place, Op::less_equal, right, left);
    const Operand equal = apply(a.place, Op::equal, left, right);
    return word.is("==") ? equal : apply(a.place, Op::opposite, equal.value);
}

ExpressionReader::Operand ExpressionReader::sum()
{
    Operand a = product();
    while (words_.now().is("+") || words_.now().is("-")) {
        const Word word = words_.take();
        const Operand b = product();
        if (word.is("-")) {
            a = {difference(a.place, a, b), a.place};
        } else {
            const int left = number(a);
            a = apply(a.place, Op::add, left, number(b));
        }
    }
    return a;
}

ExpressionReader::Operand ExpressionReader::product()
{
    Operand a = sign();
    while (words_.now().is("*") || words_.now().is("/")) {
        const Op op = words_.take().is("*") ? Op::multiply : Op::divide;
        const int left = number(a);
        a = apply(a.place, op, left, number(sign()));
    }
    return a;
}

ExpressionReader::Operand ExpressionReader::sign()
{
    const Depth depth(*this);
    const Place place = words_.now().place;
    if (words_.take("-"))
        return apply(place, Op::negate, number(sign()));
    if (words_.take("+"))
        return {number(sign()), place};
    return power();
}

ExpressionReader::Operand ExpressionReader::power()
{
    const Operand a = primary();
    if (!words_.take("^") && !words_.take("**"))
        return a;
    const int base = number(a);
    return apply(a.place, Op::power, base, number(sign()));
}

ExpressionReader::Operand ExpressionReader::primary()
{
    const Word word = words_.now();
    if (word.kind == Word::Kind::number) {
        words_.take();
        return {law_.expressions.constant(word.number), word.place};
    }
    if (word.kind == Word::Kind::name)
        return words_.then().is("(") ? call() : named();
    if (!words_.take("("))
        words_.refuse(word.place, quoted(word) + ": must be a number, a name or '('");
    const Operand inside = either();
    if (!words_.take(")"))
        words_.refuse(words_.now().place, "')' is missing before " + quoted(words_.now()) +
                                              " for the '(' of column " +
                                              std::to_string(word.place.column));
    return {inside.value, word.place};
}

ExpressionReader::Operand ExpressionReader::call()
{
    const Word name = words_.take();
    const Function* function = function_of(name.text);
    if (!function && !is_reserved(name.text) && names_.use_of(name.text).empty()) {
        const auto known = function_names();
        words_.refuse(name.place, quoted(name) + ": unknown function" +
                                      suggestion(std::string(name.text), known) +
                                      ": must be one of " + list_of(known, ", "));
    }
    if (!function)
        words_.refuse(words_.now().place,
                      "'(' after " + quoted(name) + ", not a function: operator missing");
    const int column = words_.take().place.column;
    std::vector<Operand> given;
    if (!words_.now().is(")"))
        do
            given.push_back(either());
        while (words_.take(","));
    if (!words_.take(")"))
        words_.refuse(words_.now().place, "')' is missing before " + quoted(words_.now()) +
                                              " for the '(' of column " + std::to_string(column));
    if (int(given.size()) != function->arguments)
        words_.refuse(name.place, std::string(name.text) + ": " + std::to_string(given.size()) +
                                      (given.size() == 1 ? " argument" : " arguments") +
                                      ": must be " + std::to_string(function->arguments));
    int value[3] = {-1, -1, -1};
    for (std::size_t k = 0; k < given.size(); ++k)
        value[k] = k == 0 && function->op == Op::select ? condition(given[k]) : number(given[k]);
    return apply(name.place, function->op, value[0], value[1], value[2]);
}

ExpressionReader::Operand ExpressionReader::member(bool of_target, const Word& side)
{
    const auto& names = of_target ? names_.target : names_.source;
    const Word name = words_.take();
    const auto found = names.find(name.text);
    if (name.kind != Word::Kind::name || found == names.end()) {
        const auto& list = of_target ? law_.target : law_.source;
        words_.refuse(name.place, quoted(name) + ": unknown value of the " +
                                      std::string(side.text) +
                                      suggestion(std::string(name.text), list) +
                                      ": must be one of " + list_of(list, " "));
    }
    return {law_.expressions.leaf(of_target ? Op::target : Op::source, found->second), side.place};
}

ExpressionReader::Operand ExpressionReader::named()
{
    Expressions& all = law_.expressions;
    const Word word = words_.take();
    if (word.is("target") || word.is("source")) {
        if (!words_.take("."))
            words_.refuse(word.place, quoted(word) + ": must be followed by a value, as in " +
                                          std::string(word.text) + ".x");
        return member(word.is("target"), word);
    }
    if (words_.now().is("[") && (word.is("i") || word.is("j")))
        return {word.is("i") ? all.leaf(Op::target, bracketed("i", int(law_.target.size())))
                             : all.leaf(Op::source, bracketed("j", int(law_.source.size()))),
                word.place};
    if (word.is("pi"))
        return {all.constant(std::numbers::pi), word.place};
    if (const auto found = names_.temporary.find(word.text); found != names_.temporary.end())
        return {found->second, word.place};
    if (const auto found = names_.parameter.find(word.text); found != names_.parameter.end())
        return {all.leaf(Op::parameter, found->second), word.place};
    const auto target = names_.target.find(word.text), source = names_.source.find(word.text);
    const bool in_target = target != names_.target.end(), in_source = source != names_.source.end();
    const std::string name(word.text);
    if (in_target && in_source)
        words_.refuse(word.place,
                      quoted(word) + ": ambiguous: must be target." + name + " or source." + name);
    if (in_target)
        return {all.leaf(Op::target, target->second), word.place};
    if (in_source)
        return {all.leaf(Op::source, source->second), word.place};
    refuse_unknown(word);
}

void ExpressionReader::refuse_unknown(const Word& word) const
{
    const std::string name(word.text);
    if (names_.sum.contains(name))
        words_.refuse(word.place, quoted(word) + ": a sum: must be used with += or -= only");
    if (function_of(name))
        words_.refuse(word.place, quoted(word) + ": a function: '(' missing after it");
    if (is_reserved(name))
        words_.refuse(word.place, quoted(word) + ": reserved word: must be another name");
    words_.refuse(word.place, quoted(word) + ": unknown name" + suggestion(name, names_.all()) +
                                  ": must be declared or computed on a line above");
}

} // namespace chamomile
