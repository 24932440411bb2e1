// How a tensor's axes, heads, places and columns are read, and what is refused: shapes alone, no numbers are compared.
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <numeric>

#include <farfield/compare/compare.hpp>
#include <farfield/compare/laws.hpp>
#include <farfield/core/diagnostic.hpp>

#include "compare/layout.hpp"
#include "compare/schemes.hpp"
#include "support/folder.hpp"

namespace farfield::compare {
namespace {

using Shape = std::vector<std::size_t>;
using Names = std::vector<std::string>;
using tests::Folder;

/// A .npy file of float64 (or, `descr` '|b1', of booleans) whose numbers are given or 0, 1, 2, ...
tensor::Tensor tensor_of(const Folder& folder, const Shape& shape, std::vector<double> numbers = {},
                         const std::string& descr = "<f8") {
    std::size_t count = 1;
    std::string extents;
    for (const std::size_t extent : shape) {
        count *= extent;
        extents += std::to_string(extent) + ",";
    }
    if (numbers.empty()) {
        numbers.resize(count);
        std::iota(numbers.begin(), numbers.end(), 0.0);
    }
    std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + extents + "), }";
    header.append(63 - (10 + header.size()) % 64, ' ').append("\n");
    std::string bytes = "\x93NUMPY\x01";
    bytes += '\0';
    bytes += static_cast<char>(header.size() & 0xFF);
    bytes += static_cast<char>(header.size() >> 8);
    bytes += header;
    for (const double number : numbers) {
        if (descr == "|b1")
            bytes += number != 0 ? '\1' : '\0';
        else
            bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
        if (descr == "<c16") bytes.append(sizeof number, '\0');
    }
    folder.write("t.npy", bytes);
    return tensor::open_tensor(folder.path("t.npy"), "");
}

struct Asked {
    std::string scheme = "alibi";
    Shape shape;
    std::string part = {};
    std::string axes = {};
    scheme::Context context = {.head = 0, .heads = 0, .head_dim = 0};
    std::vector<std::pair<std::string, std::vector<double>>> at = {};
    std::string descr = "<f8";
};

Layout layout_of(const Asked& asked) {
    const Folder folder;
    static const scheme::Registry schemes = with_partial_rotation("0.5");
    Question question;
    question.scheme = asked.scheme;
    if (!asked.part.empty()) question.part = find_part(asked.part);
    question.axes = asked.axes;
    question.context = asked.context;
    question.at = asked.at;
    return read_layout(tensor_of(folder, asked.shape, {}, asked.descr), "t.npy", question, *schemes.find(asked.scheme));
}

/// "found; wanted; hint" of what is refused; else how the tensor is read.
std::string read(const Asked& asked) {
    try {
        return layout_of(asked).text();
    } catch (const core::UserError& error) {
        const core::Diagnostic& each = error.diagnostics().at(0);
        return each.found + "; " + each.wanted + (each.hint.empty() ? "" : "; " + each.hint);
    }
}

}  // namespace

TEST_CASE("axes are found by the shape, the part and the scheme, unless they are named") {
    CHECK(read({.shape = {5}}) == "[distances]");
    CHECK(read({.shape = {2, 5}}) == "[heads, distances]");  // the bias has a head
    CHECK(read({.scheme = "kerple-log", .shape = {4, 5}}) == "[queries, keys]");
    CHECK(read({.shape = {2, 4, 5}}) == "[heads, queries, keys]");
    CHECK(read({.shape = {1, 2, 4, 5}}) == "[batch, heads, queries, keys]");
    CHECK(read({.scheme = "rotary", .shape = {5, 4}, .part = "cos"}) == "[positions, dimensions]");
    CHECK(read({.scheme = "rotary", .shape = {1, 5, 4}, .part = "sin"}) == "[batch, positions, dimensions]");
    CHECK(read({.scheme = "sinusoidal", .shape = {5, 4}}) == "[positions, dimensions]");
    CHECK(read({.scheme = "windowed", .shape = {4, 5}, .descr = "|b1"}) == "[queries, keys]");
    CHECK(read({.shape = {4, 5}, .axes = "queries,keys"}) == "[queries, keys]");
    CHECK(read({.shape = {5, 4, 2}, .axes = "keys,queries,heads"}) == "[keys, queries, heads]");
    CHECK(read({.shape = {5, 4}, .axes = "queris,keys"}).starts_with("unknown axis 'queris'; "));
    CHECK(read({.shape = {5, 4}, .axes = "queries,queries"}).starts_with("the axis 'queries' is named twice; "));
    CHECK(
        read({.shape = {5, 4}, .axes = "queries,keys,heads"}) ==
        "a tensor of shape [5, 4] read as [queries, keys, heads]; 2 axes; --axes heads,queries,keys names each axis in "
        "order");
    CHECK(read({.shape = {5, 4}, .axes = "heads,keys"}) ==
          "the axes [heads, keys] of the shape [5, 4] are not those of bias; queries, keys or distances; --axes "
          "heads,queries,keys names each axis in order");
    CHECK(read({.scheme = "rotary", .shape = {5, 4}, .part = "cos", .axes = "positions,keys"}) ==
          "the axes [positions, keys] of the shape [5, 4] are not those of cos; positions, dimensions; --axes "
          "heads,queries,keys names each axis in order");
    CHECK(read({.shape = {}}) == "a single number; a tensor with axes");
    CHECK(read({.shape = {0, 3}}) == "the tensor is empty: its shape is [0, 3]; numbers");
}

TEST_CASE("the content of a tensor is found by the question, its type or the scheme") {
    CHECK(layout_of({.shape = {5}}).part == Part::bias);
    CHECK(layout_of({.scheme = "windowed", .shape = {4, 5}}).part == Part::mask);
    CHECK(layout_of({.shape = {4, 5}, .descr = "|b1"}).part == Part::mask);
    CHECK(layout_of({.scheme = "sinusoidal", .shape = {5, 4}}).part == Part::embedding);
    CHECK(layout_of({.scheme = "rotary", .shape = {5, 4}, .descr = "<c16"}).part == Part::turn);
    CHECK(read({.scheme = "rotary", .shape = {5, 4}}) ==
          "scheme 'rotary' rotates, and the tensor's name does not say which table this is; --part cos, sin, turn, "
          "scale, "
          "angle, or q or k with --input");
    CHECK(read({.scheme = "nope", .shape = {5, 4}}) ==
          "scheme 'nope' has no bias, mask, rotation or embedding to compare with; a scheme that has one");
    CHECK(read({.shape = {5, 4}, .part = "cos"}) == "scheme 'alibi' does not rotate; a scheme with `rotate`");
    CHECK(read({.shape = {5, 4}, .part = "embed"}) ==
          "scheme 'alibi' adds no formula to the embedding; a scheme with `embed.even` or `embed.odd`");
    CHECK(read({.scheme = "sinusoidal", .shape = {5, 3}}) == "rows of 3 numbers; an even number");
    CHECK(read({.scheme = "rotary", .shape = {5, 3}, .part = "cos-sin"}) == "rows of 3 numbers; an even number");
    CHECK(read({.scheme = "rotary", .shape = {5, 4}, .part = "q"}) ==
          "rotated vectors need the vectors before the rotation; --input FILE");
}

TEST_CASE("vectors have the same shape before and after the rotation, with pairs along the last axis") {
    const Folder folder, other;
    static const scheme::Registry schemes = with_partial_rotation("0.5");
    const auto vectors = [&](const std::string& scheme, const Shape& shape, const Shape& input,
                             const std::string& axes = {}) -> std::string {
        Question question;
        question.scheme = scheme;
        question.axes = axes;
        question.input = tensor_of(other, input);
        try {
            const Layout layout = read_layout(tensor_of(folder, shape), "t.npy", question, *schemes.find(scheme));
            CHECK(layout.part == Part::query);
            return layout.text() + " " + std::to_string(layout.pairing.turned);
        } catch (const core::UserError& error) {
            return error.diagnostics().at(0).found + "; " + error.diagnostics().at(0).wanted;
        }
    };
    CHECK(vectors("rotary", {5, 4}, {5, 4}) == "[positions, dimensions] 4");
    CHECK(vectors("partial", {5, 4}, {5, 4}) == "[positions, dimensions] 2");
    CHECK(vectors("partial", {5, 8}, {5, 8}) == "[positions, dimensions] 4");
    CHECK(vectors("rotary", {5, 3}, {5, 3}) == "vectors of 3 dimensions; an even number, along the last axis");
    CHECK(vectors("rotary", {4, 5}, {4, 5}, "dimensions,positions") ==
          "vectors of 4 dimensions; an even number, along the last axis");
    CHECK(vectors("partial", {5, 6}, {5, 6}) ==
          "a rotation of 0.5 of 6 dimensions; a fraction that turns an even number of them");
    CHECK(vectors("rotary", {5, 4}, {4, 5}) == "the shape is [5, 4], that of the input [4, 5]; the same shape");
    CHECK(turned_columns(0.5, 4) == 2);
    CHECK(turned_columns(1, 2) == 2);
    CHECK_FALSE(turned_columns(0.25, 4));
    CHECK_FALSE(turned_columns(0, 4));
    CHECK_FALSE(turned_columns(1.5, 4));
    CHECK_FALSE(turned_columns(0.75, 4));
}

TEST_CASE("the heads are those of the tensor, unless it has only some of the heads") {
    const auto heads = [](double count, double first, const Shape& shape, const std::string& axes = {}) {
        return read({.shape = shape, .axes = axes, .context = {.head = first, .heads = count, .head_dim = 0}});
    };
    const std::string axes = "[heads, queries, keys]", hint = "; --heads gives the number of heads";
    CHECK(heads(0, 0, {2, 4, 5}) == axes);
    CHECK(heads(2, 0, {2, 4, 5}) == axes);
    CHECK(heads(8, 3, {2, 4, 5}) == axes);
    CHECK(heads(8, 7, {2, 4, 5}) == axes);
    CHECK(heads(8, 8, {2, 4, 5}) == "heads 8 to 9 of 8; heads within 1 to 8" + hint);
    CHECK(
        heads(8, 0, {2, 4, 5}) ==
        "the shape [2, 4, 5] read as [heads, queries, keys] has 2 heads; 8, as given by --heads, or --first-head N for "
        "some "
        "of them; --axes heads,queries,keys names each axis in order");
    CHECK(heads(8, 9, {4, 5}, "queries,keys") == "the head 9 of 8; a head from 1 to 8" + hint);
    CHECK(heads(8, 8, {4, 5}, "queries,keys") == "[queries, keys]");
    CHECK(heads(8, 0, {1, 4, 5}) == axes);
    const Layout some = layout_of({.shape = {2, 4, 5}, .context = {.head = 3, .heads = 8, .head_dim = 0}});
    CHECK(some.heads == 8);
    CHECK(some.first_head == 3);
    CHECK(layout_of({.shape = {2, 4, 5}}).heads == 2);
    CHECK(layout_of({.shape = {2, 4, 5}}).first_head == 1);
    CHECK(layout_of({.shape = {4, 5}, .axes = "queries,keys"}).heads == 1);
}

TEST_CASE("a table's width is that of its columns, twice where a pair has one, and of the fraction") {
    const auto width = [](const std::string& scheme, const Shape& shape, const std::string& part, double stated = 0,
                          const std::string& descr = "<f8") {
        try {
            return std::to_string(layout_of({.scheme = scheme,
                                             .shape = shape,
                                             .part = part,
                                             .context = {.head = 0, .heads = 0, .head_dim = stated},
                                             .descr = descr})
                                      .head_dim);
        } catch (const core::UserError& error) {
            return error.diagnostics().at(0).found + "; " + error.diagnostics().at(0).wanted;
        }
    };
    // 0, 1, 2, ...: no two columns are alike, so each is a pair's.
    CHECK(width("rotary", {5, 4}, "cos") == "8.000000");
    CHECK(width("rotary", {5, 4}, "turn", 0, "<c16") == "8.000000");
    CHECK(width("partial", {5, 4}, "cos") == "16.000000");
    CHECK(width("rotary", {5, 4}, "cos-sin") == "4.000000");
    CHECK(width("partial", {5, 4}, "cos-sin") == "8.000000");
    CHECK(width("sinusoidal", {5, 4}, "embed") == "4.000000");
    CHECK(width("rotary", {5, 4}, "cos", 8) == "8.000000");
    CHECK(width("rotary", {5, 4}, "cos", 4) ==
          "a table of 4 columns belongs to heads of width 8; 4, as given by --head-dim");
    const Folder folder;
    const auto columns = [&](const std::vector<double>& numbers, double stated = 0) {
        Question question;
        question.context.head_dim = stated;
        question.scheme = "rotary";
        question.part = Part::cosine;
        const Layout layout = read_layout(tensor_of(folder, {2, 4}, numbers), "t.npy", question,
                                          *scheme::Registry::builtin().find("rotary"));
        return std::pair(layout.pairing.columns, layout.head_dim);
    };
    CHECK(columns({1, 2, 1, 2, 3, 4, 3, 4}) == std::pair(Columns::halves, 4.0));
    CHECK(columns({1, 2, -1, -2, 3, 4, 3, -4}) == std::pair(Columns::halves, 4.0));
    CHECK(columns({1, 1, 2, 2, 3, 3, 4, -4}) == std::pair(Columns::interleaved, 4.0));
    CHECK(columns({1, 2, 1, 2, 3, 3, 4, 4}) == std::pair(Columns::pairs, 8.0));
    CHECK(columns({1, 1, 1, 1, 2, 2, 2, 2}) == std::pair(Columns::halves, 4.0));
    // A table of all dimensions, as the stated width says, in which one or two numbers of eight are wrong.
    CHECK(columns({1, 2, 1, 2, 3, 4, 3, 5}, 4) == std::pair(Columns::halves, 4.0));
    CHECK(columns({1, 2, 1, 2, 3, 4, 6, 5}, 4) == std::pair(Columns::halves, 4.0));
    CHECK(columns({1, 1, 2, 2, 3, 3, 4, 5}, 4) == std::pair(Columns::interleaved, 4.0));
    CHECK(columns({1, 1, 2, 3, 3, 3, 4, 5}, 4) == std::pair(Columns::interleaved, 4.0));
    CHECK(columns({1, 2, 1, 2, 3, 4, 3, 5}) == std::pair(Columns::pairs, 8.0));
    CHECK_THROWS_AS(columns({1, 2, 1, 5, 3, 4, 6, 7}, 4), core::UserError);
}

TEST_CASE("there are as many places as numbers along the axis, for both queries and keys") {
    const auto placed = [](const std::vector<std::pair<std::string, std::vector<double>>>& at,
                           const Shape& shape = {2, 3}) {
        return read({.shape = shape, .axes = shape.size() == 1 ? "" : "queries,keys", .at = at});
    };
    CHECK(placed({{"queries", {7, 9}}, {"keys", {0, 5, 9}}}) == "[queries, keys]");
    CHECK(placed({{"distances", {0, 1, 9}}}, {3}) == "[distances]");
    CHECK(placed({{"distances", {0, 1, 9}}}) ==
          "no coordinates along 'distances' in a tensor read as [queries, keys]; coordinates of queries, keys, "
          "distances or "
          "positions "
          "that the tensor has");
    CHECK(placed({{"heads", {1}}}).starts_with("no coordinates along 'heads' in a tensor read as [queries, keys]; "));
    CHECK(placed({{"queries", {7, 9}}}) ==
          "coordinates along only one of the axes queries and keys; coordinates along both");
    CHECK(placed({{"keys", {7, 8, 9}}}) ==
          "coordinates along only one of the axes queries and keys; coordinates along both");
    CHECK(placed({{"queries", {7}}, {"keys", {0, 5, 9}}}) == "1 coordinates for 2 queries; as many");
    CHECK(placed({{"queries", {7, INFINITY}}, {"keys", {0, 5, 9}}}) == "a coordinate inf along 'queries'; a number");
    CHECK(placed({{"keys", {0, 5, NAN}}, {"queries", {7, 8}}}) == "a coordinate nan along 'keys'; a number");
    CHECK(read({.shape = {4, 3}, .axes = "queries,keys"}) == "4 queries and 3 keys; as many keys as queries, or more");
    CHECK(read({.shape = {3, 3}, .axes = "queries,keys"}) == "[queries, keys]");
    const Layout free = layout_of({.shape = {2, 5}, .axes = "queries,keys"});
    CHECK(free.first_query == 3);  // the last positions
    CHECK(free.length == 5);
    const Layout far =
        layout_of({.shape = {2, 3}, .axes = "queries,keys", .at = {{"queries", {7, 90}}, {"keys", {0, 50, 9}}}});
    CHECK(far.length == 91);
    CHECK(layout_of({.shape = {4}, .at = {{"distances", {0, 3, 8, 2}}}}).length == 9);
    CHECK(layout_of({.shape = {4}, .context = {.head = 0, .heads = 0, .head_dim = 0, .length = 77}}).length == 77);
}

TEST_CASE("the index of a number gives its place") {
    const Layout layout = layout_of({.shape = {2, 3, 4}, .context = {.head = 5, .heads = 8, .head_dim = 0}});
    for (std::size_t flat = 0; flat < 24; ++flat) {
        const Where found = where(layout, flat);
        CHECK(found.head == 5 + static_cast<double>(flat / 12));
        CHECK(found.query == 1 + static_cast<double>(flat / 4 % 3));  // three queries at 1, 2, 3
        CHECK(found.key == static_cast<double>(flat % 4));
        CHECK(layout.index_of(flat) == Shape{flat / 12, flat / 4 % 3, flat % 4});
    }
    const Layout placed = layout_of({.shape = {3}, .at = {{"distances", {4, 9, 2}}}});
    CHECK(where(placed, 1).distance == 9);
    CHECK(where(layout_of({.scheme = "rotary", .shape = {3, 4}, .part = "cos"}), 6).position == 1);
    CHECK(where(layout_of({.scheme = "rotary", .shape = {3, 4}, .part = "cos"}), 6).dimension == 2);
}

TEST_CASE("all of a few rows are examined, and of many rows both ends and some between") {
    for (std::size_t count = 0; count <= 16; ++count) {
        Shape all(count);
        std::iota(all.begin(), all.end(), std::size_t{0});
        CHECK(spread(count, 16) == all);
    }
    for (const std::size_t most : {8, 16, 40, 64}) {
        for (const std::size_t count : {most + 1, 2 * most, 10 * most + 3}) {
            const Shape chosen = spread(count, most);
            CHECK(chosen.size() <= most);
            CHECK(chosen.size() >= most / 2);
            CHECK(std::is_sorted(chosen.begin(), chosen.end()));
            CHECK(std::adjacent_find(chosen.begin(), chosen.end()) == chosen.end());
            // At least half are even between the ends.
            for (std::size_t at = 1; at < chosen.size(); ++at)
                CHECK(chosen[at] - chosen[at - 1] <= 1 + count / (most / 2));
            const std::size_t ends = std::min<std::size_t>(most / 4, 8);
            for (std::size_t at = 0; at < ends; ++at) {
                CHECK(std::binary_search(chosen.begin(), chosen.end(), at));
                CHECK(std::binary_search(chosen.begin(), chosen.end(), count - 1 - at));
            }
        }
    }
}

TEST_CASE("laws apply to tables of queries and keys, or to one table of positions") {
    const Folder folder;
    const auto of = [&](const Shape& shape, const std::string& descr = "<f8") -> std::string {
        try {
            laws(tensor_of(folder, shape, {}, descr), "t.npy");
        } catch (const core::UserError& error) {
            return error.diagnostics().at(0).found + "; " + error.diagnostics().at(0).wanted;
        }
        return "";
    };
    CHECK(of({3, 3}).empty());
    CHECK(of({2, 3}).empty());
    CHECK(of({4, 3}) == "4 queries and 3 keys; as many keys as queries, or more");
    CHECK(of({3}) == "a tensor of shape [3]; a bias or mask [..., queries, keys]");
    CHECK(of({3, 3}, "<c16") == "a tensor of shape [3, 3, 2]; a bias or mask [..., queries, keys]");
    CHECK(of({0, 3}) == "the tensor is empty: its shape is [0, 3]; numbers");
    const auto rotation = [&](const Shape& shape, Part part, const std::string& descr = "<f8") -> std::string {
        try {
            rotation_laws(tensor_of(folder, shape, {}, descr), "t.npy", part);
        } catch (const core::UserError& error) {
            return error.diagnostics().at(0).found + "; " + error.diagnostics().at(0).wanted;
        }
        return "";
    };
    CHECK(rotation({3, 4}, Part::cosine).empty());
    CHECK(rotation({1, 3, 4}, Part::sine).empty());
    CHECK(rotation({2, 4}, Part::cosine) == "a table of 2 positions; three at least");
    CHECK(rotation({2, 3, 4}, Part::cosine) == "a tensor of shape [2, 3, 4]; one table [positions, dimensions]");
    CHECK(rotation({3}, Part::cosine) == "a tensor of shape [3]; one table [positions, dimensions]");
    const std::string wanted = "; cos or sin of real numbers, turn of complex ones";
    CHECK(rotation({3, 4}, Part::turn) == "no laws of 'turn' for this tensor" + wanted);
    CHECK(rotation({3, 4}, Part::cosine, "<c16") == "no laws of 'cos' for this tensor" + wanted);
    CHECK(rotation({3, 4}, Part::turn, "<c16").empty());
    CHECK(rotation({3, 4}, Part::bias) == "no laws of 'bias' for this tensor" + wanted);
}

}  // namespace farfield::compare
