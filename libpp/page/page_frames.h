// SPDX-License-Identifier: GPL-2.0-or-later
// The profiles of a page, and the names that its boxes can have. Names are numbers here; the page has each
// name once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "libpp/export/stack_lines.h"
#include "libpp/profile/profile.h"

namespace op::pp {

/// What a box of the page is: it decides the colour. The numbers are those of the script.
enum class PageKind : uint8_t { application, library, kernel, run_time_code, cut, part, line };

/// A name in the page.
struct PageFrame {
    std::string name, image;
    PageKind kind = PageKind::library;
    bool is_file = false;  ///< an application or image, not a function in one

    auto operator<=>(const PageFrame&) const = default;
};

/// The profiles that a page shows, with the same events: one, or of a comparison both, or all sessions of the
/// first and then those of the second.
struct PageProfiles {
    std::vector<const Profile*> sides;
    std::vector<std::vector<std::string>> events;  ///< for each side, the event of each column
    /// The profiles whose locations have code, before and after, if each is several of `sides`; empty =
    /// `sides`. They add no samples.
    std::vector<const Profile*> coded = {};

    /// The different events, in the order of the first side's columns.
    std::vector<std::string> event_names() const;
};

/// Numbers the frames of the profiles, equal ones alike, so that a program and its function of the same name
/// stay apart; and the columns of the page: for each event one of each side.
class PageFrames {
public:
    /// Throws an internal error unless each column has an event, and the sides have the same ones.
    PageFrames(PageProfiles profiles, Demangle demangle);

    const PageProfiles& profiles() const { return profiles_; }
    /// Columns of the page.
    size_t columns() const { return events_ * profiles_.sides.size(); }
    /// The column of the page that has the samples of a profile's column.
    size_t column(size_t side, size_t column) const { return columns_[side][column]; }
    /// The frame of a location, cut or application of a side.
    uint32_t of(size_t side, const StackNode& node) const;
    /// The frame of a location of the profile whose locations have code, before or after.
    uint32_t of_coded(size_t side, uint32_t location) const {
        const size_t first = profiles_.coded.empty() ? 0 : profiles_.sides.size();
        return of(first + side, {0, location, StackNodeKind::code});
    }
    uint32_t of_image(size_t side, uint32_t image) const { return sides_[side].images[image]; }
    /// The frame of a source line; adds it if it is new.
    uint32_t of_line(const SourceLine& line);
    /// The frame of the process, thread or CPU that a profile's column is of; no_part if of all.
    static constexpr uint32_t no_part = UINT32_MAX;
    uint32_t part(size_t side, size_t column) const { return parts_[side][column]; }
    /// "threads", "processes" or "CPUs" if columns differ in them; else empty.
    const std::string& parts_name() const { return parts_name_; }

    size_t size() const { return rows_.size(); }
    const PageFrame& frame(uint32_t number) const { return *rows_[number]; }
    /// The source file that a function begins in, as its debug information has it; empty if unknown, or for
    /// what is no function.
    std::string_view file(uint32_t number) const {
        return number < files_.size() ? std::string_view(files_[number]) : std::string_view();
    }

private:
    struct Side {
        FrameNames names;
        std::vector<uint32_t> functions;  ///< frames by number of FrameNames
        std::vector<uint32_t> images;     ///< frames by image
    };
    uint32_t number(PageFrame frame);
    void add_side(const Profile& profile, Demangle demangle);
    void add_files(const Profile& profile, const Side& side);
    void add_columns(const Profile& profile, const std::vector<std::string>& events);

    PageProfiles profiles_;
    size_t events_ = 0;
    std::map<PageFrame, uint32_t> numbers_;
    std::vector<const PageFrame*> rows_;  ///< by number, in numbers_
    std::vector<std::string> files_;      ///< by number
    std::vector<Side> sides_;
    std::vector<std::vector<size_t>> columns_;
    std::vector<std::vector<uint32_t>> parts_;
    std::string parts_name_;
};

}  // namespace op::pp
