#include <farfield/core/sha256.hpp>

#include <array>
#include <bit>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace farfield::core {

namespace {

using Word = std::uint32_t;

// FIPS 180-4, section 4.2.2.
constexpr std::array<Word, 64> constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<Word, 8>;

void add_block(State& state, const unsigned char* block) {
    std::array<Word, 64> w{};
    for (std::size_t t = 0; t < 16; ++t) {
        w[t] = Word{block[4 * t]} << 24 | Word{block[4 * t + 1]} << 16 | Word{block[4 * t + 2]} << 8 |
               Word{block[4 * t + 3]};
    }
    for (std::size_t t = 16; t < 64; ++t) {
        const Word s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
        const Word s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t t = 0; t < 64; ++t) {
        const Word t1 =
            h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + constants[t] + w[t];
        const Word t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const State added = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += added[i];
}

using AddBlocks = void (*)(State& state, const unsigned char* data, std::size_t count);

void add_blocks(State& state, const unsigned char* data, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) add_block(state, data + 64 * i);
}

#if defined(__x86_64__)
struct Four {
    __m128i words;
};

/// Uses the processor's SHA instructions, which keep the state as (f, e, b, a) and (h, g, d, c), lowest first.
__attribute__((target("sha,sse4.1"))) void add_blocks_sha(State& state, const unsigned char* data, std::size_t count) {
    const auto at = [](const void* place) { return _mm_loadu_si128(static_cast<const __m128i*>(place)); };
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    auto [a, b, c, d, e, f, g, h] = state;
    __m128i first = _mm_set_epi32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(e), static_cast<int>(f));
    __m128i second = _mm_set_epi32(static_cast<int>(c), static_cast<int>(d), static_cast<int>(g), static_cast<int>(h));
    for (; count > 0; --count, data += 64) {
        const __m128i first_before = first;
        const __m128i second_before = second;
        std::array<Four, 16> w;
        for (std::size_t t = 0; t < 16; ++t) {
            if (t < 4)
                w[t].words = _mm_shuffle_epi8(at(data + 16 * t), big_endian);
            else
                w[t].words = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w[t - 4].words, w[t - 3].words),
                                                                _mm_alignr_epi8(w[t - 1].words, w[t - 2].words, 4)),
                                                  w[t - 1].words);
            const __m128i words = _mm_add_epi32(w[t].words, at(&constants[4 * t]));
            second = _mm_sha256rnds2_epu32(second, first, words);
            first = _mm_sha256rnds2_epu32(first, second, _mm_shuffle_epi32(words, 0x0e));
        }
        first = _mm_add_epi32(first, first_before);
        second = _mm_add_epi32(second, second_before);
    }
    std::array<Word, 4> abef{}, cdgh{};
    _mm_storeu_si128(reinterpret_cast<__m128i*>(abef.data()), first);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(cdgh.data()), second);
    state = {abef[3], abef[2], cdgh[3], cdgh[2], abef[1], abef[0], cdgh[1], cdgh[0]};
}

/// CPUID leaf 7: bit 29 of ebx is the SHA extensions.
bool has_sha() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1) != 0;
}

AddBlocks fastest() {
    return has_sha() ? add_blocks_sha : add_blocks;
}
#else
AddBlocks fastest() {
    return add_blocks;
}
#endif

}  // namespace

std::string sha256(std::string_view bytes, Instructions instructions) {
    static const AddBlocks fast = fastest();
    const AddBlocks add = instructions == Instructions::any ? fast : add_blocks;
    State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    const std::size_t whole = bytes.size() / 64;
    add(state, data, whole);
    std::string rest(bytes.substr(64 * whole));
    rest += '\x80';
    while (rest.size() % 64 != 56) rest += '\0';
    const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
    for (int shift = 56; shift >= 0; shift -= 8) rest += static_cast<char>(bits >> shift & 0xff);
    add(state, reinterpret_cast<const unsigned char*>(rest.data()), rest.size() / 64);
    std::string text;
    for (const Word word : state) {
        for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[word >> shift & 15];
    }
    return text;
}

}  // namespace farfield::core
