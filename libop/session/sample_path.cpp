// SPDX-License-Identifier: GPL-2.0-or-later
// Sample file names: mangling and parsing. Touches no file.
#include "libop/session/sample_path.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op {

namespace {

constexpr std::string_view root_tag = "{root}", kernel_tag = "{kern}", anon_prefix = "{anon:";
constexpr std::string_view dependent_tag = "{dep}", callee_tag = "{cg}", all = "all";

/// In front of a component of a file's path that would be taken for a tag or for an escaped one.
constexpr char escape = '{';

using Parts = std::vector<std::string_view>;

bool is_image_tag(std::string_view part) {
    return part == root_tag || part == kernel_tag || (part.starts_with(anon_prefix) && part.ends_with('}'));
}

bool is_tag(std::string_view part) {
    return is_image_tag(part) || part == dependent_tag || part == callee_tag;
}

/// "{{{dep}" -> "{dep}"
std::string_view without_escapes(std::string_view part) {
    const size_t first = part.find_first_not_of(escape);
    return first == part.npos || first == 0 ? part : part.substr(first - 1);
}

// ---- writing

[[noreturn]] void refuse(std::string_view name, const std::string& reason) {
    throw_input("cannot name a sample file after '" + printable(name) + "': " + reason);
}

/// Checks one component. `whole` is what the message quotes.
void check_component(std::string_view part, std::string_view whole) {
    if (part.empty()) refuse(whole, "empty name");
    if (part == "." || part == "..") refuse(whole, "'" + std::string(part) + "' is not a name");
    if (part.find('\0') != part.npos) refuse(whole, "NUL in the name");
}

/// The same for a name that is not escaped.
void check_plain(std::string_view name) {
    check_component(name, name);
    if (name.front() == '{') refuse(name, "'{' begins a tag");
}

std::string spell_file(const std::string& path) {
    if (!path.starts_with('/')) refuse(path, "not an absolute path");
    std::string spelled = std::string(root_tag) + "/";
    for (const std::string_view part : split(std::string_view(path).substr(1), '/')) {
        check_component(part, path);
        if (is_tag(without_escapes(part))) spelled += escape;
        spelled.append(part).append("/");
    }
    return spelled;
}

std::string spell_kernel(const std::string& name) {
    check_plain(name);
    if (name.find('/') != name.npos) refuse(name, "'/' in a kernel image's name");
    return std::string(kernel_tag) + "/" + name + "/";
}

std::string spell_anon(const ImageName& image) {
    if (image.name.empty()) refuse(image.name, "empty name");
    if (image.name.find_first_of(std::string_view("/\0", 2)) != image.name.npos)
        refuse(image.name, "'/' or NUL in a region's label");
    if (image.start > image.end) refuse(image.name, "the region ends before it begins");
    return std::string(anon_prefix) + image.name + "}/" + std::to_string(image.tgid) + ".0x" +
           hex(image.start) + ".0x" + hex(image.end) + "/";
}

std::string spell_image(const ImageName& image) {
    switch (image.kind) {
        case ImageName::Kind::kernel:
            return spell_kernel(image.name);
        case ImageName::Kind::anon:
            return spell_anon(image);
        case ImageName::Kind::file:
            break;
    }
    return spell_file(image.name);
}

std::string spell_event(const std::string& event) {
    check_plain(event);
    if (event.find_first_of("./:") != event.npos) refuse(event, "'.', '/' or ':' in an event's name");
    return event;
}

std::string spell_id(const std::optional<uint32_t>& id) {
    return "." + (id ? std::to_string(*id) : std::string(all));
}

template <class Class>
std::string spell_class(const Class& c) {
    return spell_event(c.event) + "." + std::to_string(c.count) + "." + std::to_string(c.unit_mask) +
           spell_id(c.tgid) + spell_id(c.tid) + spell_id(c.cpu);
}

// ---- reading

bool is_sound(std::string_view part) {
    return !part.empty() && part != "." && part != ".." && part.find('\0') == part.npos;
}

std::optional<uint32_t> parse_u32(std::string_view text) {
    const auto value = parse_number(text);
    if (!value || *value > std::numeric_limits<uint32_t>::max()) return std::nullopt;
    return static_cast<uint32_t>(*value);
}

std::optional<uint64_t> parse_0x(std::string_view text) {
    if (!text.starts_with("0x")) return std::nullopt;
    return parse_number(text.substr(2), 16);
}

std::optional<ImageName> read_file(const Parts& body) {
    ImageName image;
    for (std::string_view part : body) {
        if (is_tag(without_escapes(part))) part.remove_prefix(1);
        image.name.append("/").append(part);
    }
    if (body.empty()) return std::nullopt;
    return image;
}

std::optional<ImageName> read_kernel(const Parts& body) {
    if (body.size() != 1) return std::nullopt;
    return ImageName{ImageName::Kind::kernel, std::string(body.front()), 0, 0, 0};
}

/// Components after the region's are ignored, as the original's readers do.
std::optional<ImageName> read_anon(std::string_view tag, const Parts& body) {
    ImageName image;
    image.kind = ImageName::Kind::anon;
    image.name = tag.substr(anon_prefix.size(), tag.size() - anon_prefix.size() - 1);
    const Parts fields = body.empty() ? Parts() : split(body.front(), '.');
    if (image.name.empty() || fields.size() != 3) return std::nullopt;
    const auto tgid = parse_u32(fields[0]);
    const auto start = parse_0x(fields[1]), end = parse_0x(fields[2]);
    if (!tgid || !start || !end) return std::nullopt;
    image.tgid = *tgid;
    image.start = *start;
    image.end = *end;
    return image;
}

bool read_id(std::string_view text, std::optional<uint32_t>& out) {
    out = parse_u32(text);
    return out || text == all;
}

/// Into a SampleClass or a SampleName.
template <class Class>
bool read_class(std::string_view component, Class& c) {
    const Parts fields = split(component, '.');
    if (fields.size() != 6 || fields[0].empty() || fields[0].find(':') != fields[0].npos) return false;
    const auto count = parse_number(fields[1]), unit_mask = parse_number(fields[2]);
    if (!count || !unit_mask) return false;
    c.event = fields[0];
    c.count = *count;
    c.unit_mask = *unit_mask;
    return read_id(fields[3], c.tgid) && read_id(fields[4], c.tid) && read_id(fields[5], c.cpu);
}

std::optional<ImageName> read_image(std::string_view tag, const Parts& body) {
    if (tag == root_tag) return read_file(body);
    return tag == kernel_tag ? read_kernel(body) : read_anon(tag, body);
}

/// Walks over the components from the first tag on; the last one is the event's.
class PathReader {
public:
    explicit PathReader(Parts parts) : parts_(std::move(parts)) {
        at_ = std::find_if(parts_.begin(), parts_.end(), is_image_tag) - parts_.begin();
    }

    std::optional<SampleName> read() {
        if (at_ == parts_.size() || !std::all_of(parts_.begin() + at_, parts_.end(), is_sound))
            return std::nullopt;
        SampleName name;
        if (!take_image(name.app) || !take(dependent_tag) || !take_image(name.image)) return std::nullopt;
        if (take(callee_tag) && !take_image(name.callee.emplace())) return std::nullopt;
        if (at_ + 1 != parts_.size() || !read_class(parts_.back(), name)) return std::nullopt;
        return name;
    }

private:
    bool take(std::string_view tag) {
        if (at_ >= parts_.size() || parts_[at_] != tag) return false;
        ++at_;
        return true;
    }

    bool take_image(ImageName& out) {
        if (at_ >= parts_.size() || !is_image_tag(parts_[at_])) return false;
        const std::string_view tag = parts_[at_++];
        Parts body;
        while (at_ + 1 < parts_.size() && !is_tag(parts_[at_]))
            body.push_back(parts_[at_++]);
        auto image = read_image(tag, body);
        if (!image) return false;
        out = std::move(*image);
        return true;
    }

    Parts parts_;
    size_t at_;
};

}  // namespace

std::string ImageName::display() const {
    const bool has_range = tgid != 0 || start != 0 || (end != 0 && !name.starts_with('['));
    if (kind != Kind::anon || !has_range) return name;
    return name + " (tgid:" + std::to_string(tgid) + " range:0x" + hex(start) + "-0x" + hex(end) + ")";
}

std::string mangle(const SampleName& name) {
    std::string path = spell_image(name.app) + std::string(dependent_tag) + "/" + spell_image(name.image);
    if (name.callee) path += std::string(callee_tag) + "/" + spell_image(*name.callee);
    return path + spell_class(name);
}

std::string mangle_image(const ImageName& image) {
    std::string spelled = spell_image(image);
    spelled.pop_back();
    return spelled;
}

std::string mangle_class(const SampleClass& sample_class) {
    return spell_class(sample_class);
}

std::optional<ImageName> parse_image(std::string_view text) {
    const Parts parts = split(text, '/');
    const bool is_image = is_image_tag(parts.front()) && std::all_of(parts.begin(), parts.end(), is_sound) &&
                          std::none_of(parts.begin() + 1, parts.end(), is_tag);
    if (!is_image) return std::nullopt;
    return read_image(parts.front(), Parts(parts.begin() + 1, parts.end()));
}

std::optional<SampleClass> parse_class(std::string_view text) {
    SampleClass found;
    if (!is_sound(text) || text.find('/') != text.npos || !read_class(text, found)) return std::nullopt;
    return found;
}

std::optional<SampleName> parse_sample_path(std::string_view path) {
    return PathReader(split(path, '/')).read();
}

}  // namespace op
