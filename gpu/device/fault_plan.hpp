/// \file  Injected faults: answers that a test sets for CUDA calls.
#pragma once

#include <atomic>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "chamomile/core/error.hpp"

namespace chamomile {

/// A FaultPlan reads the environment variable CHAMOMILE_GPU_FAULT. K counts from 1. Thread-safe.
///
/// - CODE:K or CODE:K:WORDS: the K-th checked call (if WORDS is set, of calls whose description
///   contains it) returns this CUDA error. If it ends a context, all later calls return it too.
/// - hang:K: the K-th and all later waits never end.
/// - trap:K: before the K-th checked call a kernel traps. The device itself then fails, and later
///   calls return its error, in other libraries too.
/// - wrong:K: the sums of the K-th check of a device (integrate/device_check.hpp) are wrong.
class FaultPlan {
public:
    /// An empty text requests no fault. Throws Error(usage) if the text is invalid.
    explicit FaultPlan(std::string_view text)
    {
        if (text.empty())
            return;
        const std::size_t first = text.find(':');
        const std::size_t second = first == text.npos ? first : text.find(':', first + 1);
        const std::string_view kind = text.substr(0, first);
        hang_ = kind == "hang";
        trap_ = kind == "trap";
        wrong_ = kind == "wrong";
        const bool is_named = hang_ || trap_ || wrong_;
        if (first == text.npos || (!is_named && (!read(kind, code_) || code_ < 1)) ||
            !read(text.substr(first + 1, second - first - 1), call_) || call_ < 1 ||
            (is_named && second != text.npos))
            throw Error(Fault::usage, "CHAMOMILE_GPU_FAULT: " + std::string(text) +
                                          ": must be CODE:K, CODE:K:WORDS, hang:K, trap:K or "
                                          "wrong:K");
        if (second != text.npos)
            words_ = text.substr(second + 1);
    }

    /// Returns the status of a call described by `tried` that returned `status`.
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

    /// True if a kernel must trap now.
    bool traps() { return trap_ && ++calls_ == call_; }

    /// True if the wait that begins now must never end.
    bool hangs() { return hang_ && ++calls_ >= call_; }

    /// True if the current check of a device must find wrong sums.
    bool is_wrong() { return wrong_ && ++calls_ == call_; }

    /// True for errors after which only a new process can use the device (documentation of
    /// cudaError_t).
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
    bool hang_ = false, trap_ = false, wrong_ = false;
    std::int64_t call_ = 0;
    std::string words_;
    std::atomic<std::int64_t> calls_ = 0;
    std::atomic<bool> is_over_ = false;
};

} // namespace chamomile
