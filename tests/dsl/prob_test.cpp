#include "dsl/prob.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace ultr::prob_test {
namespace {

using ::testing::Each;

constexpr std::size_t documents = 13;  // not a multiple of a register
constexpr std::size_t ranks = 5;

/// A graph with all kinds of probabilities: one for all, one per rank, one per document.
class Story {
 public:
  Story() {
    for (std::size_t i = 0; i < documents; ++i) {
      rank_of_.push_back(static_cast<std::uint32_t>(i * 7 % ranks));
      clicks_.push_back(i % 3 == 0 ? 1 : 0);
    }
    ranks_ = tape_.index(documents);
    tape_.bind(ranks_, rank_of_);
    clicked_ = tape_.mask(documents);
    tape_.bind(clicked_, clicks_);
  }

  Tape& tape() { return tape_; }
  ProbGraph& graph() { return graph_; }
  Mask clicked() const { return clicked_; }
  const std::vector<std::uint32_t>& rank_of() const { return rank_of_; }
  bool was_clicked(std::size_t document) const { return clicks_[document] != 0; }

  Prob of_all(double logit) { return graph_.from_logits({tape_.constant(logit), {}}, "λ"); }
  Prob of_ranks(const std::vector<double>& logits) {
    return graph_.from_logits({tape_.constant(Shape::vector(ranks), logits), ranks_}, "θ");
  }
  Prob of_documents(const std::vector<double>& logits) {
    return graph_.from_logits({tape_.constant(Shape::vector(documents), logits), {}}, "γ");
  }

  /// Returns the number of recorded nodes that are called `name`.
  int count(std::string_view name) const {
    int found = 0;
    for (NodeId id = 0; id < tape_.size(); ++id) found += tape_.node(id).name == name ? 1 : 0;
    return found;
  }

 private:
  std::vector<std::uint32_t> rank_of_;
  std::vector<std::uint8_t> clicks_;
  Tape tape_{Precision::float64};
  ProbGraph graph_{tape_};
  Index ranks_;
  Mask clicked_;
};

std::vector<double> draw(RandomStream& random, std::size_t count) {
  std::vector<double> numbers(count);
  for (double& x : numbers) x = 4 * random.uniform() - 2;
  return numbers;
}

std::vector<double> per_document(Tensor x) {
  auto values = x.values();
  if (values.size() == 1) values.assign(documents, values[0]);
  return values;
}

// Random expressions against plain arithmetic -----------------------------------------------------

/// An event with its probability for each document in plain arithmetic, and that of its complement,
/// which keeps more digits than 1 - p.
struct Event {
  Prob prob;
  std::vector<long double> p, complement;
};

class RandomExpressions {
 public:
  explicit RandomExpressions(std::uint64_t number)
      : random_(21, RandomPurpose::testing, 0, number) {}

  Story& story() { return story_; }

  Event make(int depth) {
    if (depth == 0) return leaf();
    switch (random_.below(7)) {
      case 0:
        return negation(make(depth - 1));
      case 1:
        return conjunction(make(depth - 1), make(depth - 1));
      case 2:
        return mixture(leaf(), make(depth - 1), make(depth - 1));
      case 3: {  // w and p, or else not w and q; these are mutually exclusive
        const Event w = leaf(), p = make(depth - 1), q = make(depth - 1);
        Event either = mixture(w, p, q);
        either.prob = w.prob * p.prob + !w.prob * q.prob;
        return either;
      }
      case 4: {  // (p and q) given q is p, and implies q
        const Event q = coin();
        Event p = make(depth - 1);
        p.prob = (p.prob * q.prob) / q.prob;
        return p;
      }
      case 5:
        return selection(make(depth - 1), make(depth - 1));
      default: {
        const Event p = coin();
        return random_.below(2) == 0 ? selection(p, negation(p)) : selection(negation(p), p);
      }
    }
  }

 private:
  Event leaf() {
    if (random_.below(8) > 0) return coin();
    const bool always = random_.below(2) == 0;
    return {always ? story_.graph().always() : story_.graph().never(),
            std::vector<long double>(documents, always ? 1 : 0),
            std::vector<long double>(documents, always ? 0 : 1)};
  }

  Event coin() {
    Event event;
    std::vector<double> logits;
    switch (random_.below(3)) {
      case 0:
        logits.assign(documents, draw(random_, 1)[0]);
        event.prob = story_.of_all(logits[0]);
        break;
      case 1: {
        const auto of_ranks = draw(random_, ranks);
        for (const std::uint32_t rank : story_.rank_of()) logits.push_back(of_ranks[rank]);
        event.prob = story_.of_ranks(of_ranks);
        break;
      }
      default:
        logits = draw(random_, documents);
        event.prob = story_.of_documents(logits);
    }
    for (const double x : logits) {
      event.p.push_back(1 / (1 + std::exp(-static_cast<long double>(x))));
      event.complement.push_back(1 / (1 + std::exp(static_cast<long double>(x))));
    }
    return event;
  }

  static Event negation(const Event& a) { return {!a.prob, a.complement, a.p}; }

  static Event conjunction(const Event& a, const Event& b) {
    Event both{a.prob * b.prob, a.p, a.complement};
    for (std::size_t i = 0; i < documents; ++i) {
      both.p[i] = a.p[i] * b.p[i];
      both.complement[i] = a.complement[i] + a.p[i] * b.complement[i];
    }
    return both;
  }

  static Event mixture(const Event& w, const Event& a, const Event& b) {
    Event mixed{mix(w.prob, a.prob, b.prob), a.p, a.complement};
    for (std::size_t i = 0; i < documents; ++i) {
      mixed.p[i] = w.p[i] * a.p[i] + w.complement[i] * b.p[i];
      mixed.complement[i] = w.p[i] * a.complement[i] + w.complement[i] * b.complement[i];
    }
    return mixed;
  }

  Event selection(const Event& a, const Event& b) {
    Event selected{where(story_.clicked(), a.prob, b.prob), a.p, a.complement};
    for (std::size_t i = 0; i < documents; ++i) {
      if (story_.was_clicked(i)) continue;
      selected.p[i] = b.p[i];
      selected.complement[i] = b.complement[i];
    }
    return selected;
  }

  Story story_;
  RandomStream random_;
};

/// Closer to 0 or 1 than this, only the rounding of the other logarithm is left.
constexpr long double moderate = 1e-3L;

void expect_log(Tensor log, const std::vector<long double>& p,
                const std::vector<long double>& complement, std::size_t& compared) {
  const auto actual = per_document(log);
  ASSERT_EQ(actual.size(), documents);
  for (std::size_t i = 0; i < documents; ++i) {
    ASSERT_FALSE(std::isnan(actual[i]));
    if (p[i] < moderate) {
      EXPECT_LT(actual[i], std::log(2 * moderate));
      continue;
    }
    EXPECT_NEAR(actual[i], static_cast<double>(std::log(p[i])), 1e-12);
    compared += complement[i] >= moderate ? 1 : 0;
  }
}

TEST(ProbTest, RandomExpressionsHaveTheProbabilitiesOfPlainArithmetic) {
  std::size_t compared = 0;
  constexpr std::uint64_t expressions = 400;
  for (std::uint64_t number = 0; number < expressions; ++number) {
    SCOPED_TRACE("expression " + std::to_string(number));
    RandomExpressions expressions_of(number);
    const Event event = expressions_of.make(1 + static_cast<int>(number % 4));
    expect_log(event.prob.log(), event.p, event.complement, compared);
    expect_log(event.prob.log_complement(), event.complement, event.p, compared);
  }
  EXPECT_GT(compared, expressions * documents);  // out of twice as many; most were no edge cases
}

// Exactness ---------------------------------------------------------------------------------------

TEST(ProbTest, BothLogarithmsOfALogitAreExactAtTheEdges) {
  Story story;
  for (const double x : {-700.0, -40.0, 0.0, 40.0, 700.0}) {
    const Prob p = story.of_all(x);
    const double small = -std::log1p(std::exp(-std::abs(x)));  // log of the likelier side
    EXPECT_DOUBLE_EQ(p.log().item(), x >= 0 ? small : x + small);
    EXPECT_DOUBLE_EQ(p.log_complement().item(), x <= 0 ? small : -x + small);
  }
}

TEST(ProbTest, GivenLogarithmsAreKept) {
  Story story;
  const Prob p = story.graph().from_log(story.tape().constant(std::log(0.25)));
  EXPECT_EQ(p.log().item(), std::log(0.25));
  EXPECT_NEAR(p.log_complement().item(), std::log(0.75), 1e-15);
}

TEST(ProbTest, ASumThatRoundsAboveOneHasNoComplement) {
  Story story;
  const Prob w = story.of_all(0.3), p = w + !w;
  EXPECT_NEAR(p.log().item(), 0, 1e-15);
  EXPECT_FALSE(std::isnan(p.log_complement().item()));
  EXPECT_LT(p.log_complement().item(), -30);
}

// Recorded nodes ----------------------------------------------------------------------------------

TEST(ProbTest, ConstantsAreFoldedAndRecordNothing) {
  Story story;
  const Prob always = story.graph().always(), never = story.graph().never();
  const Prob p = story.of_ranks({1, 2, 3, 4, 5}), q = story.of_all(2);
  const auto same = [](Prob a, Prob b) {
    return a.node() == b.node() && a.complemented() == b.complemented();
  };
  const std::size_t recorded = story.tape().size();
  EXPECT_TRUE(same(!never, always));
  EXPECT_TRUE(same(!always, never));
  EXPECT_TRUE(same(always * p, p));
  EXPECT_TRUE(same(p * always, p));
  EXPECT_TRUE(same(never * p, never));
  EXPECT_TRUE(same(p * never, never));
  EXPECT_TRUE(same(p + never, p));
  EXPECT_TRUE(same(never + p, p));
  EXPECT_TRUE(same(p / always, p));
  EXPECT_TRUE(same(never / p, never));
  EXPECT_TRUE(same(mix(always, p, q), p));
  EXPECT_TRUE(same(mix(never, p, q), q));
  EXPECT_TRUE(same(mix(q, p, p), p));
  EXPECT_TRUE(same(mix(q, always, never), q));
  EXPECT_TRUE(same(mix(q, never, always), !q));
  EXPECT_TRUE(same(mix(q, p, never), q * p));
  EXPECT_TRUE(same(mix(q, never, p), !q * p));
  EXPECT_TRUE(same(mix(q, p, always), !(q * !p)));
  EXPECT_TRUE(same(mix(q, always, p), !(!q * !p)));
  EXPECT_TRUE(same(where(story.clicked(), p, p), p));
  EXPECT_TRUE(same(!!p, p));
  EXPECT_EQ(story.tape().size(), recorded);
}

TEST(ProbTest, KnowsImpossibleAndCertainEvents) {
  Story story;
  const Prob p = story.of_all(1);
  EXPECT_TRUE(story.graph().always().is_always());
  EXPECT_FALSE(story.graph().always().is_never());
  EXPECT_TRUE(story.graph().never().is_never());
  EXPECT_TRUE((p * story.graph().never()).is_never());
  EXPECT_FALSE(p.is_always());
  EXPECT_FALSE(p.is_never());
  EXPECT_EQ(story.graph().always().log().item(), 0);
  EXPECT_EQ(story.graph().never().log().item(), -HUGE_VAL);
}

TEST(ProbTest, RepeatedExpressionsRecordNothingNew) {
  Story story;
  const Prob p = story.of_ranks({1, 2, 3, 4, 5}), q = story.of_all(2);
  const Prob r = story.of_documents(std::vector<double>(documents, 0.5));
  const auto say = [&] {
    for (const Prob x : {p * q, p * r, !p * r, p * q + !p * r, (p * q) / q, mix(p, q, r),
                         where(story.clicked(), p, r), where(story.clicked(), r, !r)}) {
      x.log();
      x.log_complement();
    }
  };
  say();
  const std::size_t recorded = story.tape().size();
  say();
  EXPECT_EQ(story.tape().size(), recorded);
}

TEST(ProbTest, AComplementSwapsTheLogarithms) {
  Story story;
  const Prob p = story.of_documents(std::vector<double>(documents, 0.5)) * story.of_all(1);
  EXPECT_EQ((!p).log().node(), p.log_complement().node());
  EXPECT_EQ((!p).log_complement().node(), p.log().node());
}

TEST(ProbTest, WhetherACoinShowsHeadsIsOneLogarithm) {
  RandomStream random(4, RandomPurpose::testing, 0, 0);
  const auto logits = draw(random, documents);
  for (const bool swapped : {false, true}) {
    Story story;
    const Prob p = story.of_documents(logits);
    const Prob seen = swapped ? where(story.clicked(), !p, p) : where(story.clicked(), p, !p);
    const auto log = per_document(seen.log()), log_complement = per_document(seen.log_complement());
    EXPECT_EQ(story.count("log_outcome"), 2);  // one is of the complement
    EXPECT_EQ(story.count("log_sigmoid") + story.count("log_one_minus_sigmoid"), 0);
    for (std::size_t i = 0; i < documents; ++i) {
      const double x = story.was_clicked(i) != swapped ? logits[i] : -logits[i];
      EXPECT_NEAR(log[i], -std::log1p(std::exp(-x)), 1e-14);
      EXPECT_NEAR(log_complement[i], -std::log1p(std::exp(x)), 1e-14);
    }
  }
}

TEST(ProbTest, WhetherTwoCoinsShowHeadsIsOneLogarithm) {
  RandomStream random(5, RandomPurpose::testing, 0, 0);
  const auto logits = draw(random, documents), of_ranks = draw(random, ranks);
  for (const bool complemented : {false, true}) {
    Story story;
    const Prob coin = story.of_documents(logits), p = complemented ? !coin : coin;
    const Prob q = story.of_ranks(of_ranks), both = p * q;
    const auto log = per_document(where(story.clicked(), both, !both).log());
    EXPECT_EQ(story.count("log_both"), 1);
    EXPECT_EQ(story.count("log_sigmoid") + story.count("log1mexp"), 0);
    for (std::size_t i = 0; i < documents; ++i) {
      const double x = complemented ? -logits[i] : logits[i], y = of_ranks[story.rank_of()[i]];
      const double product = 1 / (1 + std::exp(-x)) / (1 + std::exp(-y));
      EXPECT_NEAR(log[i], story.was_clicked(i) ? std::log(product) : std::log1p(-product), 1e-14);
    }
  }
}

/// Swapped, or where a coin is not made of logits, nothing is known that would be cheaper.
TEST(ProbTest, OtherChoicesBetweenEventsAreMadeByTheirLogarithms) {
  Story story;
  const Prob p = story.of_documents(std::vector<double>(documents, 0.5)), q = story.of_all(1);
  const double product = 1 / (1 + std::exp(-0.5)) / (1 + std::exp(-1.0));
  const auto swapped = per_document(where(story.clicked(), !(p * q), p * q).log());
  const Prob given = story.graph().from_log(p.log());
  const auto of_given = per_document(where(story.clicked(), given * q, !(given * q)).log());
  EXPECT_EQ(story.count("log_both"), 0);
  for (std::size_t i = 0; i < documents; ++i) {
    const double yes = std::log(product), no = std::log1p(-product);
    EXPECT_NEAR(swapped[i], story.was_clicked(i) ? no : yes, 1e-14);
    EXPECT_NEAR(of_given[i], story.was_clicked(i) ? yes : no, 1e-14);
  }
}

TEST(ProbTest, ValuesSharedByARankAreComputedOncePerRank) {
  Story story;
  const Prob p = story.of_ranks({1, 2, 3, 4, 5}) * story.of_all(2);
  p.log();
  p.log_complement();
  for (NodeId id = 0; id < story.tape().size(); ++id) {
    const Node& node = story.tape().node(id);
    if (node.kernel == nullptr || node.name == "take") continue;
    EXPECT_LE(node.shape.capacity(), static_cast<std::int64_t>(ranks)) << node.name;
  }
  EXPECT_EQ(story.count("take"), 2);  // each logarithm is repeated for the documents once
}

TEST(ProbTest, TablesOfDifferentIndicesMeetAtTheDocuments) {
  Story story;
  std::vector<std::uint32_t> first(documents, 1);
  const Index other = story.tape().index(documents);
  story.tape().bind(other, first);
  const std::vector<double> logits = {0, 3};
  const Prob p = story.of_ranks({1, 2, 3, 4, 5});
  const Prob q =
      story.graph().from_logits({story.tape().constant(Shape::vector(2), logits), other}, "α");
  const auto log = per_document((p * q).log());
  for (std::size_t i = 0; i < documents; ++i)
    EXPECT_NEAR(log[i],
                -std::log1p(std::exp(-1.0 - story.rank_of()[i])) - std::log1p(std::exp(-3.0)),
                1e-14);
}

TEST(ProbTest, AHandleTakesSixteenBytes) { EXPECT_EQ(sizeof(Prob), 16u); }

TEST(ProbGraphTest, KnowsCoinsByTheirKey) {
  Story story;
  const auto* layer = reinterpret_cast<const LogitLayer*>(&story);  // only compared
  const CoinKey key{layer, true, true, 2}, other{layer, true, true, 3};
  EXPECT_FALSE(story.graph().known_coin(key));
  const Prob coin = story.graph().from_logits({story.tape().constant(1), {}}, "θ", key);
  ASSERT_TRUE(story.graph().known_coin(key));
  EXPECT_EQ(story.graph().known_coin(key)->node(), coin.node());
  EXPECT_FALSE(story.graph().known_coin(other));
  EXPECT_EQ(story.graph().node(coin.node()).name, "θ");
}

}  // namespace
}  // namespace ultr::prob_test
