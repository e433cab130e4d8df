#include "tree/tree_builder.hpp"

namespace chamomile {
namespace {

class HostTreeBuilder final : public TreeBuilder {
public:
    void build(Octree& octree, Moments& moments, std::span<const Vec3<double>> positions,
               std::span<const double> masses, int leaf_size, Profile& profile) override
    {
        {
            const TimedPhase phase(profile, "build");
            build_octree(octree, positions, masses, leaf_size, sorter_);
        }
        const TimedPhase phase(profile, "moments");
        compute_moments(moments, octree);
    }

private:
    KeySorter sorter_;
};

} // namespace

std::unique_ptr<TreeBuilder> make_host_tree_builder()
{
    return std::make_unique<HostTreeBuilder>();
}

} // namespace chamomile
