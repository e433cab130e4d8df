#include "chamomile/interfaces/c/views.hpp"

#include <numeric>
#include <string>

#include "chamomile/core/error.hpp"

namespace chamomile::c {
namespace {

[[noreturn]] void refuse(const char* what, const std::string& why)
{
    throw Error(Fault::usage, std::string(what) + ": " + why);
}

std::size_t width_of(const ArrayView& view)
{
    return view.scalar == Scalar::float32 ? 4 : 8;
}

chm_view made(const void* first, int components, int64_t stride, int32_t type, int32_t place)
{
    chm_view view{};
    const std::ptrdiff_t width = type == CHM_FLOAT32 ? 4 : 8;
    for (int c = 0; first && c < components; ++c)
        view.component[c] = static_cast<std::byte*>(const_cast<void*>(first)) + c * width;
    view.stride = stride;
    view.type = type;
    view.place = place;
    return view;
}

} // namespace

ArrayView input(const char* what, std::size_t n, const chm_view& view, int components, Need need)
{
    ArrayView checked;
    int given = 0;
    for (int c = 0; c < ArrayView::max_components; ++c)
        given += view.component[c] != nullptr;
    if (given == 0 && (need == Need::optional || n == 0))
        return checked;
    if (given == 0)
        refuse(what, "must not be NULL");
    for (int c = 0; c < ArrayView::max_components; ++c)
        if ((view.component[c] != nullptr) != (c < components))
            refuse(what,
                   "must have " + std::to_string(components) +
                       (components == 1 ? " component" : " components, starting with the first"));
    if (view.type != CHM_FLOAT64 && view.type != CHM_FLOAT32)
        refuse(what, "type: " + std::to_string(view.type) + ": must be CHM_FLOAT64 or CHM_FLOAT32");
    if (view.place != CHM_HOST && view.place != CHM_GPU)
        refuse(what, "place: " + std::to_string(view.place) + ": must be CHM_HOST or CHM_GPU");
    checked.scalar = view.type == CHM_FLOAT32 ? Scalar::float32 : Scalar::float64;
    checked.on_device = view.place == CHM_GPU;
    checked.stride = std::ptrdiff_t(view.stride);
    const auto width = std::intptr_t(width_of(checked));
    bool aligned = view.stride % width == 0;
    for (int c = 0; c < components; ++c) {
        checked.component[c] = static_cast<std::byte*>(view.component[c]);
        aligned = aligned && reinterpret_cast<std::intptr_t>(view.component[c]) % width == 0;
    }
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(std::int64_t(n), view.stride, &bytes))
        refuse(what, "stride: " + std::to_string(view.stride) + ": must fit into memory");
    if (!aligned)
        refuse(what, "addresses and stride must be multiples of " + std::to_string(width));
    return checked;
}

const std::int64_t* input(const char* what, std::size_t n, const std::int64_t* values)
{
    if (!values && n > 0)
        refuse(what, "must not be NULL");
    if (reinterpret_cast<std::intptr_t>(values) % std::intptr_t(sizeof *values) != 0)
        refuse(what, "address must be a multiple of 8");
    return values;
}

std::intptr_t Overlaps::Numbers::low() const
{
    return stride < 0 ? first + std::intptr_t(n - 1) * stride : first;
}

std::intptr_t Overlaps::Numbers::high() const
{
    return (stride < 0 ? first : first + std::intptr_t(n - 1) * stride) + std::intptr_t(width);
}

/// Returns whether two arrays share a byte. Members of the same records overlap in range but not in
/// bytes: their offsets differ modulo the stride.
bool Overlaps::overlap(const Numbers& a, const Numbers& b)
{
    if (a.high() <= b.low() || b.high() <= a.low())
        return false;
    const std::intptr_t common = std::gcd(a.n > 1 ? a.stride : 0, b.n > 1 ? b.stride : 0);
    if (common == 0)
        return true;
    const std::intptr_t apart = ((a.low() - b.low()) % common + common) % common;
    return apart < std::intptr_t(b.width) || apart + std::intptr_t(a.width) > common;
}

void Overlaps::add(const Numbers& numbers, bool written)
{
    if (numbers.n == 0 || numbers.first == 0)
        return;
    if (written && numbers.n > 1 && std::size_t(std::abs(numbers.stride)) < numbers.width)
        refuse(numbers.what,
               "stride: " + std::to_string(numbers.stride) + ": results must not overlap");
    if (written)
        for (const Numbers& other : known_)
            if (overlap(numbers, other))
                refuse(numbers.what, std::string("must not overlap ") + other.what);
    known_.push_back(numbers);
}

void Overlaps::reads(const char* what, std::size_t n, const ArrayView& view)
{
    for (const std::byte* component : view.component)
        add({what, reinterpret_cast<std::intptr_t>(component), view.stride, n, width_of(view)},
            false);
}

void Overlaps::writes(const char* what, std::size_t n, const ArrayView& view)
{
    for (const std::byte* component : view.component)
        add({what, reinterpret_cast<std::intptr_t>(component), view.stride, n, width_of(view)},
            true);
}

void Overlaps::reads(const char* what, std::size_t n, const std::int64_t* values)
{
    add({what, reinterpret_cast<std::intptr_t>(values), sizeof *values, n, sizeof *values}, false);
}

void Overlaps::writes(const char* what, std::size_t n, const std::int64_t* values)
{
    add({what, reinterpret_cast<std::intptr_t>(values), sizeof *values, n, sizeof *values}, true);
}

} // namespace chamomile::c

using chamomile::c::made;

extern "C" {

chm_view chm_view_aos(const void* xyz, int64_t stride, int32_t type, int32_t place)
{
    return made(xyz, 3, stride, type, place);
}

chm_view chm_view_soa(const void* x, const void* y, const void* z, int64_t stride, int32_t type,
                      int32_t place)
{
    chm_view view = made(x, 1, stride, type, place);
    view.component[1] = const_cast<void*>(y);
    view.component[2] = const_cast<void*>(z);
    return view;
}

chm_view chm_view_numbers(const void* first, int64_t stride, int32_t type, int32_t place)
{
    return made(first, 1, stride, type, place);
}

chm_view chm_view_tensors(const void* first, int64_t stride, int32_t type, int32_t place)
{
    return made(first, 6, stride, type, place);
}

chm_view chm_vectors(const double* x)
{
    return made(x, 3, 3 * sizeof(double), CHM_FLOAT64, CHM_HOST);
}

chm_view chm_numbers(const double* m)
{
    return made(m, 1, sizeof(double), CHM_FLOAT64, CHM_HOST);
}

} // extern "C"
