#include <algorithm>
#include <catch2/catch.hpp>

#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/run_program.hpp"

using run_program::Done;
using run_program::Folder;
using run_program::lines_of;

namespace {

Done answer_to(const std::vector<std::string>& arguments) {
    return Folder().farfield(arguments);
}

}  // namespace

TEST_CASE("help and version are printed with status 0") {
    CHECK(answer_to({"--version"}).output == "farfield 0.1.0\n");
    CHECK(answer_to({"--help"}).output.find("check") != std::string::npos);
    CHECK(answer_to({}).status == 0);
    for (const char* command : {"run", "check", "eval", "plot", "list", "show", "safe-length"}) {
        const Done done = answer_to({command, "--help"});
        CHECK(done.status == 0);
        CHECK(done.output.find("Usage: farfield") != std::string::npos);
    }
}

TEST_CASE("eval prints the bare number, also of a formula that begins with a minus sign") {
    CHECK(answer_to({"eval", "-2^2"}).output == "-4\n");
    CHECK(answer_to({"eval", "-n*2", "--let", "n=3"}).output == "-6\n");
    CHECK(answer_to({"eval", "--let", "n=3", "-n"}).output == "-3\n");
    CHECK(answer_to({"eval", "-(1+2)"}).output == "-3\n");
    CHECK(answer_to({"eval", "--", "-3"}).output == "-3\n");
    CHECK(answer_to({"eval", "2^-n", "--let", "n=-3"}).output == "8\n");
    CHECK(answer_to({"eval", "0.1 + 0.2"}).output == "0.30000000000000004\n");
    CHECK(answer_to({"eval", "1/0"}).output == "inf\n");
    CHECK(answer_to({"eval", "log(-1)"}).output == "nan\n");
    CHECK(answer_to({"eval", "1 < 2"}).output == "true\n");
}

TEST_CASE("a value may use those before it") {
    CHECK(answer_to({"eval", "a*b", "--let", "a=2", "--let", "b=a+1"}).output == "6\n");
}

TEST_CASE("eval --over prints CSV with both ends") {
    CHECK(answer_to({"eval", "n^2", "--over", "n=0:3:1"}).output == "n,value\n0,0\n1,1\n2,4\n3,9\n");
    CHECK(answer_to({"eval", "n", "--over", "n=0:1:0.1"}).output.find("\n1,1\n") != std::string::npos);
    CHECK(answer_to({"eval", "n", "--over", "n=3:1:-1"}).output == "n,value\n3,3\n2,2\n1,1\n");
    CHECK(lines_of(answer_to({"eval", "-n", "--over", "n=0:8191:1"}).output).size() == 8193);
}

TEST_CASE("eval computes in the number system asked for") {
    // 2049 lies between the fp16 numbers 2048 and 2050, a tie, and goes to the even one.
    CHECK(answer_to({"eval", "2048 + 1", "--in", "fp16"}).output == "2048\n");
    CHECK(answer_to({"eval", "1/3", "--in", "mp20"}).output.starts_with("0.33333333333333333333"));
    const std::string enclosure = answer_to({"eval", "1/3", "--in", "interval"}).output;
    CHECK(enclosure == "0.3333333333333333 0.33333333333333337\n");
}

TEST_CASE("eval --d is the derivative at the values given") {
    CHECK(answer_to({"eval", "x^3", "--d", "x", "--let", "x=2"}).output == "12\n");
    // log has no value at -2, where its law of derivatives, 1/x, has one.
    CHECK(answer_to({"eval", "log(x)", "--d", "x", "--let", "x=-2"}).output == "nan\n");
    CHECK(answer_to({"eval", "log(x)", "--d", "x", "--let", "x=-2", "--in", "interval"}).output == "-inf inf\n");
}

TEST_CASE("a wrong command line gives status 2, nothing on standard output, and the nearest name") {
    const Done command = answer_to({"evla", "1"});
    CHECK(command.status == 2);
    CHECK(command.output.empty());
    CHECK(command.error.find("Did you mean 'eval'?") != std::string::npos);
    CHECK(answer_to({"eval", "1", "--on", "x"}).status == 2);
    CHECK(answer_to({"show", "sandwhich"}).error.find("Did you mean 'sandwich'?") != std::string::npos);
}

TEST_CASE("a word of two minus signs and a letter is an unknown option, another is a formula") {
    for (const char* word : {"--ab", "--zb", "--Ab", "--Zb"}) {
        INFO(word);
        CHECK(answer_to({"eval", "1", word}).error.starts_with("unknown option '" + std::string(word) + "' of eval"));
    }
    CHECK(answer_to({"check", "-"}).error.starts_with("-: there is no such file or folder"));
    CHECK(answer_to({"eval", "--2"}).output == "2\n");
    CHECK(answer_to({"eval", "--n*2", "--let", "n=3"}).output == "6\n");
}

TEST_CASE("a recipe fits a scheme and a format, or is refused") {
    const auto status = [](std::vector<std::string> more) {
        more.insert(more.begin(), {"export", "rotary", "--to", "numpy"});
        return answer_to(more);
    };
    CHECK(status({"--recipe", "hf", "--format", "bf16"}).status == 0);
    CHECK(status({"--recipe", "fp32"}).status == 0);
    CHECK(status({"--recipe", "fp32", "--format", "bf16"}).error.starts_with("--format is unused"));
    CHECK(status({"--format", "bf16"}).error.starts_with("--format without --recipe"));
    const Done unknown = status({"--recipe", "fh", "--format", "bf16"});
    CHECK(unknown.status == 2);
    CHECK(unknown.error.find("--format is unused") == std::string::npos);
    // Of several recipes those that fit are computed, and none is an error.
    const Done one = answer_to({"safe-length", "rotary-yarn", "--recipe", "hf,recurrence", "--in", "bf16"});
    CHECK(one.status == 0);
    CHECK(one.error.empty());
    CHECK(one.output.starts_with("rotary-yarn in bf16, recipe hf, d = 64: "));
    CHECK(one.output.find("recurrence") == std::string::npos);
    const Done none = answer_to({"safe-length", "rotary-yarn", "--recipe", "recurrence,powf", "--in", "bf16"});
    CHECK(none.status == 2);
    CHECK(none.output.empty());
}

TEST_CASE("list names every scheme, quantity, function and format, and is JSON on request") {
    const Done all = answer_to({"list"});
    for (const char* name : {"alibi", "sandwich", "curve", "perplexity", "softplus", "bf16"}) {
        CHECK(all.output.find(name) != std::string::npos);
    }
    const Done json = answer_to({"list", "formats", "--json"});
    CHECK(json.output.starts_with("[\n  {\n    \"name\": "));
    const auto formats = nlohmann::json::parse(json.output);
    const nlohmann::json half = {
        {"name", "fp16"}, {"summary", "IEEE 754-2019 binary16"}, {"note", "also half, float16"}};
    CHECK(std::count(formats.begin(), formats.end(), half) == 1);
}

// Expected is what `show xpos` and `show windowed` print of the catalogue.
TEST_CASE("list schemes --json has the parameters, their meanings and the parts of each scheme") {
    const auto schemes = nlohmann::json::parse(answer_to({"list", "schemes", "--json"}).output);
    const auto named = [&](const char* name) {
        return *std::find_if(schemes.begin(), schemes.end(), [&](const auto& each) { return each["name"] == name; });
    };
    CHECK(named("xpos")["params"] == nlohmann::json({{"base", 10000}, {"gamma", 0.4}, {"B", 512}}));
    CHECK(named("xpos")["means"]["base"] == "longest wavelength over 2 pi");
    CHECK(named("xpos")["parts"] == nlohmann::json::array({"rotate"}));
    CHECK(named("windowed")["parts"] == nlohmann::json::array({"mask"}));
}

TEST_CASE("show --cuda prints a kernel for each formula of a scheme, or of a formula") {
    const std::string rotary = answer_to({"show", "xpos", "--cuda"}).output;
    CHECK(rotary.starts_with("#include <farfield/evaluate/cuda/language.cuh>\n"));
    for (const char* kernel : {"void xpos_rotate_angle(", "void xpos_rotate_scale("})
        CHECK(rotary.find(kernel) != std::string::npos);
    const Done done = answer_to({"show", "-2*n + h", "--cuda", "--in", "bf16"});
    CHECK(done.status == 0);
    CHECK(done.output.find("using Arithmetic = farfield::device::formats::bf16;") != std::string::npos);
    CHECK(done.output.find("Arithmetic::multiply(") != std::string::npos);
    CHECK(answer_to({"show", "t[n] + t", "--cuda"}).error.starts_with("1:8: 't' is a table"));
    CHECK(answer_to({"show", "pi*n", "--cuda"}).output.find(" = 3.141592653589793 * n;") != std::string::npos);
    const Done refused = answer_to({"show", "n", "--cuda", "--in", "interval"});
    CHECK(refused.status == 2);
    CHECK(refused.error.find("double, float or a number format") != std::string::npos);
}

TEST_CASE("export writes the rounding errors of one study as FPCore") {
    const run_program::Folder folder;
    const std::string error =
        "[quantity.er]\nkind = 'rounding-error'\nformula = 'x + 1'\nover = { x = [0, 1] }\n"
        "format = 'fp16'\n";
    folder.write("studies/one.toml", error);
    const run_program::Done one = folder.farfield({"export", "--to", "fpcore", "--from", "studies/one.toml"});
    CHECK(one.status == 0);
    CHECK(one.output.find("(FPCore") != std::string::npos);
    CHECK(folder.farfield({"export", "--to", "fpcore", "--from", "studies"}).output == one.output);
    folder.write("studies/two.toml", error);
    const run_program::Done two = folder.farfield({"export", "--to", "fpcore", "--from", "studies"});
    CHECK(two.status == 2);
    CHECK(two.error.starts_with("'studies' has 2 studies"));
    CHECK(folder.farfield({"export", "--to", "fpcore"}).status == 2);
}

TEST_CASE("plot draws on the terminal or in a file") {
    const run_program::Folder folder;
    const run_program::Done done = folder.farfield({"plot", "-n^2", "--over", "n=0:10"});
    CHECK(done.status == 0);
    CHECK(run_program::lines_of(done.output).size() >= 10);
    CHECK(folder.farfield({"plot", "n", "--over", "n=1:1000000"}).status == 0);  // the most points that are drawn
    // The only name without a value is drawn from 0 to 100.
    for (const char* formula : {"a*n", "n/a + pi"}) {
        const std::vector<std::string> drawn =
            run_program::lines_of(folder.farfield({"plot", formula, "--let", "a=2"}).output);
        REQUIRE(drawn.size() >= 10);
        CHECK(drawn.back().substr(drawn.back().find_first_not_of(' ')) == "n");
        CHECK(drawn[drawn.size() - 2].ends_with("100"));
    }
    CHECK(folder.farfield({"plot", "2*pi"}).status == 2);
    CHECK(folder.farfield({"plot", "alibi", "-o", "alibi.svg"}).status == 0);
    CHECK(folder.read("alibi.svg").find("<svg") != std::string::npos);
    CHECK(folder.farfield({"plot", "xpos", "-o", "xpos.png"}).status == 0);
    CHECK(folder.read("xpos.png").starts_with("\x89PNG"));
}

TEST_CASE("show describes a study, and all studies of a folder") {
    const run_program::Folder folder;
    folder.write("studies/one.toml", run_program::study);
    folder.write("studies/two.toml", run_program::replaced(run_program::study, "A line", "Another line"));
    const std::string one = folder.farfield({"show", "studies/one.toml"}).output;
    const std::string two = folder.farfield({"show", "studies/two.toml"}).output;
    CHECK(one.starts_with("A line\n"));
    CHECK(two.find("row.formula = -n/2\n") != std::string::npos);
    const run_program::Done both = folder.farfield({"show", "studies"});
    CHECK(both.status == 0);
    CHECK(both.output == one + "\n" + two);
}

TEST_CASE("show prints a scheme as a study would write it") {
    const Done done = answer_to({"show", "alibi"});
    CHECK(done.status == 0);
    CHECK(done.output.starts_with("[scheme.alibi]\n"));
    CHECK(done.output.find("bias") != std::string::npos);
    CHECK(done.output.find("source") != std::string::npos);
}

TEST_CASE("show prints the cost at the length, heads and width that it names") {
    const std::string output = answer_to({"show", "nope"}).output;
    CHECK(output.find("\n# cost at L = 8192, H = 12, d = 64\n") != std::string::npos);
    // L*(L + 1)/2 scores of a causal head; keys and values of L tokens, 2*L*H*d numbers of two bytes.
    CHECK(output.find("\n# scores_full                  3.356e+07\n") != std::string::npos);
    CHECK(output.find("\n# cache_bytes                  2.517e+07\n") != std::string::npos);
}

TEST_CASE("safe-length takes numbers up to their ends, and none beyond") {
    for (const auto& [option, least, most] :
         {std::array{"--heads", "1", "4096"}, std::array{"--longest", "1", "1099511627776"}}) {
        const auto refused = [option = option](const std::string& number) {
            const Done done = answer_to({"safe-length", "nope", "--in", "bf16", std::string(option) + "=" + number});
            CHECK(done.status == (done.error.empty() ? 0 : 2));
            return done.error.starts_with(std::string(option) + " has '" + number + "'");
        };
        INFO(option);
        for (const char* end : {least, most}) CHECK_FALSE(refused(end));
        CHECK(refused("0"));
        CHECK(refused(std::to_string(std::stoll(most) + 1)));
        CHECK(refused(std::string(least) + "x"));
    }
}

TEST_CASE("safe-length says for how many tokens a format carries a scheme, and what gives way") {
    // 2048 and 2049 are one number of fp16.
    const std::vector<std::string> lines = lines_of(answer_to({"safe-length", "sinusoidal", "--in", "fp16"}).output);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == "sinusoidal in fp16, d = 64: 2049 tokens");
    CHECK(lines[1].find("position collision") != std::string::npos);
    CHECK(lines[1].find("2^11 + 1") != std::string::npos);
    const Done free = answer_to({"safe-length", "nope", "--longest", "1000", "--in", "bf16"});
    CHECK(free.output == "nope in bf16, d = 64: 1000 or more tokens\n");
}

TEST_CASE("safe-length takes formats, widths, parameters and schemes of a study, and prints JSON") {
    const Folder folder;
    folder.write("mine.toml", "[scheme.mine]\nparams = { m = 0.5 }\nbias = \"-m*n\"\n");
    const Done done = folder.farfield({"safe-length", "mine", "--from", "mine.toml", "--let", "m=2", "--in",
                                       "fp16,e4m3", "--head-dim", "32,64", "--exact-positions", "--json"});
    CHECK(done.status == 0);
    // 2n overflows where it reaches 65520, and e4m3 where it passes 464.
    std::set<long long> overflows;
    for (const auto& answer : nlohmann::json::parse(done.output))
        for (const auto& limit : answer["limits"])
            if (limit["limit"] == "overflow" && limit["is_longest"] == true)
                overflows.insert(limit["length"].get<long long>());
    CHECK(overflows == std::set<long long>{233, 32760});
    CHECK(done.output.find("\"d\": 32") != std::string::npos);
    CHECK(done.output.starts_with("[\n"));
    CHECK(done.output.ends_with("\n]\n"));
}

TEST_CASE("plot draws several schemes by several quantities in one figure") {
    const Folder folder;
    const Done done =
        folder.farfield({"plot", "alibi", "--with", "kerple-log,sandwich", "--of", "curve,profile", "-o", "grid.svg"});
    CHECK(done.status == 0);
    CHECK(done.error.empty());
    const std::string svg = folder.read("grid.svg");
    for (const char* text : {">alibi<", ">kerple-log<", ">sandwich<", ">bias<",
                             ">share of the attention at this distance<", ">distance (tokens)<"})
        CHECK(svg.find(text) != std::string::npos);
    CHECK(folder.farfield({"plot", "alibi", "--with", "kerple-log"}).status == 2);
    CHECK(folder.farfield({"plot", "alibi", "--with", "kreple-log", "-o", "x.svg"}).status == 2);
    for (const std::string kind : {"cruve", "fit", "extremum"}) {
        const auto refused = folder.farfield({"plot", "alibi", "--of", kind, "-o", "x.svg"});
        const std::string wanted = "--of has '" + kind + "'; expected curve, profile or expectation";
        CHECK((refused.status == 2 && refused.error.starts_with(wanted)));
    }
}
