/// \file  The layout of Tipsy files: kinds of records and offsets of fields.
#pragma once

#include <cstdint>

namespace chamomile {

/// A TipsyKind is a kind of record, in file order.
enum class TipsyKind { gas, dark, star };

/// A TipsyRecord holds byte offsets within a record of one kind. All fields are floats, except that
/// some programs write positions in double.
struct TipsyRecord {
    std::int64_t bytes, velocity, softening, potential;

    static constexpr std::int64_t position = 4; ///< after the mass

    constexpr TipsyRecord(TipsyKind kind, bool double_positions)
        : bytes(kind == TipsyKind::gas    ? 48
                : kind == TipsyKind::dark ? 36
                                          : 44),
          velocity(16), softening(kind == TipsyKind::gas    ? 36
                                  : kind == TipsyKind::dark ? 28
                                                            : 36),
          potential(kind == TipsyKind::gas    ? 44
                    : kind == TipsyKind::dark ? 32
                                              : 40)
    {
        if (double_positions)
            for (std::int64_t* offset : {&bytes, &velocity, &softening, &potential})
                *offset += 12;
    }
};

/// Factor from softening lengths in Tipsy files to Softening::length. The spline of PKDGRAV and
/// ChaNGa ends at 2 lengths, GADGET's (and Softening's) at 2.8 lengths.
inline constexpr double tipsy_softening_to_ours = 2 / 2.8;

} // namespace chamomile
