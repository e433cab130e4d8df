/// \file  Faults on purpose: what a test makes CUDA calls answer.
#pragma once

#include <atomic>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "chamomile/core/error.hpp"

namespace chamomile {

/// A FaultPlan is what the environment variable CHAMOMILE_GPU_FAULT asks for, with K from 1 on. It
/// is safe for several threads.
///
/// - CODE:K or CODE:K:WORDS: the K-th checked call (of those whose description contains WORDS)
///   answers with that CUDA error. Errors that end a context are the answer of all later calls too.
/// - hang:K: the K-th wait, and each after it, never ends.
/// - trap:K: before the K-th checked call a kernel is launched that traps: an error of the device
///   itself, which the calls after it answer with, those of other libraries too.
/// - wrong:K: the sums of the K-th check of a device (integrate/device_check.hpp) are wrong.
class FaultPlan {
public:
    /// An empty text asks for no faults. Throws Error(usage).
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

    /// Returns the answer to a call that is described by `tried` and was answered with `status`.
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

    /// Tells whether a kernel is to trap now.
    bool traps() { return trap_ && ++calls_ == call_; }

    /// Tells whether the wait that begins now is one that never ends.
    bool hangs() { return hang_ && ++calls_ >= call_; }

    /// Tells whether the check of a device that is made now finds wrong sums.
    bool is_wrong() { return wrong_ && ++calls_ == call_; }

    /// Tells whether only a new process can use the device again (CUDA's documentation of
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
