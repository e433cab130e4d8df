// Drives NVRTC. Contraction: fused.
#include <algorithm>
#include <iterator>
#include <vector>

#include <cuda_runtime.h>

#include "chamomile/core/error.hpp"
#include "chamomile/gpu/device/nvrtc.hpp"
#include "chamomile/gpu/device/shared_library.hpp"
#include "device_headers.hpp"

namespace chamomile {
namespace {

using Program = void*;

class Library {
public:
    Library()
    {
        if (!library_.is_open())
            throw Error(Fault::device,
                        "GPU: " + newest() +
                            ": not found: laws given as text need NVRTC of the CUDA Toolkit "
                            "(package cuda-nvrtc); install it or give {device} cpu");
        load(create, "nvrtcCreateProgram");
        load(destroy, "nvrtcDestroyProgram");
        load(add_name, "nvrtcAddNameExpression");
        load(compile, "nvrtcCompileProgram");
        load(lowered_name, "nvrtcGetLoweredName");
        load(log_size, "nvrtcGetProgramLogSize");
        load(log, "nvrtcGetProgramLog");
        load(cubin_size, "nvrtcGetCUBINSize");
        load(cubin, "nvrtcGetCUBIN");
        load(ptx_size, "nvrtcGetPTXSize");
        load(ptx, "nvrtcGetPTX");
        load(architecture_count, "nvrtcGetNumSupportedArchs");
        load(architectures, "nvrtcGetSupportedArchs");
        load(error_string, "nvrtcGetErrorString");
    }

    int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
    int (*destroy)(Program*);
    int (*add_name)(Program, const char*);
    int (*compile)(Program, int, const char* const*);
    int (*lowered_name)(Program, const char*, const char**);
    int (*log_size)(Program, std::size_t*);
    int (*log)(Program, char*);
    int (*cubin_size)(Program, std::size_t*);
    int (*cubin)(Program, char*);
    int (*ptx_size)(Program, std::size_t*);
    int (*ptx)(Program, char*);
    int (*architecture_count)(int*);
    int (*architectures)(int*);
    const char* (*error_string)(int);

private:
    template <class Function>
    void load(Function& function, const char* name)
    {
        if (!library_.load(function, name))
            throw Error(Fault::device, std::string("GPU: libnvrtc: ") + name +
                                           ": missing: must be NVRTC 12 or newer");
    }

    static std::string newest() { return "libnvrtc.so." + std::to_string(CUDART_VERSION / 1000); }

    SharedLibrary library_{newest(), "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"};
};

const Library& library()
{
    static const Library loaded;
    return loaded;
}

class Compilation {
public:
    Compilation(const std::string& name, const std::string& source) : name_(name)
    {
        std::vector<const char*> texts, names;
        for (const DeviceHeader& header : device_headers) {
            texts.push_back(header.text);
            names.push_back(header.name);
        }
        check(of_.create(&program_, source.c_str(), "law.cu", int(texts.size()), texts.data(),
                         names.data()),
              "begin");
    }
    Compilation(const Compilation&) = delete;
    ~Compilation() { of_.destroy(&program_); }

    DeviceCode run(const std::string& kernel, int compute_capability)
    {
        check(of_.add_name(program_, kernel.c_str()), "name the kernel");
        int count = 0;
        check(of_.architecture_count(&count), "count architectures");
        std::vector<int> known(std::size_t(count), 0);
        check(of_.architectures(known.data()), "list architectures");
        // A GPU newer than the compiler gets PTX for the newest architecture known.
        const bool knows = std::find(known.begin(), known.end(), compute_capability) != known.end();
        const int newest = *std::max_element(known.begin(), known.end());
        const std::string target = knows ? "sm_" + std::to_string(compute_capability)
                                         : "compute_" + std::to_string(newest);
        if (!knows && compute_capability < newest)
            throw Error(Fault::device, name_ + ": GPU: compute capability " +
                                           std::to_string(compute_capability) +
                                           ": unknown to this NVRTC");
        const std::string options[] = {"--gpu-architecture=" + target, "--std=c++20"};
        std::vector<const char*> list;
        for (const std::string& option : options)
            list.push_back(option.c_str());
        if (of_.compile(program_, int(list.size()), list.data()) != 0)
            throw Error(Fault::device, name_ + ": GPU: " + first_complaint());
        DeviceCode code;
        const char* lowered = nullptr;
        check(of_.lowered_name(program_, kernel.c_str(), &lowered), "name the kernel");
        code.kernel = lowered;
        std::size_t size = 0;
        check((knows ? of_.cubin_size : of_.ptx_size)(program_, &size), "size the code");
        code.image.resize(size);
        check((knows ? of_.cubin : of_.ptx)(program_, code.image.data()), "fetch the code");
        return code;
    }

private:
    void check(int status, const char* tried) const
    {
        if (status != 0)
            throw Error(Fault::device,
                        name_ + ": GPU: NVRTC: " + tried + ": " + of_.error_string(status));
    }

    /// Returns the log line of the first error.
    std::string first_complaint() const
    {
        std::size_t size = 0;
        of_.log_size(program_, &size);
        std::string log(size, '\0');
        of_.log(program_, log.data());
        std::size_t begin = log.find("error");
        begin = begin == log.npos ? 0 : log.rfind('\n', begin) + 1;
        return "NVRTC: " + log.substr(begin, log.find('\n', begin) - begin);
    }

    const Library& of_ = library();
    const std::string& name_;
    Program program_ = nullptr;
};

} // namespace

DeviceCode compile_for_device(const std::string& name, const std::string& source,
                              const std::string& kernel, int compute_capability)
{
    return Compilation(name, source).run(kernel, compute_capability);
}

} // namespace chamomile
