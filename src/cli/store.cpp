#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp() is of POSIX

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/core/size_text.hpp>
#include <farfield/core/write_file.hpp>
#include <filesystem>
#include <map>
#include <optional>

#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/output.hpp"
#include "cli/process.hpp"
#include "cli/progress.hpp"
#include "cli/shard.hpp"
#include "cli/studies.hpp"
#include "study/store.hpp"

namespace farfield::cli {

namespace {

namespace fs = std::filesystem;
using study::StoreEntry;

struct StoreOptions {
    std::string action;
    StudyArguments studies;  ///< of import, the path is a file
    bool other_programs = false;
    std::string output;
    bool json = false;
};

void add_store_options(CLI::App& app, StoreOptions& options) {
    offer(*app.add_option("ACTION", options.action, "ls, verify, gc, export or import"),
          {"ls", "verify", "gc", "export", "import"});
    app.add_option("PATH", options.studies.paths, "export: studies, or folders of them; import: a file");
    add_store(app, options.studies);
    add_train(app, options.studies, "export: include the models that studies in folders need");
    app.add_flag("--other-programs", options.other_programs,
                 "gc: also remove what other versions of the program computed");
    app.add_option("-o,--output", options.output, "export: the tar file");
    app.add_flag("--json", options.json, "ls: print JSON, one object a line");
}

constexpr const char* tar_advice = "the program tar";

std::string store_of(const StoreOptions& options) {
    std::string store = options_of(options.studies).cache;
    std::error_code failure;
    if (!fs::is_directory(store, failure))
        refuse_input("the store '" + store + "' is not a folder", "--store DIR or FARFIELD_STORE");
    return store;
}

std::string what(const StoreEntry& entry) {
    if (!entry.is_finished) return "unfinished training";
    return entry.record ? entry.record->kind : entry.is_model ? "training" : "quantity";
}

int ls(const StoreOptions& options) {
    std::uintmax_t bytes = 0;
    std::map<std::string, std::size_t> kinds;
    const std::vector<StoreEntry> entries = study::entries_of(store_of(options));
    for (const StoreEntry& entry : entries) {
        const study::EntryRecord record = entry.record.value_or(study::EntryRecord{});
        bytes += entry.bytes;
        if (!record.processor.empty()) ++kinds[record.processor];
        if (options.json) {
            write_output(json_line({{"id", entry.id},
                                    {"kind", what(entry)},
                                    {"finished", entry.is_finished},
                                    {"bytes", entry.bytes},
                                    {"record", entry.record ? Json::parse(study::to_json(*entry.record)) : Json()}}));
            continue;
        }
        print("{}  {:>9}  {:>10}  {:<16}  {:<20}  {}\n", entry.id.substr(0, 12),
              core::size_text(static_cast<double>(entry.bytes)),
              record.seconds > 0 ? duration_text(record.seconds) : "", core::printable_line(record.host), what(entry),
              core::printable_line(record.name));
    }
    if (options.json) return as_expected;
    print("{} entries, {}\n", entries.size(), core::size_text(static_cast<double>(bytes)));
    if (kinds.size() > 1)
        for (const auto& [kind, count] : kinds) print("{} were computed on '{}'\n", count, kind);
    return as_expected;
}

/// The damage of an entry; nothing if it cannot be read, which is reported and counted.
std::optional<std::string> find_damage(const StoreEntry& entry, std::size_t& unreadable) {
    try {
        return study::damage_of(entry);
    } catch (const core::MissingError& error) {
        ++unreadable;
        print_error("{}\n", error.what());
        return std::nullopt;
    }
}

int verify(const StoreOptions& options) {
    std::size_t damaged = 0, unreadable = 0;
    const std::vector<StoreEntry> entries = study::entries_of(store_of(options));
    for (const StoreEntry& entry : entries) {
        const std::optional<std::string> damage = find_damage(entry, unreadable);
        if (!damage || damage->empty()) continue;
        ++damaged;
        print("{}: {}\n", entry.path, core::printable_line(*damage));
    }
    print("{} entries, {} damaged{}\n", entries.size(), damaged,
          damaged > 0 ? "; they are computed again when they are needed, and farfield store gc removes them" : "");
    return damaged > 0 ? unexpected : unreadable > 0 ? missing : as_expected;
}

int gc(const StoreOptions& options) {
    const std::string store = store_of(options);
    std::size_t removed = 0, unreadable = 0;
    const auto remove = [&](const std::string& path, const std::string& reason) {
        std::error_code failure;
        if (fs::remove_all(path, failure) == 0 || failure) {
            if (failure) throw core::MissingError("removing '" + path + "'", failure.message(), "a writable store");
            return;
        }
        ++removed;
        print("{}: {}\n", path, reason);
    };
    for (const std::string& path : study::abandoned_files(store)) remove(path, "abandoned by its writer");
    const std::unordered_set<std::string> finished = study::finished_ids(store);
    const std::string own = study::record_here("", "", "", 0).program;
    for (const StoreEntry& entry : study::entries_of(store)) {
        const std::optional<std::string> damage = find_damage(entry, unreadable);
        if (!damage) continue;
        const bool is_foreign = !entry.is_model && entry.record && entry.record->program != own;
        if (!damage->empty()) {
            if (entry.is_model && entry.is_finished)
                remove(study::model_record_path(store, entry.id), "its model is damaged");
            remove(entry.path, core::printable_line(*damage));
        } else if (!entry.is_finished && finished.contains(entry.id)) {
            remove(entry.path, "the training is finished");
        } else if (options.other_programs && is_foreign) {
            remove(entry.path, "computed by " + core::printable_line(entry.record->program));
        }
    }
    if (options.other_programs) study::forget_other_programs(store);
    print("{} files removed\n", removed);
    return unreadable > 0 ? missing : as_expected;
}

/// A folder with an unused name that is removed at the end.
class OwnFolder {
public:
    /// `option` is the option that names another parent.
    OwnFolder(const fs::path& parent, const char* option)
        : path_((parent / fmt::format("{}XXXXXX", study::import_start)).string()) {
        std::error_code failure;
        if (!parent.empty()) fs::create_directories(parent, failure);
        if (!::mkdtemp(path_.data()))
            throw core::MissingError("writing to '" + parent.string() + "'", std::strerror(errno),
                                     "another " + std::string(option));
    }
    ~OwnFolder() {
        std::error_code failure;
        fs::remove_all(path_, failure);
    }
    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

constexpr int most_archives = 3;

int export_entries(const StoreOptions& options) {
    if (options.output.empty()) refuse_input("store export has no file", "-o FILE.tar");
    if (options.studies.paths.empty())
        refuse_input("store export has no studies", "farfield store export PATH... -o FILE.tar");
    refuse_output_over("-o", options.output, options.studies.paths);
    refuse_output_over_study("-o", options.output);
    std::error_code failure;
    const fs::file_status output = fs::status(options.output, failure);
    if (fs::exists(output) && !fs::is_regular_file(output))
        refuse_input("'" + options.output + "' is not a regular file", "another -o");
    const std::string store = store_of(options);
    const Work work = read_work(options.studies);
    std::string names;
    std::size_t done = 0;
    for (const study::Task& task : work.tasks) {
        if (!task.done) continue;
        ++done;
        const std::string part = task.id.substr(0, 2) + "/" + task.id;
        if (task.training.empty()) {
            names += "quantities/" + part + "\n";
            continue;
        }
        names += "models/" + part + ".safetensors\n";
        // A model of a run of an earlier version may have no record.
        if (fs::exists(study::model_record_path(store, task.id), failure)) names += "models/" + part + ".json\n";
    }
    if (done == 0)
        throw core::MissingError("exporting", fmt::format("none of {} tasks is done", work.tasks.size()),
                                 "farfield run of these studies, with --train if they train models");
    // A folder of its own, so that exports at the same time do not use the same names.
    const OwnFolder draft(fs::path(options.output).parent_path(), "-o");
    const std::string list = draft.path() + "/names";
    core::write_file(list, names);
    const std::string partial = draft.path() + "/archive";
    // Without --force-local, tar treats text before a colon as the name of a host.
    const std::vector<std::string> command = {"tar",         "--create", "--force-local", "--file", partial,
                                              "--directory", store,      "--files-from",  list};
    int status = 0;
    // A file server may not confirm the rename; then the file is written again.
    for (int attempt = 1; attempt == 1 || failure == std::errc::no_such_file_or_directory; ++attempt) {
        failure.clear();
        status = run_program(command, tar_advice).status;
        if (status == 0) fs::rename(partial, options.output, failure);
        if (attempt == most_archives) break;
    }
    if (failure) throw core::MissingError("writing '" + options.output + "'", failure.message(), "another -o");
    if (status != 0)
        throw core::MissingError("writing '" + options.output + "'", "tar ended with status " + std::to_string(status),
                                 "what tar says above");
    print("{}: {} of {} tasks\n", options.output, done, work.tasks.size());
    return done == work.tasks.size() ? as_expected : missing;
}

void copy_into_store(const std::string& from, const std::string& to) {
    constexpr std::size_t bytes_at_once = std::size_t{1} << 20;
    core::write_pieces(
        to,
        [&from](const auto& write) {
            core::InputFile file(from);
            std::string room(bytes_at_once, '\0');
            while (const std::size_t got = file.read(room)) write(std::string_view(room).substr(0, got));
        },
        "--store");
}

int import_entries(const StoreOptions& options) {
    if (options.studies.paths.size() != 1)
        refuse_input("store import takes one file", "farfield store import FILE.tar");
    const std::string store = options_of(options.studies).cache;
    const std::string& file = options.studies.paths.front();
    std::error_code failure;
    if (!fs::is_regular_file(file, failure))
        refuse_input("'" + file + "' is not a file", "a file of farfield store export");
    const OwnFolder unpacked(store, "--store");
    const Finished tar = run_program({"tar", "--extract", "--touch", "--force-local", "--no-same-owner", "--overwrite",
                                      "--file", file, "--directory", unpacked.path()},
                                     tar_advice);
    std::size_t taken = 0, damaged = 0;
    for (const StoreEntry& entry : study::entries_of(unpacked.path())) {
        const std::optional<std::string> damage = find_damage(entry, damaged);
        if (!damage) continue;
        if (!damage->empty()) {
            ++damaged;
            print_error("{}: {}\n", entry.id, core::printable_line(*damage));
            continue;
        }
        const fs::path target = fs::path(store) / fs::relative(entry.path, unpacked.path());
        copy_into_store(entry.path, target.string());
        const std::string record = study::model_record_path(unpacked.path(), entry.id);
        if (entry.is_model && fs::exists(record)) copy_into_store(record, study::model_record_path(store, entry.id));
        ++taken;
    }
    print("{} entries imported\n", taken);
    if (tar.status != 0) print_error("{}: tar ended with status {}\n", file, tar.status);
    const bool is_foreign = tar.status == 0 && taken + damaged == 0;
    if (is_foreign) print_error("{}: no entry of a store in it; expected a file of farfield store export\n", file);
    return tar.status != 0 || damaged > 0 || is_foreign ? missing : as_expected;
}

struct Action {
    const char* name;
    int (*perform)(const StoreOptions&);
    std::string_view takes;  ///< the options of the action, among those that not all actions have
};

constexpr Action actions[] = {{"ls", ls, "--json"},
                              {"verify", verify, ""},
                              {"gc", gc, "--other-programs"},
                              {"export", export_entries, "PATH --train -o"},
                              {"import", import_entries, "PATH"}};

void refuse_unused(const Action& action, const StoreOptions& options) {
    const std::pair<std::string_view, bool> given[] = {{"PATH", !options.studies.paths.empty()},
                                                       {"--train", options.studies.train},
                                                       {"--other-programs", options.other_programs},
                                                       {"-o", !options.output.empty()},
                                                       {"--json", options.json}};
    for (const auto& [option, is_given] : given) {
        if (!is_given || action.takes.find(option) != std::string_view::npos) continue;
        const std::string what = option == "PATH" ? options.studies.paths.front() : std::string(option);
        refuse_input(fmt::format("store {} does not take '{}'", action.name, what), "",
                     "farfield store --help lists the options of each action.");
    }
}

int manage_store(const StoreOptions& options) {
    require_words(!options.action.empty(), "store", "an action: farfield store ls");
    std::vector<std::string> known;
    for (const Action& action : actions) {
        if (options.action == action.name) {
            refuse_unused(action, options);
            return action.perform(options);
        }
        known.emplace_back(action.name);
    }
    refuse_input("unknown action '" + options.action + "' of store", "", core::known_here(options.action, known));
}

}  // namespace

const Command store_command{"store", "list, verify, clean, export or import the store of results",
                            declare<StoreOptions, add_store_options, manage_store>};

}  // namespace farfield::cli
