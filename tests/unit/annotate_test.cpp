// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/annotate/annotate.h"

#include <gtest/gtest.h>

#include "tests/unit/fake_symbols.h"

namespace op::pp {

namespace {

/// A profile of one image: a sample each at the start of its symbols.
Profile profile_of(ImageSymbols& symbols) {
    Profile profile;
    profile.columns.resize(1);
    profile.images.push_back({ImageName{ImageName::Kind::file, "/bin/a", 0, 0, 0}, &symbols});
    for (const ImageSymbol& symbol : symbols.symbols()) {
        const auto n = static_cast<uint32_t>(profile.symbols.size());
        profile.symbols.push_back({0, &symbol, false});
        profile.locations.push_back({0, n, symbol.start});
        profile.frames.push_back(n);
        profile.samples.push_back({0, n, 1});
        profile.counts.push_back(1);
    }
    profile.check();
    return profile;
}

}  // namespace

TEST(Annotate, a_file_is_one_however_it_is_spelled) {
    test::FakeSymbols symbols{{"../sysdeps/x", 16, 16}, {"string/../../sysdeps/x", 32, 16}, {"y", 48, 16}};
    const Profile profile = profile_of(symbols);
    const Annotation annotation = annotate(profile, {}, {});
    ASSERT_EQ(annotation.files.size(), 2u);
    const AnnotatedFile& file = annotation.files[0];
    EXPECT_EQ(file.path, "/src/../sysdeps/x.c");
    EXPECT_EQ(file.totals, Counts{2});
    EXPECT_EQ(file.lines, (std::map<uint32_t, Counts>{{16, {1}}, {32, {1}}}));
    EXPECT_EQ(file.symbols.size(), 2u);
}

}  // namespace op::pp
