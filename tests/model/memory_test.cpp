#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <farfield/model/footprint.hpp>
#include <fstream>

#include "model/model_support.hpp"
#include "support/trials.hpp"

using namespace farfield;
using namespace farfield::model;

namespace {

/// Parameters of 4 groups together above 64 MiB: the groups go in waves.
Config large() {
    Config config = tiny();
    config.heads = 4;
    config.width = 448;
    config.vocabulary = 50;
    return config;
}

/// A bias that is not a function of the distance, learned and not.
const char* const own_schemes =
    "[scheme.apart]\nbias = '-0.01*q + 0.02*k*k/(1 + q)'\n"
    "[scheme.shifted]\nrotate = { angle = 'p*0.5^i', far = { where = 'n >= 9', query = '(p - 7)*0.5^i' } }\n"
    "[scheme.apart-learned]\nbias = '-s*q/(1 + k)'\nlearn = { s = { init = 0.1, per = 'head' } }\n";

scheme::Scheme scheme_named(const std::string& name) {
    return *registry_with(own_schemes).find(name);
}

bool same_bytes(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Gradient of 8 rows of 12 tokens, added to what `gradient` holds or not.
void add_gradient(const Model<float>& model, Workspace<float>& workspace, Accumulation how,
                  std::vector<float>& gradient) {
    const std::vector<Token> tokens = some_tokens(8 * 13, model.config().vocabulary);
    model.forward_backward(windows(tokens, 8, 12), workspace, gradient, how);
}

/// Bytes of memory in use, or at their peak: VmRSS, VmHWM.
double resident(const std::string& wanted) {
    std::ifstream stream("/proc/self/status");
    for (std::string name, rest; stream >> name; std::getline(stream, rest)) {
        double kibibytes = 0;
        if (name == wanted && stream >> kibibytes) return 1024 * kibibytes;
    }
    return 0;
}

}  // namespace

TEST_CASE("the footprint of a pass is the size of its workspace afterwards") {
    std::vector<std::pair<Config, std::string>> cases = {{large(), "alibi"}};
    for (const char* name : {"nope", "alibi", "rotary", "shifted", "sinusoidal", "t5", "kerple-log", "shaw", "apart"})
        cases.emplace_back(tiny(), name);
    cases.emplace_back(tiny(), "apart-learned");
    for (const std::pair<Config, std::string>& each : cases) {
        const Config& config = each.first;
        const std::string& name = each.second;
        const scheme::Scheme scheme = scheme_named(name);
        const Model<float> model(config, scheme, 1);
        for (const std::size_t threads : {1, 2, 7}) {
            INFO(name << " of width " << config.width << " on " << threads << " threads");
            const BatchShape shape{8, 12, threads};
            const auto expected = [&](Work work) { return footprint(config, scheme, work, shape).workspace(); };
            std::vector<float> gradient(model.layout().size());
            Workspace<float> workspace(threads);
            // With two threads and four groups, one thread may have done all the work so far.
            for (int i = 0; i < 20; ++i) add_gradient(model, workspace, {}, gradient);
            CHECK(workspace.bytes() <= expected(Work::step));
            if (threads != 2) CHECK(workspace.bytes() == expected(Work::step));
            add_gradient(model, workspace, {true, 1}, gradient);
            if (threads != 2) CHECK(workspace.bytes() == expected(Work::accumulated_step));
            CHECK(footprint(config, scheme, Work::step, shape).parameters == model.layout().size() * sizeof(float));

            const std::vector<Token> tokens = some_tokens(13, config.vocabulary);
            Workspace<float> of_losses;
            std::vector<float> losses(12);
            model.losses(windows(tokens, 1, 12), of_losses, losses);
            CHECK(of_losses.bytes() == footprint(config, scheme, Work::losses, {1, 12, 1}).workspace());
            // docs/model.md: blocks of 10 rows, or one of all with the large width.
            const std::vector<Token> more = some_tokens(30 * 13, config.vocabulary);
            Workspace<float> of_blocks(threads);
            losses.resize(30 * 12);
            model.losses(windows(more, 30, 12), of_blocks, losses);
            const std::size_t needed = footprint(config, scheme, Work::losses, {30, 12, threads}).workspace();
            CHECK(of_blocks.bytes() <= needed);
            if (threads != 2) CHECK(of_blocks.bytes() == needed);
            Workspace<float> of_input;
            model.input_gradient(std::span(tokens).first(12), tokens[12], of_input);
            CHECK(of_input.bytes() == footprint(config, scheme, Work::input_gradient, {1, 12, 1}).workspace());
        }
    }
}

TEST_CASE("losses need the activations of one layer, however many there are, and a step those of each") {
    const auto activations = [](std::size_t layers, Work work) {
        Config config = tiny();
        config.layers = layers;
        return footprint(config, scheme_named("nope"), work, {1, 1000, 1}).activations;
    };
    // docs/model.md: 8 C + 2 F numbers a token and layer, beside which means, deviations and sums are few.
    const std::size_t layer = 1000 * (8 * 16 + 2 * 64) * sizeof(float);
    for (const Work work : {Work::step, Work::input_gradient}) {
        const std::size_t more = activations(3, work) - activations(2, work);
        CHECK((more > layer && more < layer * 21 / 20));
    }
    CHECK(activations(1, Work::losses) == activations(7, Work::losses));
    CHECK((activations(1, Work::losses) > layer && activations(1, Work::losses) < layer * 3 / 2));
}

TEST_CASE("tables of positions need the memory that docs/model.md states") {
    const auto tables = [](const std::string& name) {
        return footprint(tiny(), scheme_named(name), Work::losses, {1, 100, 1}).tables;
    };
    // 20 bytes for each tile of 32 queries and 64 keys: rows of 1, 1, 2 and 2 tiles.
    constexpr std::size_t mask = 6 * 20;
    // The factor of the logits by query; a rotation's cosines and sines of queries and keys, 4 L d, and its angles and
    // scales in double, L d/2 each; an embedding's L C.
    CHECK(tables("nope") - mask == 100 * sizeof(float));
    CHECK(tables("rotary") - mask == (100 + 4 * 100 * 8) * sizeof(float) + 100 * 8 * sizeof(double));
    // A second rotation has such tables and angles of queries and of keys, and no scales.
    CHECK(tables("shifted") - mask == (100 + 8 * 100 * 8) * sizeof(float) + 2 * 100 * 8 * sizeof(double));
    CHECK(tables("sinusoidal") - mask == (100 + 100 * 16) * sizeof(float));
}

TEST_CASE("many parameters have fewer arrays of gradients on fewer threads, and the same bytes") {
    const Config config = large();
    for (const char* name : {"alibi", "kerple-log"}) {
        const scheme::Scheme scheme = scheme_named(name);
        const Model<float> model(config, scheme, 3);
        std::vector<float> four(model.layout().size());
        Workspace<float> of_four(4);
        add_gradient(model, of_four, {false, 0.5}, four);
        for (const std::size_t threads : {1, 2, 3}) {
            Workspace<float> workspace(threads);
            std::vector<float> gradient(model.layout().size(), 77);
            add_gradient(model, workspace, {false, 0.5}, gradient);
            CHECK(same_bytes(gradient, four));
            // Twice the same added up is twice it, to the bit.
            add_gradient(model, workspace, {true, 0.5}, gradient);
            std::vector<float> twice = four;
            for (float& each : twice) each *= 2;
            CHECK(same_bytes(gradient, twice));
            CHECK(footprint(config, scheme, Work::step, {8, 12, threads}).gradients ==
                  (threads == 1 ? 1 : 2) * model.layout().size() * sizeof(float));
        }
    }
}

TEST_CASE("gradients of all groups are kept up to 64 MiB") {
    // docs/model.md. Each token of the vocabulary has a row of 16 in the embedding and a column of 16 in the head.
    const auto needed = [](std::size_t vocabulary) {
        Config config = tiny();
        config.vocabulary = vocabulary;
        return footprint(config, scheme_named("nope"), Work::step, {4, 12, 1});
    };
    const std::size_t of_a_token = 2 * 16 * sizeof(float);
    const std::size_t most = 1000 + ((std::size_t{64} << 20) / 4 - needed(1000).parameters) / of_a_token;
    CHECK(needed(most).gradients == 4 * needed(most).parameters);
    CHECK(needed(most + 1).gradients == needed(most + 1).parameters);
}

TEST_CASE("a step has room for the slopes of its widest matrix, and for them packed") {
    // The gradient of a matrix is the product of its inputs, transposed, and the packed slopes of its outputs.
    const auto activations = [](std::size_t ffn, std::size_t vocabulary) {
        Config config = tiny();
        config.ffn = ffn;
        config.vocabulary = vocabulary;
        return footprint(config, scheme_named("nope"), Work::step, {1, 128, 1}).activations;
    };
    CHECK(activations(4096, 11) > 2 * 128 * (8 * 16 + 2 * 4096) * sizeof(float) + 2 * 128 * 4096 * sizeof(float));
    CHECK(activations(64, 4096) > 2 * 128 * (8 * 16 + 2 * 64) * sizeof(float) + 2 * 128 * 4096 * sizeof(float));
}

TEST_CASE("recomputed activations give the same gradient as stored ones") {
    // 48 MiB of activations in float are kept, 96 MiB in double are not.
    Config config = tiny();
    config.layers = 12;
    config.width = 128;
    config.vocabulary = 20;
    config.train_length = 512;
    for (const Norm norm : {Norm::pre, Norm::post}) {
        config.norm = norm;
        const scheme::Scheme scheme = scheme_named("alibi");
        Model<float> kept(config, scheme, 5);
        Model<double> again(config, scheme, 5);
        std::copy(kept.parameters().begin(), kept.parameters().end(), again.parameters().begin());
        std::vector<float> floats(kept.layout().size());
        std::vector<double> doubles(kept.layout().size());
        const std::vector<Token> tokens = some_tokens(513, config.vocabulary);
        Workspace<float> of_floats;
        Workspace<double> of_doubles;
        kept.forward_backward(windows(tokens, 1, 512), of_floats, floats);
        again.forward_backward(windows(tokens, 1, 512), of_doubles, doubles);
        // Of the 16 C numbers that a layer keeps of a token, 4 C are left out, and 6 C with the norms of pre-norm; one
        // layer's are there still.
        const std::size_t spared = norm == Norm::pre ? 12 * 6 - 9 : 12 * 4 - 8;
        CHECK(of_doubles.bytes() < 2 * of_floats.bytes() - (spared - 1) * sizeof(double) * 512 * 128);
        for (const Slice& slice : kept.layout().slices()) {
            double difference = 0, squares = 0;
            for (std::size_t i = slice.offset; i < slice.offset + slice.size(); ++i) {
                difference += std::pow(floats[i] - doubles[i], 2);
                squares += doubles[i] * doubles[i];
            }
            INFO(slice.name);
            // Biases of keys have no gradient but for rounding; all others agree as floats do.
            if (!slice.name.ends_with("attention.in.bias")) CHECK(difference < 1e-8 * squares);
        }
    }
}

TEST_CASE("a bias of query and key takes little more memory than its table while it is made") {
    if (farfield::tests::is_sanitized) return;
    Config config = tiny();
    config.layers = 1;
    config.heads = 1;
    const Model<float> model(config, scheme_named("apart"), 1);
    constexpr std::size_t length = 6000;
    const std::vector<Token> tokens = some_tokens(length, config.vocabulary);
    Workspace<float> workspace;
    std::vector<float> logits(config.vocabulary);
    std::ofstream("/proc/self/clear_refs") << 5;  // the peak from now on
    const double before = resident("VmRSS:");
    if (resident("VmHWM:") > before + 4e6) return;  // a kernel that does not forget it
    model.last_logits(tokens, workspace, logits);
    const auto table = static_cast<double>(footprint(config, model.scheme(), Work::losses, {1, length, 1}).tables);
    CHECK(table > length * length * 2.0);  // half of all pairs, 4 bytes each
    CHECK(resident("VmHWM:") - before < 1.5 * table);
}
