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

CoveredRows CoveredRows::of(const RowMarks& rows, std::span<const std::uint8_t> marks,
                            Communicator& ranks)
{
    const int n = rows.n;
    const std::size_t of_plane = std::size_t(rows.of_plane());
    std::vector<std::uint8_t> all(marks.size()); // in all planes of the clouds
    for (int i = 0; i < n; ++i)
        for (int a = 0; a < rows.width; ++a) {
            const auto plane = all.begin() + std::ptrdiff_t(of_plane) * ((i + a) % n);
            std::transform(plane, plane + std::ptrdiff_t(of_plane),
                           marks.begin() + std::ptrdiff_t(of_plane) * i, plane,
                           [](int one, int other) { return std::uint8_t(one | other); });
        }
    /// Appends the marked rows of planes, with numbers from `first` on.
    const auto rows_of = [&](std::span<const std::uint8_t> of_planes, int first) {
        std::vector<Index> found;
        for (std::size_t mark = 0; mark < of_planes.size(); ++mark) {
            const int i = first + int(mark / of_plane),
                      begin = int(mark % of_plane) * RowMarks::rows_of_mark;
            for (int j = begin; of_planes[mark] && j < std::min(begin + RowMarks::rows_of_mark, n);
                 ++j)
                found.push_back(Index(i) * Index(n) + Index(j));
        }
        return found;
    };
    CoveredRows found;
    std::vector<std::span<const std::uint8_t>> to;
    for (int r = 0; r < ranks.size(); ++r) {
        const MeshRange planes = r == ranks.rank() ? MeshRange{0, 0} : slab_of(n, &ranks, r);
        to.push_back(std::span(all).subspan(std::size_t(planes.begin) * of_plane,
                                            std::size_t(planes.count()) * of_plane));
        found.covered.push_back(rows_of(to.back(), planes.begin));
    }
    Inbox inbox;
    ranks.all_to_all<std::uint8_t>(to, inbox);
    for (int r = 0; r < ranks.size(); ++r)
        found.shared.push_back(rows_of(inbox.from<std::uint8_t>(r), 0));
    return found;
}

} // namespace chamomile
