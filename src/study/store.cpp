#include "study/store.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/core/sha256.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/train/checkpoint.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "evaluate/kernel/kernel.hpp"
#include "model/kernel/kernels.hpp"
#include "study/manifest.hpp"
#include "study/result_bytes.hpp"

namespace farfield::study {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view entry_heading = "farfield entry 1\n";
constexpr std::string_view model_ending = ".safetensors";
constexpr std::string_view unfinished_ending = ".unfinished.safetensors";
constexpr std::string_view record_ending = ".json";
constexpr std::uintmax_t most_model_bytes = std::uintmax_t{1} << 36;
constexpr std::uintmax_t most_quantity_bytes = std::uintmax_t{1} << 31;
constexpr std::size_t digits_of_id = 64;
constexpr std::int64_t abandoned_seconds = 86400;

bool is_id(std::string_view text) {
    return text.size() == digits_of_id && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Calls `visit` with the path of every regular file in FOLDER/??/; files that cannot be read are skipped.
template <class Visit>
void walk(const fs::path& folder, const Visit& visit) {
    std::error_code failure;
    for (fs::directory_iterator part(folder, failure), end; !failure && part != end; part.increment(failure)) {
        std::error_code inner;
        for (fs::directory_iterator file(part->path(), inner), none; !inner && file != none; file.increment(inner))
            visit(file->path());
    }
}

std::string stem_of(const fs::path& path, std::string_view ending) {
    const std::string name = path.filename().string();
    if (!name.ends_with(ending)) return {};
    const std::string stem = name.substr(0, name.size() - ending.size());
    return is_id(stem) ? stem : std::string();
}

/// The record at the beginning of a quantity's entry.
std::optional<EntryRecord> record_of_quantity(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    std::string first, second;
    if (!std::getline(stream, first) || first + "\n" != entry_heading || !std::getline(stream, second))
        return std::nullopt;
    return record_from_json(second);
}

std::optional<EntryRecord> record_of_model(const std::string& path) {
    try {
        return record_from_json(core::read_file(path));
    } catch (const core::MissingError&) {
    } catch (const core::UserError&) {
        // A record that cannot be read counts as missing.
    }
    return std::nullopt;
}

fs::path programs_folder(const std::string& store) {
    return fs::path(store) / "programs";
}

/// The time of the last change of a file in seconds since the epoch, by the clock of the host that stores it.
std::optional<std::int64_t> changed_at(const fs::path& path) {
    struct stat status = {};
    if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
    return status.st_mtime;
}

/// The last change of a folder and everything in it.
std::optional<std::int64_t> last_change_in(const fs::path& folder) {
    std::optional<std::int64_t> last = changed_at(folder);
    std::error_code failure;
    for (fs::recursive_directory_iterator each(folder, failure), end; !failure && each != end; each.increment(failure))
        last = std::max(last, changed_at(each->path()));
    return last;
}

/// The time of the store's clock, from a file that was just written there.
std::int64_t now_of(const std::string& store) {
    const fs::path path = fs::path(store) / fmt::format(".farfield-now-{}-{}", host_name(), ::getpid());
    core::write_file(path.string(), "", "--store");
    const std::optional<std::int64_t> now = changed_at(path);
    std::error_code failure;
    fs::remove(path, failure);
    return now.value_or(0);
}

}  // namespace

std::string host_name() {
    std::array<char, 256> name = {};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

EntryRecord record_here(std::string id, std::string kind, std::string name, double seconds) {
    return {std::move(id),    std::move(kind), std::move(name), program_identity(),
            processor_kind(), host_name(),     seconds,         {}};
}

std::string to_json(const EntryRecord& record) {
    return nlohmann::ordered_json{{"id", record.id},           {"kind", record.kind},           {"name", record.name},
                                  {"program", record.program}, {"processor", record.processor}, {"host", record.host},
                                  {"seconds", record.seconds}, {"sha256", record.sha256}}
        .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::optional<EntryRecord> record_from_json(std::string_view text) {
    try {
        const auto json = nlohmann::json::parse(text);
        return EntryRecord{json.at("id"),        json.at("kind"), json.at("name"),    json.at("program"),
                           json.at("processor"), json.at("host"), json.at("seconds"), json.at("sha256")};
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

const std::string& processor_kind() {
    static const std::string kind = fmt::format("{}, {}, {}", evaluate::kernels<double>().front()->name,
                                                model::kernels<float>(model::Precision::fp32).name,
                                                model::kernels<float>(model::Precision::bf16).name);
    return kind;
}

std::string quantity_path(const std::string& store, std::string_view id) {
    return (fs::path(store) / "quantities" / id.substr(0, 2) / id).string();
}

std::string model_record_path(const std::string& store, std::string_view id) {
    return (fs::path(store) / "models" / id.substr(0, 2) / (std::string(id) + std::string(record_ending))).string();
}

std::optional<EntryRecord> read_record(const std::string& store, std::string_view id) {
    std::optional<EntryRecord> record = record_of_quantity(quantity_path(store, id));
    return record ? record : record_of_model(model_record_path(store, id));
}

std::string quantity_heading(EntryRecord record, std::string_view payload) {
    record.sha256 = core::sha256(payload);
    return std::string(entry_heading) + to_json(record) + "\n";
}

std::optional<std::string_view> payload_of(std::string_view entry) {
    if (!entry.starts_with(entry_heading)) return std::nullopt;
    entry.remove_prefix(entry_heading.size());
    const std::size_t end = entry.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const auto record = record_from_json(entry.substr(0, end));
    entry.remove_prefix(end + 1);
    return record && record->sha256 == core::sha256(entry) ? std::optional(entry) : std::nullopt;
}

std::unordered_set<std::string> finished_ids(const std::string& store) {
    std::unordered_set<std::string> ids;
    std::unordered_set<std::string> models;
    std::vector<std::string> records;
    walk(fs::path(store) / "models", [&](const fs::path& path) {
        if (std::string id = stem_of(path, model_ending); !id.empty()) models.insert(std::move(id));
        if (std::string id = stem_of(path, record_ending); !id.empty()) records.push_back(std::move(id));
    });
    for (std::string& id : records)
        if (models.contains(id)) ids.insert(std::move(id));
    walk(fs::path(store) / "quantities", [&](const fs::path& path) {
        if (std::string id = stem_of(path, ""); !id.empty()) ids.insert(std::move(id));
    });
    return ids;
}

std::vector<StoreEntry> entries_of(const std::string& store) {
    std::vector<StoreEntry> entries;
    const auto add = [&](const fs::path& path, std::string id, bool is_model, bool is_finished) {
        std::error_code failure;
        StoreEntry entry{path.string(), std::move(id), is_model, is_finished, fs::file_size(path, failure), {}};
        if (failure) return;
        entry.record = is_model ? record_of_model(model_record_path(store, entry.id)) : record_of_quantity(entry.path);
        entries.push_back(std::move(entry));
    };
    walk(fs::path(store) / "models", [&](const fs::path& path) {
        if (std::string id = stem_of(path, model_ending); !id.empty()) add(path, id, true, true);
        if (std::string id = stem_of(path, unfinished_ending); !id.empty()) add(path, id, true, false);
    });
    walk(fs::path(store) / "quantities", [&](const fs::path& path) {
        if (std::string id = stem_of(path, ""); !id.empty()) add(path, id, false, true);
    });
    std::sort(entries.begin(), entries.end(), [](const StoreEntry& a, const StoreEntry& b) { return a.path < b.path; });
    return entries;
}

namespace {

/// The reason in "reading the checkpoint 'PATH': REASON", without the advice below it. The path is reported with the
/// reason, and the command says what to do.
std::string reason_in(const std::string& message) {
    const std::string line = message.substr(0, message.find('\n'));
    const std::size_t end = line.find("': ");
    return end == std::string::npos ? line : line.substr(end + 3);
}

}  // namespace

std::string damage_of(const StoreEntry& entry) {
    std::string bytes;
    try {
        bytes = core::read_file(entry.path, entry.is_model ? most_model_bytes : most_quantity_bytes);
    } catch (const core::UserError& error) {
        return error.what();
    }
    try {
        if (entry.is_model) {
            train::from_safetensors(bytes, entry.path);
            return {};
        }
        const auto payload = payload_of(bytes);
        if (!payload) return "its contents are not what its digest says";
        return from_bytes(*payload) ? "" : "it is not a result of this version's form";
    } catch (const core::MissingError& error) {
        return reason_in(error.what());
    } catch (const core::UserError& error) {
        return error.what();
    }
}

std::vector<std::string> abandoned_files(const std::string& store) {
    std::vector<std::string> files;
    const std::int64_t now = now_of(store);
    for (const char* part : {"models", "quantities"}) {
        walk(fs::path(store) / part, [&](const fs::path& path) {
            if (!path.filename().string().starts_with(".farfield-")) return;
            const std::optional<std::int64_t> changed = changed_at(path);
            if (changed && now - *changed > abandoned_seconds) files.push_back(path.string());
        });
    }
    std::error_code failure;
    for (fs::directory_iterator each(store, failure), end; !failure && each != end; each.increment(failure)) {
        if (!each->path().filename().string().starts_with(import_start)) continue;
        const std::optional<std::int64_t> changed = last_change_in(each->path());
        if (changed && now - *changed > abandoned_seconds) files.push_back(each->path().string());
    }
    return files;
}

std::vector<std::string> programs_of(const std::string& store) {
    std::vector<std::string> programs;
    std::error_code failure;
    for (fs::directory_iterator file(programs_folder(store), failure), end; !failure && file != end;
         file.increment(failure)) {
        if (!is_id(file->path().filename().string())) continue;
        try {
            programs.push_back(core::read_file(file->path().string()));
        } catch (const core::MissingError&) {
            // Another host may have removed it after it was listed.
            std::error_code unknown;
            if (fs::exists(file->path(), unknown) || unknown) throw;
        }
    }
    std::sort(programs.begin(), programs.end());
    return programs;
}

void forget_other_programs(const std::string& store) {
    std::error_code failure;
    for (const std::string& program : programs_of(store))
        if (program != program_identity()) fs::remove(programs_folder(store) / core::sha256(program), failure);
}

void enter_store(const std::string& store) {
    const auto check = [&] {
        const std::vector<std::string> programs = programs_of(store);
        for (const std::string& other : programs) {
            if (other == program_identity()) continue;
            throw core::UserError(
                {core::Diagnostic{{},
                                  fmt::format("the store '{}' has shards of another program: '{}', and this is '{}'",
                                              store, other, program_identity()),
                                  "one program for all shards, another --store, or farfield store gc --other-programs",
                                  {}}});
        }
        return !programs.empty();
    };
    if (check()) return;
    const fs::path own = programs_folder(store) / core::sha256(program_identity());
    core::write_file(own.string(), program_identity(), "--store");
    try {
        check();  // if two programs come at the same time, both may be refused, but neither is overlooked
    } catch (const core::UserError&) {
        std::error_code failure;
        fs::remove(own, failure);
        throw;
    }
}

}  // namespace farfield::study
