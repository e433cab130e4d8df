// Rows of HDF5 data sets read past the library equal those that the library reads.
#include <fstream>
#include <optional>
#include <thread>

#include "chamomile/io/hdf5/stored_rows.hpp"
#include "tests/unit/hdf5_files.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("stored_rows");

namespace {

/// Returns creation properties: contiguous without chunk rows.
Hdf5Handle layout(hsize_t chunk_rows, hsize_t columns, const std::function<void(hid_t)>& filter)
{
    Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const hsize_t chunk[] = {chunk_rows, columns};
    if (chunk_rows > 0)
        H5Pset_chunk(creation.id(), columns == 1 ? 1 : 2, chunk);
    if (filter)
        filter(creation.id());
    return creation;
}

/// Reads rows both ways. Returns whether the direct way gave them.
template <class T>
bool reads_alike(const std::filesystem::path& path, std::size_t begin, std::size_t end,
                 std::size_t columns, hid_t type)
{
    const Hdf5Quiet quiet;
    const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose),
        data(H5Dopen2(file.id(), "data", H5P_DEFAULT), H5Dclose),
        space(H5Dget_space(data.id()), H5Sclose);
    std::vector<T> direct((end - begin) * columns), by_library(direct.size());
    const hsize_t start[] = {begin, 0}, count[] = {end - begin, columns};
    H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, count, nullptr);
    const Hdf5Handle memory(H5Screate_simple(columns == 1 ? 1 : 2, count, nullptr), H5Sclose);
    REQUIRE(H5Dread(data.id(), type, memory.id(), space.id(), H5P_DEFAULT, by_library.data()) >= 0);
    if (!read_stored_rows(path, data, begin, columns, std::span(direct)))
        return false;
    CHECK(direct == by_library);
    return true;
}

constexpr hsize_t rows = 200001; // several blocks of conversion and chunks, and not a multiple

} // namespace

TEST_CASE("numbers stored as they are, in every form")
{
    const TemporaryFolder folder;
    const std::function<void(hid_t)> sums = [](hid_t creation) { H5Pset_fletcher32(creation); };
    for (const hid_t type : {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_IEEE_F64BE})
        for (const hsize_t columns : {1, 3})
            for (const hsize_t chunk : {0, 1000, 65536}) {
                const Extent extent = columns == 1 ? Extent{rows} : Extent{rows, columns};
                for (const bool has_sums : {false, true}) {
                    if (chunk == 0 && has_sums)
                        continue;
                    std::filesystem::remove(folder / "a.hdf5");
                    edit(folder / "a.hdf5", [&](hid_t file) {
                        put_data(
                            file, "data", type, extent, counting(rows * columns, -0.25),
                            layout(chunk, columns, has_sums ? sums : std::function<void(hid_t)>())
                                .id());
                    });
                    CHECK(reads_alike<double>(folder / "a.hdf5", 0, rows, columns,
                                              H5T_NATIVE_DOUBLE));
                    CHECK(reads_alike<double>(folder / "a.hdf5", 777, 150003, columns,
                                              H5T_NATIVE_DOUBLE));
                }
            }
    for (const hid_t type : {H5T_STD_U32LE, H5T_STD_U64LE, H5T_STD_U32BE, H5T_STD_U64BE}) {
        std::filesystem::remove(folder / "a.hdf5");
        edit(folder / "a.hdf5", [&](hid_t file) {
            put_data(file, "data", type, {rows}, counting(rows, 5), layout(4096, 1, sums).id());
        });
        CHECK(reads_alike<std::uint64_t>(folder / "a.hdf5", 3, rows, 1, H5T_NATIVE_UINT64));
    }
}

TEST_CASE("other forms, and damage, are left to the library")
{
    const TemporaryFolder folder;
    const auto reads = [&](const char* name) {
        return reads_alike<double>(folder / name, 0, rows, 1, H5T_NATIVE_DOUBLE);
    };
    const auto write = [&](const char* name, hid_t type, hsize_t chunk,
                           const std::function<void(hid_t)>& filter) {
        edit(folder / name, [&](hid_t file) {
            put_data(file, "data", type, {rows}, counting(rows, 0.5),
                     layout(chunk, 1, filter).id());
        });
    };
    write("packed.hdf5", H5T_IEEE_F64LE, 1000, [](hid_t creation) { H5Pset_deflate(creation, 1); });
    CHECK(!reads("packed.hdf5"));
    write("integers.hdf5", H5T_STD_I32LE, 0, nullptr);
    CHECK(!reads("integers.hdf5"));
    write("plain.hdf5", H5T_IEEE_F64LE, 0, nullptr);
    CHECK(reads("plain.hdf5"));
    write("chunks.hdf5", H5T_IEEE_F64LE, 65536, nullptr);
    CHECK(reads("chunks.hdf5"));
    const auto link = [&](const char* name, const char* to, hsize_t chunk) {
        edit(folder / name, [&](hid_t file) { // holds other bytes at these addresses
            put_data(file, "other", H5T_IEEE_F64LE, {2 * rows}, counting(2 * rows, 7),
                     layout(chunk, 1, nullptr).id());
            H5Lcreate_external(to, "data", file, "data", H5P_DEFAULT, H5P_DEFAULT);
        });
    };
    link("linking.hdf5", "plain.hdf5", 0);
    CHECK(!reads("linking.hdf5"));
    link("linking_chunks.hdf5", "chunks.hdf5", 65536);
    CHECK(reads("linking_chunks.hdf5")); // chunk by chunk through the library
    edit(folder / "compact.hdf5", [](hid_t file) {
        const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        H5Pset_layout(creation.id(), H5D_COMPACT);
        put_data(file, "data", H5T_IEEE_F64LE, {50}, counting(50, 0.5), creation.id());
    });
    CHECK(!reads_alike<double>(folder / "compact.hdf5", 0, 50, 1, H5T_NATIVE_DOUBLE));
    write("large.hdf5", H5T_IEEE_F64LE, rows, nullptr);
    CHECK(reads("large.hdf5"));
    edit(folder / "larger.hdf5", [](hid_t file) { // chunks above 4 MiB stay in HDF5's cache
        put_data(file, "data", H5T_IEEE_F64LE, {rows, 3}, counting(3 * rows, 0.5),
                 layout(rows, 3, nullptr).id());
    });
    CHECK(!reads_alike<double>(folder / "larger.hdf5", 0, rows, 3, H5T_NATIVE_DOUBLE));
    for (const hsize_t chunk : {0, 65536}) {
        {
            const Hdf5Quiet quiet;
            const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
            H5Pset_userblock(creation.id(), 512);
            const Hdf5Handle file(H5Fcreate((folder / "block.hdf5").c_str(), H5F_ACC_TRUNC,
                                            creation.id(), H5P_DEFAULT),
                                  H5Fclose);
            put_data(file.id(), "data", H5T_IEEE_F64LE, {rows}, counting(rows, 0.5),
                     layout(chunk, 1, nullptr).id());
        }
        CHECK(reads("block.hdf5") == (chunk > 0));
    }

    for (const bool has_sums : {false, true}) {
        std::filesystem::remove(folder / "a.hdf5");
        write("a.hdf5", H5T_IEEE_F64LE, 65536, [&](hid_t creation) {
            if (has_sums)
                H5Pset_fletcher32(creation);
        });
        std::fstream file(folder / "a.hdf5", std::ios::in | std::ios::out | std::ios::binary);
        std::string bytes{std::istreambuf_iterator<char>(file), {}};
        const double marked = 100000.5;
        const std::size_t at = bytes.rfind({reinterpret_cast<const char*>(&marked), sizeof marked});
        REQUIRE(at != bytes.npos);
        file.seekp(std::streamoff(at));
        file.put(1).flush();
        const Hdf5Quiet quiet;
        const Hdf5Handle opened(H5Fopen((folder / "a.hdf5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
                                H5Fclose),
            data(H5Dopen2(opened.id(), "data", H5P_DEFAULT), H5Dclose);
        std::vector<double> numbers(rows);
        CHECK(read_stored_rows(folder / "a.hdf5", data, 0, 1, std::span(numbers)) == !has_sums);
    }
}

TEST_CASE("HDF5 prints in no thread that holds an Hdf5Quiet, and as before after the last")
{
    const auto prints = [] {
        H5E_auto2_t report = nullptr;
        void* data = nullptr;
        H5Eget_auto2(H5E_DEFAULT, &report, &data);
        return report != nullptr;
    };
    CHECK(prints());
    std::optional<Hdf5Quiet> first(std::in_place);
    {
        const Hdf5Quiet::Pause pause;
        std::thread([&] {
            const Hdf5Quiet second;
            CHECK(!prints());
        }).join();
    }
    CHECK(!prints());
    first.reset();
    CHECK(prints());
}

TEST_SUITE_END();
