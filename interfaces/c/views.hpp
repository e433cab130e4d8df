/// \file  Checks of callers' views before any access.
#pragma once

#include <vector>

#include "chamomile/core/array_view.hpp"
#include "chamomile/force/field.hpp"
#include "chamomile/interfaces/c/chamomile.h"

namespace chamomile::c {

enum class Need { required, optional };

/// Returns a read-only view of n items of `components` numbers. Throws Error(usage) naming `what`
/// for null pointers, unknown types and places, and misaligned addresses. An optional view may be
/// empty.
ArrayView input(const char* what, std::size_t n, const chm_view& view, int components,
                Need need = Need::required);

/// Returns a checked array of contiguous integers.
const std::int64_t* input(const char* what, std::size_t n, const std::int64_t* values);

/// Overlaps records the memory that a call reads or writes, so that results never overwrite other
/// data.
class Overlaps {
public:
    void reads(const char* what, std::size_t n, const ArrayView& view);
    void reads(const char* what, std::size_t n, const std::int64_t* values);
    /// Throws Error(usage) if the memory overlaps memory recorded before, or itself.
    void writes(const char* what, std::size_t n, const ArrayView& view);
    void writes(const char* what, std::size_t n, const std::int64_t* values);

private:
    struct Numbers { ///< n items of `width` bytes, evenly spaced
        const char* what;
        std::intptr_t first, stride;
        std::size_t n, width;
        std::intptr_t low() const;
        std::intptr_t high() const; ///< past the last byte
    };
    static bool overlap(const Numbers& a, const Numbers& b);
    void add(const Numbers& numbers, bool written);
    std::vector<Numbers> known_;
};

/// Returns checked results for n targets, and records their memory. Throws Error(usage).
FieldResults results_of(std::size_t n, const chm_results* results, Overlaps& memory);

} // namespace chamomile::c
