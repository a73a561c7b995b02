// SPDX-License-Identifier: GPL-2.0-or-later
// opfleet symbolize: gives names to what hosts have sent. The process that reads binaries is in the sandbox
// of report commands; a helper speaks to the server.
#include "utils/symbolize_fleet.h"

#include <unistd.h>

#include <algorithm>

#include "fleet/schema.h"
#include "fleet/sha256.h"
#include "libop/base/build_id.h"
#include "libop/base/clock.h"
#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/path.h"
#include "libop/base/text.h"
#include "libop/stream/record.h"
#include "utils/opfleet/connection.h"
#include "utils/opfleet/verbs.h"
#include "utils/outside.h"
#include "utils/shared/helper.h"

namespace op::tool {
namespace {

using fleet::BuildSymbols;
using fleet::SymbolQuality;
using fleet::WantedBuild;

/// So long others leave an image alone that somebody works on.
constexpr uint64_t claim_seconds = 600;

struct Options {
    ConnectionOptions connection;
    CommonOptions common;  ///< some of them
    std::vector<std::string> images;
    std::string release;
    std::optional<uint64_t> limit;
};

CommandSyntax syntax(Options& o) {
    CommandSyntax s;
    s.synopsis = "";
    s.options = o.connection.table();
    s.options.push_back(
        {"image", 0, &o.images, "these binaries only, whether samples are there yet or not", "FILE,..."});
    s.options.push_back({"release", 0, &o.release, "the binaries are of this release", "NAME"});
    s.options.push_back({"limit", 0, &o.limit, "at most so many images, those with most samples first", "N"});
    for (Option& option : o.common.table())
        for (const char* const name : {"root", "image-path", "debuginfod", "no-sandbox"})
            if (std::string_view(option.long_name) == name) s.options.push_back(option);
    return s;
}

std::string machine_name() {
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::string_view quality_text(SymbolQuality quality) {
    switch (quality) {
        case SymbolQuality::debug:
            return "names and lines";
        case SymbolQuality::table:
            return "names";
        case SymbolQuality::exported:
            return "exported names only";
        case SymbolQuality::bounds:
            return "no names, but where functions begin";
        case SymbolQuality::none:
            break;
    }
    return "no names";
}

/// A file that the user named.
struct NamedFile {
    std::string path, build_id;
};

NamedFile named_file(const std::string& path) {
    NamedFile file{real_path(path), {}};
    file.build_id = build_id_of_file(file.path);
    if (file.build_id.empty()) throw_input(printable(path) + " has no build-id: link it with -Wl,--build-id");
    return file;
}

/// Reads symbols, and has the helper store them.
class Symbolizing {
public:
    Symbolizing(Tool& tool, Helper& helper, fleet::SymbolSources sources)
        : tool_(tool), helper_(helper), sources_(std::move(sources)) {}

    void wanted(std::optional<uint64_t> limit) {
        const std::string list = helper_.ask(keeper_request(SymbolKeeper::to_list, 0));
        uint64_t done = 0;
        for (std::string_view rest = list; !rest.empty() && done < limit.value_or(UINT64_MAX); ++done)
            symbolize(parse_number(take_line(rest)).value_or(0), "");
        if (list.empty()) write_stdout("all samples have the names that there are\n");
    }

    void named(const NamedFile& file, const std::string& release) {
        const uint64_t image = fleet::id64(file.build_id);
        helper_.ask(keeper_request(
            SymbolKeeper::to_name, image,
            fleet::escaped_field(release) + "\n" + file.build_id + "\n" + fleet::escaped_field(file.path)));
        symbolize(image, file.path);
    }

private:
    void symbolize(uint64_t image, const std::string& file) {
        const std::string text = helper_.ask(keeper_request(SymbolKeeper::to_want, image));
        if (text.empty()) return;  // somebody else works on it
        WantedBuild wanted = fleet::parse_wanted_build(text, tool_.name);
        wanted.file = file;
        const BuildSymbols symbols = fleet::read_build_symbols(wanted, sources_, tool_.notes);
        const std::string line =
            helper_.ask(keeper_request(SymbolKeeper::to_store, image, fleet::build_symbols_text(symbols)));
        write_stdout(printable(line) + "\n");
    }

    Tool& tool_;
    Helper& helper_;
    fleet::SymbolSources sources_;
};

}  // namespace

std::string keeper_request(char what, uint64_t image, std::string_view content) {
    return what + std::to_string(image) + "\n" + std::string(content);
}

std::string SymbolKeeper::answer(std::string_view request) {
    std::string_view content = request;
    std::string_view head = take_line(content);
    if (head.empty()) throw_input("an empty request");
    const char what = head.front();
    const uint64_t image = parse_number(head.substr(1)).value_or(0);
    prepare();
    if (what == to_list) return list();
    if (what == to_want) return want(image);
    if (what == to_store) return store(image, fleet::parse_build_symbols(content, "symbols"));
    if (what == to_name) name(image, content);
    if (what == to_end && has_stored_) fleet::merge_locations(server_);
    return "";
}

void SymbolKeeper::prepare() {
    if (is_prepared_) return;
    fleet::check_schema(server_);
    images_ = fleet::FleetImages::read(server_);
    states_ = fleet::symbol_states(server_);
    is_prepared_ = true;
}

bool SymbolKeeper::is_claimed(const fleet::SymbolState& state) const {
    return state.state == "claimed" && state.uploader != uploader_.name &&
           state.time + claim_seconds > uploader_.time;
}

bool SymbolKeeper::is_wanted(const fleet::WantedImage& image) const {
    const fleet::FleetImage* const known = images_.find(image.image);
    if (!known || known->kind == "anon") return false;
    const auto state = states_.find(image.image);
    if (image.lacks_names() || state == states_.end()) return true;
    return state->second.quality < SymbolQuality::debug;
}

std::string SymbolKeeper::list() {
    std::string lines;
    for (const fleet::WantedImage& image : fleet::wanted_images(server_)) {
        samples_[image.image] = image.samples;
        if (is_wanted(image)) lines += std::to_string(image.image) + "\n";
    }
    return lines;
}

std::string SymbolKeeper::want(uint64_t image) {
    const auto state = states_.find(image);
    if (state != states_.end() && is_claimed(state->second)) return "";
    const fleet::FleetImage* const known = images_.find(image);
    if (!known) throw_input("there is no image " + std::to_string(image));
    if (state == states_.end())
        fleet::store_state(server_, image, "claimed", SymbolQuality::none, "", uploader_);
    places_ = fleet::sampled_places(server_, image);
    WantedBuild wanted;
    wanted.build_id = known->build_id;
    wanted.paths = known->paths;
    wanted.is_kernel =
        known->kind == "kernel" || std::ranges::find(known->paths, kallsyms_image) != known->paths.end();
    wanted.lacks_package = known->package.empty();
    for (const auto& [place, quality] : places_)
        wanted.places.push_back(place);
    return fleet::wanted_build_text(wanted);
}

size_t SymbolKeeper::complete(uint64_t image, SymbolQuality quality) {
    std::vector<uint64_t> missing;
    for (const auto& [place, known] : places_)
        if (known == SymbolQuality::none) missing.push_back(place);
    if (missing.empty() || quality == SymbolQuality::none) return 0;
    BuildSymbols found;
    found.quality = std::min(quality, SymbolQuality::table);
    found.locations = fleet::locate(fleet::stored_functions(server_, image), missing);
    fleet::store_symbols(server_, image, found, uploader_);
    return found.locations.size();
}

std::string SymbolKeeper::store(uint64_t image, const BuildSymbols& symbols) {
    const std::string line = store_names(image, symbols);
    return line + store_package(image, symbols.package);
}

std::string SymbolKeeper::store_package(uint64_t image, const std::optional<Package>& package) {
    const fleet::FleetImage* const known = images_.find(image);
    if (!package || !known || !known->package.empty()) return "";
    fleet::FleetImage now = *known;
    now.package = package->name;
    now.package_version = package->version;
    send(image, std::move(now));
    return ", of package " + package->name + (package->version.empty() ? "" : " " + package->version);
}

std::string SymbolKeeper::store_names(uint64_t image, const BuildSymbols& symbols) {
    const SymbolQuality before = states_[image].quality;
    const fleet::FleetImage* const known = images_.find(image);
    const std::string label = known ? known->path() : std::to_string(image);
    if (symbols.quality == SymbolQuality::none || symbols.quality < before) {
        const size_t completed = complete(image, before);
        if (before == SymbolQuality::none)
            fleet::store_state(server_, image, "unobtainable", SymbolQuality::none, symbols.reason,
                               uploader_);
        return before == SymbolQuality::none
                   ? label + ": " + symbols.reason
                   : label + ": " + counted(completed, "place") + " by names that the server has";
    }
    BuildSymbols news = symbols;
    if (symbols.quality == before) news.functions.clear();
    std::erase_if(news.locations, [&](const fleet::BuildLocation& location) {
        const auto at = places_.find(location.place);
        return at == places_.end() || at->second >= symbols.quality;
    });
    fleet::store_symbols(server_, image, news, uploader_);
    has_stored_ |= !news.locations.empty();
    fleet::store_state(server_, image, "done", symbols.quality, symbols.reason, uploader_);
    states_[image] = {"done", symbols.quality, symbols.reason, uploader_.name, uploader_.time};
    return label + ": " + std::string(quality_text(symbols.quality)) + ", " +
           counted(symbols.functions.size(), "function") + ", " + counted(news.locations.size(), "new place");
}

void SymbolKeeper::name(uint64_t image, std::string_view content) {
    const std::string release = fleet::unescaped_field(take_line(content)), build_id(take_line(content)),
                      path = fleet::unescaped_field(content);
    fleet::FleetImage named;
    if (const fleet::FleetImage* const known = images_.find(image))
        named = *known;
    else
        named = {build_id, {path}, "file"};
    if (!release.empty()) named.release = release;
    send(image, std::move(named));
}

void SymbolKeeper::send(uint64_t image, fleet::FleetImage known) {
    const fleet::Table& table = fleet::schema_table("images");
    fleet::RowBinary rows;
    for (const std::string& each : known.paths) {
        rows.add_u64(image);
        for (const std::string* const text : std::initializer_list<const std::string*>{
                 &known.build_id, &each, &known.kind, &known.package, &known.package_version, &known.release})
            rows.add_string(*text);
        rows.add_u64(uploader_.time);
        rows.end_row();
    }
    server_.insert(table.name, table.column_names(), rows);
    images_.add(image, std::move(known));
}

int opfleet_symbolize(Tool& tool, int argc, char** argv) {
    Options o;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(o));
    if (parsed.exit_status) return *parsed.exit_status;
    if (!parsed.words.empty()) throw_usage("symbolize takes no further words");
    if (!o.release.empty() && o.images.empty()) throw_usage("--release is for the binaries of --image");
    std::vector<NamedFile> files;
    for (const std::string& path : o.images)
        files.push_back(named_file(path));
    fleet::Server server = o.connection.server();
    SymbolKeeper keeper(server, {machine_name(), static_cast<uint64_t>(epoch_seconds())});
    Helper helper([&](std::string_view request) { return keeper.answer(request); }, tool.notes);
    const fleet::RunningKernel kernel = fleet::RunningKernel::read();
    OutsidePlan plan;
    plan.descriptors = {helper.descriptor()};
    const Outside outside(o.common, plan, tool);
    fleet::LocalBuildIds by_build_id(o.common.root, outside.by_build_id());
    Symbolizing work(
        tool, helper,
        {{.archive = {}, .root = o.common.root, .image_paths = o.common.image_paths}, &by_build_id, &kernel});
    for (const NamedFile& file : files)
        work.named(file, o.release);
    if (files.empty()) work.wanted(o.limit);
    helper.ask(keeper_request(SymbolKeeper::to_end, 0));
    return 0;
}

}  // namespace op::tool
