// The folder of finished results that many machines may share: trained models and quantities, by digest.
//
// Every file is written under a temporary name of its own and renamed when whole, so that no reader sees part of one
// and two writers of one entry leave one of the two. There are no locks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace farfield::study {

/// Where an entry comes from. Empty texts are unknown: the entry is from before there were records.
struct EntryRecord {
    std::string id;
    std::string kind;  ///< "training", or the quantity's
    std::string name;  ///< "windows[w=8], seed 0"
    std::string program;
    std::string processor;  ///< what its bits depend on: processor_kind()
    std::string host;
    double seconds = 0;  ///< of one processor
    std::string sha256;  ///< of a quantity's bytes; a model has its own
};

/// The record of what this process has computed.
EntryRecord record_here(std::string id, std::string kind, std::string name, double seconds);

std::string to_json(const EntryRecord& record);
/// Nothing if the text is not a record.
std::optional<EntryRecord> record_from_json(std::string_view text);

/// The name of this machine.
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

/// Where an entry's record is: a quantity's in its own file, a model's beside it.
std::string quantity_path(const std::string& store, std::string_view id);
std::string model_record_path(const std::string& store, std::string_view id);
std::optional<EntryRecord> read_record(const std::string& store, std::string_view id);

/// What comes before the payload in a quantity's entry, and the payload of an entry if the digest is right.
std::string quantity_heading(EntryRecord record, std::string_view payload);
std::optional<std::string_view> payload_of(std::string_view entry);

/// The ids of finished entries, by two walks over the folder and no file opened.
std::unordered_set<std::string> finished_ids(const std::string& store);

/// Everything in the store, in the order of its paths.
std::vector<StoreEntry> entries_of(const std::string& store);

/// Why an entry cannot be used; empty if it can.
std::string damage_of(const StoreEntry& entry);

/// How the names of folders begin into which imports unpack, in the store's own.
inline constexpr std::string_view import_start = ".farfield-import-";

/// The temporary files of writers that are gone, and the folders of imports: older than a day by the clock of the store
/// itself, since those of other machines may be wrong.
std::vector<std::string> abandoned_files(const std::string& store);

/// Joins the programs that compute shards into the store. Throws core::UserError if another version of the program
/// does, core::MissingError if nothing can be written there.
void enter_store(const std::string& store);

/// The versions of the program that have computed shards into it.
std::vector<std::string> programs_of(const std::string& store);
/// Removes the names of all but this one.
void forget_other_programs(const std::string& store);

}  // namespace farfield::study
