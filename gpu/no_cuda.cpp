// Stands in for the CUDA sources in a build without CUDA; CMake picks one or the other.
#include "core/error.hpp"
#include "force/gpu.hpp"

namespace chamomile {

std::vector<GpuDescription> list_gpus()
{
    return {};
}

std::string why_no_gpu()
{
    return "this build has no CUDA; configure with -DCHAMOMILE_CUDA=ON";
}

std::unique_ptr<Evaluator> make_cuda_evaluator(int, Precision)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

std::unique_ptr<KeySorter> make_cuda_key_sorter(int)
{
    throw Error(Fault::device, "device: gpu: " + why_no_gpu());
}

} // namespace chamomile
