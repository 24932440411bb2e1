// The folder of finished results, which many hosts may share: trained models and quantities, by digest.
//
// Every file is written under its own temporary name and renamed when it is complete. Therefore no reader sees a
// partial file, and if two writers write the same entry, one of the two files remains. There are no locks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace farfield::study {

/// The origin of an entry. Empty texts are unknown, because the entry is older than records.
struct EntryRecord {
    std::string id;
    std::string kind;  ///< "training", or the kind of the quantity
    std::string name;  ///< "windows[w=8], seed 0"
    std::string program;
    std::string processor;  ///< on which its bits depend: processor_kind()
    std::string host;
    double seconds = 0;  ///< of one processor
    std::string sha256;  ///< of a quantity's bytes; a model has its own
};

/// The record of what this process has computed.
EntryRecord record_here(std::string id, std::string kind, std::string name, double seconds);

std::string to_json(const EntryRecord& record);
/// Nothing if the text is not a record.
std::optional<EntryRecord> record_from_json(std::string_view text);

/// The name of this host.
std::string host_name();

/// The instruction sets on which the last bits of results depend: "avx512, avx512 bf16".
const std::string& processor_kind();

struct StoreEntry {
    std::string path;
    std::string id;
    bool is_model = false;
    bool is_finished = true;
    std::uintmax_t bytes = 0;
    std::optional<EntryRecord> record;
};

/// The path of an entry's record: that of a quantity is in its own file, and that of a model is next to its file.
std::string quantity_path(const std::string& store, std::string_view id);
std::string model_record_path(const std::string& store, std::string_view id);
std::optional<EntryRecord> read_record(const std::string& store, std::string_view id);

/// The heading before the payload in a quantity's entry, and the payload of an entry if the digest is right.
std::string quantity_heading(EntryRecord record, std::string_view payload);
std::optional<std::string_view> payload_of(std::string_view entry);

/// The ids of finished entries. Lists the folder twice and opens no file.
std::unordered_set<std::string> finished_ids(const std::string& store);

/// Everything in the store, in the order of its paths.
std::vector<StoreEntry> entries_of(const std::string& store);

/// Why the content of an entry cannot be used; empty if it can. Throws core::MissingError for an entry that cannot be
/// read, which is not damage: it may be whole, and readable for another user or at another time.
std::string damage_of(const StoreEntry& entry);

/// The start of the names of the folders in the store's folder into which imports unpack.
inline constexpr std::string_view import_start = ".farfield-import-";

/// The temporary files of writers that no longer run, and the folders of imports, if they are older than a day by the
/// clock of the store itself, because the clocks of other hosts may be wrong.
std::vector<std::string> abandoned_files(const std::string& store);

/// Joins the programs that compute shards into the store. Throws core::UserError if another version of the program does
/// so too, and core::MissingError if nothing can be written there.
void enter_store(const std::string& store);

/// The versions of the program that have computed shards into it.
std::vector<std::string> programs_of(const std::string& store);
/// Removes the names of all but this one.
void forget_other_programs(const std::string& store);

}  // namespace farfield::study
