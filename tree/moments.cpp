#include "tree/moments.hpp"

#include <omp.h>

#include "core/threads.hpp"

namespace chamomile {
namespace {

class MomentsPass {
public:
    MomentsPass(Moments& moments, const Octree& octree) : moments_(moments), octree_(octree) {}

    void of_leaf(Index cell)
    {
        const Index begin = octree_.cells[cell].begin, end = begin + octree_.cells[cell].count;
        Multipole m;
        Box box;
        Vec3<double> weighted;
        for (Index k = begin; k < end; ++k) {
            const Source& s = octree_.sources[k];
            m.mass += s.mass;
            // About the first particle, so that a cell far from the origin loses no digits.
            weighted += s.mass * (s.position - octree_.sources[begin].position);
            box.add(s.position);
        }
        m.center =
            m.mass > 0 ? octree_.sources[begin].position + (1 / m.mass) * weighted : box.center();
        for (Index k = begin; k < end; ++k)
            m.second.add(octree_.sources[k].mass, octree_.sources[k].position - m.center);
        store(cell, m, box);
    }

    void of_daughters(Index cell)
    {
        Multipole m;
        Box box;
        Vec3<double> weighted;
        const Vec3<double> about = moments_.multipole[cell + 1].center;
        for_each_daughter(cell, [&](Index daughter) {
            const Multipole& d = moments_.multipole[daughter];
            m.mass += d.mass;
            weighted += d.mass * (d.center - about);
            box.add(moments_.bounds[daughter]);
        });
        m.center = m.mass > 0 ? about + (1 / m.mass) * weighted : box.center();
        for_each_daughter(cell, [&](Index daughter) {
            const Multipole& d = moments_.multipole[daughter];
            m.second += d.second;
            m.second.add(d.mass, d.center - m.center); // Steiner
        });
        store(cell, m, box);
    }

    /// All cells of the range, which must hold whole subtrees, daughters before mothers.
    void run(Index begin, Index end)
    {
        for (Index cell = end; cell-- > begin;)
            octree_.is_leaf(cell) ? of_leaf(cell) : of_daughters(cell);
    }

private:
    template <class Visit>
    void for_each_daughter(Index cell, Visit visit) const
    {
        for (Index d = cell + 1; d < octree_.cells[cell].next; d = octree_.cells[d].next)
            visit(d);
    }

    void store(Index cell, const Multipole& m, const Box& box)
    {
        moments_.multipole[cell] = m;
        moments_.bounds[cell] = box;
    }

    Moments& moments_;
    const Octree& octree_;
};

} // namespace

void compute_moments(Moments& moments, const Octree& octree)
{
    const std::size_t n = octree.cells.size();
    moments.multipole.resize(n);
    moments.bounds.resize(n);
    if (n == 0)
        return;
    // Whole subtrees go to the threads; what lies above them follows, mothers last.
    const Index most =
        std::max<Index>(1024, octree.cells[0].count / Index(32 * omp_get_max_threads()));
    std::vector<Index> subtrees, top;
    for (Index cell = 0; cell < n;) {
        const bool small = octree.cells[cell].count <= most || octree.is_leaf(cell);
        (small ? subtrees : top).push_back(cell);
        cell = small ? octree.cells[cell].next : cell + 1;
    }
    MomentsPass pass(moments, octree);
#pragma omp parallel for if (octree.size > worth_threads) schedule(dynamic, 1)
    for (std::size_t s = 0; s < subtrees.size(); ++s)
        pass.run(subtrees[s], octree.cells[subtrees[s]].next);
    for (std::size_t t = top.size(); t-- > 0;)
        pass.of_daughters(top[t]);
}

} // namespace chamomile
