// A driver for compilers without libFuzzer. Runs every file in the named folders, then random
// mutations: [-seconds=S] [-seed=N] FOLDER... Not guided by coverage.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes read(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Flips bits, changes bytes, inserts boundary numbers; drops, repeats or splices ranges.
Bytes mutated(Bytes bytes, const std::vector<Bytes>& all, std::mt19937_64& random)
{
    constexpr std::uint64_t numbers[] = {0,
                                         1,
                                         255,
                                         256,
                                         0x7fffffff,
                                         0x80000000,
                                         0xffffffff,
                                         0x7fffffffffffffff,
                                         0x8000000000000000,
                                         ~0ull,
                                         0x7ff0000000000000,
                                         0x7ff8000000000000};
    for (int changes = 1 + int(random() % 4); changes > 0; --changes) {
        const std::size_t n = bytes.size(), at = n ? random() % n : 0;
        switch (random() % 7) {
        case 0:
            if (n)
                bytes[at] = std::uint8_t(bytes[at] ^ 1 << random() % 8);
            break;
        case 1:
            if (n)
                bytes[at] = std::uint8_t(random());
            break;
        case 2: {
            const std::uint64_t number = numbers[random() % std::size(numbers)];
            const std::size_t width = std::size_t(1) << random() % 4;
            if (at + width <= n)
                std::memcpy(bytes.data() + at, &number, width);
            break;
        }
        case 3:
            bytes.resize(at);
            break;
        case 4:
            bytes.erase(bytes.begin() + std::ptrdiff_t(at),
                        bytes.begin() + std::ptrdiff_t(std::min(n, at + random() % 64)));
            break;
        case 5: {
            const Bytes part(bytes.begin() + std::ptrdiff_t(at),
                             bytes.begin() + std::ptrdiff_t(std::min(n, at + random() % 64)));
            bytes.insert(bytes.begin() + std::ptrdiff_t(n ? random() % n : 0), part.begin(),
                         part.end());
            break;
        }
        default: {
            const Bytes& other = all[random() % all.size()];
            const std::size_t from = other.empty() ? 0 : random() % other.size();
            for (std::size_t k = 0; k < 64 && from + k < other.size() && at + k < n; ++k)
                bytes[at + k] = other[from + k];
        }
        }
    }
    return bytes;
}

} // namespace

int main(int argc, char** argv)
{
    double seconds = 2;
    std::uint64_t seed = 1, runs = 0;
    std::vector<Bytes> corpus;
    for (int k = 1; k < argc; ++k) {
        const std::string word = argv[k];
        if (word.starts_with("-seconds="))
            seconds = std::atof(word.c_str() + 9);
        else if (word.starts_with("-seed="))
            seed = std::strtoull(word.c_str() + 6, nullptr, 10);
        else
            for (const auto& entry : std::filesystem::directory_iterator(word))
                corpus.push_back(read(entry.path()));
    }
    if (corpus.empty()) {
        std::fprintf(stderr, "no corpus\n");
        return 1;
    }
    std::mt19937_64 random(seed);
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    for (const Bytes& bytes : corpus) {
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
        ++runs;
    }
    for (; std::chrono::steady_clock::now() < end; ++runs) {
        const Bytes bytes = mutated(corpus[random() % corpus.size()], corpus, random);
        LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    std::printf("%llu runs from %zu files\n", (unsigned long long)runs, corpus.size());
}
