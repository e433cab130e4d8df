// Contraction: fused.
#include <algorithm>
#include <string>
#include <vector>

#include "chamomile/force/gpu.hpp"
#include "chamomile/gpu/device/cufft.cuh"
#include "chamomile/gpu/device/shared_library.hpp"

namespace chamomile {
namespace {

/// cuFFT's numbers: R2C, C2R, C2C, D2Z, Z2D, Z2Z.
template <class T>
constexpr int real_to_complex = sizeof(T) == 4 ? 0x2a : 0x6a;
template <class T>
constexpr int complex_to_real = sizeof(T) == 4 ? 0x2c : 0x6c;
template <class T>
constexpr int complex_to_complex = sizeof(T) == 4 ? 0x29 : 0x69;

class Library {
public:
    Library()
    {
        if (!library_.is_open())
            throw Error(Fault::device,
                        "GPU: " + newest() +
                            ": not found: a mesh on the GPU needs cuFFT of the CUDA Toolkit "
                            "(package libcufft); install it or give {device} cpu");
        load(create, "cufftCreate");
        load(set_auto_allocation, "cufftSetAutoAllocation");
        load(make_plan, "cufftMakePlanMany");
        load(set_work_area, "cufftSetWorkArea");
        load(set_stream, "cufftSetStream");
        load(floats.forward, "cufftExecR2C");
        load(floats.backward, "cufftExecC2R");
        load(floats.columns, "cufftExecC2C");
        load(doubles.forward, "cufftExecD2Z");
        load(doubles.backward, "cufftExecZ2D");
        load(doubles.columns, "cufftExecZ2Z");
        load(destroy, "cufftDestroy");
    }

    int (*create)(int*);
    int (*set_auto_allocation)(int, int);
    int (*make_plan)(int, int, int*, int*, int, int, int*, int, int, int, int, std::size_t*);
    int (*set_work_area)(int, void*);
    int (*set_stream)(int, cudaStream_t);
    int (*destroy)(int);

    template <class T>
    struct Transforms {
        int (*forward)(int, T*, void*);
        int (*backward)(int, void*, T*);
        int (*columns)(int, void*, void*, int);
    };
    Transforms<float> floats;
    Transforms<double> doubles;

    template <class T>
    const Transforms<T>& transforms() const
    {
        if constexpr (sizeof(T) == sizeof(float))
            return floats;
        else
            return doubles;
    }

private:
    template <class Function>
    void load(Function& function, const char* name)
    {
        if (!library_.load(function, name))
            throw Error(Fault::device,
                        std::string("GPU: libcufft: ") + name + ": missing: must be cuFFT 11");
    }

    /// Returns the library name of the toolkit's cuFFT: its major version is the toolkit's less
    /// one.
    static std::string newest()
    {
        return "libcufft.so." + std::to_string(CUDART_VERSION / 1000 - 1);
    }

    SharedLibrary library_{newest(), "libcufft.so", "libcufft.so.12", "libcufft.so.11"};
};

const Library& library()
{
    static const Library loaded;
    return loaded;
}

void check_transform(int status, const char* tried)
{
    constexpr int no_memory = 2; // CUFFT_ALLOC_FAILED
    if (status == 0)
        return;
    if (const cudaError_t cause = cudaGetLastError(); cause != cudaSuccess)
        fail_call(cause, tried);
    int device = 0;
    cudaGetDevice(&device);
    const std::string line = std::string("GPU: ") + tried + ": cuFFT error " +
                             std::to_string(status) + "; " + gpu_identity(device);
    if (status == no_memory)
        throw OutOfDeviceMemory(line);
    throw Error(Fault::device, line);
}

/// A Layout places transforms in memory, in numbers of the plan's type.
struct Layout {
    int padded[2], stride, distance;
};

/// Plans `count` transforms of `sides`, and returns the bytes of their work area.
std::size_t plan(int& handle, std::vector<int> sides, int type, int count, Layout from, Layout to)
{
    std::size_t bytes = 0;
    check_transform(library().create(&handle), "plan a transform");
    check_transform(library().set_auto_allocation(handle, 0), "plan a transform");
    check_transform(library().make_plan(handle, int(sides.size()), sides.data(), from.padded,
                                        from.stride, from.distance, to.padded, to.stride,
                                        to.distance, type, count, &bytes),
                    "plan a transform");
    return bytes;
}

} // namespace

template <class T>
DeviceFourier<T>::DeviceFourier(int n, int slab)
    : DeviceFourier() // the destructor runs if the body throws
{
    const int half = n / 2 + 1;
    const Layout real{{n, 2 * half}, 1, n * 2 * half}, modes{{n, half}, 1, n * half},
        columns{{n, half}, slab * half, 1};
    std::size_t bytes = 1;
    for (const std::size_t more :
         {plan(forward_, {n, n}, real_to_complex<T>, slab, real, modes),
          plan(backward_, {n, n}, complex_to_real<T>, slab, modes, real),
          plan(columns_, {n}, complex_to_complex<T>, slab * half, columns, columns)})
        bytes = std::max(bytes, more);
    char* work = work_.reserve(bytes);
    for (int handle : {forward_, backward_, columns_})
        check_transform(library().set_work_area(handle, work), "plan a transform");
}

template <class T>
DeviceFourier<T>::~DeviceFourier()
{
    for (int handle : {forward_, backward_, columns_})
        if (handle >= 0 && !device_hangs())
            library().destroy(handle);
}

template <class T>
void DeviceFourier<T>::forward(T* planes, cudaStream_t stream) const
{
    check_transform(library().set_stream(forward_, stream), "transform a mesh");
    check_transform(library().transforms<T>().forward(forward_, planes, planes),
                    "transform a mesh");
}

template <class T>
void DeviceFourier<T>::backward(T* planes, cudaStream_t stream) const
{
    check_transform(library().set_stream(backward_, stream), "transform a mesh");
    check_transform(library().transforms<T>().backward(backward_, planes, planes),
                    "transform a mesh");
}

template <class T>
void DeviceFourier<T>::transform_columns(T* rows, int sign, cudaStream_t stream) const
{
    check_transform(library().set_stream(columns_, stream), "transform a mesh");
    check_transform(library().transforms<T>().columns(columns_, rows, rows, sign),
                    "transform a mesh");
}

template class DeviceFourier<float>;
template class DeviceFourier<double>;

} // namespace chamomile
