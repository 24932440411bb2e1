#include "study/store.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/sha256.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "study/cache.hpp"
#include "study/manifest.hpp"
#include "support/folder.hpp"

using namespace farfield;
using namespace farfield::study;
using Catch::Contains;
using farfield::tests::Folder;

namespace {

const std::string id(64, 'a');

core::Result sample() {
    core::Result result;
    result.name = "q";
    result.kind = "value";
    result.seconds = 2;
    return result;
}

}  // namespace

TEST_CASE("a record is read back unchanged, with the identity of this process") {
    const EntryRecord record = record_here(id, "training", "t[w=8], \"seed\" 0", 1.5);
    const auto read = record_from_json(to_json(record));
    REQUIRE(read);
    CHECK(read->name == record.name);
    CHECK(read->seconds == 1.5);
    CHECK(read->host == host_name());
    CHECK(read->processor == processor_kind());
    CHECK_FALSE(read->program.empty());
    CHECK_FALSE(record_from_json("{}"));
    CHECK_FALSE(record_from_json(to_json(record).substr(1)));
}

TEST_CASE("an entry with any bit of its content flipped, or cut short, is invalid") {
    const std::string entry = quantity_heading(record_here(id, "value", "q", 1), "content") + "content";
    REQUIRE(payload_of(entry) == "content");
    const std::size_t content = entry.size() - 7;
    for (std::size_t bit = 0; bit < 8 * entry.size(); ++bit) {
        std::string turned = entry;
        turned[bit / 8] = static_cast<char>(turned[bit / 8] ^ (1 << bit % 8));
        const auto payload = payload_of(turned);
        // Names and hosts are no part of what is computed.
        CHECK((!payload || (bit / 8 < content && *payload == "content")));
    }
    for (std::size_t length = 0; length < entry.size(); ++length) CHECK_FALSE(payload_of(entry.substr(0, length)));
    CHECK_FALSE(payload_of(entry + "x"));
}

TEST_CASE("a kept result is listed with its record, and a model once it has one") {
    const Folder folder;
    CHECK(finished_ids(folder.path()).empty());
    CHECK(store(folder.path(), id, sample()).empty());
    CHECK(finished_ids(folder.path()) == std::unordered_set<std::string>{id});
    const std::string model(64, 'b');
    folder.write("models/bb/" + model + ".safetensors", "damaged");
    folder.write("models/bb/" + model + ".unfinished.safetensors", "damaged");
    folder.write("models/bb/.farfield-00000000-1-aaaaaa", "part");
    CHECK(finished_ids(folder.path()).size() == 1);
    folder.write("models/bb/" + model + ".json", to_json(record_here(model, "training", "t", 1)));
    CHECK(finished_ids(folder.path()).contains(model));
    const std::vector<StoreEntry> entries = entries_of(folder.path());
    REQUIRE(entries.size() == 3);
    CHECK((entries[0].is_model && entries[0].is_finished && entries[0].record->kind == "training"));
    CHECK_FALSE(entries[1].is_finished);
    CHECK((!entries[2].is_model && entries[2].record->name == "q" && entries[2].record->seconds == 2));
    CHECK(damage_of(entries[2]).empty());
    CHECK(damage_of(entries[0]) == "it is cut short: it has no header");
    // An entry that cannot be read may be whole.
    CHECK_THROWS_AS(damage_of({folder.path("gone"), "x", false, true, 0, {}}), core::MissingError);
    CHECK(load(folder.path(), id));
}

TEST_CASE("an entry without the heading of its form has no record") {
    const Folder folder;
    const std::string path = "quantities/aa/" + id;
    const std::string whole = quantity_heading(record_here(id, "value", "q", 1), "content");
    const std::size_t first = whole.find('\n') + 1;
    const std::size_t second = whole.find('\n', first) + 1;
    folder.write(path, whole);
    REQUIRE(read_record(folder.path(), id));
    for (const std::string& text :
         {std::string(), whole.substr(0, first - 1), whole.substr(0, first), whole.substr(first, second - first),
          "another heading\n" + whole.substr(first), whole.substr(0, first) + "{}\n"}) {
        INFO(text);
        folder.write(path, text);
        CHECK_FALSE(read_record(folder.path(), id));
        const std::vector<StoreEntry> entries = entries_of(folder.path());
        REQUIRE(entries.size() == 1);
        CHECK_FALSE(entries[0].record);
    }
}

// A day after the last change in it, whatever the folder's own time says.
TEST_CASE("files and folders without writes for a day are abandoned") {
    namespace fs = std::filesystem;
    const Folder folder;
    const auto write = [&](const std::string& path, int hours) {
        folder.write(path, "part");
        fs::last_write_time(folder.path(path), fs::file_time_type::clock::now() - std::chrono::hours(hours));
    };
    const auto age = [&](const std::string& path, int hours) {
        fs::last_write_time(folder.path(path), fs::file_time_type::clock::now() - std::chrono::hours(hours));
    };
    const std::string start = ".farfield-import-";
    write("models/bb/.farfield-old", 25);
    write("models/bb/.farfield-new", 23);
    write("quantities/bb/.farfield-old", 25);
    write("quantities/bb/" + id, 25);
    write(start + "old/models/bb/part", 25);
    write(start + "used/models/bb/part", 23);
    write("another-old/models/bb/part", 25);
    for (const std::string& each : {start + "old", start + "used", std::string("another-old")})
        for (const char* inner : {"/models/bb", "/models", ""}) age(each + inner, 25);
    fs::create_directory(folder.path(start + "empty"));
    age(start + "empty", 25);
    fs::create_directory(folder.path(start + "begun"));
    std::vector<std::string> found = abandoned_files(folder.path());
    std::sort(found.begin(), found.end());
    CHECK(found == std::vector<std::string>{folder.path(start + "empty"), folder.path(start + "old"),
                                            folder.path("models/bb/.farfield-old"),
                                            folder.path("quantities/bb/.farfield-old")});
}

TEST_CASE("a store that cannot be written to reports the reason, and no result is lost") {
    const Folder folder;
    folder.write("quantities", "a file where the folder would be");
    CHECK_THAT(store(folder.path(), id, sample()), Contains("quantities"));
}

TEST_CASE("shards of another program are refused until they are forgotten") {
    const Folder folder;
    enter_store(folder.path());
    enter_store(folder.path());
    CHECK(programs_of(folder.path()).size() == 1);
    const std::string other = "0.0.9 another";
    folder.write("programs/" + core::sha256(other), other);
    CHECK_THROWS_WITH(enter_store(folder.path()), Contains(other));
    forget_other_programs(folder.path());
    enter_store(folder.path());
    CHECK(programs_of(folder.path()).size() == 1);
}

TEST_CASE("the digest that the linker left in a program, or a library, identifies it") {
    const auto digest_in = [](const std::string& path) {
        std::ifstream stream(path, std::ios::binary);
        const std::string program{std::istreambuf_iterator<char>(stream), {}};
        // A note of ELF: the sizes of its name and its contents, the type 3, the name, the contents (SHA-1).
        const std::string note("\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0", 16);
        const std::size_t at = program.find(note);
        std::string digest;
        for (const char byte : at == program.npos ? "" : program.substr(at + note.size(), 20))
            digest += fmt::format("{:02x}", static_cast<unsigned char>(byte));
        return digest;
    };
    const std::string own = digest_in("/proc/self/exe");
    REQUIRE(own.size() == 40);
    CHECK(build_identity() == " " + own);
    CHECK(program_identity().ends_with(build_identity()));
    // The library of C, loaded from a file of its own.
    Dl_info library = {};
    REQUIRE(::dladdr(reinterpret_cast<const void*>(&::strtol), &library) != 0);
    CHECK(build_id_around(library.dli_saddr) == digest_in(library.dli_fname));
    CHECK(build_id_around(library.dli_saddr) != own);
    CHECK(build_id_around(nullptr).empty());
}
