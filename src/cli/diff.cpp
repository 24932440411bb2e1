#include <fmt/format.h>
#include <charconv>

#include <algorithm>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/report/report.hpp>
#include <farfield/report/summary_page.hpp>
#include <filesystem>
#include <map>

#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

namespace {

struct DiffOptions {
    std::vector<std::string> paths;
    std::string tolerance;
};

void add_diff_options(CLI::App& app, DiffOptions& options) {
    app.add_option("RESULTS", options.paths, "two results.json files, or folders of them: before and after");
    app.add_option("--tolerance", options.tolerance,
                   "relative change up to which a number counts as equal; default: 0");
}

template <class Item>
using Named = std::map<std::string, const Item*>;

/// The lines about the differences of two records of a study.
class Differences {
public:
    Differences(const core::StudyRecord& before, const core::StudyRecord& after, double tolerance)
        : before_(before), after_(after), tolerance_(tolerance) {}

    std::vector<std::string> find() {
        compare(by_id(before_), by_id(after_), "claim ", [this](const auto& a, const auto& b) { compare_claim(a, b); });
        compare(by_name(before_.quantities), by_name(after_.quantities), "",
                [this](const auto& a, const auto& b) { compare_quantity(a, b); });
        return std::move(lines_);
    }

private:
    static Named<core::ClaimRecord> by_id(const core::StudyRecord& record) {
        Named<core::ClaimRecord> named;
        for (const core::ClaimRecord& claim : record.claims) named[claim.id] = &claim;
        return named;
    }
    template <class Item>
    static Named<Item> by_name(const std::vector<Item>& items) {
        Named<Item> named;
        for (const Item& item : items) named[item.name] = &item;
        return named;
    }

    void tell(const std::string& what, const std::string& before, const std::string& after) {
        lines_.push_back(what + ": " + before + " -> " + after);
    }

    /// Compares items with the same name, and reports those that only one side has.
    template <class Item, class Compare>
    void compare(const Named<Item>& before, const Named<Item>& after, const std::string& what, const Compare& both) {
        for (const auto& [name, item] : before) {
            const auto other = after.find(name);
            if (other == after.end())
                lines_.push_back(what + name + ": only before");
            else
                both(*item, *other->second);
        }
        for (const auto& [name, item] : after)
            if (!before.contains(name)) lines_.push_back(what + name + ": only after");
    }

    template <class Judged>
    static std::string verdict_of(const Judged& judged) {
        return std::string(core::verdict_name(judged.verdict)) + (judged.certified ? " (certified)" : "");
    }
    template <class Judged>
    void compare_verdict(const std::string& what, const Judged& before, const Judged& after) {
        if (verdict_of(before) != verdict_of(after)) tell(what, verdict_of(before), verdict_of(after));
    }

    void compare_claim(const core::ClaimRecord& before, const core::ClaimRecord& after) {
        const std::string what = "claim " + before.id;
        compare_verdict(what, before, after);
        compare(by_name(before.readings), by_name(after.readings), what + ", reading ",
                [&](const auto& a, const auto& b) { compare_verdict(what + ", reading '" + a.name + "'", a, b); });
    }

    /// Times are not compared, because they differ from run to run.
    void compare_quantity(const core::Result& before, const core::Result& after) {
        if (before.kind == "timing" && after.kind == "timing") return;
        Named<core::Cell> cells;
        for (const auto& [name, cell] : after.values) cells[name] = &cell;
        for (const auto& [name, cell] : before.values) {
            const auto other = cells.find(name);
            const std::string what = before.name + "." + name;
            if (other == cells.end())
                lines_.push_back(what + ": only before");
            else if (!is_same(cell.number, other->second->number))
                tell(what, text_of(cell.number), text_of(other->second->number));
            cells.erase(name);
        }
        for (const auto& [name, cell] : cells) lines_.push_back(before.name + "." + name + ": only after");
    }

    bool is_same(const std::optional<double>& a, const std::optional<double>& b) const {
        if (!a || !b) return a.has_value() == b.has_value();
        if (*a == *b || (std::isnan(*a) && std::isnan(*b))) return true;
        // No tolerance allows an infinity in place of another number, because its share would be as large as the
        // difference.
        if (!std::isfinite(*a) || !std::isfinite(*b)) return false;
        return std::abs(*a - *b) <= tolerance_ * std::max(std::abs(*a), std::abs(*b));
    }
    static std::string text_of(const std::optional<double>& number) {
        return number ? fmt::format("{:.17g}", *number) : "none";
    }

    const core::StudyRecord& before_;
    const core::StudyRecord& after_;
    double tolerance_;
    std::vector<std::string> lines_;
};

/// The results of a file, or of all files below a folder, by the names of their studies.
std::map<std::string, core::StudyRecord> results_of(const std::string& path) {
    std::map<std::string, core::StudyRecord> records;
    std::error_code failure;
    if (!std::filesystem::is_directory(path, failure)) {
        core::StudyRecord record = report::read_results(path);
        const std::string name = record.study;
        records.emplace(name, std::move(record));
        return records;
    }
    for (report::StudyResults& each : report::read_all_results(path))
        records.emplace(each.study.study, std::move(each.study));
    return records;
}

/// The number of --tolerance; 0 if the option is not given. With a share of 1, a number would be equal to any other of
/// its sign.
double read_tolerance(const std::string& text) {
    if (text.empty()) return 0;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_read = error == std::errc() && end == text.data() + text.size();
    if (!is_read || !(number >= 0 && number < 1))
        refuse_input("--tolerance has '" + text + "'", "a number from 0 to below 1, such as 1e-9");
    return number;
}

int diff(const DiffOptions& options) {
    if (options.paths.size() != 2)
        refuse_input(fmt::format("diff compares two results, not {}", options.paths.size()),
                     "farfield diff BEFORE AFTER");
    const double tolerance = read_tolerance(options.tolerance);
    const auto before = results_of(options.paths[0]);
    const auto after = results_of(options.paths[1]);
    if (is_same_path(options.paths[0], options.paths[1]))
        refuse_input("diff compares '" + options.paths[0] + "' with itself", "two results");
    std::size_t count = 0;
    const auto tell = [&](const std::string& study, const std::string& line) {
        print("{}: {}\n", core::printable_line(study), core::printable_line(line));
        ++count;
    };
    for (const auto& [name, record] : before) {
        const auto other = after.find(name);
        if (other == after.end())
            tell(name, "only before");
        else
            for (const std::string& line : Differences(record, other->second, tolerance).find()) tell(name, line);
    }
    for (const auto& [name, record] : after)
        if (!before.contains(name)) tell(name, "only after");
    print("{} difference{}\n", count, count == 1 ? "" : "s");
    return count == 0 ? as_expected : unexpected;
}

}  // namespace

const Command diff_command{"diff", "compare two results: verdicts and numbers",
                           declare<DiffOptions, add_diff_options, diff>};

}  // namespace farfield::cli
