// HDF5 files from other programs, in pieces, and with all faults.
#include "tests/unit/hdf5_files.hpp"

using namespace chamomile;

TEST_SUITE_BEGIN("hdf5");

TEST_CASE("files from scripts are read with any width and byte order, and without units")
{
    const TemporaryFolder folder;
    make_initial_conditions(folder / "ic", 5, 5, 1, 10);
    const Snapshot snapshot = read_snapshot(folder / "ic");
    const Particles& particles = snapshot.particles;
    REQUIRE(particles.size() == 5);
    CHECK(snapshot.time == 2.5);
    CHECK(particles.id[4] == 14);
    CHECK(particles.mass[4] == 0.5);
    CHECK(particles.type[4] == 1);
    CHECK(particles.position[4] == Vec3<double>{12.5, 13.5, 14.5});
    CHECK(particles.velocity[4] == Vec3<double>{5, 6, 7});
    CHECK(snapshot.units == Units::gadget(true));
    REQUIRE(snapshot.notes.size() == 1);
    CHECK(contains(snapshot.notes[0], "units"));

    edit(folder / "ic", [](hid_t file) { H5Ldelete(file, "PartType1/ParticleIDs", H5P_DEFAULT); });
    const Snapshot without_ids = read_snapshot(folder / "ic");
    CHECK(without_ids.particles.id == std::vector<std::uint64_t>{1, 2, 3, 4, 5});
    CHECK(without_ids.notes.size() == 2);
}

TEST_CASE("SWIFT initial conditions: seven types, box as three lengths, time unit")
{
    const TemporaryFolder folder;
    make_initial_conditions(folder / "ic", 5, 5, 1, 10);
    edit(folder / "ic", [](hid_t file) {
        put_attribute(file, "Header", "NumPart_ThisFile", H5T_STD_I64LE, {7},
                      {0, 5, 0, 0, 0, 0, 0});
        put_attribute(file, "Header", "BoxSize", H5T_IEEE_F64LE, {3}, {20, 20, 20});
        put_attribute(file, "Units", "Unit length in cgs (U_L)", H5T_IEEE_F64LE, {1}, {6});
        put_attribute(file, "Units", "Unit mass in cgs (U_M)", H5T_IEEE_F64LE, {1}, {7});
        put_attribute(file, "Units", "Unit time in cgs (U_t)", H5T_IEEE_F64LE, {1}, {2});
    });
    const Snapshot snapshot = read_snapshot(folder / "ic");
    CHECK(snapshot.box_size == 20);
    CHECK(snapshot.units == Units{6, 7, 3, true, false});
    CHECK(snapshot.notes.empty());
}

TEST_CASE("SWIFT snapshots: background from the Cosmology group, cosmic time")
{
    const TemporaryFolder folder;
    make_initial_conditions(folder / "snapshot", 5, 5, 1, 10);
    edit(folder / "snapshot", [](hid_t file) {
        put_text(file, "Header", "Code", "SWIFT");
        put_attribute(file, "Header", "Redshift", H5T_IEEE_F64LE, {1}, {3});
        for (const auto& [name, value] : std::map<const char*, double>{{"Omega_m", 0.3},
                                                                       {"Omega_lambda", 0.69},
                                                                       {"Omega_r", 1e-4},
                                                                       {"h", 0.68},
                                                                       {"w_0", -0.9},
                                                                       {"w_a", 0.1}})
            put_attribute(file, "Cosmology", name, H5T_IEEE_F64LE, {1}, {value});
    });
    const Snapshot snapshot = read_snapshot(folder / "snapshot");
    REQUIRE(snapshot.comoving.has_value());
    CHECK(snapshot.comoving->scale_factor == 0.25);
    CHECK(snapshot.comoving->omega_matter == 0.3);
    CHECK(snapshot.comoving->omega_lambda == 0.69);
    CHECK(snapshot.comoving->omega_radiation == 1e-4);
    CHECK(snapshot.comoving->hubble == 0.68);
    CHECK(snapshot.comoving->w0 == -0.9);
    CHECK(snapshot.comoving->wa == 0.1);
    CHECK(snapshot.particles.velocity[4] == Vec3<double>{5, 6, 7}); // peculiar already
    CHECK(snapshot.time == 0.25);
    for (const char* name : {"again.hdf5", "again.gadget2", "again.txt"}) {
        CAPTURE(name);
        write_snapshot(snapshot, folder / name);
        const Snapshot again = read_snapshot(folder / name);
        REQUIRE(again.comoving.has_value());
        CHECK(again.comoving->omega_matter == 0.3);
        CHECK(norm(again.particles.velocity[4] - Vec3<double>{5, 6, 7}) < 1e-5);
    }
}

TEST_CASE("GADGET-4 parameters: units per h and a global softening")
{
    const TemporaryFolder folder;
    make_initial_conditions(folder / "ic", 5, 5, 1, 10);
    edit(folder / "ic", [](hid_t file) {
        for (const auto& [name, value] :
             std::map<const char*, double>{{"UnitLength_in_cm", 3.0},
                                           {"UnitMass_in_g", 4.0},
                                           {"UnitVelocity_in_cm_per_s", 5.0},
                                           {"HubbleParam", 0.7},
                                           {"SofteningClassOfPartType1", 2.0},
                                           {"SofteningComovingClass2", 0.25}})
            put_attribute(file, "Parameters", name, H5T_IEEE_F64LE, {}, {value});
    });
    const Snapshot snapshot = read_snapshot(folder / "ic");
    CHECK(snapshot.units == Units{3 / 0.7, 4 / 0.7, 5, true, false}); // not comoving
    CHECK(snapshot.G() == Units{3, 4, 5, true, true}.gravitational_constant());
    REQUIRE(snapshot.softening.has_value());
    CHECK(snapshot.softening->length == 0.25);

    edit(folder / "ic", [](hid_t file) {
        put_attribute(file, "Parameters", "GravityConstantInternal", H5T_IEEE_F64LE, {}, {1});
    });
    const Snapshot with_G = read_snapshot(folder / "ic");
    CHECK(with_G.G() == 1);
    REQUIRE(with_G.notes.size() == 1);
    CHECK(contains(with_G.notes[0], "G is 1, as Parameters/GravityConstantInternal states"));
}

TEST_CASE("ComovingIntegrationOn decides about comoving frames, else Lambda and redshift")
{
    const TemporaryFolder folder;
    const auto read_with = [&](std::optional<double> word, double lambda, double redshift,
                               double box = 20) {
        std::filesystem::remove(folder / "ic");
        make_initial_conditions(folder / "ic", 5, 5, 1, 10);
        edit(folder / "ic", [&](hid_t file) {
            for (const auto& [name, value] :
                 std::map<const char*, double>{{"Time", 1 / (1 + redshift)},
                                               {"Redshift", redshift},
                                               {"BoxSize", box},
                                               {"Omega0", 0.3},
                                               {"OmegaLambda", lambda},
                                               {"HubbleParam", 0.7}})
                put_attribute(file, "Header", name, H5T_IEEE_F64LE, {}, {value});
            if (word)
                put_attribute(file, "Parameters", "ComovingIntegrationOn", H5T_STD_I32LE, {},
                              {*word});
        });
        return read_snapshot(folder / "ic");
    };
    CHECK(read_with(1, 0, 0).comoving.has_value());
    CHECK(read_with(1, 0.7, 3).comoving.has_value());
    CHECK_FALSE(read_with(0, 0.7, 0).comoving.has_value());
    CHECK(read_with({}, 0.7, 0).comoving.has_value());
    CHECK(read_with({}, 0, 3).comoving.has_value());
    const Snapshot open = read_with({}, 0, 0);
    CHECK_FALSE(open.comoving.has_value());
    REQUIRE(open.notes.size() == 2);
    CHECK(contains(open.notes[0], "Omega_m 0.3 without Omega_Lambda or redshift: read as plain"));
    CHECK(contains(read_with({}, 0.7, 2.220446049250313e-16).notes[0], "at scale factor 1:"));
    // An isolated run's snapshot at time 1 also has Lambda.
    CHECK(read_with({}, 0.7, 3, 0).comoving.has_value());
    CHECK(read_with(1, 0.7, 0, 0).comoving.has_value());
    const Snapshot isolated = read_with({}, 0.7, 0, 0);
    CHECK_FALSE(isolated.comoving.has_value());
    CHECK(contains(isolated.notes[0], "no box, at time 1 and redshift 0: read as plain"));
}

TEST_CASE("multi-file snapshots open from any piece, allow empty pieces and need all pieces")
{
    const TemporaryFolder folder;
    make_initial_conditions(folder / "ic.0.hdf5", 0, 7, 3, 0);
    make_initial_conditions(folder / "ic.1.hdf5", 3, 7, 3, 1);
    make_initial_conditions(folder / "ic.2.hdf5", 4, 7, 3, 4);
    for (const char* name : {"ic.0.hdf5", "ic.2.hdf5"}) {
        const Snapshot snapshot = read_snapshot(folder / name);
        CHECK(snapshot.particles.id == std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7});
        CHECK(snapshot.particles.position[3].x == 0.5);
    }
    std::filesystem::copy_file(folder / "ic.1.hdf5", folder / "other.hdf5");
    CHECK(contains(reading_error(folder / "other.hdf5"), "number of the piece"));
    std::filesystem::remove(folder / "ic.2.hdf5");
    CHECK(contains(reading_error(folder / "ic.0.hdf5"), "ic.2.hdf5: file: missing"));
    make_initial_conditions(folder / "ic.2.hdf5", 2, 7, 3, 4);
    CHECK(contains(reading_error(folder / "ic.0.hdf5"),
                   "type 1: 7: must be 5, the number in the file or all pieces"));
    std::filesystem::remove(folder / "ic.2.hdf5");
    make_initial_conditions(folder / "ic.2.hdf5", 4, 8, 3, 4);
    CHECK(contains(reading_error(folder / "ic.0.hdf5"),
                   "ic.2.hdf5: total number of particles of type 1: 8: must be 7, the number in "
                   "the file or all pieces"));
    for (const auto& [name, part] :
         std::map<const char*, const char*>{{"BoxSize", "box size: 9"},
                                            {"UnitLength_in_cm", "unit of length: 9"},
                                            {"Redshift", "comoving coordinates: 1"}}) {
        std::filesystem::remove(folder / "ic.2.hdf5");
        make_initial_conditions(folder / "ic.2.hdf5", 4, 7, 3, 4);
        edit(folder / "ic.2.hdf5", [&](hid_t file) {
            put_attribute(file, "Header", name, H5T_IEEE_F64LE, {}, {name[0] == 'R' ? -0.6 : 9});
            if (name[0] == 'U')
                for (const char* other : {"UnitMass_in_g", "UnitVelocity_in_cm_per_s"})
                    put_attribute(file, "Header", other, H5T_IEEE_F64LE, {}, {1});
        });
        CHECK(contains(reading_error(folder / "ic.0.hdf5"), part));
    }
}

TEST_CASE("every error in a file is a line naming the field")
{
    const TemporaryFolder folder;
    const auto error_after = [&](const std::function<void(hid_t)>& change) {
        std::filesystem::remove(folder / "ic");
        make_initial_conditions(folder / "ic", 5, 5, 1, 10);
        edit(folder / "ic", change);
        return reading_error(folder / "ic");
    };
    const auto after_deleting = [&](const char* name) {
        return error_after([=](hid_t file) { H5Ldelete(file, name, H5P_DEFAULT); });
    };
    CHECK(contains(after_deleting("Header"), "Header: missing"));
    CHECK(contains(after_deleting("PartType1"), "PartType1: missing"));
    CHECK(contains(after_deleting("PartType1/Velocities"), "PartType1/Velocities: missing"));

    const auto with_data = [&](const char* name, hid_t type, const Extent& extent) {
        std::size_t n = 1;
        for (hsize_t length : extent)
            n *= length;
        return error_after([&](hid_t file) { put_data(file, name, type, extent, counting(n, 1)); });
    };
    CHECK(contains(with_data("PartType1/Coordinates", H5T_IEEE_F64LE, {15}),
                   "shape 15: must be 5 x 3"));
    CHECK(contains(with_data("PartType1/Coordinates", H5T_IEEE_F64LE, {5, 2}), "shape 5 x 2"));
    CHECK(contains(with_data("PartType1/Coordinates", H5T_IEEE_F64LE, {4, 3}), "shape 4 x 3"));
    CHECK(contains(with_data("PartType1/Coordinates", H5T_STD_I64LE, {5, 3}), "wrong type"));
    CHECK(contains(with_data("PartType1/ParticleIDs", H5T_IEEE_F64LE, {5}), "ParticleIDs: wrong"));
    CHECK(contains(with_data("PartType1/ParticleIDs", H5T_STD_I64LE, {}), "shape scalar"));

    const auto with_attribute = [&](const char* name, const Extent& extent,
                                    const std::vector<double>& values) {
        return error_after([&](hid_t file) {
            put_attribute(file, "Header", name, H5T_IEEE_F64LE, extent, values);
        });
    };
    CHECK(contains(with_attribute("MassTable", {6}, {0, 0, 0, 0, 0, 0}), "Masses: missing"));
    CHECK(contains(with_attribute("MassTable", {6}, {0, -1, 0, 0, 0, 0}), "type 1: -1"));
    CHECK(contains(with_attribute("MassTable", {6}, {0, NAN, 0, 0, 0, 0}), "MassTable: nan"));
    CHECK(contains(with_attribute("NumPart_ThisFile", {6}, {0, -5, 0, 0, 0, 0}),
                   "-5: must be 0 or more"));
    CHECK(contains(with_attribute("NumPart_ThisFile", {6}, {0, 5e9, 0, 0, 0, 0}), "5000000000"));
    CHECK(contains(with_attribute("NumPart_ThisFile", {6}, {0, 4e9, 0, 0, 0, 0}), "4000000000"));
    CHECK(contains(with_attribute("NumPart_ThisFile", {6}, {0, 4.5, 0, 0, 0, 0}), "whole"));
    CHECK(contains(with_attribute("NumPart_ThisFile", {7}, {0, 5, 0, 0, 0, 0, 1}), "type 6: 1"));
    CHECK(contains(with_attribute("NumPart_Total", {6}, {0, 6, 0, 0, 0, 0}), "type 1: 6"));
    CHECK(contains(with_attribute("NumPart_Total", {6}, {0, 6, 0, 0, 0, 0}), "type 1: 6"));
    CHECK(contains(with_attribute("NumFilesPerSnapshot", {}, {-1}), "number of files: -1"));
    CHECK(contains(with_attribute("BoxSize", {}, {-1}), "BoxSize: -1"));
    CHECK(contains(with_attribute("BoxSize", {3}, {1, 2, 3}),
                   "BoxSize: 1, 2, 3: must be one number"));
    CHECK(contains(with_attribute("BoxSize", {}, {1e300}),
                   "BoxSize: 1e+300: must be a number from 1e-100"));
    CHECK(contains(with_attribute("UnitLength_in_cm", {}, {0}), "UnitLength_in_cm: 0"));
    const auto with_own = [&](const char* name, const std::string& text, double G) {
        return error_after([&](hid_t file) {
            put_attribute(file, "Chamomile", "G", H5T_IEEE_F64LE, {}, {G});
            put_text(file, text.empty() ? "Header" : "Chamomile", name, text.empty() ? "x" : text);
        });
    };
    CHECK(contains(with_own("BoxSize", "", 1), "BoxSize: a text: must be a number"));
    CHECK(contains(with_own("version", "1", -1), "G: -1: must be a number > 0"));
    CHECK(contains(with_own("version", "1", 0), "G: 0: must be a number > 0"));
    CHECK(contains(with_own("unit_system", "N-cody", 1), "unit_system: N-cody: N-body, physical"));
    CHECK(contains(with_own("unit_system", "physical", 1), "Units/UnitLength_in_cm: missing"));
    CHECK(contains(with_own("softening_kind", "spline", 1), "needs softening_length"));

    // Chunks never written would read as zeros.
    const Hdf5Handle chunked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const hsize_t chunk[] = {2, 3};
    H5Pset_chunk(chunked.id(), 2, chunk);
    CHECK(contains(
        error_after([&](hid_t file) {
            put_data(file, "PartType1/Velocities", H5T_IEEE_F64LE, {5, 3}, {}, chunked.id());
        }),
        "0 bytes stored: incomplete"));
    CHECK(contains(error_after([&](hid_t file) {
                       put_data(file, "PartType1/Velocities", H5T_IEEE_F64LE, {5, 3}, {});
                   }),
                   "0 bytes stored: incomplete"));
    // So would data missing in an external file.
    const Hdf5Handle external(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_external(external.id(), (folder / "raw").c_str(), 0, 120);
    make_file(folder / "raw", "short");
    CHECK(contains(
        error_after([&](hid_t file) {
            put_data(file, "PartType1/Velocities", H5T_IEEE_F64LE, {5, 3}, {}, external.id());
        }),
        "Velocities: external storage: must be in this file"));
}

TEST_CASE("headers without file counts or with invalid high words are read")
{
    const TemporaryFolder folder;
    make_initial_conditions(folder / "ic", 5, 5, 0, 10);
    CHECK(read_snapshot(folder / "ic").notes.size() == 1);
    edit(folder / "ic", [](hid_t file) {
        put_attribute(file, "Header", "NumPart_Total_HighWord", H5T_STD_U32LE, {6},
                      {0, 228, 0, 0, 0, 0});
    });
    const Snapshot snapshot = read_snapshot(folder / "ic");
    CHECK(snapshot.particles.size() == 5);
    CHECK(snapshot.notes.front() ==
          "total number of particles of type 1: ignores the high word 228: "
          "5 are in the file or all pieces");
}

TEST_CASE("GIZMO headers give units and background")
{
    const TemporaryFolder folder;
    struct Expected {
        double h;
        double is_comoving, G;
        Units units;
    };
    for (const auto& [h, is_comoving, G, units] :
         {Expected{1, 0, 7, {3, 4, 5, true, false}}, Expected{0.7, 1, 0, {3, 4, 5, true, false}}}) {
        std::filesystem::remove(folder / "ic");
        make_initial_conditions(folder / "ic", 5, 5, 1, 10);
        edit(folder / "ic", [&](hid_t file) {
            for (const auto& [name, value] :
                 std::map<const char*, double>{{"UnitLength_In_CGS", 3},
                                               {"UnitMass_In_CGS", 4},
                                               {"UnitVelocity_In_CGS", 5},
                                               {"Gravitational_Constant_In_Code_Inits", G},
                                               {"ComovingIntegrationOn", is_comoving},
                                               {"Omega_Matter", 0.25},
                                               {"Omega_Lambda", 0.75},
                                               {"HubbleParam", h},
                                               {"Redshift", 1},
                                               {"Time", 0.5}})
                put_attribute(file, "Header", name, H5T_IEEE_F64LE, {}, {value});
        });
        const Snapshot snapshot = read_snapshot(folder / "ic");
        CHECK(snapshot.units == units);
        CHECK(snapshot.has_stated_units);
        CHECK(snapshot.G() == (G > 0 ? G : units.gravitational_constant()));
        REQUIRE(snapshot.comoving.has_value() == (is_comoving == 1));
        if (snapshot.comoving) {
            CHECK(snapshot.comoving->omega_matter == 0.25);
            CHECK(snapshot.comoving->omega_lambda == 0.75);
            CHECK(snapshot.comoving->hubble == 0.7);
        } else
            CHECK(contains(snapshot.notes[0],
                           "G is 7, as Header/Gravitational_Constant_In_Code_Inits states"));
    }
}

TEST_CASE("TNG tracers are skipped, EAGLE names are known")
{
    const TemporaryFolder folder;
    for (int pieces : {1, 2}) {
        for (int k = 0; k < pieces; ++k) {
            const auto path = folder / ("ic." + std::to_string(pieces) + std::to_string(k) + "." +
                                        std::to_string(k) + ".hdf5");
            const double tracers = k == pieces - 1 ? 3 : 0; // only in the last piece
            make_initial_conditions(path, 5, 5 * pieces, pieces, 10 + 5 * k);
            edit(path, [&](hid_t file) {
                put_attribute(file, "Header", "NumPart_ThisFile", H5T_STD_I32LE, {6},
                              {0, 5, 0, tracers, 0, 0});
                put_attribute(file, "Header", "NumPart_Total", H5T_STD_I32LE, {6},
                              {0, 5.0 * pieces, 0, 3, 0, 0});
                if (tracers > 0) {
                    H5Gclose(H5Gcreate2(file, "PartType3", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
                    for (const char* name : {"PartType3/ParentID", "PartType3/TracerID"})
                        put_data(file, name, H5T_STD_I64LE, {3}, counting(3, 1));
                }
                put_attribute(file, "Header", "MassTable", H5T_IEEE_F32LE, {6}, {0, 0, 0, 0, 0, 0});
                put_data(file, "PartType1/Mass", H5T_IEEE_F32LE, {5}, counting(5, 1));
                H5Lmove(file, "PartType1/Velocities", file, "PartType1/Velocity", H5P_DEFAULT,
                        H5P_DEFAULT);
            });
            std::filesystem::rename(path, folder / ("ic." + std::to_string(k) + ".hdf5"));
        }
        const Snapshot snapshot = read_snapshot(folder / "ic.0.hdf5");
        REQUIRE(snapshot.particles.size() == std::size_t(5 * pieces));
        CHECK(snapshot.particles.velocity[4] == Vec3<double>{5, 6, 7});
        CHECK(snapshot.particles.mass[4] == 5);
        CHECK(snapshot.notes.front() ==
              "3 particles of type 3 not read: tracers of gas, without Coordinates");
    }
}

TEST_CASE("a mass table overrides a mass data set, with a note")
{
    const TemporaryFolder folder;
    make_initial_conditions(folder / "ic", 5, 5, 1, 10);
    edit(folder / "ic", [](hid_t file) {
        put_data(file, "PartType1/Masses", H5T_IEEE_F64LE, {5}, counting(5, 1));
    });
    const Snapshot snapshot = read_snapshot(folder / "ic");
    CHECK(snapshot.particles.mass[3] == 0.5);
    CHECK(snapshot.notes.size() == 2);
}

TEST_CASE("truncated files and flipped bits are detected")
{
    const TemporaryFolder folder;
    write_snapshot(sample_snapshot(37), folder / "a.hdf5");
    const std::string whole = file_bytes(folder / "a.hdf5");
    for (std::size_t size = 1; size < whole.size(); size += 211) {
        make_file(folder / "cut", whole.substr(0, size));
        CHECK(!reading_error(folder / "cut").empty());
    }
    // Flips a bit in one mass; each type's masses are contiguous.
    const Snapshot snapshot = read_snapshot(folder / "a.hdf5");
    std::string masses(2 * sizeof(double), '\0');
    std::memcpy(masses.data(), snapshot.particles.mass.data(), masses.size());
    std::string flipped = whole;
    REQUIRE(flipped.find(masses) != flipped.npos);
    flipped[flipped.find(masses) + 3] ^= 4;
    make_file(folder / "flipped", flipped);
    CHECK(contains(reading_error(folder / "flipped"), "Masses"));
}

TEST_CASE("driver information longer than the file is refused before allocation")
{
    const TemporaryFolder folder;
    make_initial_conditions(folder / "a.hdf5", 0, 7, 1, 0);
    std::string bytes = file_bytes(folder / "a.hdf5");
    REQUIRE(bytes[8] == 0); // superblock version; byte 13 has the address size
    REQUIRE(bytes[13] == 8);
    const std::uint64_t end = bytes.size();
    std::memcpy(&bytes[24 + 3 * 8], &end, sizeof end);
    const std::uint32_t head[] = {0, 0xffff0000};
    // The file is too short to be valid, but the library first accepts its two-byte addresses.
    std::string stub = bytes.substr(0, 24) + std::string(8, '\0');
    stub[13] = 2;
    stub[24 + 3 * 2] = 26;
    make_file(folder / "stub", stub + "\xff\xff");
    CHECK(contains(reading_error(folder / "stub"),
                   "driver information: 4294901786 bytes: truncated or damaged"));
    for (std::size_t user_block : {0, 512}) {
        std::string file = std::string(user_block, ' ') + bytes;
        file.append(reinterpret_cast<const char*>(head), sizeof head);
        make_file(folder / "driver", file);
        CHECK(contains(reading_error(folder / "driver"),
                       "driver information: 4294901760 bytes: truncated or damaged"));
    }
}

TEST_SUITE_END();
