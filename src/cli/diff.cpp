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
        compare_incidents();
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

    /// What failed, what was missing, and an interruption.
    void compare_incidents() {
        const auto named = [](const core::StudyRecord& record) {
            std::map<std::string, std::string> incidents;
            for (const auto& [name, why] : record.missing) incidents[name] = "missing: " + why;
            for (const core::FailureRecord& failure : record.failed)
                incidents[failure.name] = "failed: " + failure.text();
            if (record.interrupted) incidents["the run"] = "interrupted";
            return incidents;
        };
        const std::map<std::string, std::string> before = named(before_), after = named(after_);
        for (const auto& [name, incident] : before) {
            const auto other = after.find(name);
            if (other == after.end())
                lines_.push_back(name + " " + incident + ": only before");
            else if (other->second != incident)
                tell(name, incident, other->second);
        }
        for (const auto& [name, incident] : after)
            if (!before.contains(name)) lines_.push_back(name + " " + incident + ": only after");
    }

    void compare_cell(const std::string& what, const core::Cell& before, const core::Cell& after) {
        if (!is_same(before.number, after.number)) tell(what, text_of(before.number), text_of(after.number));
        if (before.censored != after.censored)
            tell(what + ", censored", before.censored.empty() ? "no" : before.censored,
                 after.censored.empty() ? "no" : after.censored);
    }

    void compare_table(const std::string& name, const core::Table& before, const core::Table& after) {
        if (before.rows != after.rows || before.columns != after.columns)
            return lines_.push_back(name + ": tables of different rows or columns"), void();
        const std::size_t width = before.columns.size();
        for (std::size_t at = 0; at < before.cells.size() && at < after.cells.size(); ++at)
            compare_cell(name + "[" + before.rows[at / width] + ", " + before.columns[at % width] + "]",
                         before.cells[at], after.cells[at]);
    }

    /// Times are not compared, because they differ from run to run.
    void compare_quantity(const core::Result& before, const core::Result& after) {
        if (before.kind != after.kind) return tell(before.name + ", kind", before.kind, after.kind);
        if (before.kind == "timing") return;
        if (before.table.has_value() != after.table.has_value())
            lines_.push_back(before.name + ", table: only " + (before.table ? "before" : "after"));
        else if (before.table)
            compare_table(before.name, *before.table, *after.table);
        Named<core::Cell> cells;
        for (const auto& [name, cell] : after.values) cells[name] = &cell;
        for (const auto& [name, cell] : before.values) {
            const auto other = cells.find(name);
            const std::string what = before.name + "." + name;
            if (other == cells.end())
                lines_.push_back(what + ": only before");
            else
                compare_cell(what, cell, *other->second);
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

/// The results of a file, or of all files below a folder, by the names of their studies; those of a name that several
/// have by their folders.
std::map<std::string, core::StudyRecord> results_of(const std::string& path) {
    std::map<std::string, core::StudyRecord> records;
    std::error_code failure;
    if (!std::filesystem::is_directory(path, failure)) {
        core::StudyRecord record = report::read_results(path);
        const std::string name = record.study;
        records.emplace(name, std::move(record));
        return records;
    }
    std::vector<report::StudyResults> all = report::read_all_results(path);
    std::map<std::string, std::size_t> count;
    for (const report::StudyResults& each : all) ++count[each.study.study];
    for (report::StudyResults& each : all) {
        const std::string name = count[each.study.study] == 1 ? each.study.study : each.folder;
        records.emplace(name, std::move(each.study));
    }
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
