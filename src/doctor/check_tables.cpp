// Compares an engine's own tables with the configuration.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <farfield/compare/compare.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/numerics/format.hpp>
#include <farfield/tensor/tensor.hpp>
#include <filesystem>

#include "doctor/check.hpp"
#include "doctor/lookup.hpp"
#include "doctor/schemes.hpp"

namespace farfield::doctor {

namespace {

constexpr std::string_view temperature_edit = "times-root-temperature";
constexpr std::size_t most_numbers = std::size_t{1} << 28;

/// A tensor that holds frequencies, cosines or sines.
struct Table {
    tensor::Description description;
    std::string name;  ///< its name in messages
    compare::Part part = compare::Part::angle;
};

std::optional<compare::Part> part_by_name(const tensor::Description& description, std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string last = name.substr(name.find_last_of("./") + 1);
    const auto has = [&](std::string_view word) { return last.find(word) != std::string::npos; };
    if (has("inv_freq")) return compare::Part::angle;
    if (description.is_complex) return compare::Part::turn;
    if (has("cos") && has("sin")) return compare::Part::both;
    if (has("cos")) return compare::Part::cosine;
    if (last == "sin" || last.starts_with("sin_") || last.ends_with("_sin") || has("sine")) return compare::Part::sine;
    return {};
}

/// The tables of a file; `others` gets the names of the other tensors.
std::vector<Table> tables_of(const std::string& path, std::string& others) {
    std::vector<Table> tables;
    for (const tensor::Description& each : tensor::list_tensors(path)) {
        const std::string name = each.name.empty() ? std::filesystem::path(path).stem().string() : each.name;
        if (const auto part = part_by_name(each, name))
            tables.push_back({each, name, *part});
        else
            others += (others.empty() ? "'" : ", '") + core::shortened(name, 40) + "'";
    }
    if (!tables.empty()) return tables;
    core::Place place;
    place.file = path;
    throw core::UserError(
        {{place,
          others.empty() ? "the file has no tensors" : "no tensor is named as a table: " + core::shortened(others, 120),
          "a tensor whose name has inv_freq, cos, sin or cos_sin", ""}});
}

/// The first numbers of a tensor, in row-major order, as a tensor of the same type and another shape.
tensor::Tensor reshaped(const tensor::Tensor& whole, std::vector<std::size_t> shape, const std::string& file) {
    tensor::Description description = whole.description();
    description.shape = std::move(shape);
    description.is_column_major = description.is_big_endian = false;
    const numerics::Format* const format = numerics::find_format(tensor::format_of(description.type));
    if (!format) description.type = tensor::ElementType::float64;
    std::vector<double> numbers(description.count());
    whole.read(0, numbers);
    const std::size_t size = tensor::size_of(description.type);
    auto bytes = std::make_shared<std::vector<std::byte>>(numbers.size() * size);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        std::uint64_t bits = format ? numerics::encode(*format, numbers[i]) : std::bit_cast<std::uint64_t>(numbers[i]);
        for (std::size_t byte = 0; byte < size; ++byte, bits >>= 8)
            (*bytes)[i * size + byte] = static_cast<std::byte>(bits & 0xff);
    }
    const std::span<const std::byte> view(*bytes);
    return tensor::tensor_in_memory(std::move(description), view, bytes, file);
}

/// The axis of positions, which is before that of the dimensions, and before real and imaginary part.
std::size_t position_axis(const Table& table) {
    const std::size_t last = table.part == compare::Part::turn ? 3 : 2;
    return table.description.shape.size() - last;
}

class TableChecker {
public:
    TableChecker(const Document& document, const Resolution& resolution, const Options& options, Diagnosis& diagnosis)
        : document_(document),
          root_(text_part(document, prefix_)),
          lookup_(document, root_, prefix_),
          resolution_(resolution),
          file_(options.against),
          diagnosis_(diagnosis) {}

    void check() {
        for (const Layer& layer : resolution_.layers)
            if (layer.scheme.rotate) layers_.push_back(&layer);
        if (layers_.empty()) {
            core::Place place;
            place.file = document_.file;
            throw core::UserError({{place, "the configuration declares no rotation, which --against compares with",
                                    "a model with rotary positions", ""}});
        }
        std::string others;
        for (const Table& table : tables_of(file_, others)) check(table);
        if (!others.empty())
            lookup_.add(lookup_.finding("table-not-compared", Severity::note, others,
                                        fmt::format("{} of {} is not named as a table, and is not compared.",
                                                    core::shortened(others, 120), file_),
                                        "name a table with inv_freq, cos, sin or cos_sin"));
        diagnosis_.findings.insert(diagnosis_.findings.end(), lookup_.findings().begin(), lookup_.findings().end());
    }

private:
    /// The layers whose type is in the tensor's name, or else all.
    std::vector<const Layer*> layers_of(const Table& table) const {
        std::vector<const Layer*> named;
        for (const Layer* layer : layers_) {
            const std::string& type = layer->positions.layer_type;
            if (!type.empty() && table.name.find(type) != std::string::npos) named.push_back(layer);
        }
        return named.empty() ? layers_ : named;
    }

    void check(const Table& table) {
        std::vector<const Layer*> layers = layers_of(table);
        const Layer& first = *layers.front();
        std::erase_if(layers, [&](const Layer* layer) { return !fits(table, *layer); });
        if (layers.empty()) return report_width(table, first);
        const std::optional<tensor::Tensor> numbers = read(table);
        if (!numbers) return;
        struct Compared {
            const Layer* layer;
            compare::Answer answer;
        };
        std::optional<Compared> nearest;
        for (const Layer* layer : layers) {
            Compared found{layer, ask(table, *numbers, *layer)};
            if (!nearest || is_nearer(found.answer, nearest->answer, *layer)) nearest = std::move(found);
            if (agrees(nearest->answer, *nearest->layer)) break;
        }
        report(table, *numbers, *nearest->layer, nearest->answer);
    }

    /// Whether the table has a number for each pair of dimensions, or two.
    static bool fits(const Table& table, const Layer& layer) {
        const std::size_t pairs = layer.positions.pair_numbers.size();
        const std::vector<std::size_t>& shape = table.description.shape;
        const std::size_t axis = table.part == compare::Part::turn ? 2 : 1;  // before real and imaginary part
        // A shape that no table has is refused when the tensor is read.
        if (shape.size() < (table.part == compare::Part::angle ? 1 : axis + 1)) return true;
        const std::size_t width = shape[shape.size() - axis];
        const std::size_t one = table.part == compare::Part::both ? 2 * pairs : pairs;
        return width == one || (width == 2 * one && table.part != compare::Part::angle);
    }

    void report_width(const Table& table, const Layer& layer) {
        const Positions& positions = layer.positions;
        const auto part = std::string(compare::part_name(table.part));
        diagnosis_.tables.push_back({table.name, positions.layer_type, part, false, 0, {}});
        lookup_.add(lookup_.finding(
            "tables-differ", Severity::error,
            lookup_.first({"rotary_dim", "partial_rotary_factor", "rotary_pct", "head_dim"}),
            fmt::format("'{}' of {} has shape {}, and {} of {} dimensions of a head are rotated{}: {} numbers a "
                        "position. The engine rotates another number of dimensions.",
                        table.name, file_, tensor::shape_text(table.description.shape), positions.rotated,
                        positions.head_dim, positions.layer_type.empty() ? "" : " in layers of " + positions.layer_type,
                        positions.pair_numbers.size()),
            "give the engine the declared head dimension and rotated fraction"));
    }

    static bool is_nearer(const compare::Answer& a, const compare::Answer& b, const Layer& layer) {
        if (agrees(a, layer)) return true;
        if (a.variations.empty() != b.variations.empty()) return !a.variations.empty();
        return a.declared.beyond < b.declared.beyond;
    }

    /// Nothing for a tensor that cannot be a table. Reads at most as many positions as are served.
    std::optional<tensor::Tensor> read(const Table& table) {
        const tensor::Tensor whole = tensor::open_tensor(file_, table.description.name);
        const std::vector<std::size_t>& shape = table.description.shape;
        if (table.part == compare::Part::angle) {
            if (table.description.count() == 0 || shape.back() != table.description.count())
                refuse(table, "frequencies of shape " + tensor::shape_text(shape), "one for each pair of dimensions");
            return reshaped(whole, {1, shape.back()}, file_);
        }
        if (shape.size() < (table.part == compare::Part::turn ? 3U : 2U))
            refuse(table, "a table of shape " + tensor::shape_text(shape), "positions, dimensions");
        const std::size_t axis = position_axis(table), rows = shape[axis];
        const auto served = static_cast<std::size_t>(resolution_.served.value_or(static_cast<long long>(rows)));
        const bool is_one = std::all_of(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis),
                                        [](std::size_t extent) { return extent == 1; });
        if (rows < served)
            lookup_.add(lookup_.finding(
                "table-shorter-than-served", Severity::warning, lookup_.find("max_position_embeddings"),
                fmt::format("'{}' of {} has {} positions, and {} tokens are served: later tokens have no angle, or one "
                            "that the engine computes anew.",
                            table.name, file_, rows, served),
                "build the engine's tables for the served length"));
        if (rows <= served || !is_one) return whole;
        std::vector<std::size_t> first = shape;
        first[axis] = served;
        if (table.description.count() / rows * served > most_numbers) return whole;
        return reshaped(whole, std::move(first), file_);
    }

    [[noreturn]] void refuse(const Table& table, const std::string& found, const std::string& wanted) const {
        core::Place place;
        place.file = file_;
        throw core::UserError({{place, "'" + table.name + "' holds " + found, wanted, ""}});
    }

    compare::Answer ask(const Table& table, const tensor::Tensor& numbers, const Layer& layer) const {
        compare::Question question;
        question.scheme = layer.scheme.name;
        question.context = layer.context;
        question.context.tables.clear();
        question.part = table.part;
        if (table.part == compare::Part::angle) question.at = {{"positions", {1}}};
        for (const Param& each : layer.positions.params)
            question.params.emplace_back(each.name, fmt::format("{}", each.value));
        for (const auto& [name, values] : layer.context.tables)
            question.learned.emplace_back(name, compare::Values{values});
        const double factor = layer.positions.attention_factor;
        return compare::compare(numbers, file_, question,
                                registry_of(layer.scheme.name, layer.positions.pair_numbers.size(), factor));
    }

    static bool has_factor(const Layer& layer, const compare::Answer& answer) {
        return layer.positions.attention_factor != 1 && answer.part != compare::Part::angle;
    }

    /// Whether the tensor is the declared table, in which cosines and sines are multiplied by the attention factor.
    static bool agrees(const compare::Answer& answer, const Layer& layer) {
        if (!has_factor(layer, answer)) return answer.agrees;
        bool is_multiplied = false;
        for (const compare::Variation& each : answer.variations) {
            is_multiplied = is_multiplied || each.name == temperature_edit;
            if (each.name != temperature_edit && !each.is_convention) return false;
        }
        return is_multiplied;
    }

    static std::string causes(const compare::Answer& answer, const Layer& layer) {
        std::string text;
        bool is_multiplied = false;
        for (const compare::Variation& each : answer.variations) {
            if (each.name == temperature_edit && has_factor(layer, answer)) {
                is_multiplied = true;
                continue;
            }
            if (each.is_convention) continue;
            text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", compare::names_text({each}), each.meaning);
        }
        if (has_factor(layer, answer) && !is_multiplied && (answer.is_equal || !answer.variations.empty()))
            text += fmt::format("{}the attention factor {:.6g} is missing", text.empty() ? "" : "; ",
                                layer.positions.attention_factor);
        return text;
    }

    /// The key of a param that a cause names, if there is one.
    core::Place place_of(const compare::Answer& answer, const Layer& layer, std::string& key) const {
        for (const compare::Variation& each : answer.variations)
            for (const Param& param : layer.positions.params)
                if (each.supposes.find(param.name + "=") != std::string::npos ||
                    each.name.starts_with(param.name + "-")) {
                    key = param.from == "default" ? "" : param.from;
                    return param.place;
                }
        core::Place place;
        place.file = document_.file;
        return place;
    }

    void report(const Table& table, const tensor::Tensor& numbers, const Layer& layer, const compare::Answer& answer) {
        TableAnswer result{table.name,
                           layer.positions.layer_type,
                           std::string(compare::part_name(answer.part)),
                           agrees(answer, layer),
                           answer.declared.compared,
                           {}};
        result.variations.reserve(answer.variations.size());
        for (const compare::Variation& each : answer.variations) result.variations.push_back(each.name);
        if (!result.agrees) {
            const std::string cause = causes(answer, layer);
            Finding finding = lookup_.finding(
                "tables-differ", Severity::error, std::string(),
                fmt::format("'{}' of {} is not the declared table{}: {}{}.", table.name, file_,
                            layer.positions.layer_type.empty() ? "" : " of " + layer.positions.layer_type,
                            cause.empty() ? "no known variation explains it; " + furthest(answer) : cause,
                            consequence(table, numbers, layer)),
                cause.empty()
                    ? "compare one step of the engine at a time: farfield compare"
                    : "give the engine the declared value, or declare the value that the model was trained with");
            finding.place = place_of(answer, layer, finding.key);
            lookup_.add(std::move(finding));
        }
        diagnosis_.tables.push_back(std::move(result));
    }

    static std::string furthest(const compare::Answer& answer) {
        const compare::Deviation& off = answer.declared;
        return fmt::format("{} of {} numbers are off, the furthest at {}: {:.9g}, declared is {:.9g}", off.beyond,
                           off.compared, tensor::shape_text(off.index), off.found, off.wanted);
    }

    /// The effect on logits of equal queries and keys, from the numbers of the table.
    std::string consequence(const Table& table, const tensor::Tensor& numbers, const Layer& layer) const {
        LogitDifference difference;
        const long long longest = resolution_.served.value_or(4096);
        if (table.part == compare::Part::angle) {
            std::vector<double> frequency(numbers.description().count());
            numbers.read(0, frequency);
            Positions engine = layer.positions;
            engine.pair_numbers.resize(frequency.size());
            for (std::size_t i = 0; i < frequency.size(); ++i) engine.pair_numbers[i].frequency = frequency[i];
            difference = logit_difference(engine, layer.positions, longest);
        } else if (table.part == compare::Part::cosine || table.part == compare::Part::both) {
            difference = of_cosines(table, numbers, layer, longest);
        } else {
            return "";
        }
        return fmt::format("; logits of equal queries and keys are off by up to {:.3g} |q||k|/sqrt(d), at distance {}",
                           std::abs(difference.largest), difference.distance);
    }

    /// The mean over pairs of a cosine at the distance times that at 0, which is the attention factor.
    static LogitDifference of_cosines(const Table& table, const tensor::Tensor& numbers, const Layer& layer,
                                      long long longest) {
        LogitDifference difference;
        const std::size_t rows = numbers.description().shape[position_axis(table)];
        const std::size_t width = numbers.description().shape.back();
        const std::size_t columns = table.part == compare::Part::both ? width / 2 : width;
        if (columns == 0) return difference;
        std::vector<double> start(width), row(width);
        numbers.read(0, start);
        const double scale = std::pow(layer.positions.attention_factor, 2);
        const std::vector<double> frequency = layer.positions.inv_freq();
        constexpr std::size_t most = std::size_t{1} << 18;
        for (std::size_t p = 0; p < std::min({rows, static_cast<std::size_t>(longest), most}); ++p) {
            numbers.read(p * width, row);
            double engine = 0, declared = 0;
            for (std::size_t i = 0; i < columns; ++i) engine += row[i] * start[i];
            for (const double each : frequency) declared += std::cos(static_cast<double>(p) * each);
            const double here =
                engine / static_cast<double>(columns) - scale * declared / static_cast<double>(frequency.size());
            if (std::abs(here) <= std::abs(difference.largest)) continue;
            difference.largest = here;
            difference.distance = static_cast<long long>(p);
        }
        return difference;
    }

    const Document& document_;
    std::string prefix_;
    const Value& root_;
    Lookup lookup_;
    const Resolution& resolution_;
    const std::string& file_;
    Diagnosis& diagnosis_;
    std::vector<const Layer*> layers_;
};

}  // namespace

void check_tables(const Document& document, const Resolution& resolution, const Options& options,
                  Diagnosis& diagnosis) {
    TableChecker(document, resolution, options, diagnosis).check();
}

}  // namespace farfield::doctor
