// SPDX-License-Identifier: GPL-2.0-or-later
// The session's store of call stacks, as a collector writes it: numbers of images and classes are remembered,
// and a store that cannot be written costs stacks, which are counted, and nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "daemon/collect/image_ref.h"
#include "daemon/collect/sample_names.h"
#include "libop/base/diagnostics.h"
#include "libop/base/intern.h"
#include "libop/session/ledger.h"
#include "libop/session/session.h"
#include "libop/session/stack_account.h"
#include "libop/stacks/stack_set.h"

namespace op::collect {

/// Not thread-safe.
class StackFiles {
public:
    /// All references must outlive the object. Nothing is made before the first stack, or prepare().
    StackFiles(SessionWriter& session, const SessionInfo& session_info, const StringTable& names,
               Diagnostics& notes);

    /// Opens the store before sampling begins: to read what is in it takes a while. With `classes` also the
    /// files of the events' samples, which are not separated.
    void prepare(bool classes);
    /// The number of an image for StackFrame::image; 0 if it has none. Valid until generation() changes.
    uint32_t image(const ImageRef& image);
    /// Counts `samples` samples with this stack of a thread; see StackSet::add.
    void add(const ClassKey& key, uint32_t app, std::span<const StackFrame> innermost_first, StackEnd end,
             uint32_t samples, uint32_t tid);
    /// Counts samples whose stack has no frame.
    void lose(uint32_t samples) noexcept { closed_.lost = add_saturating(closed_.lost, samples); }
    /// Changes whenever numbers of images lose their meaning.
    uint32_t generation() const noexcept { return generation_; }

    /// Closes the store. The next stack opens that of the session's current directory.
    void close();
    /// Sets the account to 0; the store must be closed.
    void begin_run() noexcept { closed_ = {}; }
    /// Tries again what could not be opened or had no room.
    void retry();
    /// What became of all stacks.
    StackAccount account() const;

private:
    struct RefHash {
        size_t operator()(const ImageRef& image) const noexcept;
    };
    struct KeyHash {
        size_t operator()(const ClassKey& key) const noexcept;
    };

    bool open();
    /// Valid until the next call.
    const SampleClass& class_of(const ClassKey& key);

    SessionWriter& session_;
    const SessionInfo& info_;
    const StringTable& names_;
    Diagnostics& notes_;
    std::unique_ptr<StackSet> set_;  ///< null = not opened
    std::string label_;              ///< of the store
    bool has_failed_ = false;        ///< it could not be opened
    std::unordered_map<ImageRef, uint32_t, RefHash> images_;
    std::unordered_map<ClassKey, SampleClass, KeyHash> classes_;
    ClassKey last_key_;
    const SampleClass* last_class_ = nullptr;  ///< of last_key_, in classes_; null = none yet
    StackAccount closed_;                      ///< of stores that were closed, and of samples that met none
    uint32_t generation_ = 0;
};

}  // namespace op::collect
