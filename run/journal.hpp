/// \file  The lines that a run prints: on a stream and, once it is open, in its log file.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

namespace chamomile {

enum class Verbosity { quiet, normal, verbose };

/// A Screen states where and how much a run prints.
struct Screen {
    std::FILE* stream = nullptr; ///< such as stdout; none: lines go to the log alone
    Verbosity verbosity = Verbosity::normal;
    std::function<void(const std::string& text)> warn = {}; ///< of what cannot be trusted
};

/// A Journal prints lines, with options as on the command line. Those printed before open() are
/// kept and written to the log file then.
class Journal {
public:
    explicit Journal(Screen screen) : screen_(std::move(screen)) {}
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// Creates the log file, or continues at its end. Throws Error(output).
    void open(const std::filesystem::path& file, bool append = false);

    void print(const std::string& line);  ///< on the screen unless quiet, and in the log
    void warn(const std::string& line);   ///< by Screen::warn, also when quiet, and in the log
    void detail(const std::string& line); ///< on the screen if verbose, and in the log then
    void record(const std::string& line); ///< in the log alone

    /// Sends the log to the disk; require_written() reports failures.
    void sync();
    /// Throws Error(output) if a line did not reach the log, for example because the disk was full.
    void require_written() const;

    /// Shows the present work: the next line replaces it on a terminal, and follows it elsewhere.
    void show_work(const std::string& line);

    /// Shows a line on a terminal, which the next line replaces; prints nothing elsewhere.
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
    int failure_ = 0; ///< errno of the first write that failed
    std::string kept_;
    bool status_shown_ = false;
};

} // namespace chamomile
