/// \file  The state of N particles.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "chamomile/core/columns.hpp"
#include "chamomile/core/populate.hpp"
#include "chamomile/core/vec3.hpp"

namespace chamomile {

using Index = std::uint32_t;
using GlobalIndex = std::uint64_t; ///< numbers a particle across ranks

/// The state of N particles, one array per property; entry i of each array belongs to particle i.
/// Units are those of the snapshot or caller.
struct Particles {
    std::vector<std::uint64_t> id;
    std::vector<std::uint8_t> type; ///< 0..5 as in GADGET: gas, halo, disk, bulge, stars, boundary
    std::vector<double> mass;
    std::vector<Vec3<double>> position, velocity;
    std::vector<Vec3<double>> acceleration; ///< of the last force evaluation, G included; or empty
    std::vector<double> potential; ///< per unit mass, negative, without the self term; or empty
    std::vector<double> softening; ///< per-particle, Plummer-equivalent; empty: one for all
    std::map<std::string, std::vector<double>> extra; ///< named columns of the caller

    std::size_t size() const { return mass.size(); }

    /// Gives every array n entries. New entries are zero, new particles have type 1. Empty optional
    /// columns stay empty.
    void resize(std::size_t n);
};

/// Calls visit(column, name, values...) for each column, with one array per argument; arguments may
/// be const. `name` names extra columns, listed from `first`.
template <class Visit, class First, class... Others>
void for_each_column(const Visit& visit, First& first, Others&... others)
{
    const std::string none;
    visit(Column::id, none, first.id, others.id...);
    visit(Column::type, none, first.type, others.type...);
    visit(Column::mass, none, first.mass, others.mass...);
    visit(Column::position, none, first.position, others.position...);
    visit(Column::velocity, none, first.velocity, others.velocity...);
    visit(Column::acceleration, none, first.acceleration, others.acceleration...);
    visit(Column::potential, none, first.potential, others.potential...);
    visit(Column::softening, none, first.softening, others.softening...);
    for (auto& [name, values] : first.extra)
        visit(Column::extra, name, values, others.extra[name]...);
}

inline void Particles::resize(std::size_t n)
{
    type.resize(n, 1);
    for_each_column(
        [n](Column column, const std::string&, auto& values) {
            if (!is_optional(column) || !values.empty())
                resize_large(n, values);
        },
        *this);
}

} // namespace chamomile
