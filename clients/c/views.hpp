/// \file  Callers' views, checked before anything reads or writes through them.
#pragma once

#include <vector>

#include "chamomile/clients/c/chamomile.h"
#include "chamomile/core/array_view.hpp"

namespace chamomile::c {

/// Returns a view of n items of so many components that are only read. Throws Error(usage) naming
/// `what` for null pointers, unknown types and places, and addresses that are not multiples of the
/// numbers' size. An optional view may be empty.
enum class Need { required, optional };
ArrayView input(const char* what, std::size_t n, const chm_view& view, int components,
                Need need = Need::required);

/// Returns an array of contiguous whole numbers after the same checks.
const std::int64_t* input(const char* what, std::size_t n, const std::int64_t* values);

/// Overlaps records the memory that a call reads or writes, so that results never overwrite other
/// data of the call.
class Overlaps {
public:
    void reads(const char* what, std::size_t n, const ArrayView& view);
    void reads(const char* what, std::size_t n, const std::int64_t* values);
    /// Throws Error(usage) if the memory shares bytes with what was read or written before, or with
    /// itself.
    void writes(const char* what, std::size_t n, const ArrayView& view);
    void writes(const char* what, std::size_t n, const std::int64_t* values);

private:
    struct Numbers { ///< n of so many bytes, evenly spaced
        const char* what;
        std::intptr_t first, stride;
        std::size_t n, width;
        std::intptr_t low() const;
        std::intptr_t high() const; ///< behind the last byte
    };
    static bool overlap(const Numbers& a, const Numbers& b);
    void add(const Numbers& numbers, bool written);
    std::vector<Numbers> known_;
};

} // namespace chamomile::c
