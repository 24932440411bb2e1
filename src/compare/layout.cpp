#include "compare/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <sstream>

#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/tree.hpp>

#include "compare/refuse.hpp"

namespace farfield::compare {

namespace {

constexpr std::size_t rows_looked_at = 16;

struct AxisName {
    Axis axis;
    std::string_view name;
};

constexpr std::array<AxisName, axis_count> axis_names = {{
    {Axis::batch, "batch"},
    {Axis::head, "heads"},
    {Axis::query, "queries"},
    {Axis::key, "keys"},
    {Axis::distance, "distances"},
    {Axis::position, "positions"},
    {Axis::dimension, "dimensions"},
    {Axis::component, "components"},
}};

std::string_view name_of(Axis axis) {
    return axis_names[static_cast<std::size_t>(axis)].name;
}

Axis axis_named(const std::string& word, const std::string& file) {
    const auto* found =
        std::find_if(axis_names.begin(), axis_names.end(), [&](const AxisName& each) { return each.name == word; });
    if (found != axis_names.end()) return found->axis;
    std::vector<std::string> known;
    known.reserve(axis_names.size());
    for (const AxisName& each : axis_names) known.emplace_back(each.name);
    refuse(file, "unknown axis '" + word + "'", "", core::known_here(word, known));
}

std::vector<Axis> parse_axes(const std::string& text, const std::string& file) {
    std::vector<Axis> axes;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        const Axis axis = axis_named(word, file);
        if (std::find(axes.begin(), axes.end(), axis) != axes.end())
            refuse(file, "the axis '" + word + "' is named twice", "each axis once");
        axes.push_back(axis);
    }
    if (text.ends_with(',')) axis_named("", file);
    return axes;
}

/// Whether the scheme adds formulas to the token embeddings.
bool adds_formulas(const scheme::Scheme& scheme) {
    return scheme.embed && (scheme.embed->even || scheme.embed->odd);
}

bool is_of_rotation(Part part) {
    return part != Part::bias && part != Part::mask;
}

/// The possible last axes of a tensor with this many axes, the most specific first.
std::vector<Axis> last_axes(Part part, std::size_t rank, bool by_head) {
    if (part == Part::turn) return {Axis::position, Axis::dimension, Axis::component};
    if (is_of_rotation(part)) return {Axis::position, Axis::dimension};
    if (rank == 1) return {Axis::distance};
    if (rank == 2 && by_head) return {Axis::head, Axis::distance};
    if (rank == 2) return {Axis::query, Axis::key};
    return {Axis::head, Axis::query, Axis::key};
}

bool mentions_head(const scheme::Scheme& scheme) {
    if (!scheme.bias) return false;
    const std::vector<std::string> names = formula::free_names(scheme.bias->formula);
    return std::find(names.begin(), names.end(), "h") != names.end();
}

/// Whether the rows of a matrix may be heads. If a head is given, there must be as many from it on.
bool has_heads(const Layout& layout, const scheme::Context& given) {
    const auto rows = static_cast<double>(layout.shape.front());
    const double heads = given.heads > 0 ? given.heads : rows;
    return given.head == 0 || given.head + rows - 1 <= heads;
}

/// A scale of positions does not depend on the pair, and may be a single column.
void check_axes(const Layout& layout, const std::string& file) {
    const bool is_pairs = layout.has(Axis::query) && layout.has(Axis::key);
    const bool is_complete = is_of_rotation(layout.part) ? layout.has(Axis::position) && layout.has(Axis::dimension)
                                                         : is_pairs || layout.has(Axis::distance);
    if (is_complete) return;
    refuse(file,
           fmt::format("the axes {} of the shape {} are not those of {}", layout.text(),
                       tensor::shape_text(layout.shape), part_name(layout.part)),
           is_of_rotation(layout.part) ? "positions, dimensions" : "queries, keys or distances",
           "--axes heads,queries,keys names each axis in order");
}

Part by_scheme(const scheme::Scheme& scheme, const std::string& file) {
    if (scheme.bias) return Part::bias;
    if (scheme.rotate)
        refuse(file, "scheme '" + scheme.name + "' rotates, and the tensor's name does not say which table this is",
               "--part cos, sin, turn, scale, angle, or q or k with --input");
    if (scheme.mask) return Part::mask;
    if (adds_formulas(scheme)) return Part::embedding;
    refuse(file, "scheme '" + scheme.name + "' has no bias, mask, rotation or embedding to compare with",
           "a scheme that has one");
}

Part find_part(const tensor::Description& description, const std::string& file, const Question& question,
               const scheme::Scheme& scheme) {
    if (question.part) return *question.part;
    if (question.input) return Part::query;
    for (const std::string& name : part_names())
        if (description.name == name) return *compare::find_part(name);
    if (description.type == tensor::ElementType::boolean) return Part::mask;
    if (scheme.rotate && description.is_complex) return Part::turn;
    return by_scheme(scheme, file);
}

/// How a table of all dimensions repeats the numbers of a pair: columns of one pair have the same numbers up to the
/// sign. Some numbers may be wrong, and more in a table that is known to have all dimensions.
Columns repeated(const tensor::Tensor& tensor, const Layout& layout, bool has_all) {
    const std::size_t width = layout.extent(Axis::dimension);
    if (width % 2 != 0 || layout.axes.back() != Axis::dimension) return Columns::pairs;
    std::vector<double> x(width);
    const auto differ = [](double a, double b) {
        return std::abs(a) != std::abs(b) && !(std::isnan(a) && std::isnan(b));
    };
    std::size_t halves = 0, interleaved = 0, pairs = 0;  // how many pairs have two numbers, and the number of pairs
    for (const std::size_t row : spread(tensor.description().count() / width, rows_looked_at)) {
        tensor.read(row * width, x);
        pairs += width / 2;
        for (std::size_t pair = 0; pair < width / 2; ++pair) {
            halves += differ(x[pair], x[pair + width / 2]) ? 1 : 0;
            interleaved += differ(x[2 * pair], x[2 * pair + 1]) ? 1 : 0;
        }
    }
    // In a table with a column for each pair, nearly all of these columns differ.
    const std::size_t allowed = has_all ? pairs / 2 : pairs / 16;
    if (halves <= std::min(allowed, interleaved) || halves == 0) return Columns::halves;
    return interleaved <= allowed ? Columns::interleaved : Columns::pairs;
}

void require_pairs(const std::string& file, std::size_t width) {
    if (width % 2 != 0) refuse(file, fmt::format("rows of {} numbers", width), "an even number");
}

/// An embedding's even and odd dimensions are neighbours.
void read_embedding(const std::string& file, const scheme::Scheme& scheme, Layout& layout) {
    if (!adds_formulas(scheme))
        refuse(file, "scheme '" + scheme.name + "' adds no formula to the embedding",
               "a scheme with `embed.even` or `embed.odd`");
    const std::size_t width = layout.extent(Axis::dimension);
    require_pairs(file, width);
    layout.pairing = {Columns::interleaved, width};
    layout.head_dim = static_cast<double>(width);
}

/// Rotated vectors: the scheme determines how many of their first dimensions are rotated.
void read_vectors(const tensor::Tensor& tensor, const std::string& file, const Question& question,
                  const scheme::Rotation& rotation, Layout& layout) {
    if (!question.input) refuse(file, "rotated vectors need the vectors before the rotation", "--input FILE");
    const std::size_t width = layout.extent(Axis::dimension);
    if (width % 2 != 0 || layout.axes.back() != Axis::dimension)
        refuse(file, fmt::format("vectors of {} dimensions", width), "an even number, along the last axis");
    const std::optional<std::size_t> turned = turned_columns(rotation.fraction, width);
    if (!turned)
        refuse(file, fmt::format("a rotation of {} of {} dimensions", rotation.fraction, width),
               "a fraction that turns an even number of them");
    layout.pairing = {rotation.pairs == scheme::Pairs::halves ? Columns::halves : Columns::interleaved, *turned};
    if (question.input->description().shape != tensor.description().shape) {
        refuse(file,
               fmt::format("the shape is {}, that of the input {}", tensor::shape_text(layout.shape),
                           tensor::shape_text(question.input->description().shape)),
               "the same shape");
    }
}

void read_rotation(const tensor::Tensor& tensor, const std::string& file, const Question& question,
                   const scheme::Scheme& scheme, Layout& layout) {
    if (!scheme.rotate) refuse(file, "scheme '" + scheme.name + "' does not rotate", "a scheme with `rotate`");
    const std::size_t width = layout.extent(Axis::dimension);
    auto head_dim = static_cast<double>(width);
    if (layout.part == Part::both) {
        require_pairs(file, width);
        layout.pairing = {Columns::halves, width};
        head_dim /= scheme.rotate->fraction;
    } else if (layout.is_vector()) {
        read_vectors(tensor, file, question, *scheme.rotate, layout);
    } else {
        const bool is_complex = layout.part == Part::turn;
        // A table of half the given width has a column for each pair, whatever its numbers are.
        const double rotated = scheme.rotate->columns(layout.head_dim);
        const bool has_all = rotated == head_dim;
        layout.pairing = {is_complex || rotated == 2 * head_dim ? Columns::pairs : repeated(tensor, layout, has_all),
                          width};
        if (layout.pairing.columns == Columns::pairs) head_dim *= 2;
        head_dim /= scheme.rotate->fraction;
    }
    if (layout.head_dim != 0 && layout.head_dim != head_dim) {
        refuse(file, fmt::format("a table of {} columns belongs to heads of width {}", width, head_dim),
               fmt::format("{}, as given by --head-dim", layout.head_dim));
    }
    layout.head_dim = head_dim;
}

void read_heads(const std::string& file, const Question& question, Layout& layout) {
    const auto there = static_cast<double>(layout.extent(Axis::head));
    layout.heads = question.context.heads > 0 ? question.context.heads : there;
    layout.first_head = static_cast<std::size_t>(std::max(1.0, question.context.head));
    if (there > 1 && there != layout.heads && question.context.head == 0) {
        refuse(
            file,
            fmt::format("the shape {} read as {} has {} heads", tensor::shape_text(layout.shape), layout.text(), there),
            fmt::format("{}, as given by --heads, or --first-head N for some of them", layout.heads),
            "--axes heads,queries,keys names each axis in order");
    }
    const double last_head = static_cast<double>(layout.first_head) + there - 1;
    if (there > 1 && last_head > layout.heads)
        refuse(file, fmt::format("heads {} to {} of {}", layout.first_head, last_head, layout.heads),
               fmt::format("heads within 1 to {}", layout.heads), "--heads gives the number of heads");
    if (static_cast<double>(layout.first_head) > layout.heads)
        refuse(file, fmt::format("the head {} of {}", layout.first_head, layout.heads),
               fmt::format("a head from 1 to {}", layout.heads), "--heads gives the number of heads");
}

bool is_placed(Axis axis) {
    return axis == Axis::query || axis == Axis::key || axis == Axis::distance || axis == Axis::position;
}

/// Reads the places of numbers if they are not 0, 1, 2, ...
void read_stands(const std::string& file, const Question& question, Layout& layout) {
    for (const auto& [name, numbers] : question.at) {
        const Axis axis = axis_named(name, file);
        if (!is_placed(axis) || !layout.has(axis))
            refuse(file, fmt::format("no coordinates along '{}' in a tensor read as {}", name, layout.text()),
                   "coordinates of queries, keys, distances or positions that the tensor has");
        if (numbers.size() != layout.extent(axis))
            refuse(file, fmt::format("{} coordinates for {} {}", numbers.size(), layout.extent(axis), name), "as many");
        for (const double number : numbers)
            if (!std::isfinite(number))
                refuse(file, fmt::format("a coordinate {} along '{}'", number, name), "a number");
        layout.at[static_cast<std::size_t>(axis)] = numbers;
    }
    const bool is_half_placed = layout.stands(Axis::query).empty() != layout.stands(Axis::key).empty();
    if (is_half_placed && layout.has(Axis::query) && layout.has(Axis::key))
        refuse(file, "coordinates along only one of the axes queries and keys", "coordinates along both");
}

/// The extent of an axis: 1 + the last place.
double reach(const Layout& layout, Axis axis) {
    const std::vector<double>& stands = layout.stands(axis);
    if (stands.empty()) return layout.has(axis) ? static_cast<double>(layout.extent(axis)) : 1;
    return 1 + *std::max_element(stands.begin(), stands.end());
}

/// The queries are the last positions, unless places are given; L is the largest extent of all axes.
void read_length(const std::string& file, const Question& question, Layout& layout) {
    const std::size_t queries = layout.extent(Axis::query);
    const std::size_t keys = layout.extent(Axis::key);
    const bool is_free = layout.stands(Axis::query).empty();
    if (is_free && queries > keys && layout.has(Axis::key))
        refuse(file, fmt::format("{} queries and {} keys", queries, keys), "as many keys as queries, or more");
    layout.first_query = keys - std::min(queries, keys);
    double length = question.context.length;
    if (!(length > 0)) {
        for (const Axis axis : {Axis::query, Axis::key, Axis::distance, Axis::position})
            length = std::max(length, reach(layout, axis));
    }
    layout.length = length;
}

}  // namespace

std::vector<std::size_t> spread(std::size_t count, std::size_t most) {
    std::vector<std::size_t> chosen;
    if (count <= most) {
        chosen.resize(count);
        std::iota(chosen.begin(), chosen.end(), std::size_t{0});
        return chosen;
    }
    const std::size_t ends = std::min<std::size_t>(most / 4, 8);
    for (std::size_t at = 0; at < std::min(count, ends); ++at) {
        chosen.push_back(at);
        chosen.push_back(count - 1 - at);
    }
    const std::size_t between = most - 2 * ends;
    const std::size_t step = count / between + 1;
    for (std::size_t at = 0; at < count; at += step) chosen.push_back(at);
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    return chosen;
}

std::optional<std::size_t> turned_columns(double fraction, std::size_t width) {
    const double turned = fraction * static_cast<double>(width);
    const bool fits = turned >= 2 && turned <= static_cast<double>(width) && std::fmod(turned, 2) == 0;
    return fits ? std::optional(static_cast<std::size_t>(turned)) : std::nullopt;
}

std::size_t Layout::extent(Axis axis) const {
    const auto found = std::find(axes.begin(), axes.end(), axis);
    return found == axes.end() ? 1 : shape[static_cast<std::size_t>(found - axes.begin())];
}

bool Layout::has(Axis axis) const {
    return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

std::string Layout::text() const {
    std::string text;
    for (const Axis axis : axes) text += (text.empty() ? "" : ", ") + std::string(name_of(axis));
    return "[" + text + "]";
}

std::vector<std::size_t> Layout::index_of(std::size_t flat) const {
    std::vector<std::size_t> index(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0; flat /= shape[axis]) index[axis] = flat % shape[axis];
    return index;
}

Where where(const Layout& layout, std::size_t flat) {
    Where found;
    found.head = static_cast<double>(layout.first_head);
    for (std::size_t axis = layout.shape.size(); axis-- > 0; flat /= layout.shape[axis]) {
        const std::size_t at = flat % layout.shape[axis];
        const std::vector<double>& stands = layout.stands(layout.axes[axis]);
        const double number = stands.empty() ? static_cast<double>(at) : stands[at];
        switch (layout.axes[axis]) {
            case Axis::batch: break;
            case Axis::head: found.head = number + static_cast<double>(layout.first_head); break;
            case Axis::query:
                found.query = number + (stands.empty() ? static_cast<double>(layout.first_query) : 0);
                break;
            case Axis::key: found.key = number; break;
            case Axis::distance: found.distance = number; break;
            case Axis::position: found.position = number; break;
            case Axis::dimension: found.dimension = at; break;
            case Axis::component: found.component = at; break;
        }
    }
    return found;
}

void read_numbers(const Layout& layout, const tensor::Tensor& tensor, std::size_t first, std::span<double> result) {
    tensor.read(first, result);
    if (!layout.is_added) return;
    for (double& number : result) {
        if (number <= hidden_below)
            number = 0;
        else if (number >= 0)
            ++number;  // 1 if the key is visible; a key whose logit is raised is neither visible nor masked
    }
}

bool is_added(const tensor::Tensor& tensor) {
    const tensor::Description& description = tensor.description();
    const std::size_t count = description.count();
    std::vector<double> numbers;
    for (std::size_t first = 0; first < count; first += numbers.size()) {
        numbers.resize(std::min<std::size_t>(count - first, 1 << 16));
        tensor.read(first, numbers);
        for (const double number : numbers)
            if (number != 0) return number < 0;
    }
    return description.type == tensor::ElementType::float64 || !tensor::format_of(description.type).empty();
}

Layout read_layout(const tensor::Tensor& tensor, const std::string& name, const Question& question,
                   const scheme::Scheme& scheme) {
    const tensor::Description& description = tensor.description();
    Layout layout;
    layout.shape = description.shape;
    if (description.count() == 0)
        refuse(name, "the tensor is empty: its shape is " + tensor::shape_text(layout.shape), "numbers");
    if (layout.shape.empty()) refuse(name, "a single number", "a tensor with axes");
    layout.part = find_part(description, name, question, scheme);
    layout.head_dim = question.context.head_dim;
    if (question.axes.empty()) {
        const bool by_head = layout.part == Part::bias && mentions_head(scheme) && has_heads(layout, question.context);
        layout.axes = last_axes(layout.part, layout.shape.size(), by_head);
        while (layout.axes.size() < layout.shape.size()) layout.axes.insert(layout.axes.begin(), Axis::batch);
    } else {
        layout.axes = parse_axes(question.axes, name);
    }
    if (layout.axes.size() != layout.shape.size()) {
        refuse(name, fmt::format("a tensor of shape {} read as {}", tensor::shape_text(layout.shape), layout.text()),
               fmt::format("{} axes", layout.shape.size()), "--axes heads,queries,keys names each axis in order");
    }
    check_axes(layout, name);
    layout.is_added = layout.part == Part::mask && is_added(tensor);
    read_heads(name, question, layout);
    if (layout.part == Part::embedding)
        read_embedding(name, scheme, layout);
    else if (is_of_rotation(layout.part))
        read_rotation(tensor, name, question, scheme, layout);
    read_stands(name, question, layout);
    read_length(name, question, layout);
    return layout;
}

}  // namespace farfield::compare
