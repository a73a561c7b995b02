// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/sha256.h"

#include <gtest/gtest.h>

#include "libop/base/fd.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

std::string digest(std::string_view text) {
    const Sha256 bytes = sha256(as_bytes(text));
    return hex(std::as_bytes(std::span(bytes)));
}

}  // namespace

// FIPS 180-4's own examples, and a million times "a".
TEST(Sha256, digests_are_those_of_the_standard) {
    EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(digest(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, id64_is_the_first_eight_bytes_little_endian) {
    EXPECT_EQ(id64("abc"), 0xeacf018fbf1678baU);
}

}  // namespace op::fleet
