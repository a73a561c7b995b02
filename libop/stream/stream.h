// SPDX-License-Identifier: GPL-2.0-or-later
// Records to and from the bytes of kernel/uapi/op_stream.h, and recorded streams: files of records with the
// session they belong to. Does not interpret records.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/uapi/op_stream.h"
#include "libop/base/bytes.h"
#include "libop/base/fd.h"
#include "libop/session/session_info.h"
#include "libop/stream/record.h"

namespace op {

/// Encodes the records of one stream, one after the other.
class RecordEncoder {
public:
    /// Appends a record, preceded by its context and its time if those have changed. Chains and texts that
    /// are too long for a record are cut. A PlacedName appends nothing: it is part of the context of its
    /// thread's placed samples up to the next PlacedName, and is lost if there are none. Other threads' have
    /// no name.
    void encode(const Record& record, std::string& out);

private:
    std::optional<op_record_context> context_;  ///< of the placed sample before; without header
    op_record_context named_{};                 ///< thread and name of the last PlacedName
    uint64_t time_ = 0;                         ///< of the placed sample before
};

/// Decodes the records of one stream, without a file's head.
class RecordDecoder {
public:
    /// Appends at most `limit` records from the front of `bytes` to `out` and returns their size in bytes.
    /// `bytes` start at a multiple of 8 and hold whole records. Views in the records stay valid as long
    /// as the bytes, stacks until the next call. Unknown record types are skipped. A context is a PlacedName
    /// if it has another thread, program or name than the one before and one of the two has a name; else it
    /// appends nothing. In place of the first damaged record comes a Lost record of cause damaged_stream;
    /// from then on nothing is decoded.
    size_t decode(std::span<const std::byte> bytes, std::vector<Record>& out, size_t limit);
    /// The fault of the first damaged record, if one was damaged.
    const std::optional<std::string>& damage() const noexcept { return damage_; }

private:
    size_t decode_one(std::span<const std::byte> bytes, std::vector<Record>& out);
    void decode_placed_one(ByteReader& in, const op_record_header& head, std::vector<Record>& out);
    void decode_context(std::span<const std::byte> bytes, std::vector<Record>& out);

    std::optional<op_record_context> context_;  ///< of the placed samples to come
    uint64_t time_ = 0;                         ///< the same
    std::deque<UserStack> stacks_;              ///< of the records decoded last
    std::optional<std::string> damage_;
};

/// Writes a stream file, buffered.
class StreamWriter {
public:
    /// Starts the stream in `fd` with the machine and events of `session`. `path` is for messages.
    /// Throws a system error.
    StreamWriter(Fd fd, std::string path, const SessionInfo& session);

    /// Adds one record. Throws a system error if the buffer is full and cannot be written.
    void write(const Record& record);
    /// Writes the buffered records. Must be called before the writer is destroyed. Throws a system error;
    /// another call then continues where this one stopped.
    void finish();
    /// The stream's file.
    const Fd& file() const noexcept { return fd_; }

private:
    void flush_if_large();

    Fd fd_;
    std::string path_;
    std::string buffer_;
    RecordEncoder encoder_;
};

/// Reads a stream from memory.
class StreamReader {
public:
    /// Checks the head and reads the session. `bytes` must outlive the reader and start at a multiple of 8.
    /// Throws an input error naming `label` if it is no stream, of another byte order or version, or has no
    /// session.
    StreamReader(std::span<const std::byte> bytes, std::string label);

    const SessionInfo& session() const noexcept { return session_; }
    /// Replaces `out` by the next records, at most `limit`; none at the end. Views in them stay valid as long
    /// as the bytes. Unknown record types are skipped. At the first damaged record the stream ends with a
    /// Lost record of cause damaged_stream.
    void read(std::vector<Record>& out, size_t limit);
    /// How many bytes of the stream have been read.
    size_t position() const noexcept { return position_; }
    /// The fault, if the stream did not end at the end of a record.
    const std::optional<std::string>& damage() const noexcept { return damage_; }

private:
    std::span<const std::byte> bytes_;
    size_t position_ = 0;
    std::string label_;
    RecordDecoder decoder_;
    SessionInfo session_;
    std::optional<std::string> damage_;
};

}  // namespace op
