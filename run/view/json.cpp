#include "chamomile/run/view/json.hpp"

#include <cmath>
#include <cstdio>

#include "chamomile/core/number_text.hpp"

namespace chamomile {
namespace {

/// Returns the text in quotes. Non-ASCII bytes are replaced, because they may not be valid UTF-8.
std::string quoted(std::string_view text)
{
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        const bool is_plain = c >= ' ' && c <= '~';
        result += is_plain ? c : '?';
    }
    result += '"';
    return result;
}

} // namespace

std::string JsonObject::number_of(double number)
{
    return std::isfinite(number) ? number_text(number) : "null";
}

JsonObject& JsonObject::add(std::string_view name, std::string_view text)
{
    return raw(name, quoted(text));
}

JsonObject& JsonObject::add(std::string_view name, double number)
{
    return raw(name, number_of(number));
}

JsonObject& JsonObject::raw(std::string_view name, std::string_view value)
{
    members_ += members_.size() > 1 ? "," : "";
    members_ += quoted(name);
    members_ += ":";
    members_ += value;
    return *this;
}

} // namespace chamomile
