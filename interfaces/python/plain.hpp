/// \file  Arguments that must be plain numbers.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

namespace chamomile::python {

namespace nb = nanobind;

/// Throws TypeError if the bare numbers of an argument would be wrong, because it has units, masked
/// values or derivatives (chamomile._plain).
void require_plain(nb::handle value, const std::string& name);

/// A Number is a scalar argument. Numbers with a unit are refused.
struct Number {
    nb::handle given;

    /// Returns the number. Throws TypeError that names the argument.
    double of(const std::string& name) const;
};

} // namespace chamomile::python

namespace nanobind::detail {

template <>
struct type_caster<chamomile::python::Number> {
    NB_TYPE_CASTER(chamomile::python::Number, const_name("float"))

    bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept
    {
        value.given = source;
        return PyNumber_Check(source.ptr()) != 0;
    }
};

} // namespace nanobind::detail
