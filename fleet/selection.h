// SPDX-License-Identifier: GPL-2.0-or-later
// Which samples a question is about: as words of a command line, and as numbers of the fleet's tables. Words
// go to the server in bodies only (InputTable), never in a statement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/day.h"
#include "fleet/fleet_images.h"
#include "fleet/server.h"

namespace op::fleet {

/// A choice of samples. Lists that are empty choose all. A word for an application or image is its path, or
/// without '/' its base name; words may have shell wildcards, and one that is a name itself is that name.
struct Selection {
    std::optional<Day> from, until;  ///< both are part of it
    std::string event;               ///< "NAME", "NAME:COUNT" and so on as RecordedEvent::spec(); empty = any
    std::vector<std::string> apps, images, hosts;
    std::vector<std::string> releases;  ///< of their files: samples in them, or on behalf of them
};

/// A row of `events`.
struct FleetEvent {
    uint64_t number = 0;
    std::string name;
    uint64_t period = 0, unit_mask = 0;
    bool kernel = true, user = true;

    /// "NAME:PERIOD:UNITMASK:KERNEL:USER".
    std::string spec() const;
    /// True if the words of `spec`, which are separated by colons, are the first ones of spec().
    bool matches(std::string_view spec) const;
};

/// What a condition of a WHERE is for: tables with an image in each row have one.
enum class SampleTable : uint8_t { with_image, without_image };

/// A day whose rows in `function_days` are complete: those of this version, each of them once.
struct DaySummary {
    Day day;
    uint64_t version = 0;
};

/// A selection in numbers. `condition()` refers to the tables of `tables()`, which go along with the query.
struct Chosen {
    Day from, until;  ///< the first and the last day that it has
    FleetEvent event;
    std::vector<FleetEvent> other_events;  ///< that the same samples have, and that were not chosen
    /// Nothing = all.
    std::optional<std::vector<uint64_t>> apps, images, hosts, release_images;
    /// The images in which there are samples of the selection; nothing = not known. See find_used_images().
    std::optional<std::vector<uint64_t>> used_images = {};
    /// Days whose samples by function are in `function_days` only, in order; see find_summaries().
    std::vector<DaySummary> summarised = {};
    bool is_all_summarised = false;  ///< no other day has a slice

    /// The condition on rows of `samples`, `function_days` or, without_image, `stack_samples`: by image only
    /// where there is one. Its words are this program's own, its values are numbers.
    std::string condition(SampleTable table = SampleTable::with_image) const;
    /// The condition on rows of `slices`: days and hosts only.
    std::string slice_condition() const;
    std::vector<Day> summarised_days() const;
    /// The numbers that the conditions refer to.
    std::vector<InputTable> tables() const;
};

/// An InputTable of one column, `value UInt64`.
InputTable input_numbers(std::string name, const std::vector<uint64_t>& values);

/// Days and hosts alone: of all events. Throws as choose().
Chosen choose_slices(Server& server, const Selection& selection);

/// Finds what the words stand for. `images` are the server's. Of several events that match the one with most
/// samples is chosen. Throws a usage error that names the word if one matches nothing, or if no slice is
/// there at all; else as Server::query().
Chosen choose(Server& server, const Selection& selection, const FleetImages& images);

}  // namespace op::fleet
