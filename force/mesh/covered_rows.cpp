#include "chamomile/force/mesh/covered_rows.hpp"

#include <algorithm>

namespace chamomile {

MeshRange slab_of(int n, const Communicator* ranks, int rank)
{
    if (!ranks)
        return {0, n};
    return {int(ranks->first_of_run(std::uint64_t(n), rank)),
            int(ranks->first_of_run(std::uint64_t(n), rank + 1))};
}

CoveredRows CoveredRows::of(int n, std::span<const std::uint8_t> marks, Communicator& ranks)
{
    const RowMarks rows{n};
    const std::vector<std::uint8_t> all = ranks.all_gather(marks);
    const auto rows_of = [&](int rank, int holder, int first) {
        std::vector<Index> found;
        const MeshRange planes = rank == holder ? MeshRange{0, 0} : slab_of(n, &ranks, holder);
        for (int i = planes.begin; i < planes.end; ++i)
            for (int mark = 0; mark < rows.of_plane(); ++mark) {
                if (!all[std::size_t(rank) * rows.count() +
                         std::size_t(i) * std::size_t(rows.of_plane()) + std::size_t(mark)])
                    continue;
                const int begin = mark * RowMarks::rows_of_mark;
                for (int j = begin; j < std::min(begin + RowMarks::rows_of_mark, n); ++j)
                    found.push_back(Index(i - first) * Index(n) + Index(j));
            }
        return found;
    };
    CoveredRows found;
    const int me = ranks.rank(), first = slab_of(n, &ranks, me).begin;
    for (int r = 0; r < ranks.size(); ++r) {
        found.covered.push_back(rows_of(me, r, 0));
        found.shared.push_back(rows_of(r, me, first));
    }
    return found;
}

} // namespace chamomile
