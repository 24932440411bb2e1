#include "study/result_bytes.hpp"

#include <cstdint>
#include <cstring>
#include <farfield/evaluate/array.hpp>

namespace farfield::study {

using core::Cell;
using core::Enclosure;
using core::Result;
using core::Rigour;

namespace {

constexpr std::string_view form = "farfield result 5\n";

/// The largest length of a series in a study.
constexpr double largest_count = 0x1p31;

static_assert(sizeof(Enclosure) == 2 * sizeof(double));

/// Equally spaced numbers are stored as three numbers.
std::optional<evaluate::Range> range_of(const core::Values& values) {
    return values.elsewhere() ? evaluate::Array(values).range() : std::nullopt;
}

/// The size of the series, which are most of a large result. Reserving it avoids that bytes are moved while they are
/// written.
std::size_t size_of_series(const Result& result) {
    constexpr std::size_t for_the_rest = 4096;
    std::size_t size = for_the_rest;
    if (result.series)
        for (const core::Column& column : result.series->columns)
            size += (range_of(column.values) ? 0 : column.values.size() * sizeof(double)) +
                    column.enclosures.size() * sizeof(Enclosure);
    return size;
}

class Writer {
public:
    explicit Writer(std::size_t size) {
        bytes_.reserve(size);
        bytes_ = form;
    }
    void raw(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }
    void count(std::size_t size) {
        const auto wide = static_cast<std::uint64_t>(size);
        raw(&wide, sizeof wide);
    }
    void number(double value) { raw(&value, sizeof value); }
    void flag(bool value) { bytes_ += value ? '\1' : '\0'; }
    void rigour(Rigour value) { bytes_ += static_cast<char>(value); }
    void text(std::string_view value) {
        count(value.size());
        bytes_ += value;
    }
    void cell(const Cell& cell) {
        flag(cell.number.has_value());
        if (cell.number) number(*cell.number);
        text(cell.printed);
        flag(cell.enclosure.has_value());
        if (cell.enclosure) enclosure(*cell.enclosure);
        rigour(cell.rigour);
        text(cell.rational);
        text(cell.censored);
    }
    void enclosure(const Enclosure& value) {
        number(value.lo);
        number(value.hi);
    }
    std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

/// Reads the output of Writer. After the first read beyond the end, everything is empty and `good` is false.
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : rest_(bytes) {
        good_ = rest_.starts_with(form);
        if (good_) rest_.remove_prefix(form.size());
    }
    bool good() const { return good_; }
    void refuse() { good_ = false; }
    bool finished() const { return good_ && rest_.empty(); }
    void raw(void* data, std::size_t size) {
        if (!good_ || rest_.size() < size) {
            good_ = false;
            if (size != 0) std::memset(data, 0, size);
            return;
        }
        if (size != 0) std::memcpy(data, rest_.data(), size);
        rest_.remove_prefix(size);
    }
    /// Reads a number of elements with at least `least` bytes each; a number that does not fit into the rest means that
    /// the file is broken.
    std::size_t count(std::size_t least) {
        std::uint64_t value = 0;
        raw(&value, sizeof value);
        if (value > rest_.size() / least) good_ = false;
        return good_ ? static_cast<std::size_t>(value) : 0;
    }
    double number() {
        double value = 0;
        raw(&value, sizeof value);
        return value;
    }
    bool flag() {
        char value = 0;
        raw(&value, 1);
        return value != 0;
    }
    Rigour rigour() {
        unsigned char value = 0;
        raw(&value, 1);
        if (value > static_cast<unsigned char>(Rigour::exact)) good_ = false;
        return good_ ? static_cast<Rigour>(value) : Rigour::none;
    }
    std::string text() {
        std::string value(count(1), '\0');
        raw(value.data(), value.size());
        return value;
    }
    Enclosure enclosure() {
        const double lo = number();
        return {lo, number()};
    }
    Cell cell() {
        Cell cell;
        if (flag()) cell.number = number();
        cell.printed = text();
        if (flag()) cell.enclosure = enclosure();
        cell.rigour = rigour();
        cell.rational = text();
        cell.censored = text();
        return cell;
    }

private:
    std::string_view rest_;
    bool good_ = false;
};

void write_values(Writer& writer, const core::Values& values) {
    const std::optional<evaluate::Range> range = range_of(values);
    writer.flag(range.has_value());
    if (range) {
        writer.number(range->from);
        writer.number(range->step);
        writer.number(static_cast<double>(range->count));
        return;
    }
    writer.count(values.size());
    writer.raw(values.data(), values.size() * sizeof(double));
}

core::Values read_values(ByteReader& reader) {
    core::Values values;
    if (reader.flag()) {
        const double from = reader.number();
        const double step = reader.number();
        const double count = reader.number();
        if (!(count >= 0 && count < largest_count)) reader.refuse();
        if (!reader.good()) return values;
        return evaluate::Array(evaluate::Range{from, step, static_cast<std::size_t>(count)}).values();
    }
    values.resize(reader.count(sizeof(double)));
    reader.raw(values.data(), values.size() * sizeof(double));
    return values;
}

void write_series(Writer& writer, const core::Series& series) {
    writer.rigour(series.rigour);
    writer.count(series.variables);
    writer.count(series.columns.size());
    for (const core::Column& column : series.columns) {
        writer.text(column.name);
        write_values(writer, column.values);
        writer.count(column.enclosures.size());
        writer.raw(column.enclosures.data(), column.enclosures.size() * sizeof(Enclosure));
        writer.text(column.formula);
        writer.flag(column.steps.has_value());
        if (!column.steps) continue;
        writer.text(column.steps->from);
        writer.text(column.steps->step);
    }
}

core::Series read_series(ByteReader& reader) {
    core::Series series;
    series.rigour = reader.rigour();
    std::uint64_t variables = 0;
    reader.raw(&variables, sizeof variables);
    series.variables = static_cast<std::size_t>(variables);
    series.columns.resize(reader.count(33));
    for (core::Column& column : series.columns) {
        column.name = reader.text();
        column.values = read_values(reader);
        column.enclosures.resize(reader.count(sizeof(Enclosure)));
        reader.raw(column.enclosures.data(), column.enclosures.size() * sizeof(Enclosure));
        column.formula = reader.text();
        if (!reader.flag()) continue;
        const std::string from = reader.text();
        column.steps = core::Steps{from, reader.text()};
    }
    return series;
}

void write_table(Writer& writer, const core::Table& table) {
    for (const auto* names : {&table.rows, &table.columns}) {
        writer.count(names->size());
        for (const std::string& name : *names) writer.text(name);
    }
    writer.count(table.cells.size());
    for (const Cell& cell : table.cells) writer.cell(cell);
}

core::Table read_table(ByteReader& reader) {
    core::Table table;
    for (auto* names : {&table.rows, &table.columns}) {
        names->resize(reader.count(8));
        for (std::string& name : *names) name = reader.text();
    }
    table.cells.resize(reader.count(19));
    for (Cell& cell : table.cells) cell = reader.cell();
    return table;
}

using Texts = std::vector<std::pair<std::string, std::string>>;

void write_texts(Writer& writer, const Texts& texts) {
    writer.count(texts.size());
    for (const auto& [name, text] : texts) {
        writer.text(name);
        writer.text(text);
    }
}

Texts read_texts(ByteReader& reader) {
    Texts texts(reader.count(16));
    for (auto& [name, text] : texts) {
        name = reader.text();
        text = reader.text();
    }
    return texts;
}

}  // namespace

std::string to_bytes(const Result& result) {
    Writer writer(size_of_series(result));
    writer.text(result.name);
    writer.text(result.kind);
    writer.number(result.seconds);
    writer.count(result.values.size());
    for (const auto& [name, cell] : result.values) {
        writer.text(name);
        writer.cell(cell);
    }
    write_texts(writer, result.notes);
    write_texts(writer, result.evidence.facts);
    write_texts(writer, result.evidence.boxes);
    writer.flag(result.series.has_value());
    if (result.series) write_series(writer, *result.series);
    writer.flag(result.table.has_value());
    if (result.table) write_table(writer, *result.table);
    return writer.take();
}

std::optional<Result> from_bytes(std::string_view bytes) {
    ByteReader reader(bytes);
    Result result;
    result.name = reader.text();
    result.kind = reader.text();
    result.seconds = reader.number();
    result.values.resize(reader.count(27));
    for (auto& [name, cell] : result.values) {
        name = reader.text();
        cell = reader.cell();
    }
    result.notes = read_texts(reader);
    result.evidence.facts = read_texts(reader);
    result.evidence.boxes = read_texts(reader);
    if (reader.flag()) result.series = read_series(reader);
    if (reader.flag()) result.table = read_table(reader);
    if (!reader.finished()) return std::nullopt;
    return result;
}

}  // namespace farfield::study
