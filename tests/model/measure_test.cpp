#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/core/error.hpp>

#include "model/model_support.hpp"

using namespace farfield;
using namespace farfield::model;

namespace {

Model<double> model_under(const scheme::Scheme& scheme) {
    Model<double> model(tiny(), scheme, 5);
    stir(model);
    return model;
}

Model<double> model_under(const char* name) {
    return model_under(*scheme::Registry::builtin().find(name));
}

scheme::Scheme windowed(const char* w) {
    core::Problems problems;
    return scheme::Registry::builtin().with_params("windowed", {{"w", w}}, {}, problems);
}

double loss_of_last(const Model<double>& model, const std::vector<Token>& tokens, Token target) {
    Workspace<double> workspace;
    std::vector<Token> targets(tokens.size(), ignored);
    targets.back() = target;
    double loss = 0;
    model.last_losses({tokens, targets, 1, tokens.size(), 0}, 1, workspace, {&loss, 1});
    return loss;
}

}  // namespace

TEST_CASE("losses of a part of the positions equal those computed for all") {
    const Model<double> model = model_under("alibi");
    const std::vector<Token> tokens = some_tokens(5 * 51, 11);
    Workspace<double> workspace(2);
    std::vector<double> all(5 * 50);
    std::vector<double> last(5 * 7);
    model.losses(windows(tokens, 5, 50), workspace, all);
    model.last_losses(windows(tokens, 5, 50), 7, workspace, last);
    for (std::size_t b = 0; b < 5; ++b) {
        for (std::size_t i = 0; i < 7; ++i) CHECK(last[b * 7 + i] == Approx(all[b * 50 + 43 + i]).epsilon(1e-14));
    }
}

namespace {

/// Losses of the last `last` tokens of one row.
std::vector<float> last_losses(const Model<float>& model, const std::vector<Token>& tokens, std::size_t last) {
    Workspace<float> workspace;
    std::vector<float> losses(last);
    model.last_losses(windows(tokens, 1, tokens.size() - 1), last, workspace, losses);
    return losses;
}

}  // namespace

TEST_CASE("leaving out parts that the last losses do not depend on changes no bit of them") {
    const std::vector<Token> tokens = some_tokens(701, 11);
    // Each of the two heads is the one that sees further.
    const scheme::Registry registry = registry_with(
        "[scheme.first-further]\nmask = 'n < (h == 1 ? 100 : 9)'\n"
        "[scheme.last-further]\nmask = 'n < (h == 1 ? 9 : 100)'\n");
    for (const char* name : {"windowed", "blockwise", "sliding", "lex", "shaw", "alibi", "rotary", "nope",
                             "first-further", "last-further"}) {
        INFO(name);
        const scheme::Scheme scheme = std::string(name) == "windowed" ? windowed("9") : *registry.find(name);
        for (const Norm norm : {Norm::pre, Norm::post}) {
            Config config = tiny();
            config.norm = norm;
            Model<float> model(config, scheme, 5);
            stir(model);
            const std::vector<float> all = last_losses(model, tokens, 700);
            for (const std::size_t last : {1, 33, 300}) {
                const std::vector<float> some = last_losses(model, tokens, last);
                CHECK(std::equal(some.begin(), some.end(), all.end() - static_cast<std::ptrdiff_t>(last)));
            }
        }
    }
}

TEST_CASE("the mean loss is that of the targets that are not ignored") {
    const Model<double> model = model_under("rotary");
    std::vector<Token> tokens = some_tokens(4 * 20, 11);
    std::vector<Token> targets = some_tokens(4 * 20, 11);
    for (std::size_t i = 0; i < targets.size(); i += 3) targets[i] = ignored;
    Workspace<double> workspace;
    std::vector<double> losses(4 * 20);
    std::vector<double> gradient(model.layout().size());
    const Batch batch{tokens, targets, 4, 20, 0};
    model.losses(batch, workspace, losses);
    double total = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (targets[i] == ignored) CHECK(losses[i] == 0);
        total += losses[i];
        count += targets[i] != ignored ? 1 : 0;
    }
    CHECK(model.forward_backward(batch, workspace, gradient) ==
          Approx(total / static_cast<double>(count)).epsilon(1e-14));
}

TEST_CASE("gradients of halves accumulate to that of the whole") {
    const Model<double> model = model_under("kerple-log");
    const std::vector<Token> tokens = some_tokens(8 * 13, 11);
    Workspace<double> workspace;
    std::vector<double> whole(model.layout().size());
    std::vector<double> halves(model.layout().size());
    model.forward_backward(windows(tokens, 8, 12), workspace, whole);
    const std::span<const Token> all(tokens);
    model.forward_backward(windows(all.first(4 * 13), 4, 12), workspace, halves, {false, 0.5});
    model.forward_backward(windows(all.subspan(4 * 13), 4, 12), workspace, halves, {true, 0.5});
    for (std::size_t i = 0; i < whole.size(); ++i) CHECK(std::fabs(whole[i] - halves[i]) < 1e-14);
}

TEST_CASE("probabilities are the softmax of the logits over the visible keys") {
    const Model<double> model = model_under(windowed("5"));
    const std::vector<Token> tokens = some_tokens(70, 11);
    Workspace<double> workspace;
    const std::vector<double> logits = model.attention(tokens, 2, 1, Attention::logits, workspace);
    const std::vector<double> shares = model.attention(tokens, 2, 1, Attention::probabilities, workspace);
    for (std::size_t q = 0; q < 70; ++q) {
        double total = 0;
        for (std::size_t k = 0; k < 70; ++k) total += std::exp(logits[q * 70 + k]);
        for (std::size_t k = 0; k < 70; ++k) {
            const bool seen = k <= q && q - k < 5;
            CHECK(std::isfinite(logits[q * 70 + k]) == seen);
            CHECK(std::fabs(shares[q * 70 + k] - std::exp(logits[q * 70 + k]) / total) < 1e-14);
        }
    }
}

TEST_CASE("logits without a scheme are products of the vectors of query and key over the root of their length") {
    Config config = tiny();
    config.width = 24;
    Model<double> model(config, *scheme::Registry::builtin().find("nope"), 5);
    stir(model);
    const std::vector<Token> tokens = some_tokens(13, 11);
    Workspace<double> workspace;
    std::vector<std::vector<double>> queries, keys;
    std::vector<std::pair<std::size_t, std::size_t>> heads;
    model.vectors(tokens, workspace,
                  [&](std::size_t layer, std::size_t head, std::span<const double> query, std::span<const double> key) {
                      heads.emplace_back(layer, head);
                      queries.emplace_back(query.begin(), query.end());
                      keys.emplace_back(key.begin(), key.end());
                  });
    REQUIRE(queries.size() == 2 * 2 * 13);
    std::size_t taken = 0;
    model.all_attention(
        tokens, Attention::logits, workspace, [&](std::size_t layer, std::size_t head, std::span<const double> logits) {
            CHECK((layer == taken / 2 && head == taken % 2));
            const std::vector<double> one = model.attention(tokens, layer + 1, head + 1, Attention::logits, workspace);
            CHECK(std::equal(one.begin(), one.end(), logits.begin(), logits.end()));
            for (std::size_t q = 0; q < 13; ++q)
                for (std::size_t k = 0; k <= q; ++k) {
                    const std::vector<double>& query = queries[taken * 13 + q];
                    const std::vector<double>& key = keys[taken * 13 + k];
                    REQUIRE((query.size() == 12 && key.size() == 12));
                    double product = 0;
                    for (std::size_t i = 0; i < 12; ++i) product += query[i] * key[i];
                    CHECK(std::fabs(logits[q * 13 + k] - product / std::sqrt(12.0)) < 1e-13);
                }
            for (std::size_t q = 0; q < 13; ++q)
                CHECK(heads[taken * 13 + q] == std::pair<std::size_t, std::size_t>(layer, head));
            ++taken;
        });
    CHECK(taken == 4);
    for (const std::size_t wrong : {0, 3}) {
        CHECK_THROWS_WITH(model.attention(tokens, wrong, 1, Attention::logits, workspace),
                          Catch::Contains("number of layers"));
        CHECK_THROWS_WITH(model.attention(tokens, 1, wrong, Attention::logits, workspace),
                          Catch::Contains("number of heads"));
    }
}

TEST_CASE("a bias is added to the logits as its formula defines") {
    // Logits under a bias less those under none, in the first layer, where the queries and keys are the same.
    Config config = tiny();
    const Model<double> with(config, *scheme::Registry::builtin().find("alibi"), 5);
    const Model<double> without(config, *scheme::Registry::builtin().find("nope"), 5);
    const std::vector<Token> tokens = some_tokens(40, 11);
    Workspace<double> workspace;
    for (std::size_t head = 1; head <= 2; ++head) {
        const std::vector<double> a = with.attention(tokens, 1, head, Attention::logits, workspace);
        const std::vector<double> b = without.attention(tokens, 1, head, Attention::logits, workspace);
        const double slope = head == 1 ? 1.0 / 16 : 1.0 / 256;
        for (std::size_t q = 0; q < 40; ++q) {
            for (std::size_t k = 0; k <= q; ++k) {
                CHECK(std::fabs(a[q * 40 + k] - b[q * 40 + k] + slope * static_cast<double>(q - k)) < 1e-13);
            }
        }
    }
}

TEST_CASE("the gradient field ends exactly where the receptive field does") {
    // R layers of a window w reach R (w - 1) + 1 inputs (Chi et al. 2023, section 3.3).
    const Model<double> model = model_under(windowed("4"));
    const std::vector<Token> tokens = some_tokens(50, 11);
    Workspace<double> workspace;
    const std::vector<double> norms = model.input_gradient(tokens, 3, workspace);
    for (std::size_t m = 0; m < 50; ++m) CHECK((norms[m] > 0) == (49 - m < 2 * 3 + 1));
}

TEST_CASE("the gradient with respect to the inputs of a later layer passes only that layer and the ones after it") {
    for (const Norm norm : {Norm::pre, Norm::post}) {
        Config config = tiny();
        config.norm = norm;
        Model<double> model(config, windowed("4"), 5);
        const std::vector<Token> tokens = some_tokens(50, 11);
        Workspace<double> workspace;
        for (std::size_t layer = 1; layer <= config.layers; ++layer) {
            const std::vector<double> norms = model.input_gradient(tokens, 3, workspace, layer);
            const std::size_t reach = (config.layers - layer + 1) * 3 + 1;
            for (std::size_t m = 0; m < 50; ++m) CHECK((norms[m] > 0) == (49 - m < reach));
        }
        CHECK_THROWS_AS(model.input_gradient(tokens, 3, workspace, 0), core::PreconditionError);
        CHECK_THROWS_AS(model.input_gradient(tokens, 3, workspace, config.layers + 1), core::PreconditionError);
    }
}

TEST_CASE("a layer that adds nothing does not change the gradient with respect to its inputs") {
    // Without the weights of its last matrices the first layer is the identity.
    Model<double> model = model_under("alibi");
    for (const char* name : {"layers.0.attention.out.weight", "layers.0.ffn.out.weight"}) {
        const Slice& slice = model.layout().at(name);
        std::fill_n(model.parameters().begin() + static_cast<std::ptrdiff_t>(slice.offset), slice.size(), 0.0);
    }
    const std::vector<Token> tokens = some_tokens(20, 11);
    Workspace<double> workspace;
    const std::vector<double> first = model.input_gradient(tokens, 3, workspace, 1);
    const std::vector<double> second = model.input_gradient(tokens, 3, workspace, 2);
    for (std::size_t m = 0; m < 20; ++m) CHECK(std::fabs(first[m] - second[m]) <= 1e-15 * first[m]);
}

TEST_CASE("the gradient field is the derivative of the last loss with respect to a learned embedding of its position") {
    // A learned position is added to the embedding as it enters: d loss / d position p is d loss / d e_p.
    Model<double> model = model_under("learned-absolute");
    const std::vector<Token> tokens = some_tokens(10, 11);
    Workspace<double> workspace;
    const std::vector<double> norms = model.input_gradient(tokens, 3, workspace);
    const Slice& positions = model.layout().at("position.weight");
    for (std::size_t m = 0; m < 10; ++m) {
        double squares = 0;
        for (std::size_t c = 0; c < 16; ++c) {
            double& parameter = model.parameters()[positions.offset + m * 16 + c];
            const double start = parameter;
            parameter = start + 1e-4;
            const double up = loss_of_last(model, tokens, 3);
            parameter = start - 1e-4;
            const double down = loss_of_last(model, tokens, 3);
            parameter = start;
            squares += std::pow((up - down) / 2e-4, 2);
        }
        CHECK(std::fabs(norms[m] - std::sqrt(squares)) < 1e-6 * std::sqrt(squares));
    }
}

TEST_CASE("learned values start at their init, after positivity") {
    const Model<double> model(tiny(), *scheme::Registry::builtin().find("kerple-log"), 5);
    for (const double value : model.learned("r1")) CHECK(std::fabs(value - 1) < 1e-15);
    CHECK(model.learned("r2").size() == 2);
    CHECK_THROWS_AS(model.learned("r3"), core::PreconditionError);
}

TEST_CASE("unsupported parts of a model are refused by name") {
    const scheme::Registry registry = registry_with(R"toml(
[scheme.bad-bias]
bias = "n > 7 ? log(7 - n) : -n"
[scheme.bad-but-hidden]
bias = "n > 7 ? log(7 - n) : -n"
mask = "n <= 7"
[scheme.learned-mask]
learn = { w = { init = 4 } }
mask  = "n < w"
)toml");
    Workspace<float> workspace;
    const std::vector<Token> tokens = some_tokens(20, 11);
    std::vector<float> logits(11);
    CHECK_THROWS_WITH(Model<float>(tiny(), *registry.find("bad-bias"), 1).last_logits(tokens, workspace, logits),
                      Catch::Contains("head 1, layer 1, distance 8"));
    CHECK_NOTHROW(Model<float>(tiny(), *registry.find("bad-but-hidden"), 1).last_logits(tokens, workspace, logits));
    CHECK_THROWS_WITH(Model<float>(tiny(), *registry.find("learned-mask"), 1), Catch::Contains("scheme.mask"));
    Config config = tiny();
    config.width = 15;
    CHECK_THROWS_WITH(Model<float>(config, *registry.find("nope"), 1), Catch::Contains("config.width"));
    const Model<float> model(tiny(), *registry.find("learned-absolute"), 1);
    const std::vector<Token> outside = {0, 11};
    CHECK_THROWS_WITH(model.last_logits(outside, workspace, logits), Catch::Contains("11"));
    const std::vector<Token> many(1025, 0);
    CHECK_THROWS_WITH(model.last_logits(many, workspace, logits), Catch::Contains("max_length"));
    for (const std::size_t last : {0, 20}) {
        std::vector<float> losses(last);
        CHECK_THROWS_WITH(model.last_losses(windows(tokens, 1, 19), last, workspace, losses),
                          Catch::Contains("from 1 to the batch's length"));
    }
    for (const std::size_t layer : {0, 3})
        CHECK_THROWS_WITH(model.input_gradient(tokens, 0, workspace, layer), Catch::Contains("1 to 2"));
}
