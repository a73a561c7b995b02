// SPDX-License-Identifier: GPL-2.0-or-later
// Batches of a slice's rows, one request at a time, and the check by the server's own sums.
#include "fleet/push.h"

#include <algorithm>
#include <random>

#include "fleet/native_block.h"
#include "fleet/schema.h"
#include "fleet/sha256.h"
#include "libop/base/error.h"

namespace op::fleet {
namespace {

/// Of one request, before the row that goes beyond them.
constexpr size_t most_batch_bytes = size_t{16} << 20;
/// Rows of one request.
struct Batch {
    RowBinary rows;
    std::vector<SentRow> sent;
};

class Pusher {
public:
    Pusher(Server& server, const Slice& slice, const PushSettings& settings, PushLedger& ledger)
        : server_(server),
          slice_(slice),
          settings_(settings),
          ledger_(ledger),
          version_(account_version(slice)),
          bytes_before_(server.sent_bytes()) {}

    void send_all();
    /// True if the server's sums are the slice's. Either way the ledger has it.
    bool verify();
    /// The ledger is wrong: nothing is at the server.
    void forget() {
        ledger_.forget();
        known_ = 0;
    }
    Pushed result() const { return {rows_, known_, is_verified_, server_.sent_bytes() - bytes_before_}; }

private:
    template <class Range, class AddRow>
    void send(std::string_view table, const Range& range, AddRow add_row);
    void send_batch(const Table& table, Batch& batch);
    template <class Request>
    Outcome persist(Request request);
    void send_references();
    void send_counters();
    void send_account();
    bool has_sums(std::string_view table, std::string_view key, uint64_t rows, uint64_t hits);
    std::string sums() const;

    Server& server_;
    const Slice& slice_;
    const PushSettings& settings_;
    PushLedger& ledger_;
    uint64_t version_, bytes_before_, rows_ = 0, known_ = 0;
    bool is_verified_ = false;
};

/// Repeats a request as long as the server is busy.
template <class Request>
Outcome Pusher::persist(Request request) {
    const Server::Patience patience = patience_of(settings_, server_.url().base());
    for (unsigned attempt = 0;; ++attempt) {
        Outcome outcome = request();
        if (outcome.verdict == Outcome::Verdict::done) return outcome;
        const std::string reason = server_.url().base() + ": " + outcome.message;
        if (outcome.verdict == Outcome::Verdict::refused) throw_input(reason + "; nothing local was changed");
        if (!patience(attempt, outcome))
            throw Error(ErrorKind::system, reason + "; nothing is lost, push again later");
    }
}

void Pusher::send_batch(const Table& table, Batch& batch) {
    if (batch.sent.empty()) return;
    const auto columns = table.column_names();
    const auto block = native_block(table, batch.rows);
    persist([&] {
        return block ? server_.try_insert(table.name, columns, "Native", *block)
                     : server_.try_insert(table.name, columns, batch.rows);
    });
    ledger_.add(batch.sent);
    rows_ += batch.sent.size();
    batch.rows.clear();
    batch.sent.clear();
}

template <class Range, class AddRow>
void Pusher::send(std::string_view name, const Range& range, AddRow add_row) {
    const Table& table = schema_table(name);
    Batch batch;
    RowBinary row;
    for (const auto& each : range) {
        row.clear();
        add_row(row, each);
        row.end_row();
        const SentRow sent = sent_row(table, row.bytes());
        if (ledger_.has(sent)) {
            ++known_;
            continue;
        }
        batch.rows.append(row);
        batch.sent.push_back(sent);
        if (batch.sent.size() >= settings_.batch_rows || batch.rows.bytes().size() >= most_batch_bytes)
            send_batch(table, batch);
    }
    send_batch(table, batch);
}

/// Zeros for tgid and cpu: all of them together.
void add_whole_machine(RowBinary& row) {
    row.add_u32(0);
    row.add_u16(0);
}

void Pusher::send_account() {
    const SessionInfo& info = slice_.info;
    std::vector<std::string> lost_by;
    std::map<LossCause, uint64_t> lost;
    for (const auto& [where, n] : info.ledger.losses())
        lost[where.first] += n;
    for (const auto& [cause, n] : lost)
        lost_by.push_back(std::string(loss_name(cause)) + "=" + std::to_string(n));
    send("slices", std::initializer_list<const Slice*>{&slice_}, [&](RowBinary& row, const Slice* slice) {
        row.add_date(slice->day);
        row.add_u64(slice->id);
        row.add_u64(slice->host);
        row.add_string(slice->hostname);
        row.add_strings({});
        row.add_string(slice->session);
        row.add_time(static_cast<int64_t>(info.start_time));
        row.add_time(static_cast<int64_t>(info.stop_time));
        row.add_u64((std::max(info.stop_time, info.start_time) - info.start_time) * 1000);
        row.add_u16(0);
        row.add_string(info.kernel_release);
        row.add_string(info.cpu_type_name);
        row.add_f64(info.cpu_speed_mhz);
        row.add_string(info.tool);
        row.add_i64(server_.clock_ahead().value_or(0) * 1000);
        row.add_u64(info.ledger.sampled());
        row.add_u64(info.ledger.stored());
        row.add_u64(info.ledger.lost());
        row.add_strings(lost_by);
        row.add_u64(slice->samples.size());
        row.add_u64(sum_of(slice->samples));
        row.add_u64(slice->stack_samples.size());
        row.add_u64(sum_of(slice->stack_samples));
        row.add_u8(slice->is_sealed ? 1 : 0);
        row.add_string(to_json(info));
        row.add_u64(version_);
    });
}

void Pusher::send_all() {
    send_references();
    send_counters();
    send_account();
    ledger_.note("pushed " + sums());
}

void Pusher::send_references() {
    send("images", slice_.images, [&](RowBinary& row, const auto& image) {
        row.add_u64(image.first);
        row.add_string(image.second.build_id);
        row.add_string(image.second.path);
        row.add_string(image.second.kind);
        for (int i = 0; i < 3; ++i)
            row.add_string("");  // package, its version, release: set later
        row.add_u64(0);          // so that this never replaces what was set
    });
    send("events", slice_.events, [&](RowBinary& row, const auto& event) {
        const RecordedEvent& recorded = event.second.event;
        row.add_u64(event.first);
        row.add_string(recorded.name);
        row.add_u64(recorded.count);
        row.add_u64(recorded.unit_mask);
        row.add_u8(recorded.kernel ? 1 : 0);
        row.add_u8(recorded.user ? 1 : 0);
        row.add_u64(0);  // its number is made of all this
    });
    send("slice_events", slice_.events, [&](RowBinary& row, const auto& event) {
        const RecordedEvent& recorded = event.second.event;
        row.add_date(slice_.day);
        row.add_u64(slice_.id);
        row.add_u64(event.first);
        row.add_u64(recorded.time.enabled);
        row.add_u64(recorded.time.running);
        row.add_u8(recorded.throttled ? 1 : 0);
        row.add_u64(version_);
    });
    send("stacks", slice_.stacks, [&](RowBinary& row, const auto& stack) {
        row.add_u64(stack.first);
        row.add_u64(stack.second.parent);
        row.add_u64(stack.second.image);
        row.add_u64(stack.second.place);
        row.add_u8(stack.second.kind);
    });
}

void Pusher::send_counters() {
    send("samples", slice_.samples, [&](RowBinary& row, const auto& sample) {
        const PlaceKey& key = sample.first;
        row.add_date(slice_.day);
        for (const uint64_t number : {key.event, key.image, key.place, key.app, slice_.host, slice_.id})
            row.add_u64(number);
        add_whole_machine(row);
        row.add_u64(sample.second);
    });
    send("stack_samples", slice_.stack_samples, [&](RowBinary& row, const auto& sample) {
        const StackKey& key = sample.first;
        row.add_date(slice_.day);
        for (const uint64_t number : {key.event, key.stack, key.app, slice_.host, slice_.id})
            row.add_u64(number);
        add_whole_machine(row);
        row.add_u64(sample.second);
    });
    send("slice_files", slice_.files, [&](RowBinary& row, const SliceFile& file) {
        row.add_date(slice_.day);
        row.add_u64(slice_.host);
        row.add_u64(slice_.id);
        row.add_string(file.name);
        row.add_string(file.bytes);
        row.add_u64(version_);
    });
}

bool Pusher::has_sums(std::string_view table, std::string_view key, uint64_t rows, uint64_t hits) {
    const std::string sql =
        "SELECT count(), sum(h) FROM (SELECT max(hits) AS h FROM " + std::string(table) + " WHERE day = '" +
        slice_.day.text() + "' AND host = " + std::to_string(slice_.host) +
        " AND slice = " + std::to_string(slice_.id) + " GROUP BY " + std::string(key) + ")";
    const Outcome outcome = persist([&] { return server_.try_query(sql); });
    const Rows sums = Rows::parse(outcome.body, server_.url().base());
    return sums.size() == 1 && sums.number(0, 0) == rows && sums.number(0, 1) == hits;
}

std::string Pusher::sums() const {
    return std::to_string(slice_.samples.size()) + " " + std::to_string(sum_of(slice_.samples)) + " " +
           std::to_string(slice_.stack_samples.size()) + " " + std::to_string(sum_of(slice_.stack_samples));
}

bool Pusher::verify() {
    is_verified_ = has_sums("samples", "event, image, place, app, tgid, cpu", slice_.samples.size(),
                            sum_of(slice_.samples)) &&
                   has_sums("stack_samples", "event, stack, app, tgid, cpu", slice_.stack_samples.size(),
                            sum_of(slice_.stack_samples));
    ledger_.note((is_verified_ ? "verified " : "unequal ") + sums());
    return is_verified_;
}

}  // namespace

uint64_t waiting_time(unsigned attempt, uint64_t random, std::optional<uint64_t> retry_after) {
    constexpr uint64_t longest = 3600;
    const uint64_t seconds = std::min(uint64_t{1} << std::min(attempt, 12U), longest);
    return std::max(seconds - random % (seconds / 2 + 1), retry_after.value_or(0));
}

uint64_t start_delay(std::string_view host, uint64_t spread) {
    return spread == 0 ? 0 : id64("start of " + std::string(host)) % spread;
}

Server::Patience patience_of(const PushSettings& settings, const std::string& server) {
    return [settings, server, waited = uint64_t{0}](unsigned attempt, const Outcome& outcome) mutable {
        if (attempt == 0) waited = 0;
        const uint64_t seconds = waiting_time(attempt, std::random_device()(), outcome.retry_after);
        waited += seconds;
        if (waited > settings.wait_seconds) return false;
        settings.wait(seconds, server + ": " + outcome.message);
        return true;
    };
}

Pushed push_slice(Server& server, const Slice& slice, const PushSettings& settings, PushLedger& ledger) {
    Pusher pusher(server, slice, settings, ledger);
    try {
        pusher.send_all();
        // A check reads all of the server's day: too much for each hour of each host.
        if (slice.is_sealed && !pusher.verify() && pusher.result().known > 0) {
            pusher.forget();
            pusher.send_all();
            pusher.verify();
        }
    } catch (const Error& error) {
        ledger.note(error.kind() == ErrorKind::input ? "refused" : "waiting");
        throw;
    }
    return pusher.result();
}

}  // namespace op::fleet
