// SPDX-License-Identifier: GPL-2.0-or-later
// Makes a large recording of a small one, whose samples it repeats with later times:
//   repeat_perf_data PERF.DATA OUT MEGABYTES
// The recording is one of perf on this machine, to a file, not compressed, of one event. That its processes
// exit is left out. The form is that of the kernel's tools/perf/Documentation/perf.data-file-format.txt.
#include <linux/perf_event.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr size_t attrs_offset = 24, data_offset = 40, features_offset = 72, data_size_offset = 48;
constexpr uint32_t finished_round = 68;

[[noreturn]] void fail(const std::string& why) {
    std::fprintf(stderr, "repeat_perf_data: %s\n", why.c_str());
    std::exit(2);
}

template <class T>
T get(const std::string& bytes, size_t at) {
    T value{};
    if (at > bytes.size() || sizeof value > bytes.size() - at) fail("the recording is cut off");
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

template <class T>
void put(std::string& bytes, size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// The data section, and the samples to repeat.
struct Parts {
    std::string once, repeated;
    std::vector<size_t> times;  ///< where in `repeated` a time is
    uint64_t first = UINT64_MAX, last = 0;
};

/// Of a sample that begins with the fields of `sample_type`, where its time is.
size_t time_offset(uint64_t sample_type) {
    if (!(sample_type & PERF_SAMPLE_TIME)) fail("its samples have no times");
    constexpr uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
    return sizeof(perf_event_header) +
           sizeof(uint64_t) * static_cast<size_t>(__builtin_popcountll(sample_type & before));
}

Parts split(const std::string& data, size_t time_at) {
    Parts parts;
    for (size_t at = 0; at < data.size();) {
        const auto header = get<perf_event_header>(data, at);
        if (header.size < sizeof header || header.size > data.size() - at) fail("its records are damaged");
        if (header.type != PERF_RECORD_EXIT) parts.once.append(data, at, header.size);
        if (header.type == PERF_RECORD_SAMPLE) {
            parts.times.push_back(parts.repeated.size() + time_at);
            const auto time = get<uint64_t>(data, at + time_at);
            parts.first = std::min(parts.first, time);
            parts.last = std::max(parts.last, time);
        }
        if (header.type == PERF_RECORD_SAMPLE || header.type == finished_round)
            parts.repeated.append(data, at, header.size);
        at += header.size;
    }
    if (parts.times.empty()) fail("it has no samples");
    return parts;
}

/// The table of features and what it points to, moved.
std::string moved_features(const std::string& file, size_t at, uint64_t by) {
    std::string features = file.substr(at);
    size_t count = 0;
    for (size_t word = 0; word < 4; ++word)
        count += static_cast<size_t>(
            __builtin_popcountll(get<uint64_t>(file, features_offset + word * sizeof(uint64_t))));
    for (size_t i = 0; i < count; ++i)
        put(features, i * 16, get<uint64_t>(features, i * 16) + by);
    return features;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) fail("usage: repeat_perf_data PERF.DATA OUT MEGABYTES");
    std::ifstream in(argv[1], std::ios::binary);
    const std::string file{std::istreambuf_iterator<char>(in), {}};
    const uint64_t wanted = std::strtoull(argv[3], nullptr, 10) << 20;
    if (!file.starts_with("PERFILE2")) fail("it is no recording of perf");
    const auto attrs = get<uint64_t>(file, attrs_offset), begin = get<uint64_t>(file, data_offset),
               size = get<uint64_t>(file, data_size_offset);
    if (begin > file.size() || size > file.size() - begin) fail("the recording is cut off");
    const auto sample_type = get<uint64_t>(file, attrs + offsetof(perf_event_attr, sample_type));
    Parts parts = split(file.substr(begin, size), time_offset(sample_type));

    std::ofstream out(argv[2], std::ios::binary);
    std::string head = file.substr(0, begin);
    out << head << parts.once;
    uint64_t written = parts.once.size();
    for (; written < wanted; written += parts.repeated.size()) {
        for (const size_t at : parts.times)
            put(parts.repeated, at, get<uint64_t>(parts.repeated, at) + parts.last - parts.first + 1);
        out << parts.repeated;
    }
    out << moved_features(file, begin + size, written - size);
    put(head, data_size_offset, written);
    out.seekp(0);
    out << head;
    out.flush();
    if (!out) fail("cannot write");
    return 0;
}
