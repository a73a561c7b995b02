// SPDX-License-Identifier: GPL-2.0-or-later
// Reading and appending to the list of images.
#include "libop/stacks/stack_images.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/percent.h"
#include "libop/base/text.h"
#include "libop/stacks/stack_frame.h"

namespace op {

namespace {

constexpr std::string_view unknown_line = "?";

/// The whole lines at the front.
std::string_view whole_lines(std::string_view text) {
    return text.substr(0, text.rfind('\n') + 1);
}

Fd open_list(const Fd& dir, const std::string& label, const AccessPolicy& policy) {
    Fd file =
        open_at(dir, stack_images_name, O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK, policy.first_file_mode());
    struct stat st {};
    if (!file || ::fstat(file.get(), &st) != 0) throw_system("cannot open " + label);
    check_own_file(st, label);
    policy.check(st, label);
    if (static_cast<uint64_t>(st.st_size) > stack_images_limit)
        throw_input(label + ": too long for a list of images");
    if (st.st_size == 0) policy.finish(file);
    return file;
}

}  // namespace

std::vector<ImageName> parse_stack_images(std::string_view text) {
    std::vector<ImageName> images(1);
    for (std::string_view rest = whole_lines(text);
         !rest.empty() && images.size() <= StackFrame::most_images;) {
        const std::string name = percent_unescaped(take_line(rest));
        images.push_back(parse_image(name).value_or(ImageName()));
    }
    return images;
}

StackImages::StackImages(const Fd& dir, const std::string& label, const AccessPolicy& policy)
    : file_(open_list(dir, label, policy)) {
    const std::string text = read_fd(file_.get(), label);
    std::string_view rest = whole_lines(text);
    length_ = rest.size();
    if (length_ < text.size() && ::ftruncate(file_.get(), static_cast<off_t>(length_)) != 0)
        throw_system("cannot write " + label);
    while (!rest.empty())
        numbers_.emplace(take_line(rest), ++count_);
}

bool StackImages::append(std::string_view lines) {
    if (length_ + lines.size() > stack_images_limit) return false;
    if (write_part(file_.get(), lines) != lines.size()) {
        // What was written in part is no line; if it cannot go, the next line would follow it.
        if (::ftruncate(file_.get(), static_cast<off_t>(length_)) != 0) file_.reset();
        return false;
    }
    length_ += lines.size();
    return true;
}

uint32_t StackImages::number_of(const ImageName& image, uint32_t most) {
    std::string line;
    try {
        line = percent_escaped(mangle_image(image));
    } catch (const Error&) {
        return 0;
    }
    if (const auto known = numbers_.find(line); known != numbers_.end()) return known->second;
    if (count_ >= most || !append(line + "\n")) return 0;
    numbers_.emplace(std::move(line), ++count_);
    return count_;
}

bool StackImages::pad_to(uint32_t count) {
    std::string lines;
    const uint32_t missing = count > count_ ? count - count_ : 0;
    for (uint32_t i = 0; i < missing; ++i)
        lines.append(unknown_line).append("\n");
    if (!append(lines)) return false;
    count_ += missing;
    return true;
}

}  // namespace op
