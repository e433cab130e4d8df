// J-PACKING of listed particles. Kernels do not see this code: each would inline a copy of 10 kB.
// Contraction: fused.
#include "chamomile/force/simd/listed_particles.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

template <class T, bool per_particle, bool is_periodic>
void ListedParticles<T, per_particle, is_periodic>::sum_over_particles(Index own_begin,
                                                                       Index own_end)
{
    Tile tile;
    NearTile near;
    for (Index r = work_.row.range_begin; r < work_.row.range_end; ++r) {
        const Index before = work_.ranges[r].before, begin = work_.ranges[r].first;
        const Index count =
            (r + 1 < work_.row.range_end ? work_.ranges[r + 1].before : work_.row.particle_count) -
            before;
        const Index end = begin + count, own_first = within(own_begin, begin, end),
                    own_last = within(own_end, own_first, end);
        if (r + ranges_ahead < work_.row.range_end)
            prefetch(work_.ranges[r + ranges_ahead].first);
        add_slices(tile, near, begin, own_first);
        fill<&ListedParticles::add_near_tile>(near, own_first, own_last);
        add_slices(tile, near, own_last, end);
    }
    add_judged(tile, near);
    add_near_tile(near);
}

template void ListedParticles<float, false, false>::sum_over_particles(Index, Index);
template void ListedParticles<float, false, true>::sum_over_particles(Index, Index);
template void ListedParticles<float, true, false>::sum_over_particles(Index, Index);
template void ListedParticles<float, true, true>::sum_over_particles(Index, Index);
template void ListedParticles<double, false, false>::sum_over_particles(Index, Index);
template void ListedParticles<double, false, true>::sum_over_particles(Index, Index);
template void ListedParticles<double, true, false>::sum_over_particles(Index, Index);
template void ListedParticles<double, true, true>::sum_over_particles(Index, Index);

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
