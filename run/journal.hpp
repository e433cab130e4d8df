/// \file  The output lines of a run, printed on a stream and in a log file.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

namespace chamomile {

enum class Verbosity { quiet, normal, verbose };

/// A Screen controls where and how much a run prints.
struct Screen {
    std::FILE* stream = nullptr; ///< such as stdout; null: only the log
    Verbosity verbosity = Verbosity::normal;
    std::function<void(const std::string& text)> warn = {}; ///< called for untrustworthy results
};

/// A Journal prints lines and spells the option marks in them, such as {dt}, as on the command
/// line. Lines before open() are buffered and written to the log on open().
class Journal {
public:
    explicit Journal(Screen screen) : screen_(std::move(screen)) {}
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// Creates the log file, or appends to it. Throws Error(output).
    void open(const std::filesystem::path& file, bool append = false);

    void print(const std::string& line);  ///< on screen unless quiet; in the log
    void warn(const std::string& line);   ///< through Screen::warn, even if quiet; in the log
    void detail(const std::string& line); ///< if verbose: on screen and in the log
    void record(const std::string& line); ///< only in the log

    /// Syncs the log to disk; require_written() reports failures.
    void sync();
    /// Throws Error(output) if a line did not reach the log, for example because the disk is full.
    void require_written() const;

    /// Shows the present activity: on a terminal until the next line, elsewhere like print().
    void show_work(const std::string& line);

    /// Shows a line on a terminal, replaced by the next line. No effect elsewhere.
    void show_status(const std::string& line);
    bool on_terminal() const;

    Verbosity verbosity() const { return screen_.verbosity; }

private:
    void clear_status();
    void put(const std::string& text);

    bool prints_on_screen() const { return screen_.stream && verbosity() != Verbosity::quiet; }

    Screen screen_;
    std::FILE* file_ = nullptr;
    std::string path_;
    int failure_ = 0; ///< errno of the first failed write
    std::string kept_;
    bool status_shown_ = false;
};

} // namespace chamomile
