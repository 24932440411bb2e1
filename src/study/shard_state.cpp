#include "study/shard_state.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/core/sha256.hpp>
#include <farfield/core/write_file.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "study/store.hpp"

namespace farfield::study {

namespace {

constexpr std::size_t digits_of_plan = 16;

std::string state_path(const std::string& store, const std::string& plan, std::size_t shard) {
    return plan_folder(store, plan) + "/" + std::to_string(shard) + ".json";
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// Enough space for every state that a shard writes later, so that they need no more space on the disk.
constexpr std::size_t bytes_of_state = 4096;
constexpr std::size_t most_of_reason = 400;

std::string state_text(const ShardState& state) {
    const nlohmann::ordered_json json = {
        {"host", state.host},
        {"process", state.process},
        {"job", state.job},
        {"ended", state.ended},
        {"status", state.status},
        {"reason", state.reason.substr(0, std::min(state.reason.find('\n'), most_of_reason))}};
    // A character may have been cut.
    std::string text = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    text.resize(std::max(text.size(), bytes_of_state - 1), ' ');
    return text + "\n";
}

/// Overwrites a file with the same size, which needs no more space on the disk. Returns whether this succeeded.
bool overwrite(const std::string& path, const std::string& text) {
    std::error_code failure;
    if (std::filesystem::file_size(path, failure) != text.size() || failure) return false;
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t written = ::write(file, text.data(), text.size());
    const bool is_closed = ::close(file) == 0;
    return is_closed && written == static_cast<ssize_t>(text.size());
}

}  // namespace

ShardState state_here() {
    ShardState state;
    state.host = host_name();
    state.process = ::getpid();
    const std::string array = variable("SLURM_ARRAY_JOB_ID");
    if (!array.empty()) state.job = array + "_" + variable("SLURM_ARRAY_TASK_ID");
    return state;
}

std::string plan_id(std::span<const Task> tasks, std::size_t count) {
    std::vector<std::string_view> ids;
    for (const Task& task : tasks) ids.push_back(task.id);
    std::sort(ids.begin(), ids.end());
    std::string text = std::to_string(count);
    for (const std::string_view id : ids) text.append("\n").append(id);
    return core::sha256(text).substr(0, digits_of_plan);
}

std::string plan_folder(const std::string& store, const std::string& plan) {
    return (std::filesystem::path(store) / "shards" / plan).string();
}

void write_state(const std::string& store, const std::string& plan, std::size_t shard, const ShardState& state) {
    const std::string path = state_path(store, plan, shard), text = state_text(state);
    try {
        core::write_file(path, text, "--store");
    } catch (const core::MissingError&) {
        if (!overwrite(path, text)) throw;
    }
}

std::optional<ShardState> read_state(const std::string& store, const std::string& plan, std::size_t shard) {
    try {
        const auto json = nlohmann::json::parse(core::read_file(state_path(store, plan, shard)));
        return ShardState{json.at("host"),  json.at("process"), json.at("job"),
                          json.at("ended"), json.at("status"),  json.value("reason", "")};
    } catch (const nlohmann::json::exception&) {
    } catch (const core::MissingError&) {
    } catch (const core::UserError&) {
        // An unreadable state counts as missing.
    }
    return std::nullopt;
}

}  // namespace farfield::study
