#include <algorithm>
#include <farfield/core/input_file.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/report/report.hpp>
#include <farfield/scheme/toml.hpp>
#include <farfield/study/study.hpp>

namespace farfield::study {

using core::Entries;
using core::Entry;
using core::Verdict;

namespace {

/// The file as lines with their line breaks; edits are collected and applied from the last line to the first.
class Lines {
public:
    explicit Lines(const std::string& text) {
        std::size_t start = 0;
        while (start < text.size()) {
            const std::size_t end = text.find('\n', start);
            const std::size_t next = end == std::string::npos ? text.size() : end + 1;
            lines_.push_back(text.substr(start, next - start));
            start = next;
        }
    }

    void replace(const core::Place& place, std::size_t length, const std::string& text) {
        lines_.at(place.line - 1).replace(place.column - 1, length, text);
    }
    void insert_after(std::size_t line, const std::string& text) { inserted_.emplace_back(line, text); }

    std::string indent(std::size_t line) const {
        const std::string& text = lines_.at(line - 1);
        return text.substr(0, text.find_first_not_of(" \t"));
    }

    bool is_alone(const core::Place& place) const {
        const std::string& text = lines_.at(place.line - 1);
        return text.compare(text.find_first_not_of(" \t"), 6, "expect") == 0;
    }

    /// The end of the line without its line break.
    void append(std::size_t line, const std::string& text) {
        std::string& whole = lines_.at(line - 1);
        const std::size_t end = whole.find_last_not_of("\r\n");
        whole.insert(end == std::string::npos ? 0 : end + 1, text);
    }

    std::string text() {
        std::stable_sort(inserted_.begin(), inserted_.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        for (const auto& [line, text] : inserted_) {
            std::string& before = lines_.at(line - 1);
            const std::string ending = before.ends_with("\r\n") ? "\r\n" : "\n";
            if (!before.ends_with('\n')) before += ending;
            lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(line), text + ending);
        }
        std::string whole;
        for (const std::string& line : lines_) whole += line;
        return whole;
    }

private:
    std::vector<std::string> lines_;
    std::vector<std::pair<std::size_t, std::string>> inserted_;
};

std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return text;
}

/// Writes `found` into the table; returns whether anything changed. `anchor` is the key after which a new line goes.
bool record_verdict(const Entries& table, std::string_view anchor, Verdict found, const std::string& because,
                    Lines& lines) {
    const std::string now(core::verdict_name(found));
    const Entry* entry = table.find("expect");
    if (entry && entry->value.string()) {
        const std::string before = *entry->value.string();
        if (before == now) return false;
        const core::Place& place = entry->value.place;
        lines.replace(place, before.size(), now);
        const std::string comment = "# was " + before + ": " + because;
        if (lines.is_alone(place))
            lines.insert_after(place.line, lines.indent(place.line) + comment);
        else
            lines.append(place.line, "  " + comment);
        return true;
    }
    const Entry* beside = table.find(anchor);
    if (!beside) return false;
    const std::size_t line = beside->key_place.line;
    lines.insert_after(line, lines.indent(line) + "expect = \"" + now + "\"");
    lines.insert_after(line, lines.indent(line) + "# first put on record: " + because);
    return true;
}

const core::ClaimRecord* find_claim(const core::StudyRecord& study, const std::string& id) {
    const auto found =
        std::find_if(study.claims.begin(), study.claims.end(), [&](const auto& each) { return each.id == id; });
    return found == study.claims.end() ? nullptr : &*found;
}

/// Records the verdicts of readings that have their own.
bool record_readings(const Entries& claim, const core::ClaimRecord& found, const std::string& because, Lines& lines) {
    const Entry* entry = claim.find("reading");
    const core::List* list = entry ? entry->value.list() : nullptr;
    bool changed = false;
    for (const core::Value& value : list ? *list : core::List{}) {
        const Entries* reading = value.entries();
        if (!reading || !reading->find("expect")) continue;
        const std::string name = core::read_text(*reading, "name").value_or("");
        for (const core::ReadingRecord& record : found.readings) {
            if (record.name == name && is_verdict(record.verdict))
                changed |= record_verdict(*reading, "name", record.verdict, because, lines);
        }
    }
    return changed;
}

}  // namespace

std::vector<std::string> update_verdicts(const std::string& file, const core::StudyRecord& found,
                                         const std::string& because) {
    const Entries document = scheme::read_toml_file(file);
    const std::string text = core::read_file(file);
    Lines lines(text);
    std::vector<std::string> changed;
    const Entry* entry = document.find("claim");
    const core::List* list = entry ? entry->value.list() : nullptr;
    for (const core::Value& value : list ? *list : core::List{}) {
        const Entries* claim = value.entries();
        const std::string id = claim ? core::read_text(*claim, "id").value_or("") : "";
        const core::ClaimRecord* record = find_claim(found, id);
        if (!record || !is_verdict(record->verdict)) continue;
        const bool own = record_verdict(*claim, "id", record->verdict, one_line(because), lines);
        const bool readings = record_readings(*claim, *record, one_line(because), lines);
        if (own || readings) changed.push_back(id);
    }
    if (!changed.empty()) core::write_file(file, lines.text());
    return changed;
}

}  // namespace farfield::study
