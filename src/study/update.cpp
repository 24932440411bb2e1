#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/core/sha256.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/report/report.hpp>
#include <farfield/scheme/toml.hpp>
#include <farfield/study/study.hpp>

namespace farfield::study {

using core::Entries;
using core::Entry;
using core::Verdict;

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// The file as lines with their line breaks; edits are collected and applied from the end to the start.
class Lines {
public:
    explicit Lines(const std::string& text) : has_mark_(text.starts_with(byte_order_mark)) {
        std::size_t start = has_mark_ ? byte_order_mark.size() : 0;
        while (start < text.size()) {
            const std::size_t end = text.find('\n', start);
            const std::size_t next = end == std::string::npos ? text.size() : end + 1;
            lines_.push_back(text.substr(start, next - start));
            start = next;
        }
    }

    void replace(const core::Place& place, std::size_t length, const std::string& text) {
        edits_.push_back({place.line, place.column, length, text});
    }
    void insert_after(std::size_t line, const std::string& text) { inserted_.emplace_back(line, text); }
    /// Adds the text to the end of the line, before its line break.
    void append(std::size_t line, const std::string& text) {
        const std::size_t end = lines_.at(line - 1).find_last_not_of("\r\n");
        edits_.push_back({line, end == std::string::npos ? 1 : end + 2, 0, text});
    }

    std::string indent(std::size_t line) const {
        const std::string& text = lines_.at(line - 1);
        return text.substr(0, text.find_first_not_of(" \t"));
    }

    bool is_alone(const core::Place& place) const {
        const std::string& text = lines_.at(place.line - 1);
        return text.compare(text.find_first_not_of(" \t"), 6, "expect") == 0;
    }

    /// Whether the character is at this place.
    bool has(const core::Place& place, char character) const {
        if (place.line == 0 || place.line > lines_.size() || place.column == 0) return false;
        const std::string& text = lines_[place.line - 1];
        return place.column <= text.size() && text[place.column - 1] == character;
    }

    std::string text() {
        const auto is_later = [](const Edit& a, const Edit& b) {
            return a.line != b.line ? a.line > b.line : a.column > b.column;
        };
        std::stable_sort(edits_.begin(), edits_.end(), is_later);
        for (const Edit& edit : edits_) lines_.at(edit.line - 1).replace(edit.column - 1, edit.length, edit.text);
        std::stable_sort(inserted_.begin(), inserted_.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        for (const auto& [line, text] : inserted_) {
            std::string& before = lines_.at(line - 1);
            const std::string ending = before.ends_with("\r\n") ? "\r\n" : "\n";
            if (!before.ends_with('\n')) before += ending;
            lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(line), text + ending);
        }
        std::string whole(has_mark_ ? byte_order_mark : "");
        for (const std::string& line : lines_) whole += line;
        return whole;
    }

private:
    struct Edit {
        std::size_t line;
        std::size_t column;
        std::size_t length;
        std::string text;
    };

    bool has_mark_;
    std::vector<std::string> lines_;
    std::vector<Edit> edits_;
    std::vector<std::pair<std::size_t, std::string>> inserted_;
};

/// Whether the values are the same, except for verdicts on record.
bool is_same(const core::Value& a, const core::Value& b);

bool is_same(const Entries& a, const Entries& b) {
    const auto others = [](const Entries& table) {
        std::vector<const Entry*> list;
        for (const Entry& each : table.list)
            if (each.key != "expect") list.push_back(&each);
        return list;
    };
    const auto equals = [](const Entry* x, const Entry* y) { return x->key == y->key && is_same(x->value, y->value); };
    const std::vector<const Entry*> left = others(a), right = others(b);
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), equals);
}

bool is_same(const core::Value& a, const core::Value& b) {
    if (a.entries() && b.entries()) return is_same(*a.entries(), *b.entries());
    if (a.list() && b.list())
        return std::equal(a.list()->begin(), a.list()->end(), b.list()->begin(), b.list()->end(),
                          [](const core::Value& x, const core::Value& y) { return is_same(x, y); });
    if (a.data.index() != b.data.index() || a.text != b.text) return false;
    if (a.string()) return *a.string() == *b.string();
    return !a.boolean() || *a.boolean() == *b.boolean();  // numbers have the same text
}

std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return core::printable(text);
}

/// Writes `found` into the table; returns whether anything changed. A new `expect` is on the line after the key
/// `anchor`, or before this key in an inline table.
bool record_verdict(const Entries& table, std::string_view anchor, Verdict found, const std::string& because,
                    bool is_inline, Lines& lines) {
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
    if (is_inline) {
        lines.replace(beside->key_place, 0, "expect = \"" + now + "\", ");
        lines.append(line, "  # first put on record: " + because);
        return true;
    }
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
                changed |= record_verdict(*reading, "name", record.verdict, because, false, lines);
        }
    }
    return changed;
}

const core::List& claims_of(const Entries& document) {
    static const core::List none;
    const Entry* entry = document.find("claim");
    const core::List* list = entry ? entry->value.list() : nullptr;
    return list ? *list : none;
}

/// Whether the text differs from the study in verdicts only, and has those that were found.
bool is_updated(const Entries& before, const std::string& text, const std::string& file,
                const core::StudyRecord& found) {
    Entries document;
    try {
        document = scheme::read_toml(text, file);
    } catch (const core::UserError&) {
        return false;
    }
    if (!is_same(before, document)) return false;
    const core::List& claims = claims_of(document);
    return std::all_of(claims.begin(), claims.end(), [&](const core::Value& value) {
        const Entries* claim = value.entries();
        const core::ClaimRecord* record =
            claim ? find_claim(found, core::read_text(*claim, "id").value_or("")) : nullptr;
        return !record || !is_verdict(record->verdict) ||
               core::read_text(*claim, "expect") == std::string(core::verdict_name(record->verdict));
    });
}

[[noreturn]] void refuse(const std::string& file, std::string what, std::string wanted) {
    core::Place place;
    place.file = file;
    throw core::UserError({core::Diagnostic{std::move(place), std::move(what), std::move(wanted), {}}});
}

/// Refuses a file that was saved after the run had read it: its verdicts may not be those of its claims.
void check_unchanged(const std::string& file, const std::string& text, const core::StudyRecord& found) {
    for (const auto& [key, value] : found.manifest)
        if (key == "study_sha256" && value != core::sha256(text))
            refuse(file, "the study was changed after it was read, and no verdict was recorded", "another run");
}

}  // namespace

std::vector<std::string> update_verdicts(const std::string& file, const core::StudyRecord& found,
                                         const std::string& because) {
    const std::string text = core::read_file(file);
    check_unchanged(file, text, found);
    const Entries document = scheme::read_toml(text, file);
    Lines lines(text);
    std::vector<std::string> changed;
    for (const core::Value& value : claims_of(document)) {
        const Entries* claim = value.entries();
        const std::string id = claim ? core::read_text(*claim, "id").value_or("") : "";
        const core::ClaimRecord* record = find_claim(found, id);
        if (!record || !is_verdict(record->verdict)) continue;
        const bool is_inline = lines.has(value.place, '{');
        const bool own = record_verdict(*claim, "id", record->verdict, one_line(because), is_inline, lines);
        const bool readings = record_readings(*claim, *record, one_line(because), lines);
        if (own || readings) changed.push_back(id);
    }
    if (changed.empty()) return changed;
    const std::string updated = lines.text();
    if (!is_updated(document, updated, file, found))
        refuse(file, "the verdicts cannot be written into this layout", "a [[claim]] with each key on its own line");
    core::check_replaceable(file);
    core::write_file(file, updated);
    return changed;
}

}  // namespace farfield::study
