/// \file  Faults on purpose: what a test makes CUDA calls answer.
#pragma once

#include <atomic>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace chamomile {

/// CODE:K or CODE:K:WORDS, as the environment variable CHAMOMILE_GPU_FAULT has it: the K-th checked
/// call (from 1 on; of those whose description contains WORDS) answers with that CUDA error. Errors
/// that end a context are the answer of all later calls too. Safe for several threads.
class FaultPlan {
public:
    /// An empty text: no faults. Throws Error(usage).
    explicit FaultPlan(std::string_view text)
    {
        if (text.empty())
            return;
        const std::size_t first = text.find(':');
        const std::size_t second = first == text.npos ? first : text.find(':', first + 1);
        if (first == text.npos || !read(text.substr(0, first), code_) ||
            !read(text.substr(first + 1, second - first - 1), call_) || code_ < 1 || call_ < 1)
            throw Error(Fault::usage, "CHAMOMILE_GPU_FAULT: " + std::string(text) +
                                          ": must be CODE:K or CODE:K:WORDS");
        if (second != text.npos)
            words_ = text.substr(second + 1);
    }

    /// The answer to a call that is described by `tried` and was answered with `status`.
    int answer(int status, const char* tried)
    {
        if (code_ == 0 ||
            (!words_.empty() && std::string_view(tried).find(words_) == std::string_view::npos &&
             !is_over_))
            return status;
        const std::int64_t number = ++calls_;
        if (number == call_)
            is_over_ = ends_context(code_);
        return number == call_ || is_over_ ? code_ : status;
    }

    /// Whether only a new process can use the device again (CUDA's documentation of cudaError_t).
    static bool ends_context(int code)
    {
        for (int sticky : {214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721})
            if (code == sticky)
                return true;
        return false;
    }

private:
    template <class T>
    static bool read(std::string_view text, T& value)
    {
        const char* end = text.data() + text.size();
        const auto result = std::from_chars(text.data(), end, value);
        return result.ec == std::errc() && result.ptr == end;
    }

    int code_ = 0;
    std::int64_t call_ = 0;
    std::string words_;
    std::atomic<std::int64_t> calls_ = 0;
    std::atomic<bool> is_over_ = false;
};

} // namespace chamomile
