/// \file  The header of a GADGET-2 binary snapshot (Springel 2005, user guide, section 6).
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

#include "chamomile/core/units.hpp"
#include "chamomile/io/input_file.hpp"

namespace chamomile {

/// A Gadget2Header is the 256-byte header. The format has no units. Chamomile stores them in the
/// unused bytes at the end, which other programs ignore. It has the format's members.
struct Gadget2Header {
    std::uint32_t count[6] = {}; ///< particles in this file
    double mass[6] = {};         ///< mass of each particle of a type; 0: see block MASS
    double time = 0, redshift = 0;
    std::int32_t star_formation = 0, feedback = 0;
    std::uint32_t total[6] = {}; ///< in all files, lower 32 bits
    std::int32_t cooling = 0, files = 1;
    double box_size = 0, omega_matter = 0, omega_lambda = 0, hubble = 0;
    std::int32_t stellar_age = 0, metals = 0;
    std::uint32_t total_high[6] = {}; ///< upper 32 bits
    std::int32_t entropy_instead_of_energy = 0, double_precision = 0, ic_info = 0;
    float lpt_scaling = 0;
    char units_tag[8] = {}; ///< own_tag if units follow
    double length_in_cm = 0, mass_in_g = 0, velocity_in_cm_per_s = 0, gravitational_constant = 0;
    std::uint32_t unit_flags = 0, unused = 0;

    static constexpr char own_tag[9] = "Chamomil";
    static constexpr std::uint32_t physical = 1, per_hubble = 2, comoving = 4;

    bool has_units() const { return std::memcmp(units_tag, own_tag, sizeof units_tag) == 0; }

    /// Returns true if the header states comoving coordinates, otherwise none.
    std::optional<bool> states_comoving() const
    {
        return has_units() && (unit_flags & comoving) ? std::optional(true) : std::nullopt;
    }

    Units units() const
    {
        return {length_in_cm, mass_in_g, velocity_in_cm_per_s, (unit_flags & physical) != 0,
                (unit_flags & per_hubble) != 0};
    }

    void write_units(const Units& units, double G, bool is_comoving)
    {
        std::memcpy(units_tag, own_tag, sizeof units_tag);
        length_in_cm = units.length_in_cm;
        mass_in_g = units.mass_in_g;
        velocity_in_cm_per_s = units.velocity_in_cm_per_s;
        gravitational_constant = G;
        unit_flags = (units.physical ? physical : 0) | (units.per_hubble ? per_hubble : 0) |
                     (is_comoving ? comoving : 0);
    }

    void swap_bytes()
    {
        const auto swap = [](auto&... values) { ((values = byte_swapped(values)), ...); };
        for (int type = 0; type < 6; ++type)
            swap(count[type], mass[type], total[type], total_high[type]);
        swap(time, redshift, star_formation, feedback, cooling, files, box_size, omega_matter,
             omega_lambda, hubble, stellar_age, metals, entropy_instead_of_energy, double_precision,
             ic_info, lpt_scaling, length_in_cm, mass_in_g, velocity_in_cm_per_s,
             gravitational_constant, unit_flags, unused);
    }
};

static_assert(sizeof(Gadget2Header) == 256);

} // namespace chamomile
