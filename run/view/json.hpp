/// \file  JSON output for the page of a view.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace chamomile {

/// A JsonObject collects the members of one JSON object.
class JsonObject {
public:
    JsonObject& add(std::string_view name, std::string_view text);
    JsonObject& add(std::string_view name, const char* text)
    {
        return add(name, std::string_view(text));
    }
    JsonObject& add(std::string_view name, double number);
    JsonObject& add(std::string_view name, bool value)
    {
        return raw(name, value ? "true" : "false");
    }
    template <std::integral T>
    requires(!std::same_as<T, bool>) JsonObject& add(std::string_view name, T number)
    {
        return raw(name, std::to_string(number));
    }
    /// Adds a list of numbers.
    template <class Numbers>
    JsonObject& add_list(std::string_view name, const Numbers& numbers)
    {
        std::string list = "[";
        for (const auto number : numbers) {
            list += list.size() > 1 ? "," : "";
            list += number_of(double(number));
        }
        list += ']';
        return raw(name, list);
    }

    std::string text() const { return members_ + '}'; }

private:
    static std::string number_of(double number); ///< null if not finite
    JsonObject& raw(std::string_view name, std::string_view value);

    std::string members_ = "{";
};

} // namespace chamomile
