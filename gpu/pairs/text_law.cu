// Laws given as text on a GPU. NVRTC compiles their C++ with the kernel of gpu/pairs/pair_sum.cuh,
// once for each device, precision and tiling. Contraction: fused.
#include <map>
#include <mutex>
#include <tuple>

#include "chamomile/core/error.hpp"
#include "chamomile/force/pairs/text/device_law.hpp"
#include "chamomile/gpu/device/device.cuh"
#include "chamomile/gpu/device/nvrtc.hpp"
#include "chamomile/gpu/pairs/device_law.hpp"
#include "chamomile/gpu/pairs/pair_sum.cuh"
#include "chamomile/gpu/pairs/text_source.hpp"

namespace chamomile {
namespace {

/// An image loaded on the devices. Its kernels are valid during its lifetime.
class LoadedCode {
public:
    explicit LoadedCode(const DeviceCode& code)
    {
        check(cudaLibraryLoadData(&library_, code.image.data(), nullptr, nullptr, 0, nullptr,
                                  nullptr, 0),
              "load the code of a law");
        check(cudaLibraryGetKernel(&kernel_, library_, code.kernel.c_str()),
              "find the kernel of a law");
    }
    LoadedCode(const LoadedCode&) = delete;
    ~LoadedCode()
    {
        if (!device_hangs())
            cudaLibraryUnload(library_);
    }

    const void* function() const { return reinterpret_cast<const void*>(kernel_); }

    /// Returns the kernel with the shape stored in its code: targets of a lane, warps of a block,
    /// bytes of shared memory.
    DeviceLaw::Kernel kernel()
    {
        void* from = nullptr;
        std::size_t bytes = 0;
        check(cudaLibraryGetGlobal(&from, &bytes, library_, text_shape_name),
              "find the shape of a law's kernel");
        unsigned shape[3] = {};
        check(cudaMemcpy(shape, from, sizeof shape, cudaMemcpyDeviceToHost),
              "read the shape of a law's kernel");
        return {function(), int(shape[0]), int(shape[1]), shape[2]};
    }

private:
    cudaLibrary_t library_ = nullptr;
    cudaKernel_t kernel_ = nullptr;
};

class TextDeviceLaw final : public DeviceLaw {
public:
    TextDeviceLaw(std::string name, std::string law, LawShape shape, bool positions)
        : name_(std::move(name)), law_(std::move(law)), shape_(shape), positions_(positions)
    {}

    Kernel kernel(int device, PairCut cut, bool double_precision) const override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        Known& known = known_[{device, cut, double_precision}];
        if (!known.code) {
            int major = 0, minor = 0;
            check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
                  "read the compute capability");
            check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
                  "read the compute capability");
            const TextSource source =
                text_source(law_, shape_, positions_, int(cut), double_precision);
            auto code = std::make_unique<LoadedCode>(
                compile_for_device(name_, source.text, source.kernel, 10 * major + minor));
            known.kernel = code->kernel();
            known.code = std::move(code);
        }
        return known.kernel;
    }

private:
    struct Known {
        std::unique_ptr<LoadedCode> code;
        Kernel kernel;
    };
    const std::string name_, law_;
    const LawShape shape_;
    const bool positions_;
    mutable std::mutex mutex_;
    mutable std::map<std::tuple<int, PairCut, bool>, Known> known_;
};

} // namespace

std::shared_ptr<const DeviceLaw> make_text_device_law(const std::string& name,
                                                      const std::string& law, LawShape shape,
                                                      bool positions)
{
    return std::make_shared<TextDeviceLaw>(name, law, shape, positions);
}

} // namespace chamomile
