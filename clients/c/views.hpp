/// \file  Callers' views, checked before anything reads or writes through them.
#pragma once

#include <vector>

#include "chamomile/clients/c/chamomile.h"
#include "chamomile/core/array_view.hpp"

namespace chamomile::c {

/// A view of n items of so many components that are only read. Throws Error(usage) naming `what`
/// for null pointers, unknown types and places, and addresses that are not multiples of the
/// numbers' size. Empty where it may be and is.
enum class Need { required, optional };
ArrayView input(const char* what, std::size_t n, const chm_view& view, int components,
                Need need = Need::required);

/// The same for an array of whole numbers without gaps.
const std::int64_t* input(const char* what, std::size_t n, const std::int64_t* values);

/// Memory that a call reads or writes, so that results never land on anything else of it.
class Overlaps {
public:
    void reads(const char* what, std::size_t n, const ArrayView& view);
    void reads(const char* what, std::size_t n, const std::int64_t* values);
    /// Throws Error(usage) if it shares bytes with what was read or written before, or with itself.
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
