// JSON from the events of nlohmann's parser; places are found by following the text in parallel.
#include <algorithm>
#include <cstring>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/printable.hpp>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "doctor/value.hpp"

namespace farfield::doctor {

namespace {

[[noreturn]] void refuse(const core::Place& place, std::string found, std::string wanted, std::string hint = {}) {
    throw core::UserError({core::Diagnostic{place, std::move(found), std::move(wanted), std::move(hint)}});
}

bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// The text of the parser's error after its own place: "invalid literal; last read: 'Na'".
std::string reason_of(const std::string& message) {
    const std::size_t dash = message.find(" - ");
    const std::string reason = dash != std::string::npos ? message.substr(dash + 3) : message;
    return core::shortened(core::printable_line(reason), 160);
}

/// Builds the values. Throws core::UserError; it never returns false.
class Builder {
    using Json = nlohmann::json;
    using Kind = Value::Kind;

public:
    explicit Builder(Document& document) : document_(document), text_(document.text) {
        if (text_.starts_with("\xEF\xBB\xBF")) cursor_ = 3;
    }

    bool null() {
        put(Kind::null, 4);
        return true;
    }
    bool boolean(bool value) {
        put(Kind::boolean, value ? 4 : 5).number = value ? 1 : 0;
        return true;
    }
    bool number_integer(Json::number_integer_t value) { return number(static_cast<double>(value)); }
    bool number_unsigned(Json::number_unsigned_t value) { return number(static_cast<double>(value)); }
    bool number_float(double value, const std::string&) { return number(value); }
    bool string(std::string& value) {
        put(Kind::text, string_length()).text = value;
        return true;
    }
    bool binary(Json::binary_t&) { return true; }

    bool start_object(std::size_t) { return open(Kind::object); }
    bool start_array(std::size_t) { return open(Kind::list); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        skip();
        const std::size_t length = string_length();
        if (!keys_.back().insert(name).second)
            refuse(document_.place(cursor_, length),
                   "duplicate key '" + core::shortened(core::printable_line(name)) + "'", "each key once",
                   "Readers keep the last one; the other is lost without a word.");
        Member member;
        member.key = name;
        member.offset = cursor_;
        member.length = length;
        open_.back()->members.push_back(std::move(member));
        cursor_ += length;
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const Json::exception& error) {
        if (std::all_of(text_.begin(), text_.end(), is_space))
            refuse(document_.place(0, 1), "the file is empty", "JSON");
        skip();
        constexpr int overflow = 406;
        if (error.id == overflow)
            refuse(document_.place(cursor_, number_length()),
                   "'" + core::shortened(token()) + "' is too large for a number", "a number below 1.8e308");
        for (const char* word : {"NaN", "Infinity", "-Infinity"})
            if (std::string_view(text_).substr(std::min(cursor_, text_.size())).starts_with(word))
                refuse(document_.place(cursor_, std::strlen(word)), "'" + std::string(word) + "' is not JSON",
                       "a finite number, or null");
        refuse(document_.place(position - 1, 1), "invalid JSON: " + reason_of(error.what()), "");
    }

private:
    void skip() {
        while (cursor_ < text_.size() && (is_space(text_[cursor_]) || text_[cursor_] == ',' || text_[cursor_] == ':'))
            ++cursor_;
    }

    std::size_t string_length() const {
        std::size_t end = cursor_ + 1;
        while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
        return std::min(end + 1, text_.size()) - cursor_;
    }

    std::size_t number_length() const {
        std::size_t end = cursor_;
        while (end < text_.size() && std::strchr("+-.0123456789eE", text_[end])) ++end;
        return std::max<std::size_t>(end - cursor_, 1);
    }

    std::string token() const { return text_.substr(std::min(cursor_, text_.size()), number_length()); }

    Value& add(Kind kind) {
        if (++count_ > most_values)
            refuse(document_.place(cursor_, 1), "more than " + std::to_string(most_values) + " values",
                   "a model's configuration");
        Value* place = &document_.root;
        if (!open_.empty() && open_.back()->is(Kind::object))
            place = &open_.back()->members.back().value;
        else if (!open_.empty())
            place = &open_.back()->items.emplace_back();
        place->kind = kind;
        place->offset = cursor_;
        return *place;
    }

    Value& put(Kind kind, std::size_t length) {
        skip();
        Value& value = add(kind);
        value.length = kind == Kind::text ? string_length() : length;
        cursor_ += value.length;
        return value;
    }

    bool number(double number) {
        skip();
        const std::size_t length = number_length();
        Value& value = put(Kind::number, length);
        value.text = text_.substr(value.offset, length);
        value.number = number;
        return true;
    }

    bool open(Kind kind) {
        skip();
        if (open_.size() >= most_depth)
            refuse(document_.place(cursor_, 1), "nesting deeper than " + std::to_string(most_depth) + " levels",
                   "a model's configuration");
        Value& value = add(kind);
        ++cursor_;
        open_.push_back(&value);
        keys_.emplace_back();
        return true;
    }

    bool close() {
        skip();
        ++cursor_;
        open_.pop_back();
        keys_.pop_back();
        return true;
    }

    Document& document_;
    const std::string& text_;
    std::size_t cursor_ = 0;
    std::size_t count_ = 0;
    std::vector<Value*> open_;
    std::vector<std::unordered_set<std::string>> keys_;
};

/// Refuses a text that is not UTF-8 JSON, and names its format if its first bytes show it.
void refuse_other_formats(const std::string& text, const std::string& file) {
    core::Place place;
    place.file = file;
    const auto begins = [&](std::string_view bytes) { return text.starts_with(bytes); };
    if (text.size() > most_config_bytes)
        refuse(place, "has " + std::to_string(text.size()) + " bytes",
               "a config.json of at most " + std::to_string(most_config_bytes) + " bytes");
    if (begins("\xFF\xFE") || begins("\xFE\xFF") || (text.size() > 1 && (text[0] == '\0' || text[1] == '\0')))
        refuse(place, "is UTF-16 or UTF-32 text", "UTF-8");
    if (begins("PK\x03\x04") || begins("\x1F\x8B") || begins("BZh") ||
        begins("\xFD"
               "7zXZ") ||
        begins("\x28\xB5\x2F\xFD"))
        refuse(place, "is an archive", "a config.json: unpack it first");
    if (file.ends_with(".toml"))
        refuse(place, "is a TOML file", "a model's config.json, or its weights",
               "Studies: farfield check " + file + ".");
    if (const std::size_t zero = text.find('\0'); zero != std::string::npos)
        refuse(place, "has a zero byte at offset " + std::to_string(zero), "JSON text");
}

}  // namespace

const Member* Value::find(std::string_view key) const {
    for (const Member& member : members)
        if (member.key == key) return &member;
    return nullptr;
}

std::string_view Value::kind_name() const {
    switch (kind) {
        case Kind::null: return "null";
        case Kind::boolean: return "a boolean";
        case Kind::number: return "a number";
        case Kind::text: return "a text";
        case Kind::list: return "a list";
        case Kind::object: break;
    }
    return "an object";
}

core::Place Document::place(std::size_t offset, std::size_t length) const {
    core::Place place;
    place.file = file;
    if (text.empty()) return place;
    offset = std::min(offset, text.size() - 1);
    const auto at = text.begin() + static_cast<std::ptrdiff_t>(offset);
    place.line = 1 + static_cast<std::size_t>(std::count(text.begin(), at, '\n'));
    const std::size_t before = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
    const std::size_t start = before == std::string::npos ? 0 : before + 1;
    place.column = offset - start + 1;
    place.length = length;
    const std::size_t end = std::min(text.find('\n', offset), text.size());
    constexpr std::size_t most_excerpt = 4096;
    if (end - start <= most_excerpt) place.excerpt = text.substr(start, end - start);
    return place;
}

Document read_json(std::string text, const std::string& file) {
    refuse_other_formats(text, file);
    Document document;
    document.file = file;
    document.text = std::move(text);
    Builder builder(document);
    nlohmann::json::sax_parse(document.text.data(), document.text.data() + document.text.size(), &builder);
    if (!document.root.is(Value::Kind::object))
        refuse(document.place(document.root.offset, document.root.length),
               "the configuration is " + std::string(document.root.kind_name()), "an object: { \"model_type\": ... }");
    return document;
}

}  // namespace farfield::doctor
