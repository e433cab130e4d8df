/// \file  The columns of particles: the single list for files, checkpoints, ranks, copies and
/// selections. A new particle quantity needs a row here, a member of Particles and its use.
#pragma once

#include <cstddef>
#include <string>

namespace chamomile {

/// A particle quantity. Columns from `mass` on do not change in a run.
enum class Column {
    position,
    velocity,
    acceleration,
    potential,
    step,     ///< next step that the particle asks for; individual steps only, like the next three
    measured, ///< step by the criterion at the end of the particle's last step
    orbit,    ///< DynamicalTime::orbit()
    long_range, ///< acceleration by the long range, if it kicks separately
    mass,
    id,
    type,
    softening, ///< per-particle softening length
    extra      ///< a named column of the caller
};

/// Returns whether the column holds vectors; other columns hold numbers.
constexpr bool is_vector(Column column)
{
    return column < Column::potential || column == Column::long_range;
}
/// Returns whether the column changes in a run. A ParticleReader gives such columns, and some give
/// ids.
constexpr bool moves(Column column)
{
    return column < Column::mass;
}
/// Returns whether the column may be empty.
constexpr bool is_optional(Column column)
{
    return column >= Column::softening;
}

/// Numbers of leading vector columns (without long_range), and of columns that change in a run.
inline constexpr std::size_t vector_columns = std::size_t(Column::potential),
                             moving_columns = std::size_t(Column::mass);

/// Returns a column's name in checkpoints. `extra`: name of an extra column.
inline std::string name_in_archives(Column column, const std::string& extra = {})
{
    static constexpr const char* names[] = {
        "particles/position", "particles/velocity", "particles/acceleration", "particles/potential",
        "blocks/wish",        "blocks/time",        "blocks/orbit",           "blocks/long_range",
        "particles/mass",     "particles/id",       "particles/type",         "particles/softening",
        "particles/extra/"};
    return names[std::size_t(column)] + extra;
}

} // namespace chamomile
