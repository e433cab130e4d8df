/// \file  What a run tells: on a stream and, from when there is one, in its log file.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

namespace chamomile {

enum class Verbosity { quiet, normal, verbose };

/// Where a run speaks while it goes on.
struct Screen {
    std::FILE* stream = nullptr; ///< of its lines, such as stdout; none: it speaks in its log alone
    Verbosity verbosity = Verbosity::normal;
    std::function<void(const std::string& line)> warn = {}; ///< of what cannot be trusted
};

/// Lines for people. Those told before open() are kept and written to the log file then.
class Journal {
public:
    explicit Journal(Screen screen) : screen_(std::move(screen)) {}
    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// Creates the log file, or goes on at its end. Throws Error(output).
    void open(const std::filesystem::path& file, bool goes_on = false);

    void tell(const std::string& line);   ///< on the screen unless quiet, and in the log
    void warn(const std::string& line);   ///< by Screen::warn, also when quiet, and in the log
    void detail(const std::string& line); ///< on the screen if verbose, and in the log then
    void record(const std::string& line); ///< in the log alone

    /// Sends what is recorded to the disk; require_written() tells of failures.
    void sync();
    /// Throws Error(output) if a line did not reach the log, as on a disk that was full meanwhile.
    void require_written() const;

    /// What is worked on now: rewritten by the next on a terminal, else a line of its own.
    void show_work(const std::string& line);

    /// One line on a terminal, rewritten by the next; nothing where output is no terminal.
    void show_status(const std::string& line);
    bool on_terminal() const;

    Verbosity verbosity() const { return screen_.verbosity; }

private:
    void clear_status();
    void put(const std::string& text);

    bool speaks() const { return screen_.stream && verbosity() != Verbosity::quiet; }

    Screen screen_;
    std::FILE* file_ = nullptr;
    std::string path_;
    int failure_ = 0; ///< errno of the first write that failed
    std::string kept_;
    bool status_shown_ = false;
};

} // namespace chamomile
