/// \file  Tables of an isolated system during a run: what is bound, the structure of a star
/// cluster, its escapers, binaries and encounters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/integrate/measures/core_radius.hpp"
#include "chamomile/integrate/measures/unbinding.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "chamomile/io/snapshot.hpp"
#include "chamomile/run/files/line_file.hpp"
#include "chamomile/run/files/run_folder.hpp"
#include "chamomile/run/files/table_columns.hpp"

namespace chamomile {

/// A ClusterRequest selects the tables.
struct ClusterRequest {
    bool bound = false;    ///< bound.csv
    bool cluster = false;  ///< cluster.csv and escapers.csv
    bool binaries = false; ///< binaries.csv, with `cluster`
    std::optional<double>
        encounters; ///< encounters.csv: of pairs within this distance, with `cluster`
    std::uint64_t bound_every = 10;   ///< steps between rows
    std::uint64_t cluster_every = 10; ///< steps between rows of the other tables
    std::string ids;                  ///< file of the particles that may be bound; empty: all
    std::vector<double> mass_groups;  ///< ascending limits between groups

    bool is_asked() const { return bound || cluster; }
};

/// Returns the columns of bound.csv, without time and step.
std::vector<TableColumn> bound_columns();
/// Returns the cells of these columns.
std::vector<std::string> bound_cells(const BoundSystem& bound);

/// The tables of a run. All but bound.csv and encounters.csv describe the particles that are bound.
/// Its many members are the files and what they compare with.
class ClusterTables {
public:
    /// Keeps references. Throws Error(usage) for tables that this run cannot have.
    ClusterTables(const ClusterRequest& request, Snapshot& state, Simulation& simulation);

    /// Chooses the particles of a new run. Throws Error(input) for a wrong file of ids.
    void begin();
    void register_observers();
    /// Creates or continues the files (LineFile::open()), and returns notes.
    std::vector<std::string> open(const RunFolder& folder);
    void sync();
    void exchange(Archive& archive);

    /// Returns the names of the files, each after ", ".
    std::string names();

private:
    /// A table with its columns.
    struct File {
        std::string name;
        std::vector<TableColumn> columns;
        LineFile file;
    };
    const BoundSystem& bound();
    void add(File& table, std::vector<std::string> cells);
    void add_cluster();
    void add_escapers();
    void add_binaries();
    void add_encounters();
    std::vector<std::string> group_radii(const Vec3<double>& center) const;
    std::string id_of(Index i) const { return std::to_string(state_.particles.id[i]); }
    std::vector<File*> files();

    const ClusterRequest& request_;
    Snapshot& state_;
    Simulation& simulation_;
    double G_;
    std::vector<Index> chosen_; ///< may be bound
    Unbinding unbinding_;
    BoundSystem bound_;
    std::optional<std::uint64_t> bound_step_; ///< of bound_
    std::vector<std::uint8_t> has_escaped_;   ///< one per particle
    std::uint64_t escapers_ = 0;
    double escaped_mass_ = 0;
    File bound_file_, cluster_file_, escapers_file_, binaries_file_, encounters_file_;
};

} // namespace chamomile
