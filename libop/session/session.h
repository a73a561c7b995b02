// SPDX-License-Identifier: GPL-2.0-or-later
// The session directory: its sample files, its lock, and the sessions of earlier runs.
// Layout: doc/FORMATS.md, "Session directory".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/session/sample_file.h"
#include "libop/session/sample_path.h"
#include "libop/session/session_info.h"
#include "libop/session/session_lock.h"

namespace op {

/// The samples/ subdirectory of the running session, and of the one before it.
inline constexpr const char* current_session = "current";
inline constexpr const char* previous_session = "previous";

/// The session directory of system-wide profiling.
inline constexpr const char* system_session_dir = "/var/lib/oprofile";
/// The log of operf, and that of the daemon, in samples/.
inline constexpr const char* operf_log = "operf.log";
inline constexpr const char* daemon_log = "oprofiled.log";
/// What `operf --lazy-conversion` records into, in samples/, with .1, .2 … behind it if it was set aside.
inline constexpr const char* lazy_recording = "operf.data";

/// Throws a usage error if `name` cannot be the name of a saved session: empty, beginning with '.' (which
/// means a path to the reports), or with a '/', a ',' or a control character in it.
void check_session_name(const std::string& name);

/// ./oprofile_data if that is a directory, else /var/lib/oprofile.
std::string default_session_dir();

/// A session directory being written to. Holds its lock; destroying it releases the lock.
class SessionWriter {
public:
    /// Opens the directory, which `create` makes first; makes samples/ and takes the lock (see SessionLock).
    /// What is used, and the modes of what is made here and later, follow own_access_policy() as it is now.
    /// Recorded samples are not touched. Throws a system error, also if the directory is not writable, so
    /// that this is known before anything is profiled; a usage error if the directory is missing (and not
    /// `create`) or in use (naming the owner's pid); an input error if the policy refuses what is there.
    SessionWriter(const std::string& session_dir, bool create, Diagnostics& notes);
    SessionWriter(SessionWriter&&) noexcept = default;
    SessionWriter& operator=(SessionWriter&&) noexcept = default;
    ~SessionWriter();

    /// Makes samples/current ready. Without `append` an existing current becomes previous and the old
    /// previous is deleted (a current that holds only what a run without samples leaves is just deleted,
    /// previous stays); with
    /// `append` it is kept as it is. Throws a system error, also if current is a symbolic link, or if files
    /// there cannot be mapped, before anything is changed; a previous
    /// that cannot be deleted is left as samples/.deleted and stops the next begin() too, until it is
    /// removed.
    void begin(bool append);

    /// Opens the sample file of that name in samples/current, making directories as needed and following no
    /// symbolic link. Throws an input error (see mangle; or the policy refuses something on the way) or a
    /// system error.
    SampleFile open_sample_file(const SampleName& name, const SampleHeader& header, Diagnostics& notes);

    /// Paths of the sample files in samples/current, as SessionReader::list() gives them.
    std::vector<std::string> list() const;
    /// The manifest of the session being appended to, if there is a readable one; a damaged one is a warning.
    std::optional<SessionInfo> read_info(Diagnostics& notes) const;
    /// True if the writer before ended without giving up its lock: see recover_account().
    bool follows_crash() const noexcept { return lock_.was_left(); }
    /// Open for writing as long as the lock is held.
    int lock_descriptor() const noexcept { return lock_.descriptor(); }
    /// Writes the manifest atomically.
    void write_info(const SessionInfo& info);
    /// Writes a file of ours beside the sample files, atomically. `name` has no '/'. Throws a system error
    /// that names the path, with the remedy if samples/current was removed.
    void write_file(const std::string& name, std::string_view bytes);
    /// The number of directories and files that open_sample_file() would make; 0 if the file is there. Throws
    /// as mangle().
    size_t names_to_make(const SampleName& name) const;
    /// The length of a file in samples/current; 0 if it is not there.
    uint64_t length_of(const std::string& relative_path) const noexcept;
    /// Copies a binary into samples/current (see op::keep_image). Throws a system error.
    std::optional<uint64_t> keep_image(const std::string& build_id, const Fd& file, uint64_t limit);
    /// The bytes of all binaries kept in samples/current. Throws a system error.
    uint64_t kept_image_bytes() const;
    /// Writes `abi` and the stats/ files that the ledger of `whole`, all runs in the session, calls for
    /// (doc/FORMATS.md), removes those it does not call for any more.
    void write_statistics(const SessionInfo& whole);
    /// True if samples/current is still where it was; false once somebody removed or renamed it.
    bool is_in_place() const noexcept;

    /// Removes what samples/current holds: its sample files, stacks, stats/, the manifest and the kernel's
    /// symbols.
    /// Other files stay. Open sample files continue to be written, without a name. A samples/current that
    /// somebody removed or renamed is made again.
    void reset();
    /// Renames samples/current to samples/NAME and makes a new current. Throws a usage error if the name is
    /// none a session can have (see check_session_name) or is taken, else a system error.
    void save_as(const std::string& name);
    /// The same, but returns false if the name is taken. A step that fails leaves samples/current as it was,
    /// and open.
    bool try_save_as(const std::string& name);
    /// Deletes a saved session. Throws a system error; what is left of it then is in samples/.deleted, which
    /// the next begin(), or the next call, deletes.
    void remove_saved(const std::string& name);
    /// The open directory samples/.
    const Fd& samples_directory() const noexcept { return samples_; }
    /// Its path, for messages.
    std::string samples_path() const { return dir_path_ + "/samples"; }

    /// The path of samples/current, for messages.
    std::string current_path() const;
    /// The open directory samples/current, after begin(). Another one after save_as(), begin() or reset().
    const Fd& directory() const { return current(); }
    /// What is used and made there follows it.
    const AccessPolicy& policy() const noexcept { return policy_; }
    /// Creates a file directly in samples/, e.g. operf.data, mode 0600, open for reading and writing; one
    /// that is there already is removed first. Throws a system error.
    Fd create_in_samples(const std::string& name);
    /// Renames samples/NAME, if it is there, to the first free one of samples/NAME.1, NAME.2 …, so that
    /// create_in_samples() does not remove it. Returns the new path, "" if it is not there. An empty file is
    /// removed. Throws a system error.
    std::string set_aside_in_samples(const std::string& name);
    /// Opens samples/NAME for appending, made if it is not there. Throws a system error, an input error if it
    /// is no regular file or the policy refuses it.
    Fd open_log(const std::string& name) const;
    /// Appends an account (see account_text) to samples/NAME. Throws as open_log, or a system error.
    void append_account(const std::string& log_name, const SessionInfo& info) const;
    void remove_in_samples(const std::string& name) noexcept;

private:
    void rotate();
    const Fd& current() const;

    std::string dir_path_;
    AccessPolicy policy_;
    SessionLock lock_;
    Fd dir_, samples_, current_;
};

/// A session being read. Nothing is written or locked.
class SessionReader {
public:
    /// `path` is the sample directory itself (SESSION_DIR/samples/current). Throws a system error if it
    /// cannot be opened.
    explicit SessionReader(const std::string& path);

    /// Paths of all regular files that parse as sample file names, below the directory, sorted; symbolic
    /// links are not followed. Throws a system error if a directory among them cannot be read. Files ending
    /// ".jo" or ".damaged", and anything not beginning with a tag, are left out.
    std::vector<std::string> list() const;
    /// Reads and parses one of them. Throws as parse_sample_file, or a system error.
    SampleFileContent read(const std::string& relative_path, Diagnostics& notes) const;
    /// The manifest, if there is a readable one; a damaged one is a warning.
    std::optional<SessionInfo> info(Diagnostics& notes) const;
    /// The kallsyms snapshot, decompressed; empty if it is missing or (with a warning) damaged.
    std::string kallsyms(Diagnostics& notes) const;
    /// The number in stats/NAME, or none.
    std::optional<uint64_t> statistic(const std::string& name) const;
    const std::string& path() const noexcept { return path_; }
    /// The open sample directory.
    const Fd& directory() const noexcept { return dir_; }

private:
    std::string path_;
    Fd dir_;
};

}  // namespace op
