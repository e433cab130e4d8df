#include "chamomile/force/pairs/text/names.hpp"

namespace chamomile {
namespace {

constexpr Function functions[] = {
    {"sqrt", 1, Op::square_root}, {"rsqrt", 1, Op::inverse_square_root},
    {"exp", 1, Op::exponential},  {"log", 1, Op::logarithm},
    {"sin", 1, Op::sine},         {"cos", 1, Op::cosine},
    {"abs", 1, Op::absolute},     {"min", 2, Op::minimum},
    {"max", 2, Op::maximum},      {"pow", 2, Op::power},
    {"select", 3, Op::select},
};

} // namespace

const Function* function_of(std::string_view name)
{
    for (const Function& function : functions)
        if (function.name == name)
            return &function;
    return nullptr;
}

std::vector<std::string> function_names()
{
    std::vector<std::string> names;
    for (const Function& function : functions)
        names.emplace_back(function.name);
    return names;
}

bool is_reserved(std::string_view name)
{
    for (const std::string_view word : {"target", "source", "sum", "parameter", "dimensions",
                                        "position", "positions", "and", "or", "not", "pi"})
        if (name == word)
            return true;
    return function_of(name) != nullptr;
}

bool Words::take(std::string_view what)
{
    const bool is = now().is(what);
    if (is)
        take();
    return is;
}

std::vector<std::string> Names::all() const
{
    std::vector<std::string> names;
    for (const auto* kind : {&temporary, &target, &source, &parameter})
        for (const auto& [name, number] : *kind)
            names.push_back(name);
    return names;
}

std::string Names::use_of(std::string_view name) const
{
    return is_reserved(name)          ? "a reserved word"
           : target.contains(name)    ? "a value of the target"
           : source.contains(name)    ? "a value of the source"
           : sum.contains(name)       ? "a sum"
           : parameter.contains(name) ? "a parameter"
           : temporary.contains(name) ? "computed above"
                                      : "";
}

} // namespace chamomile
