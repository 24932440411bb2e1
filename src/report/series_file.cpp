#include "report/series_file.hpp"

#include <algorithm>
#include <bit>
#include <farfield/report/report.hpp>
#include <numeric>
#include <span>

#include "report/text.hpp"
#include "report/thin.hpp"

namespace farfield::report {
namespace {

constexpr std::size_t thinned_rows = 10'000;
/// The number of rows of a long series that are written at once, so that the data stay in the cache.
constexpr std::size_t rows_at_once = 4096;

/// The numbers of each column, requested once, because those of a device are fetched and every request takes a lock.
std::vector<std::span<const double>> columns_of(const core::Series& series) {
    std::vector<std::span<const double>> columns;
    for (const core::Column& column : series.columns) columns.emplace_back(column.values.here());
    return columns;
}

/// A field of a CSV line, quoted if RFC 4180 requires it.
std::string field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"') quoted += c;
    }
    return quoted + "\"";
}

std::string csv(const core::Series& series, const std::vector<std::size_t>& rows) {
    std::string text;
    for (std::size_t c = 0; c < series.columns.size(); ++c) text += (c ? "," : "") + field(series.columns[c].name);
    text += "\n";
    const std::vector<std::span<const double>> columns = columns_of(series);
    for (const std::size_t row : rows) {
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (c) text += ',';
            text += exact_number(columns[c][row]);
        }
        text += '\n';
    }
    return text;
}

/// A Python string literal.
std::string literal(const std::string& text) {
    std::string result = "'";
    for (const char c : valid_text(text)) {
        if (c == '\'' || c == '\\') result += '\\';
        result += c;
    }
    return result + "'";
}

std::string npy_header(const core::Series& series) {
    std::string descr;
    for (const core::Column& column : series.columns) descr += "(" + literal(column.name) + ", '<f8'), ";
    std::string header =
        "{'descr': [" + descr + "], 'fortran_order': False, 'shape': (" + std::to_string(series.rows()) + ",), }";
    const bool ascii =
        std::all_of(header.begin(), header.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    const std::size_t prefix = ascii ? 10 : 12;
    // The data start at a multiple of 64, after a line break.
    header.append(63 - (prefix + header.size()) % 64, ' ').append("\n");
    std::string text = "\x93NUMPY";
    text += ascii ? '\x01' : '\x03';
    text += '\x00';
    for (std::size_t byte = 0; byte < prefix - 8; ++byte) text += static_cast<char>(header.size() >> (8 * byte) & 0xFF);
    return text + header;
}

}  // namespace

std::string series_csv(const core::Series& series) {
    std::vector<std::size_t> rows(series.rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return csv(series, rows);
}

std::string thinned_csv(const core::Series& series) {
    return csv(series, thin_rows(series, {thinned_rows, false, {}}));
}

std::string series_file(const core::Result& quantity) {
    const bool is_long = quantity.series && quantity.series->rows() > most_csv_rows;
    return file_stem(quantity.name) + (is_long ? ".npy" : ".csv");
}

std::string thinned_file(const core::Result& quantity) {
    const bool is_long = quantity.series && quantity.series->rows() > most_csv_rows;
    return is_long ? file_stem(quantity.name) + ".csv" : "";
}

void write_series_npy(const core::Series& series, const std::function<void(std::string_view)>& write) {
    static_assert(std::endian::native == std::endian::little, "the bytes are written as they stand in memory");
    write(npy_header(series));
    const std::vector<std::span<const double>> columns = columns_of(series);
    std::vector<double> block;
    for (std::size_t first = 0; first < series.rows(); first += rows_at_once) {
        const std::size_t rows = std::min(rows_at_once, series.rows() - first);
        block.resize(rows * columns.size());
        for (std::size_t c = 0; c < columns.size(); ++c) {
            for (std::size_t row = 0; row < rows; ++row) block[row * columns.size() + c] = columns[c][first + row];
        }
        write({reinterpret_cast<const char*>(block.data()), block.size() * sizeof(double)});
    }
}

}  // namespace farfield::report
