// SPDX-License-Identifier: GPL-2.0-or-later
// The call stacks of a session, being written: a prefix tree for each class of samples. Layout:
// doc/FORMATS.md, "Call stacks"; reasons: doc/adr/0020-one-tree-of-stacks.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "libop/base/access_policy.h"
#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/session/sample_file.h"
#include "libop/session/sample_path.h"
#include "libop/session/stack_account.h"
#include "libop/stacks/stack_frame.h"
#include "libop/stacks/stack_images.h"
#include "libop/stacks/stack_table.h"

namespace op {

/// What a set may grow to. Beyond, samples are counted on the part of their stack that is there.
struct StackLimits {
    uint32_t images = StackFrame::most_images;
    uint32_t frames = most_stack_entries;
    uint32_t nodes = most_stack_entries;  ///< of a class; 34 MB
    uint64_t bytes = uint64_t{2} << 30;   ///< of all files
    size_t open_classes = 64;             ///< files open at a time
};

/// The stacks of a session open for counting. One writer at a time, which has the session's lock. As with
/// sample files (see SampleFile), readers find sound files at any moment, and so does the next writer after a
/// crash. Not thread-safe.
class StackSet {
public:
    /// Opens stacks/ below a session's directory, made if it is missing, and continues the set in it. Damaged
    /// files end with their sound beginning from now on, with a warning. That of a class is read when its
    /// first sample comes; all are read now with `after_crash`, or if frames are missing. Throws a system
    /// error, or an input error if `policy` refuses something; both name a path below `label`.
    StackSet(const Fd& session_dir, const std::string& label, Diagnostics& notes,
             const AccessPolicy& policy = {}, const StackLimits& limits = {}, bool after_crash = false);
    StackSet(const StackSet&) = delete;
    StackSet& operator=(const StackSet&) = delete;
    ~StackSet();

    /// Opens the file of a class now, if there is one: a large one is read for some time.
    void prepare(const SampleClass& sample_class) noexcept;
    /// The number of an image, new or known, for StackFrame::image; 0 if there is no room for it or its name
    /// cannot be spelled. Numbers stay the same as long as the set is not removed.
    uint32_t image(const ImageName& name);

    /// Counts samples that have this stack. `app` is the number of the application's image, `end` why there
    /// are no further frames. Where a frame cannot be stored (an image 0, or no room), the samples are
    /// counted on the frame that it was called from. Samples of one `thread` should have one such number, any
    /// number, as their stacks have most in common. Allocates memory only where the set grows.
    void add(const SampleClass& sample_class, uint32_t app, std::span<const StackFrame> innermost_first,
             StackEnd end, uint32_t samples, uint32_t thread = 0) noexcept;

    /// Retries what failed for lack of space. Everything counted is in the files already.
    void flush() noexcept;
    /// What became of the samples given to add() since the set was opened.
    StackAccount counts() const;

private:
    struct ClassFile;
    struct Chain;
    struct ClassHash {
        size_t operator()(const SampleClass& c) const noexcept;
    };
    using ClassFiles = std::list<ClassFile>;  ///< most recently used first

    void take(uint64_t bytes) noexcept;
    uint64_t length_of(const std::string& name) const noexcept;
    void look_at_classes(bool is_doubtful);
    StackFilePlace place_of(const std::string& name, StackFileKind kind) const;
    /// The file of a class; null if it cannot be opened.
    ClassFile* file_of(const SampleClass& sample_class) noexcept;
    ClassFiles::iterator open(const SampleClass& sample_class);
    void open_table(ClassFile& file);
    void close_oldest() noexcept;
    /// Follows the stack in the tree, as far as there is room for it. Returns the number of nodes.
    uint32_t insert(ClassFile& file, Chain& chain, uint32_t app, std::span<const StackFrame> innermost_first,
                    StackEnd end) noexcept;
    bool step(ClassFile& file, Chain& chain, uint32_t depth, uint64_t key) noexcept;
    bool leave(ClassFile& file, Chain& chain, uint32_t depth, uint64_t key) noexcept;

    const AccessPolicy policy_;
    const StackLimits limits_;
    Diagnostics& notes_;
    Fd dir_;
    std::string label_;
    ByteRoom room_;
    StackImages images_;
    std::unique_ptr<StackTable> frames_;
    ClassFiles files_;
    std::unordered_map<SampleClass, ClassFiles::iterator, ClassHash> by_class_;
    uint64_t opened_ = 0;  ///< number of files opened so far
    std::unique_ptr<Chain[]> chains_;
    bool is_failure_noted_ = false;

    std::array<uint64_t, static_cast<size_t>(StackEnd::count)> stored_{};  ///< by StackEnd
    uint64_t cut_ = 0, lost_ = 0;
};

}  // namespace op
