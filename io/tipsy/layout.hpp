/// \file  The layout of Tipsy files: header, kinds of records, offsets of fields.
#pragma once

#include <cstdint>

namespace chamomile {

/// A TipsyKind is one of the three kinds of records, in the order of the file.
enum class TipsyKind { gas, dark, star };

/// A TipsyRecord holds byte offsets within a record of one kind. All fields are floats but for the
/// positions, which some programs write in double.
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

/// PKDGRAV and ChaNGa soften with a spline that ends at twice the length in the file, while
/// GADGET's (and Softening's) ends at 2.8 times the length: the same force has 2 / 2.8 of the
/// length.
inline constexpr double tipsy_softening_to_ours = 2 / 2.8;

} // namespace chamomile
