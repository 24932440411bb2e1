// Pages of doctor: findings, positions, pairs of dimensions and figures, of one configuration and of two.
#include "cli/run_program.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace run_program {

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

std::string row(const std::vector<std::string>& cells) {
    std::string text = "<tr>";
    for (const std::string& cell : cells) text += "<td>" + cell + "</td>";
    return text + "</tr>";
}

std::string soft(const std::string& text) {
    return "<span class=\"soft\">" + text + "</span>";
}

std::string number(double value) {
    return fmt::format("{:.6g}", value);
}

/// The frequency of a pair of four, without scaling.
double frequency(double base, int pair) {
    return std::pow(base, -pair / 4.0);
}

/// A row of the table of pairs: nothing is scaled.
std::string pair_row(double base, int pair, double trained, double served) {
    const double own = frequency(base, pair), period = 2 * std::numbers::pi / own;
    return row({std::to_string(pair), number(own), number(own), number(period), number(trained / period),
                number(served / period), "1"});
}

/// The first distance at which the cosines of four pairs have a negative sum.
int first_negative(double base) {
    for (int n = 1;; ++n) {
        double sum = 0;
        for (int pair = 0; pair < 4; ++pair) sum += std::cos(n * frequency(base, pair));
        if (sum < 0) return n;
    }
}

const std::string llama =
    "{\"model_type\": \"llama\", \"head_dim\": 8, \"num_hidden_layers\": 2, \"max_position_embeddings\": 64,\n"
    "\"rope_theta\": ";
const std::string gemma =
    "{\"model_type\": \"gemma3_text\", \"head_dim\": 8, \"num_hidden_layers\": 6, \"max_position_embeddings\": 4096,\n"
    "\"rope_theta\": 1000000.0,\n\"rope_local_base_freq\": 10000.0, \"sliding_window\": 512, "
    "\"sliding_window_pattern\": 6}";

/// The page that the words ask for; "" where gnuplot, which draws the figures, is missing.
std::string page_of(const Folder& folder, std::vector<std::string> words) {
    words.insert(words.begin(), "doctor");
    words.emplace_back("--html");
    const Done done = folder.farfield(words);
    return contains(done.error, "gnuplot") ? "" : done.output;
}

}  // namespace

TEST_CASE("a page of doctor names each finding with its severity, its line and its fix") {
    const Folder folder;
    folder.write("bad.json", llama + "\"10000\"}");
    const std::string page = page_of(folder, {"bad.json", "--served", "128"});
    if (page.empty()) return;
    CHECK(contains(page, "<h1>farfield doctor: bad.json</h1>"));
    CHECK(contains(page, "<p class=\"soft\">llama: trained 64, served 128 tokens; fp32, recipe hf</p>"));
    CHECK(contains(page,
                   "<tr><td><span class=\"badge refuted\">error</span></td><td>2</td><td>&#39;rope_theta&#39; is "));
    CHECK(contains(page, soft("[wrong-type]") + "<br>" + soft("Fix: write a number") + "</td></tr>"));
    CHECK(contains(page,
                   "<tr><td><span class=\"badge undecided\">warning</span></td><td>1</td><td>128 tokens are served"));
    CHECK(contains(page, "<tr><td><span class=\"badge skipped\">note</span></td><td></td><td>"));
    CHECK_FALSE(contains(page, "No findings."));
}

TEST_CASE("a page of doctor has the positions and the pairs of each type of layer") {
    const Folder folder;
    folder.write("gemma.json", gemma);
    const std::string page = page_of(folder, {"gemma.json", "--served", "8192"});
    if (page.empty()) return;
    const std::string full = page.substr(page.find("<h3>full_attention</h3>"));
    const std::size_t second = full.find("<h3>sliding_attention</h3>");
    REQUIRE(second != std::string::npos);
    const std::string sliding = full.substr(second), whole = full.substr(0, second);
    for (const auto& [section, base, from] :
         {std::tuple(whole, 1e6, "rope_theta, line 2"), std::tuple(sliding, 1e4, "rope_local_base_freq, line 3")}) {
        CAPTURE(base);
        CHECK(contains(section, row({"scheme", "<code>rotary</code>"})));
        CHECK(contains(section, row({"angle", fmt::format("<code>p*{:.0f}^(-2*i/d)</code>", base)})));
        CHECK(contains(section, row({"base", number(base) + " " + soft(from)})));
        CHECK(contains(section, row({"rotated", "8 of 8 dimensions, halves"})));
        CHECK(contains(section, row({"attention factor", "1"})));
        CHECK(contains(section,
                       row({"first negative sum of cosines", fmt::format("distance {}", first_negative(base))})));
        CHECK(count_of(page, pair_row(base, 1, 4096, 8192)) == 1);
        CHECK(count_of(page, pair_row(base, 3, 4096, 8192)) == 1);
    }
    CHECK(count_of(page, pair_row(1, 0, 4096, 8192)) == 2);
    CHECK_FALSE(contains(whole, "<td>window</td>"));
    CHECK(contains(sliding, row({"window", "512"})));
    CHECK(contains(whole, "distances below 8192</td>"));
    CHECK(contains(sliding, "distances below 512</td>"));
    CHECK(count_of(page, "<figcaption>Frequencies before and after scaling.") == 2);
    CHECK(count_of(page, "<figcaption>Logits of equal queries and keys by distance, as declared.") == 2);
    // The label of an axis of each figure, which is no curve; the logits of the window end before distance 1000.
    CHECK(count_of(page, "<text>pair of dimensions</text>") == 2);
    CHECK(count_of(page, "<text>10²</text>") == 2);
    CHECK(count_of(page, "<text>10³</text>") == 1);
    for (const char* title : {"Frequency of each pair (full_attention)", "Frequency of each pair (sliding_attention)",
                              "Logit of an equal query and key (full_attention)",
                              "Logit of an equal query and key (sliding_attention)", "before scaling", "after scaling"})
        CHECK(contains(page, std::string("<text>") + title));
}

TEST_CASE("a page of two configurations has what differs, and the curves of both") {
    const Folder folder;
    folder.write("one.json", llama + "10000.0}");
    folder.write("two.json", llama + "500000.0}");
    const std::string page = page_of(folder, {"one.json", "two.json"});
    if (page.empty()) return;
    CHECK(contains(page, "<h1>farfield doctor: one.json and two.json</h1>"));
    CHECK(contains(page, "<tbody>" + row({"", "base", "10000", "500000"}) + "\n</tbody>"));
    // A logit by |q||k|/sqrt(d) is the mean of the cosines of the four pairs.
    double largest = 0;
    int place = 0;
    for (int n = 0; n < 64; ++n) {
        double difference = 0;
        for (int pair = 0; pair < 4; ++pair)
            difference += (std::cos(n * frequency(1e4, pair)) - std::cos(n * frequency(5e5, pair))) / 4;
        if (std::abs(difference) > std::abs(largest)) largest = difference, place = n;
    }
    CHECK(contains(page,
                   fmt::format("differ by up to {:.3g} |q||k|/sqrt(d), at distance {}.", std::abs(largest), place)));
    REQUIRE(count_of(page, "<figure>") == 2);
    CHECK(contains(page.substr(page.rfind("<figure>")), "<text>1</text>"));  // distance 0, plus 1
    for (const char* label : {"A: one.json", "B: two.json", "Logits: A less B", "Frequency of each pair"})
        CHECK(contains(page, std::string("<text>") + label + "</text>"));
    const std::string thousand =
        replaced(llama, "\"max_position_embeddings\": 64", "\"max_position_embeddings\": 1000");
    folder.write("long.json", thousand + "10000.0}");
    folder.write("other.json", thousand + "500000.0}");
    const std::string to_thousand = page_of(folder, {"long.json", "other.json"});
    CHECK(contains(to_thousand.substr(to_thousand.rfind("<figure>")), "<text>10³</text>"));  // distance 999, plus 1
    folder.write("again.json", folder.read("one.json"));
    const std::string same = page_of(folder, {"one.json", "again.json"});
    CHECK(contains(same, "<p>The same positions.</p>"));
    CHECK_FALSE(contains(same, "<th scope=\"col\">Layer type</th>"));
}

TEST_CASE("a comparison of configurations with errors does not say that they are the same") {
    const Folder folder;
    const std::string wrong =
        "{\"rope_theta\": 0, \"max_position_embeddings\": -5, \"num_attention_heads\": 7, \"hidden_size\": 10, "
        "\"model_type\": \"llama\", \"rope_scaling\": {\"type\": \"linear\", \"factor\": 0.0}}";
    for (const char* name : {"a.json", "b.json"}) folder.write(name, "{}");
    for (const char* name : {"c.json", "d.json"}) folder.write(name, wrong);
    folder.write("llama.json", llama + "10000.0}");
    const Done empty = folder.farfield({"doctor", "a.json", "b.json"});
    CHECK(empty.status == 1);
    CHECK(empty.output ==
          "a.json and b.json: undecided whether the positions are the same\n"
          "  a.json has 1 error; run farfield doctor a.json\n"
          "  b.json has 1 error; run farfield doctor b.json\n");
    const Done json = folder.farfield({"doctor", "a.json", "b.json", "--json"});
    CHECK(json.status == 1);
    CHECK(contains(json.output, "\"file\": \"a.json\",\n   \"errors\": 1"));
    const Done errors = folder.farfield({"doctor", "c.json", "d.json"});
    CHECK(errors.status == 1);
    CHECK_FALSE(contains(errors.output, "the same positions"));
    CHECK(contains(errors.output, " errors; run farfield doctor d.json\n"));
    const Done one = folder.farfield({"doctor", "llama.json", "a.json"});
    CHECK(one.status == 1);
    CHECK(contains(one.output, "llama.json and a.json differ\n  a.json has 1 error; "));
    const std::string page = page_of(folder, {"a.json", "b.json"});
    if (page.empty()) return;
    CHECK(contains(page, "<p>a.json has 1 error; run farfield doctor a.json.</p>"));
    CHECK_FALSE(contains(page, "The same positions."));
}

TEST_CASE("a figure of doctor has at least two points, and compares only rotations") {
    const Folder folder;
    const std::string one = llama + "10000.0}";
    for (const int pairs : {1, 2}) {
        CAPTURE(pairs);
        folder.write("small.json", replaced(one, "\"head_dim\": 8", fmt::format("\"head_dim\": {}", 2 * pairs)));
        const std::string page = page_of(folder, {"small.json"});
        if (page.empty()) return;
        CHECK(count_of(page, "<figcaption>Frequencies before and after scaling.") == (pairs < 2 ? 0 : 1));
    }
    folder.write("llama.json", one);
    folder.write("gemma.json", gemma);
    folder.write("bloom.json",
                 "{\"model_type\": \"bloom\", \"hidden_size\": 64, \"n_head\": 4, \"n_layer\": 2, \"seq_length\": 64}");
    // None of these pairs has a type of layers that rotates in both.
    for (const auto& [a, b] : {std::pair("llama.json", "bloom.json"), std::pair("bloom.json", "llama.json"),
                               std::pair("llama.json", "gemma.json"), std::pair("gemma.json", "llama.json")}) {
        CAPTURE(a, b);
        const std::string page = page_of(folder, {a, b});
        CHECK(contains(page, fmt::format("<h1>farfield doctor: {} and {}</h1>", a, b)));
        CHECK_FALSE(contains(page, "<figure>"));
    }
}

TEST_CASE("figures of doctor end at 4096 tokens if neither the file nor its model type states a length") {
    const Folder folder;
    const std::string start = "{\"model_type\": \"unknown\", \"head_dim\": 8, \"rope_theta\": 10000.0";
    folder.write("without.json", start + "}");
    const std::string without = page_of(folder, {"without.json"});
    if (without.empty()) return;
    const auto logits = [](const std::string& page) {
        const std::size_t begin = page.rfind("<svg");
        REQUIRE(begin != std::string::npos);
        return page.substr(begin, page.find("</svg>", begin) - begin);
    };
    for (const int length : {4095, 4096, 4097}) {
        CAPTURE(length);
        folder.write("with.json", fmt::format("{}, \"max_position_embeddings\": {}}}", start, length));
        CHECK((logits(page_of(folder, {"with.json"})) == logits(without)) == (length == 4096));
    }
}

}  // namespace run_program
