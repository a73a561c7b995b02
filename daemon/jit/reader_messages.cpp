// SPDX-License-Identifier: GPL-2.0-or-later
// Answers as bytes.
#include "daemon/jit/reader_messages.h"

#include <algorithm>
#include <cstring>

#include "libop/base/bytes.h"
#include "libop/base/error.h"
#include "libop/jit/code_symbols.h"

namespace op::collect {
namespace {

constexpr auto last_generation = static_cast<uint8_t>(unnamed_code_generation);

struct AnswerHeader {
    uint64_t length;  ///< of all, bytes
    uint64_t lines, bad, ambiguous;
    uint32_t state, symbols;
    uint32_t is_torn, is_cut, is_dump;
    uint32_t generations;  ///< bytes that follow the symbols
};
/// Its name, its code and its lines follow.
struct AnswerSymbol {
    uint64_t address, size;
    uint64_t code_length;
    uint32_t name_length, lines;
};
/// The name of its file follows.
struct AnswerLine {
    uint64_t address;
    uint32_t line, file_length;
};

template <class T>
void append(std::string& bytes, const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string symbol_bytes(const CodeSymbol& symbol) {
    std::string bytes;
    append(bytes, AnswerSymbol{symbol.address, symbol.size, symbol.code.size(),
                               static_cast<uint32_t>(symbol.name.size()),
                               static_cast<uint32_t>(symbol.lines.size())});
    bytes.append(symbol.name);
    bytes.append(reinterpret_cast<const char*>(symbol.code.data()), symbol.code.size());
    for (const CodeLine& line : symbol.lines) {
        append(bytes, AnswerLine{line.address, line.line, static_cast<uint32_t>(line.file.size())});
        bytes.append(line.file);
    }
    return bytes;
}

std::string take_text(ByteReader& reader, size_t length) {
    const auto bytes = reader.take(length);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

CodeSymbol take_symbol(ByteReader& reader) {
    const auto head = reader.get<AnswerSymbol>();
    CodeSymbol symbol{head.address, head.size, take_text(reader, head.name_length)};
    const auto code = reader.take(head.code_length);
    symbol.code.assign(code.begin(), code.end());
    for (uint32_t i = 0; i < head.lines; ++i) {
        const auto line = reader.get<AnswerLine>();
        symbol.lines.push_back({line.address, line.line, take_text(reader, line.file_length)});
    }
    return symbol;
}

}  // namespace

std::string to_bytes(MapAnswer answer) {
    std::string bytes(sizeof(AnswerHeader), '\0');
    uint32_t symbols = 0;
    for (const CodeSymbol& symbol : answer.symbols) {
        const std::string one = symbol_bytes(symbol);
        answer.is_cut |= one.size() > longest_answer - bytes.size();
        if (one.size() > longest_answer - bytes.size()) break;
        bytes.append(one);
        ++symbols;
    }
    bytes.append(answer.generations.begin(), answer.generations.end());
    AnswerHeader header{};
    header.length = bytes.size();
    header.lines = answer.counts.lines;
    header.bad = answer.counts.bad;
    header.ambiguous = answer.ambiguous;
    header.state = static_cast<uint32_t>(answer.state);
    header.symbols = symbols;
    header.is_torn = answer.counts.is_torn;
    header.is_cut = answer.is_cut;
    header.is_dump = answer.is_dump;
    header.generations = static_cast<uint32_t>(answer.generations.size());
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
}

std::optional<size_t> answer_length(std::string_view bytes) {
    uint64_t length = 0;
    if (bytes.size() < sizeof length) return std::nullopt;
    std::memcpy(&length, bytes.data(), sizeof length);
    if (length < sizeof(AnswerHeader) || length > longest_answer)
        throw_input("a reader of maps gave an answer of " + std::to_string(length) + " bytes");
    return length;
}

MapAnswer parse_answer(std::span<const std::byte> bytes) {
    ByteReader reader(bytes, "answer of a reader of maps");
    const auto header = reader.get<AnswerHeader>();
    if (header.state >= static_cast<uint32_t>(MapState::count)) throw_input("answer of a reader of maps");
    MapAnswer answer;
    answer.state = static_cast<MapState>(header.state);
    answer.is_dump = header.is_dump != 0;
    answer.is_cut = header.is_cut != 0;
    answer.counts = {header.lines, header.bad, header.is_torn != 0};
    answer.ambiguous = header.ambiguous;
    for (uint32_t i = 0; i < header.symbols; ++i)
        answer.symbols.push_back(take_symbol(reader));
    if (!is_sound(answer.symbols)) throw_input("answer of a reader of maps: functions that cannot be");
    for (const std::byte generation : reader.take(header.generations))
        answer.generations.push_back(std::min(static_cast<uint8_t>(generation), last_generation));
    return answer;
}

}  // namespace op::collect
