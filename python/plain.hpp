/// \file  Arguments that have to be plain numbers.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

namespace chamomile::python {

namespace nb = nanobind;

/// Throws TypeError where the bare numbers of an argument would be wrong: units, masked values,
/// derivatives (chamomile._plain).
void require_plain(nb::handle value, const std::string& name);

/// A Number is a scalar argument. It may be refused because of its unit.
struct Number {
    nb::handle given;

    /// Returns the number. Throws TypeError naming the argument.
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
