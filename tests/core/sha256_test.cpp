#include <farfield/core/sha256.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <utility>

using farfield::core::sha256;

TEST_CASE("digests are those of NIST's examples for FIPS 180-4") {
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("digests around the ends of blocks are those of Python's hashlib") {
    // hashlib.sha256(''.join(chr(33 + i % 90) for i in range(length)).encode()).hexdigest()
    for (const auto& [length, digest] :
         {std::pair(1, "bb7208bc9b5d7c04f1236a82a0093a5e33f40423d5ba8d4266f7092c3ba43b62"),
          {54, "bc6f7b16848cf0391a4bc2391fb74170c00361ebe501c594f790c526443e98f6"},
          {55, "c51a9ae2cfb2c450550c6690ec6fcf1c1e043cb8c9498d78cefe3e149a8a9c83"},
          {56, "bc971d8627d350d4206bffc3688ca6652d869730a0029d23e45822924a4b17d1"},
          {63, "77050fadb5c3d4dd7f87213e81b0f0f83a056ee61a036310df38f0c43c227c0c"},
          {64, "a5fa26cbbe3fd95337ae19f425f9bab0793ff76c02f1c6e729e52fd59ebae155"},
          {65, "7acbbe6352caa6aa2434ed891d43b8f04bec5a5d36552c8c853534afd84f2dec"},
          {119, "3c184f326484d4a08e5f1f43cc1212f6c3949b092f2b9475bae3dfb049a5f5c2"},
          {120, "3b78428d720126aa0917289f6168c98034f52769d73e3867a1e586f0dcae8894"},
          {128, "f940eb58ef88741de27aa23d6d9eae7ee8401b356b2a74e2842ea1f8d2edd5bc"},
          {1000, "49cae05a9bb3e47cbf7ef5b1ed9a41f676e85906e868fa6ad89ca9fc34afbcae"}}) {
        std::string bytes;
        for (int i = 0; i < length; ++i) bytes += static_cast<char>(33 + i % 90);
        INFO(length);
        CHECK(sha256(bytes) == digest);
    }
}

TEST_CASE("the common instructions give the same digests as the fastest ones") {
    for (const std::size_t length : {0, 1, 55, 56, 64, 65, 128, 1000, 100'003}) {
        std::string bytes;
        for (std::size_t i = 0; i < length; ++i) bytes += static_cast<char>(i * 37 % 251);
        INFO(length);
        CHECK(sha256(bytes, farfield::core::Instructions::common) == sha256(bytes));
    }
}
