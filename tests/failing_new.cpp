// Preloaded into the program, makes large memory requests fail from the n-th on, as with full
// memory: FAILING_NEW=n, counted from 1.
#include <atomic>
#include <cstdlib>
#include <new>

void* operator new(std::size_t size)
{
    static const char* const text = std::getenv("FAILING_NEW");
    static const long first = text ? std::atol(text) : 0;
    static std::atomic<long> requests{0};
    if (first > 0 && size >= 4096 && ++requests >= first)
        throw std::bad_alloc();
    if (void* const memory = std::malloc(size ? size : 1))
        return memory;
    throw std::bad_alloc();
}

void operator delete(void* memory) noexcept
{
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
