// Formulas and schemes on the command line, and files of other programs.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "cli/run_program.hpp"

using run_program::Done;
using run_program::Folder;
using run_program::lines_of;

namespace {

using Words = std::vector<std::string>;

Done answer_to_formula(const Words& words) {
    Words all = {"eval"};
    all.insert(all.end(), words.begin(), words.end());
    return Folder().farfield(all);
}

bool contains(const std::string& whole, const std::string& part) {
    return whole.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("eval prints numbers of each number system, at points that are decimals") {
    struct Row {
        Words words;
        std::string output;
    };
    const std::vector<Row> rows = {
        {{"0.1", "--in", "float"}, "0.1\n"},
        {{"2^24 + 1", "--in", "float"}, "16777216\n"},
        {{"-inf", "--in", "float"}, "-inf\n"},
        {{"0/0", "--in", "float"}, "nan\n"},
        {{"-1/0"}, "-inf\n"},
        {{"2 < 1"}, "false\n"},
        {{"2 < 1", "--in", "interval"}, "false\n"},
        {{"1 < 2", "--in", "interval"}, "true\n"},
        // What intervals leave open is decided exactly where it can be: by algebra and by rational numbers.
        {{"sin(1)^2 + cos(1)^2 == 1", "--in", "interval"}, "true\n"},
        {{"10*n == 3", "--over", "n=0.1:0.3:0.1", "--in", "interval"}, "n,value\n0.1,false\n0.2,false\n0.3,true\n"},
        {{"n/10 == 0.3", "--over", "n=2:3", "--in", "interval"}, "n,value\n2,false\n3,true\n"},
        {{"n/10 == 0.3", "--over", "n=3:4", "--in", "interval"}, "n,value\n3,true\n4,false\n"},
        {{"1/0 == 1/0", "--in", "interval"}, "unknown\n"},
        // The number of an integral is printed, not its enclosure, which decides a comparison with it.
        {{"integral(x, 0, 1, x)"}, "0.5\n"},
        {{"integral(x, 0, 1, x) < 1"}, "true\n"},
        {{"n > 1", "--over", "n=0:2", "--in", "mp20"}, "n,value\n0,false\n1,false\n2,true\n"},
        {{"n", "--over", "n=1:2", "--in", "interval"}, "n,lo,hi\n1,1,1\n2,2,2\n"},
        {{"n > 1", "--over", "n=1:2", "--in", "interval"}, "n,value\n1,false\n2,true\n"},
        {{"n < 0.25", "--over", "n=0.1:0.3:0.1", "--in", "interval"}, "n,value\n0.1,true\n0.2,true\n0.3,false\n"},
        {{"n", "--over", "n=0.5:-0.5:-0.5"}, "n,value\n0.5,0.5\n0,0\n-0.5,-0.5\n"},
        {{"n", "--over", "n=2:2"}, "n,value\n2,2\n"},
        {{"n", "--over", "n=0:1:0.4"}, "n,value\n0,0\n0.4,0.4\n0.8,0.8\n"},
        {{"x^2", "--d", "x", "--over", "x=0:2"}, "x,value\n0,0\n1,2\n2,4\n"},
        {{"a*b + c", "--let", "a=2", "--let", "b=a^2", "--let", "c=b - a"}, "10\n"},
    };
    for (const Row& row : rows) {
        const Done done = answer_to_formula(row.words);
        INFO(row.words.front() << ": " << done.error);
        CHECK(done.status == 0);
        CHECK(done.output == row.output);
    }
    // The place of a mistake is its line and column in the formula.
    CHECK(answer_to_formula({"1 +* 2"}).error.starts_with("1:4: '*' does not belong here"));
    // More points than are computed at once, each once and in order.
    const Words many = lines_of(answer_to_formula({"n", "--over", "n=0:70000"}).output);
    REQUIRE(many.size() == 70002);
    for (std::size_t i = 1; i < many.size(); ++i)
        if (many[i] != std::to_string(i - 1) + "," + std::to_string(i - 1)) FAIL(many[i]);
    const Words decimals =
        lines_of(answer_to_formula({"n < 25.55", "--over", "n=0:30:0.1", "--in", "interval"}).output);
    REQUIRE(decimals.size() == 302);
    CHECK(decimals[257] == "25.6,false");
    CHECK(decimals[256] == "25.5,true");
}

TEST_CASE("eval refuses what is no formula, range or value, with what is wrong") {
    struct Row {
        Words words;
        std::string error;
    };
    const std::vector<Row> rows = {
        {{"n", "--over", "n"}, "this is not a range"},
        {{"n", "--over", "n=1"}, "this is not a range"},
        {{"n", "--over", "n=1:2:3:4"}, "this is not a range"},
        {{"n", "--over", "n=1:x"}, "'x' is not a number"},
        {{"n", "--over", "2n=1:2"}, "this is not a range"},
        {{"n", "--over", "n=1:2:0"}, "the range is empty"},
        {{"n", "--over", "n=1:2:-1"}, "the range is empty"},
        {{"n", "--over", "n=2:1"}, "the range is empty"},
        {{"n", "--over", "n=0:1000000000000"}, "the range has 1000000000001 values"},
        {{"pi", "--over", "pi=0:1"}, "'pi' is "},
        {{"n", "--let", "n=1", "--let", "n=2"}, "--let gives 'n' two values"},
        {{"n", "--let", "n=1", "--over", "n=0:1"}, "'n' has a value here and a range in --over"},
        {{"n", "--let", "n=1", "--let", "m=2"}, "'m' is unused"},
        {{"n", "--let", "n=m", "--let", "m=2"}, "unknown name 'm'"},
        {{"n", "--let", "n=1 < 2"}, "condition"},
        {{"1", "--let", "1a=2"}, "'1a' is not a name"},
        {{"1", "--let", "e=2"}, "'e' is "},
        {{"n < 1", "--d", "n", "--let", "n=1"}, "a condition has no derivative"},
        {{"n", "--d", "m", "--let", "n=1"}, "unknown name 'm'"},
        {{"'a'"}, "a text has no value"},
        {{"1", "--in", "fp17"}, "fp17"},
        {{"sum(i, 1, 10^16, sin(i))"}, "operations"},
        {{}, "eval needs"},
    };
    for (const Row& row : rows) {
        const Done done = answer_to_formula(row.words);
        INFO((row.words.empty() ? "" : row.words.back()) << ": " << done.error);
        CHECK(done.status == 2);
        CHECK(done.output.empty());
        if (!row.words.empty()) CHECK(contains(done.error, row.error));
    }
}

TEST_CASE("export prints a scheme's source or writes it, with parameters and first values of learned names") {
    const Folder folder;
    const Done printed = folder.farfield({"export", "alibi", "--to", "numpy"});
    CHECK(printed.status == 0);
    CHECK(contains(printed.output, "def "));
    const Done written = folder.farfield({"export", "alibi", "--to", "numpy", "-o", "alibi.py"});
    CHECK(written.status == 0);
    CHECK(written.output.empty());
    CHECK(folder.read("alibi.py") == printed.output);
    CHECK(contains(folder.farfield({"export", "alibi", "--to", "numpy", "--set", "delta=3"}).output, "3"));
    CHECK(folder.farfield({"export", "alibi", "--to", "numpy", "--set", "delta=0"}).output == printed.output);
    CHECK(folder.farfield({"export", "alibi", "--to", "numpy", "--set", "delta=3"}).output != printed.output);
    folder.write(
        "mine.toml",
        "[scheme.mine]\nlearn = { r = { per = 'head', init = 1, positive = true }, s = { per = 'head', init = 2 } }\n"
        "bias = '-r*n + s'\n");
    const Words learned = {"export", "mine", "--from", "mine.toml", "--to", "torch", "--set"};
    const auto with = [&](const std::string& setting) {
        Words words = learned;
        words.push_back(setting);
        return folder.farfield(words);
    };
    CHECK(with("r=0.25").status == 0);
    CHECK(contains(with("r=0.25").output, "0.25"));
    CHECK(contains(with("s=-0.75").output, "-0.75"));
    for (const char* wrong : {"r=0", "r=-1", "r=x", "r=inf", "s=1x", "t=1"}) {
        INFO(wrong);
        CHECK(with(wrong).status == 2);
    }
    CHECK(folder.farfield({"export", "alibi", "--to", "nunpy"}).error.find("Did you mean 'numpy'?") !=
          std::string::npos);
    CHECK(folder.farfield({"export", "alibbi", "--to", "numpy"}).error.find("Did you mean 'alibi'?") !=
          std::string::npos);
    CHECK(folder.farfield({"export", "alibi"}).status == 2);
    CHECK(folder.farfield({"export"}).status == 2);
}

TEST_CASE("import writes a study of benchmarks, and schema the keys of studies") {
    const Folder folder;
    folder.write("a.fpcore", "(FPCore f (x) :pre (<= 0 x 1) (+ x 1))\n(FPCore g (x) :pre (<= 0 x 1) (while x))\n");
    CHECK(folder.farfield({"import", "a.fpcore"}).status == 2);
    const Done printed = folder.farfield({"import", "a.fpcore", "--skip"});
    CHECK(printed.status == 0);
    CHECK(contains(printed.output, "[quantity.f]\n"));
    CHECK(contains(printed.output, "# Left out, line 2: "));
    const Done written = folder.farfield({"import", "a.fpcore", "--skip", "-o", "a.toml"});
    CHECK(written.status == 0);
    CHECK(written.output.empty());
    CHECK(folder.read("a.toml") == printed.output);
    CHECK(folder.farfield({"import", "a.toml"}).status == 2);
    CHECK(folder.farfield({"import", "absent.fpcore"}).status == 3);
    CHECK(folder.farfield({"import"}).status == 2);

    const Done schema = folder.farfield({"schema"});
    CHECK(schema.status == 0);
    CHECK(nlohmann::json::parse(schema.output).contains("properties"));
    CHECK(folder.farfield({"schema", "-o", "schema.json"}).output.empty());
    CHECK(folder.read("schema.json") == schema.output);
}

TEST_CASE("doctor has one form of output, and a status by what it finds") {
    const Folder folder;
    const std::string plain =
        "{\"model_type\": \"llama\", \"head_dim\": 64, \"num_hidden_layers\": 2, \"max_position_embeddings\": 64, "
        "\"rope_theta\": ";
    folder.write("good.json", plain + "10000.0}");
    folder.write("other.json", plain + "20000.0}");
    folder.write("bad.json", plain + "\"10000\"}");
    const auto doctor = [&](Words words) {
        words.insert(words.begin(), "doctor");
        return folder.farfield(words);
    };
    CHECK(doctor({"good.json"}).status == 0);
    CHECK(doctor({"bad.json"}).status == 1);
    folder.write("same.json", folder.read("good.json"));
    CHECK(doctor({"good.json", "same.json"}).status == 0);
    CHECK(doctor({"good.json", "good.json"}).status == 2);
    CHECK(doctor({"good.json", "other.json"}).status == 1);
    const auto sarif = nlohmann::json::parse(doctor({"bad.json", "--sarif"}).output);
    CHECK(sarif["version"] == "2.1.0");
    const auto& results = sarif["runs"][0]["results"];
    CHECK(std::any_of(results.begin(), results.end(), [](const auto& each) {
        return each["ruleId"] == "wrong-type" &&
               contains(each["message"]["text"].template get<std::string>(), " Fix: write a number.");
    }));
    CHECK(nlohmann::json::parse(doctor({"good.json", "--json"}).output)["head_dim"] == 64);
    CHECK(doctor({"good.json", "--markdown"}).output.starts_with("### farfield doctor: good.json\n"));
    CHECK(nlohmann::json::parse(doctor({"good.json", "other.json", "--json"}).output)["differences"].size() == 1);
    for (const Words& wrong : std::vector<Words>{{"good.json", "--json", "--markdown"},
                                                 {"good.json", "--sarif", "--html"},
                                                 {"good.json", "other.json", "--markdown"},
                                                 {"good.json", "other.json", "--sarif"},
                                                 {"good.json", "other.json", "--json", "--html"},
                                                 {"good.json", "other.json", "good.json"},
                                                 {"good.json", "other.json", "--against", "x.npz"},
                                                 {"good.json", "--served", "0"},
                                                 {"good.json", "--served", "1x"},
                                                 {"good.json", "--in", "fp16,bf16"},
                                                 {"good.json", "--engine", "none"},
                                                 {}}) {
        CHECK(doctor(wrong).status == 2);
    }
    CHECK(contains(doctor({"good.json", "--served", "1"}).output, "trained 64, served 1 tokens"));
    CHECK(contains(doctor({"good.json", "--json", "--in", "bf16"}).output, "\"format\": \"bf16\""));
}

TEST_CASE("a page of doctor has a figure for frequencies, logits, and engines that differ") {
    const Folder folder;
    folder.write("one.json",
                 "{\"model_type\": \"llama\", \"head_dim\": 8, \"num_hidden_layers\": 2, "
                 "\"max_position_embeddings\": 64, \"rope_parameters\": {\"rope_theta\": 500000.0}}");
    if (contains(folder.farfield({"doctor", "one.json", "--html"}).error, "gnuplot")) return;  // it draws the figures
    const auto figures = [&](const Words& more) {
        Words words = {"doctor", "one.json", "--html"};
        words.insert(words.end(), more.begin(), more.end());
        const std::string page = folder.farfield(words).output;
        CHECK_FALSE(contains(page, "<td>window</td>"));
        std::size_t count = 0;
        for (std::size_t at = page.find("<figure"); at != std::string::npos; at = page.find("<figure", at + 1)) ++count;
        return count;
    };
    CHECK(figures({}) == 2);
    CHECK(figures({"--engine", "transformers-5"}) == 2);  // the declared logits: a curve of zeros is not drawn
    CHECK(figures({"--engine", "transformers-4.44"}) == 3);
    folder.write("two.json",
                 "{\"model_type\": \"mistral\", \"head_dim\": 8, \"num_hidden_layers\": 2, "
                 "\"max_position_embeddings\": 64, \"rope_theta\": 10000.0, \"sliding_window\": 16}");
    CHECK(contains(folder.farfield({"doctor", "two.json", "--html"}).output, "<td>window</td><td>16</td>"));
}

TEST_CASE("diff tells numbers apart by the tolerance, relative to the larger") {
    const Folder folder;
    const auto run = [&](const std::string& number, const std::string& into) {
        folder.write("mine.toml", "[quantity.x]\nkind = 'value'\nformula = '" + number + "'\n");
        folder.farfield({"run", "mine.toml", "-o", into});
    };
    run("4", "a");
    run("5", "b");
    run("-5", "c");
    const auto status = [&](const std::string& one, const std::string& other, const std::string& tolerance) {
        return folder.farfield({"diff", one, other, "--tolerance", tolerance}).status;
    };
    // |5 - 4| is a fifth of 5, |5 + 5| twice 5. A tolerance of 1 or more would allow any number of the same sign.
    CHECK(status("a", "b", "0.2") == 0);
    CHECK(status("b", "a", "0.2") == 0);
    CHECK(status("a", "b", "0.19") == 1);
    CHECK(status("b", "c", "0.99") == 1);
    for (const char* tolerance : {"1", "inf", "-0.1", "nan"}) CHECK(status("a", "b", tolerance) == 2);
    CHECK(folder.farfield({"diff", "a", "b"}).output == "mine: x.value: 4 -> 5\n1 difference\n");
}
