#include "chamomile/core/large_memory.hpp"

#include <cstdlib>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace chamomile {
namespace {

constexpr std::size_t huge_page = std::size_t(2) << 20, min_large = 4 * huge_page;

/// LargeMemory is the resource that large_memory() returns.
class LargeMemory final : public std::pmr::memory_resource {
private:
    static std::size_t whole_pages(std::size_t bytes)
    {
        return (bytes + huge_page - 1) / huge_page * huge_page;
    }

    void* do_allocate(std::size_t bytes, std::size_t alignment) override
    {
        if (bytes < min_large)
            return std::pmr::new_delete_resource()->allocate(bytes, alignment);
        const std::size_t size = whole_pages(bytes);
        void* const memory = std::aligned_alloc(huge_page, size);
        if (!memory)
            throw std::bad_alloc();
#ifdef __linux__
        madvise(memory, size, MADV_HUGEPAGE); // a hint: the system may ignore it
#endif
        char* const begin = static_cast<char*>(memory);
#pragma omp parallel for schedule(static)
        for (std::size_t page = 0; page < size; page += huge_page)
            begin[page] = 0;
        return memory;
    }

    void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override
    {
        if (bytes < min_large)
            std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
        else
            std::free(memory);
    }

    bool do_is_equal(const memory_resource& other) const noexcept override
    {
        return this == &other;
    }
};

} // namespace

std::pmr::memory_resource* large_memory()
{
    static LargeMemory memory;
    return &memory;
}

} // namespace chamomile
