/// \file  Kernels of a law compiled by nvcc. CMake includes this file for each law.
#pragma once

#include "chamomile/force/pairs/law.hpp"
#include "chamomile/gpu/pairs/device_law.hpp"
#include "chamomile/gpu/pairs/pair_sum.cuh"

namespace chamomile {

template <class Law, class T, PairCut cut>
DeviceLaw::Kernel compiled_kernel()
{
    constexpr LawShape law = shape_of<Law>();
    if constexpr (law.target > max_law_values || law.source > max_law_values ||
                  law.sum > max_law_values) {
        return {};
    } else {
        using Shape = typename PairShapeOf<T, law.target + law.sum, cut>::type;
        using Block = PairBlock<Law, T, has_positions<Law>(), Shape>;
        return {reinterpret_cast<const void*>(&pair_sum<Law, T, has_positions<Law>(), Shape>),
                Shape::per_lane, Shape::warps, Block::shared_bytes};
    }
}

template <class Law>
class CompiledLaw final : public DeviceLaw {
public:
    Kernel kernel(int, PairCut cut, bool double_precision) const override
    {
        switch (cut) {
        case PairCut::few:
            return of<PairCut::few>(double_precision);
        case PairCut::many:
            return of<PairCut::many>(double_precision);
        default:
            return of<PairCut::cutoff>(double_precision);
        }
    }

private:
    template <PairCut cut>
    static Kernel of(bool double_precision)
    {
        return double_precision ? compiled_kernel<Law, double, cut>()
                                : compiled_kernel<Law, float, cut>();
    }
};

template <class Law>
std::shared_ptr<const DeviceLaw> make_device_law()
{
    return std::make_shared<CompiledLaw<Law>>();
}

} // namespace chamomile
