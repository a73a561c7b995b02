// SPDX-License-Identifier: GPL-2.0-or-later
// Appends to the two files of a session's ledger, each time with fsync. The rows come before the line that
// counts them.
#include "fleet/push_ledger.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/sha256.h"
#include "libop/base/checksum.h"
#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

constexpr const char* lines_name = "fleet.ledger";
constexpr std::string_view counts_prefix = "fleet.counts.";
/// A line is some 100 bytes, and a push has four and one a batch.
constexpr size_t most_line_bytes = size_t{1} << 20, kept_lines = 100;
constexpr size_t most_count_bytes = size_t{256} << 20;
/// The file of rows is written again when it is longer than twice what it holds, and so many bytes.
constexpr size_t spare_bytes = size_t{1} << 20;

std::string line_text(const LedgerLine& line) {
    return line.target + " " + hex(line.slice, 16) + " " + std::to_string(line.push) + " " + line.state;
}

}  // namespace

std::string ledger_line(const LedgerLine& line) {
    const std::string text = line_text(line);
    return hex(checksum(as_bytes(text)), 8) + " " + text + "\n";
}

std::optional<LedgerLine> parse_ledger_line(std::string_view line) {
    std::string_view rest = line;
    const std::string_view sum = take_word(rest);
    if (!rest.starts_with(' ') || sum != hex(checksum(as_bytes(rest.substr(1))), 8)) return std::nullopt;
    LedgerLine parsed;
    parsed.target = take_word(rest);
    const auto slice = parse_number(take_word(rest), 16);
    const auto push = parse_number(take_word(rest));
    if (!slice || !push || !rest.starts_with(' ')) return std::nullopt;
    parsed.slice = *slice;
    parsed.push = *push;
    parsed.state = rest.substr(1);
    return parsed;
}

PushLedger::PushLedger(const Fd& session, std::string label, std::string target, uint64_t slice,
                       Diagnostics& notes)
    : session_(&session),
      label_(std::move(label)),
      target_(std::move(target)),
      slice_(slice),
      notes_(&notes) {
    attempt([this] {
        read_lines();
        read_counts();
    });
}

/// Without a ledger a push is slower, and no less right.
template <class Act>
void PushLedger::attempt(Act act) {
    if (session_ == nullptr) return;
    try {
        act();
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal) throw;
        notes_->warn(std::string(error.what()) + "; the next push sends everything again");
        session_ = nullptr;
    }
}

std::string PushLedger::counts_name() const {
    return std::string(counts_prefix) + hex(id64(target_), 16);
}

void PushLedger::read_lines() {
    const std::string label = label_ + "/" + lines_name;
    const auto text = read_file_below(*session_, lines_name, label, 2 * most_line_bytes);
    if (!text) return;
    has_whole_lines_ = text->empty() || text->back() == '\n';
    std::vector<std::string> lines;
    for (std::string_view rest = *text; !rest.empty();) {
        const std::string_view line = take_line(rest);
        const auto parsed = parse_ledger_line(line);
        if (!parsed) continue;
        lines.emplace_back(line);
        if (parsed->target == target_ && parsed->slice == slice_) push_ = parsed->push + 1;
    }
    if (text->size() <= most_line_bytes) return;
    if (lines.size() > kept_lines)
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kept_lines));
    replace_file_at(*session_, lines_name, label, joined(lines, "\n") + "\n", 0640);
    has_whole_lines_ = true;
}

void PushLedger::read_counts() {
    const std::string name = counts_name(), label = label_ + "/" + name;
    const auto bytes = read_file_below(*session_, name, label, most_count_bytes);
    if (!bytes) return;
    sent_ = SentRows::parse(*bytes, slice_);
    counts_bytes_ = sent_.sound_bytes();
    if (bytes->size() <= 2 * sent_.file_size() + spare_bytes) return;
    const std::string whole = sent_.file(slice_);
    replace_file_at(*session_, name, label, whole, 0640);
    counts_bytes_ = whole.size();
}

/// With `at`, what lies behind that many bytes is cut off first.
void PushLedger::append(const std::string& name, std::string_view bytes, std::optional<size_t> at) {
    const std::string label = printable(label_ + "/" + name);
    const Fd file =
        open_at(*session_, name.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0640);
    struct stat st {};
    if (!file || ::fstat(file.get(), &st) != 0) throw_system("cannot write " + label);
    check_own_file(st, label);
    if (at && ::ftruncate(file.get(), static_cast<off_t>(*at)) != 0) throw_system("cannot write " + label);
    write_fd(file.get(), bytes, label);
    if (::fsync(file.get()) != 0 || (st.st_size == 0 && ::fsync(session_->get()) != 0))
        throw_system("cannot write " + label);
}

void PushLedger::add(std::span<const SentRow> rows) {
    if (rows.empty()) return;
    attempt([&] {
        const std::string bytes = (counts_bytes_ == 0 ? SentRows::head(slice_) : "") + SentRows::block(rows);
        append(counts_name(), bytes, counts_bytes_);
        counts_bytes_ += bytes.size();
        sent_.add(rows);
    });
    note("pushing " + std::to_string(++batches_));
}

void PushLedger::note(const std::string& state) {
    attempt([&] {
        append(lines_name, (has_whole_lines_ ? "" : "\n") + ledger_line({target_, slice_, push_, state}));
        has_whole_lines_ = true;
    });
}

void PushLedger::forget() {
    sent_.clear();
    counts_bytes_ = 0;
    if (session_ != nullptr) ::unlinkat(session_->get(), counts_name().c_str(), 0);
}

void PushLedger::close() {
    attempt([this] {
        for (const DirectoryEntry& entry :
             read_directory(open_at(*session_, ".", O_RDONLY | O_DIRECTORY), printable(label_)))
            if (entry.name.starts_with(counts_prefix)) ::unlinkat(session_->get(), entry.name.c_str(), 0);
    });
    sent_.clear();
    counts_bytes_ = 0;
}

}  // namespace op::fleet
