/// \file  The columns of particles: the one list over which files, checkpoints, ranks, copies and
/// selections of particles go. A new quantity of a particle is a row here, a member of Particles
/// and its use.
#pragma once

#include <cstddef>
#include <string>

namespace chamomile {

/// Column names a quantity that particles have. Columns from `mass` on do not change in a run.
enum class Column {
    position,
    velocity,
    acceleration,
    potential,
    step,       ///< that the particle asks for next; of individual steps, as the next three
    measured,   ///< step by the criterion at the end of the particle's last step
    orbit,      ///< DynamicalTime::orbit()
    long_range, ///< acceleration by the long range where it kicks alone
    mass,
    id,
    type,
    softening, ///< per-particle softening length
    extra      ///< a named column of the caller's
};

/// Returns whether it holds vectors; others hold numbers.
constexpr bool is_vector(Column column)
{
    return column < Column::potential || column == Column::long_range;
}
/// Returns whether it changes in a run. ParticleRows give these columns alone.
constexpr bool moves(Column column)
{
    return column < Column::mass;
}
/// Returns whether it is empty unless the particles have it.
constexpr bool is_optional(Column column)
{
    return column >= Column::softening;
}

/// The vectors that ParticleRows give come first.
inline constexpr std::size_t vector_columns = std::size_t(Column::potential),
                             moving_columns = std::size_t(Column::mass);

/// Returns the name of a column in checkpoints; of an extra column with its own name.
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
