#include "study/cache.hpp"

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/core/sha256.hpp>
#include <farfield/core/write_file.hpp>
#include <filesystem>

#include "study/manifest.hpp"
#include "study/result_bytes.hpp"
#include "study/store.hpp"

namespace farfield::study {

namespace fs = std::filesystem;
using core::Entries;
using core::Value;

namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;

std::string sized(std::string_view text) {
    return std::to_string(text.size()) + ":" + std::string(text);
}

std::string canonical_value(const Value& value) {
    if (const bool* truth = value.boolean()) return *truth ? "true" : "false";
    if (const std::string* text = value.string()) return "t" + sized(*text);
    if (const Entries* entries = value.entries()) return study::canonical(*entries);
    if (const core::List* list = value.list()) {
        std::string text = "[";
        for (const Value& each : *list) text += canonical_value(each) + ",";
        return text + "]";
    }
    return "n" + sized(value.text.empty() ? std::to_string(value.number()) : value.text);
}

/// The digest of a file; for a very large file, its size and the time at which it was written.
std::string identity_of(const fs::path& path) {
    std::error_code failure;
    const std::uintmax_t size = fs::file_size(path, failure);
    if (!failure && size <= core::most_input_bytes) return core::sha256(core::read_file(path.string()));
    const auto written = fs::last_write_time(path, failure).time_since_epoch().count();
    return std::to_string(size) + " " + std::to_string(static_cast<long long>(written));
}

}  // namespace

std::string canonical(const Entries& entries) {
    std::string text = "{";
    for (const core::Entry& entry : entries.list) text += sized(entry.key) + "=" + canonical_value(entry.value) + ",";
    return text + "}";
}

std::string cache_key(const Study::Body& body, const Item& item, const std::vector<std::string>& keys_of_needs) {
    std::string text = program_identity() + "\n" + item.name + "\n" + canonical(item.settings) + "\n";
    if (const auto name = core::read_text(item.settings, "scheme")) {
        const scheme::Scheme* scheme = body.schemes.find(*name);
        if (scheme) text += canonical(scheme->settings) + "\n";
    }
    for (const std::string_view key : {"file", "input"}) {
        const auto file = core::read_text(item.settings, key);
        if (file) text += identity_of(fs::path(body.folder) / *file) + "\n";
    }
    for (const std::string& key : keys_of_needs) text += key + "\n";
    return core::sha256(text);
}

std::optional<core::Result> load(const std::string& folder, const std::string& key) {
    const std::string path = quantity_path(folder, key);
    std::error_code failure;
    if (!fs::is_regular_file(path, failure)) return std::nullopt;
    try {
        const std::string entry = core::read_file(path, most_bytes);
        const auto payload = payload_of(entry);
        return payload ? from_bytes(*payload) : std::nullopt;
    } catch (const core::MissingError&) {
    } catch (const core::UserError&) {
        // If the cache cannot be read, the results are computed.
    }
    return std::nullopt;
}

std::string processor_of(const std::string& folder, const std::string& key) {
    const auto record = read_record(folder, key);
    return record && !record->processor.empty() ? record->processor : processor_kind();
}

std::string store(const std::string& folder, const std::string& key, const core::Result& result) {
    const std::string payload = to_bytes(result);
    const std::string heading = quantity_heading(record_here(key, result.kind, result.name, result.seconds), payload);
    if (heading.size() + payload.size() > most_bytes) return "its result is larger than what the store keeps";
    const std::string_view parts[] = {heading, payload};
    try {
        // An entry that a power failure truncated does not match its digest, and is computed again.
        core::write_file(quantity_path(folder, key), parts, "--store", core::Syncing::unsynced);
    } catch (const core::MissingError& error) {
        return error.what();  // the run is only slower
    }
    return {};
}

}  // namespace farfield::study
