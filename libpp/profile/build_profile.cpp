// SPDX-License-Identifier: GPL-2.0-or-later
// From sample files to a flat profile: per image one list of hits by offset, merged with its symbols in one
// walk.
#include <algorithm>
#include <map>
#include <tuple>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/ledger.h"
#include "libpp/profile/build_arcs.h"
#include "libpp/profile/profile.h"

namespace op::pp {

namespace {

/// One entry of one sample file.
struct Hit {
    uint64_t offset;
    uint32_t app;  ///< index into Profile::images
    uint32_t column;
    uint64_t count;

    auto place() const { return std::tie(offset, app, column); }
};

/// Checks that files summed as one agree on the image they are of. That is known of an image with one
/// build-id, whenever its file was written.
class HeaderCheck {
public:
    explicit HeaderCheck(bool is_one_build) : is_one_build_(is_one_build) {}

    void add(const SelectedFile& file, uint32_t column, const SampleHeader& header) {
        const auto [first, is_new] = first_.try_emplace(column, Seen{&file, header.mtime, header.is_kernel});
        Seen& seen = first->second;
        if (is_new) return;
        if (seen.is_kernel != header.is_kernel) fail(seen, file, "whether their image is the kernel");
        if (seen.mtime == 0) seen.mtime = header.mtime;
        if (header.mtime != 0 && seen.mtime != header.mtime && !is_one_build_)
            fail(seen, file, "their image's modification time");
    }

private:
    struct Seen {
        const SelectedFile* file;
        uint64_t mtime;
        bool is_kernel;
    };
    [[noreturn]] static void fail(const Seen& seen, const SelectedFile& file, const std::string& what) {
        const bool is_one_session = seen.file->session == file.session;
        throw_input("sample files to be summed differ in " + what + ": " + seen.file->path +
                    (is_one_session
                         ? " and " + file.path + "; select one of them"
                         : " in two sessions; report on one of them, or compare them: { session:A } "
                           "{ session:B }"));
    }

    bool is_one_build_;

    std::map<uint32_t, Seen> first_;
};

/// Finds the symbols of rising offsets.
class SymbolCursor {
public:
    explicit SymbolCursor(std::span<const ImageSymbol> symbols) : at_(symbols.begin()), end_(symbols.end()) {}

    /// The symbol that holds the offset, or null; offsets never fall from call to call.
    const ImageSymbol* advance_to(ImageOffset offset) {
        while (at_ != end_ && at_->start <= offset && offset - at_->start >= at_->length)
            ++at_;
        return at_ != end_ && at_->start <= offset ? &*at_ : nullptr;
    }

private:
    std::span<const ImageSymbol>::iterator at_, end_;
};

class Builder {
public:
    Builder(const ProfileClasses& classes, SampleSet& samples, Symbolizer& symbolizer)
        : classes_(classes), samples_(samples), symbolizer_(symbolizer) {
        profile_.axis = classes.axis;
        profile_.columns = classes.classes;
    }

    Profile build(const Progress& progress) && {
        size_t done = 0;
        for (const ImageFiles& image : classes_.images) {
            if (progress) progress(done++, classes_.images.size());
            add_image(image);
        }
        add_arcs(profile_, indexes_, classes_, samples_, symbolizer_);
        profile_.check();
        return std::move(profile_);
    }

private:
    void add_image(const ImageFiles& image) {
        hits_.clear();
        mtime_ = 0;
        is_kernel_ = false;
        for (const ImagePart& part : image.parts)
            read_part(image.image, part);
        if (hits_.empty()) return;
        std::ranges::sort(hits_, {}, &Hit::place);
        const uint32_t index = indexes_.of(image.image);
        profile_.images[index].symbols = &symbolizer_.symbols(image.image, mtime_, is_kernel_);
        profile_.images[index].is_replaced = symbolizer_.is_replaced(image.image);
        walk(index);
    }

    /// Adds the part's hits, and what its headers record of the image.
    void read_part(const ImageName& image, const ImagePart& part) {
        HeaderCheck check(symbolizer_.is_one_build(image));
        for (const ClassFile& file : part.files) {
            const auto content = samples_.read(file.file);
            if (!content) continue;
            check.add(samples_.file(file.file), file.column, content->header);
            mtime_ = std::max(mtime_, content->header.mtime);
            is_kernel_ |= content->header.is_kernel;
            const uint32_t app = indexes_.of(part.app);
            for (const SampleEntry& entry : content->entries)
                if (entry.count != 0) hits_.push_back({entry.key, app, file.column, entry.count});
        }
    }

    /// Goes through hits and symbols side by side.
    void walk(uint32_t image) {
        SymbolCursor cursor(profile_.images[image].symbols->symbols());
        const Hit* last = nullptr;
        for (const Hit& hit : hits_) {
            const bool is_new_location = !last || hit.offset != last->offset;
            if (is_new_location) add_location(image, cursor, ImageOffset{hit.offset});
            add_hit(hit, is_new_location || hit.app != last->app);
            last = &hit;
        }
    }

    void add_location(uint32_t image, SymbolCursor& cursor, ImageOffset offset) {
        const ImageSymbol* const symbol = cursor.advance_to(offset);
        auto& symbols = profile_.symbols;
        if (symbol && (symbols.empty() || symbols.back().symbol != symbol))
            symbols.push_back({image, symbol});
        const uint32_t index = symbol ? static_cast<uint32_t>(symbols.size() - 1) : Location::no_symbol;
        profile_.locations.push_back({image, index, offset});
    }

    /// Counts a hit at the newest location, as a sample of its own or on top of the one before.
    void add_hit(const Hit& hit, bool is_new) {
        const size_t width = profile_.columns.size();
        if (is_new) {
            profile_.samples.push_back({hit.app, static_cast<uint32_t>(profile_.frames.size()), 1});
            profile_.frames.push_back(static_cast<uint32_t>(profile_.locations.size() - 1));
            profile_.counts.resize(profile_.counts.size() + width);
        }
        uint64_t& count = profile_.counts[profile_.counts.size() - width + hit.column];
        count = add_saturating(count, hit.count);
    }

    const ProfileClasses& classes_;
    SampleSet& samples_;
    Symbolizer& symbolizer_;
    Profile profile_;
    ImageIndex indexes_{profile_};
    // For the image being added:
    std::vector<Hit> hits_;
    uint64_t mtime_ = 0;
    bool is_kernel_ = false;
};

}  // namespace

Profile build_profile(const ProfileClasses& classes, SampleSet& samples, Symbolizer& symbolizer,
                      const Progress& progress) {
    return Builder(classes, samples, symbolizer).build(progress);
}

}  // namespace op::pp
