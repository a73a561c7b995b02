// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/stack_files.h"

#include "libop/base/error.h"

namespace op::collect {
namespace {

/// Beyond, all are forgotten. A class for each thread, or an image for each region of code made at run
/// time, would else grow with time.
constexpr size_t most_remembered = 65536;

size_t mixed(uint64_t value) {
    return static_cast<size_t>((value ^ value >> 29) * 0x9e3779b97f4a7c15);
}

}  // namespace

size_t StackFiles::RefHash::operator()(const ImageRef& image) const noexcept {
    const uint64_t name = static_cast<uint64_t>(image.name) << 2 | static_cast<uint64_t>(image.kind);
    return mixed(name ^ mixed(image.start.value() ^ image.tgid));
}

size_t StackFiles::KeyHash::operator()(const ClassKey& key) const noexcept {
    return mixed(mixed(uint64_t{key.tgid} << 32 | key.tid) ^ (uint64_t{key.cpu} << 16 | key.event));
}

StackFiles::StackFiles(SessionWriter& session, const SessionInfo& session_info, const StringTable& names,
                       Diagnostics& notes)
    : session_(session), info_(session_info), names_(names), notes_(notes) {}

bool StackFiles::open() {
    if (set_ || has_failed_) return set_ != nullptr;
    try {
        label_ = session_.current_path();
        set_ = std::make_unique<StackSet>(session_.directory(), label_, notes_, session_.policy());
        return true;
    } catch (const Error& e) {
        has_failed_ = true;
        notes_.warn("call stacks are lost: " + std::string(e.what()));
        return false;
    }
}

void StackFiles::prepare(bool classes) {
    if (!open() || !classes) return;
    for (uint16_t event = 0; event < info_.events.size(); ++event)
        set_->prepare(class_of({.event = event}));
}

uint32_t StackFiles::image(const ImageRef& image) {
    if (image.name == StringId::none || image.is_refused() || !open()) return 0;
    const auto known = images_.find(image);
    if (known != images_.end()) return known->second;
    if (images_.size() >= most_remembered) images_.clear();
    return images_.emplace(image, set_->image(image_name(image, names_))).first->second;
}

void StackFiles::add(const ClassKey& key, uint32_t app, std::span<const StackFrame> innermost_first,
                     StackEnd end, uint32_t samples, uint32_t tid) {
    if (!open()) return lose(samples);
    set_->add(class_of(key), app, innermost_first, end, samples, tid);
}

const SampleClass& StackFiles::class_of(const ClassKey& key) {
    if (last_class_ && last_key_ == key) return *last_class_;
    auto it = classes_.find(key);
    if (it == classes_.end()) {
        if (classes_.size() >= most_remembered) classes_.clear();
        it = classes_.emplace(key, class_name(key, info_)).first;
    }
    last_key_ = key;
    last_class_ = &it->second;
    return it->second;
}

void StackFiles::close() {
    if (set_) closed_.merge(set_->counts());
    set_.reset();
    images_.clear();
    has_failed_ = false;
    ++generation_;
}

void StackFiles::retry() {
    has_failed_ = false;
    if (set_) set_->flush();
}

StackAccount StackFiles::account() const {
    StackAccount sum = closed_;
    if (set_) sum.merge(set_->counts());
    return sum;
}

}  // namespace op::collect
