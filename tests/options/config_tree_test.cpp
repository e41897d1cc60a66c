#include "options/config_tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "testing/errors.h"
#include "testing/temporary_folder.h"

namespace ultr::config_tree_test {
namespace {

using testing::config_message;
using Kind = ConfigNode::Kind;

std::string parse_message(const std::string& text) {
  return config_message([&] { parse_config(text, "f.yaml"); });
}

/// Formats a tree as one line: 'plain', "quoted", [list], {key: value}, ~ for nothing.
std::string shape(const ConfigNode& node) {
  std::string text;
  switch (node.kind) {
    case Kind::empty:
      return "~";
    case Kind::scalar:
      return node.quoted ? '"' + node.scalar + '"' : "'" + node.scalar + "'";
    case Kind::list:
      for (const ConfigNode& item : node.items) text += (text.empty() ? "" : ", ") + shape(item);
      return "[" + text + "]";
    default:
      for (const auto& [key, value] : node.entries)
        text += (text.empty() ? "" : ", ") + key + ": " + shape(value);
      return "{" + text + "}";
  }
}

std::string parsed(const std::string& text) { return shape(parse_config(text, "f.yaml")); }

/// Returns the tree of a text after overrides, as one line.
std::string overridden(const std::string& text, const std::vector<std::string>& assignments) {
  ConfigNode root = parse_config(text, "f.yaml");
  for (const std::string& assignment : assignments) override_config(root, assignment);
  return shape(root);
}

std::string override_message(const std::string& text, const std::string& assignment) {
  ConfigNode root = parse_config(text, "f.yaml");
  return config_message([&] { override_config(root, assignment); });
}

TEST(ParseConfigTest, KeepsKindsAndOrder) {
  EXPECT_EQ(parsed("b: 1\na: [x, 'y', {z: ~}]\nc:\n  - 1e3\n  - \"2\"\nd: {}\ne: []\nf:\n"),
            "{b: '1', a: ['x', \"y\", {z: ~}], c: ['1e3', \"2\"], d: {}, e: [], f: ~}");
}

TEST(ParseConfigTest, TextIsMarkedHoweverItIsWritten) {
  EXPECT_EQ(parsed("a: '5'\nb: \"5\"\nc: |-\n  5\nd: >-\n  5\ne: !!str 5\nf: 5\n"),
            "{a: \"5\", b: \"5\", c: \"5\", d: \"5\", e: \"5\", f: '5'}");
}

TEST(ParseConfigTest, NothingIsAnEmptyMap) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "null\n", "~", "---\n", "{}"})
    EXPECT_EQ(parsed(text), "{}") << text;
}

TEST(ParseConfigTest, NodesKnowWhereTheyWereWritten) {
  const ConfigNode root = parse_config("a: 1\n\nb:\n  c: [x,  y]\n  d:\n", "f.yaml");
  EXPECT_EQ(root.where, "f.yaml");
  EXPECT_EQ(root.find("a")->where, "f.yaml:1:4");
  EXPECT_EQ(root.find("a")->key_where, "f.yaml:1:1");
  const ConfigNode& b = *root.find("b");
  EXPECT_EQ(b.key_where, "f.yaml:3:1");
  EXPECT_EQ(b.where, "f.yaml:4:3");
  EXPECT_EQ(b.find("c")->items[1].where, "f.yaml:4:11");
  EXPECT_EQ(b.find("d")->key_where, "f.yaml:5:3");
  EXPECT_EQ(b.find("d")->where, "f.yaml:5:3") << "nothing is where its key is";
}

TEST(ParseConfigTest, FindsEntriesByKey) {
  const ConfigNode root = parse_config("a: 1\nb: 2\n", "f.yaml");
  EXPECT_EQ(root.find("b")->scalar, "2");
  EXPECT_EQ(root.find("c"), nullptr);
  EXPECT_EQ(root.find("a")->find("b"), nullptr);
}

TEST(ParseConfigTest, BadYamlIsOneLineWithThePlace) {
  EXPECT_EQ(parse_message("a: 1\nb: [1, 2\n"),
            "f.yaml:3:1: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(parse_message("a: b: c\n"), "f.yaml:1:5: not valid YAML: illegal map value");
  EXPECT_EQ(parse_message("a:\n  b: 1\n c: 2\n"),
            "f.yaml:3:2: not valid YAML: end of map not found");
  EXPECT_EQ(parse_message("a: 1\n]\n"), "f.yaml:2:1: not valid YAML: illegal flow end");
  EXPECT_EQ(parse_message("a: @b\n"), "f.yaml:1:4: not valid YAML: unknown token");
  EXPECT_THAT(parse_message("a: \"\\\x0e\"\n"),
              ::testing::HasSubstr("unknown escape character: \\x0e"));
  EXPECT_EQ(parse_message("a: *b\n"),
            "f.yaml:1:4: not valid YAML: the referenced anchor is not defined");
}

TEST(ParseConfigTest, RefusesAKeyThatIsGivenTwiceAtAnyDepth) {
  EXPECT_EQ(parse_message("a: 1\nb: 2\na: 3\n"), "f.yaml:3:1: key 'a' is given twice");
  EXPECT_EQ(parse_message("a:\n  b:\n    - c: 1\n      d: 2\n      c: 3\n"),
            "f.yaml:5:7: key 'c' is given twice");
  EXPECT_EQ(parse_message("a: {b: {c: 1, c: 2}}\n"), "f.yaml:1:15: key 'c' is given twice");
  EXPECT_EQ(parse_message("a: 1\n'a': 1\n"), "f.yaml:2:1: key 'a' is given twice");
  EXPECT_EQ(parse_message("\"a\\nb\": 1\n\"a\\nb\": 1\n"),
            "f.yaml:2:1: key 'a\\nb' is given twice");
  EXPECT_EQ(parsed("a: {c: 1}\nb: {c: 2}\n"), "{a: {c: '1'}, b: {c: '2'}}");
}

TEST(ParseConfigTest, RefusesKeysThatAreNoNames) {
  EXPECT_EQ(parse_message("? [1, 2]\n: 3\n"), "f.yaml:1:3: expected a name as key");
  EXPECT_EQ(parse_message("a:\n  {b: 1}: 2\n"), "f.yaml:2:3: expected a name as key");
  EXPECT_EQ(parse_message("~: 1\n"), "f.yaml:1:1: expected a name as key");
}

TEST(ParseConfigTest, RefusesSeveralDocuments) {
  EXPECT_EQ(parse_message("a: 1\n---\nb: 2\n"), "f.yaml:2:1: a second document; expected one");
  EXPECT_EQ(parsed("---\na: 1\n...\n"), "{a: '1'}");
}

TEST(ParseConfigTest, RefusesARootThatIsNoMap) {
  EXPECT_EQ(parse_message("\n- 1\n- 2\n"), "f.yaml:2:1: expected a map of options");
  EXPECT_EQ(parse_message("pbm\n"), "f.yaml:1:1: expected a map of options");
  EXPECT_EQ(parse_message("\"\"\n"), "f.yaml:1:1: expected a map of options");
}

TEST(ParseConfigTest, ResolvesAliases) {
  EXPECT_EQ(parsed("a: &x {b: 1}\nc: *x\n"), "{a: {b: '1'}, c: {b: '1'}}");
}

TEST(ParseConfigTest, RefusesAliasesWithoutEnd) {
  EXPECT_EQ(parse_message("a: &x [*x]\n"),
            "f.yaml:1:4: nested too deeply; expected at most 100 levels");
  std::string doubling = "a0: &a0 [1, 1]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string one = "*a" + std::to_string(i - 1), name = "a" + std::to_string(i);
    doubling += name + ": &" + name + " [" + one + ", " + one + "]\n";
  }
  EXPECT_THAT(parse_message(doubling),
              ::testing::HasSubstr("too large; expected at most 1000000 values"));
}

TEST(ParseConfigTest, RefusesDeepNesting) {
  const auto nested = [](std::size_t depth) {
    return "a: " + std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(parsed(nested(99)), "{a: " + std::string(99, '[') + std::string(99, ']') + "}");
  EXPECT_EQ(parse_message(nested(101)),
            "f.yaml:1:104: nested too deeply; expected at most 100 levels");
  EXPECT_THAT(parse_message(nested(100'000)), ::testing::StartsWith("f.yaml:1:"));
}

TEST(ParseConfigTest, RefusesTextAfterTheDocument) {
  EXPECT_EQ(parse_message(","), "f.yaml:1:1: a second document; expected one");
  EXPECT_EQ(parse_message("{name: x},"), "f.yaml:1:10: a second document; expected one");
}

TEST(ParseConfigTest, RefusesAliasesThatGrowTooLarge) {
  std::string aliased = "a: &x " + std::string(1'000'000, 'y') + "\nb: [";
  for (int i = 0; i < 20'000; ++i) aliased += "*x, ";
  EXPECT_EQ(parse_message(aliased + "]\n"),
            "f.yaml:1:4: too large; expected at most 67108864 bytes with all aliases");
  std::string chain = "a0: &a0 [1]\n";  // 200 levels, with one in each line
  for (int i = 1; i < 200; ++i) chain += fmt::format("a{0}: &a{0} [*a{1}]\n", i, i - 1);
  EXPECT_THAT(parse_message(chain), ::testing::HasSubstr("nested too deeply"));
  std::string anchored;  // what is named at every level is kept that often
  for (int i = 0; i < 90; ++i) anchored += fmt::format("&b{} [", i);
  EXPECT_THAT(parse_message("a: " + anchored + std::string(1'000'000, 'y') + std::string(90, ']')),
              ::testing::HasSubstr("too large; expected at most 67108864 bytes"));
}

TEST(ParseConfigTest, RefusesTextThatIsNotUtf8) {
  EXPECT_EQ(parse_message("a: caf\xe9\n"),
            "f.yaml:1:4: 'caf\\xe9' is not UTF-8; expected text in UTF-8");
  EXPECT_EQ(override_message("", "a=\xff"),
            "option 'a=\\xff': is not UTF-8; expected text in UTF-8");
}

TEST(ParseConfigTest, RefusesLongTexts) {
  EXPECT_EQ(parse_message("a: " + std::string(std::size_t{16} << 20, 'y')),
            "f.yaml: too large; expected at most 16777216 bytes");
}

TEST(ReadConfigTest, RefusesAFileWithoutEnd) {
  EXPECT_EQ(config_message([] { read_config("/dev/zero"); }),
            "/dev/zero: too large; expected at most 16777216 bytes");
}

TEST(OverrideConfigTest, RefusesDeepKeys) {
  std::string key = "a";
  for (int i = 0; i < 100'000; ++i) key += ".a";
  EXPECT_THAT(override_message("", key + "=1"),
              ::testing::EndsWith("nested too deeply; expected at most 100 levels"));
}

TEST(ReadConfigTest, ReadsAFile) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("pbm.yaml", "a: 1\r\nb: [x]\r\n");
  const ConfigNode root = read_config(file);
  EXPECT_EQ(shape(root), "{a: '1', b: ['x']}");
  EXPECT_EQ(root.where, file.string());
  EXPECT_EQ(root.find("b")->where, file.string() + ":2:4");
}

TEST(ReadConfigTest, AnEmptyFileIsAnEmptyMap) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(shape(read_config(folder.write("empty.yaml", ""))), "{}");
}

TEST(ReadConfigTest, SaysWhatIsWrongWithAFile) {
  const testing::TemporaryFolder folder;
  const std::string bad = folder.write("bad.yaml", "a: 1\na: 2\n").string();
  EXPECT_EQ(config_message([&] { read_config(bad); }), bad + ":2:1: key 'a' is given twice");
  const std::string missing = (folder.path() / "missing.yaml").string();
  EXPECT_EQ(config_message([&] { read_config(missing); }),
            missing + ": cannot be read; expected a YAML file");
  const std::string itself = folder.path().string();
  EXPECT_EQ(config_message([&] { read_config(itself); }),
            itself + ": is a directory; expected a YAML file");
  const std::string pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(config_message([&] { read_config(pipe); }),
            pipe + ": is a pipe, which can be read only once; expected a YAML file");
  const std::string long_name(5000, 'x');
  EXPECT_EQ(config_message([&] { read_config(long_name); }),
            long_name + ": cannot be read; expected a YAML file");
}

TEST(OverrideConfigTest, SetsWhatADottedKeyNames) {
  const std::string text = "seed: 1\noptimizer:\n  type: adam\n  lr: 0.1\n";
  EXPECT_EQ(overridden(text, {"seed=2"}), "{seed: '2', optimizer: {type: 'adam', lr: '0.1'}}");
  EXPECT_EQ(overridden(text, {"optimizer.lr=0.2"}),
            "{seed: '1', optimizer: {type: 'adam', lr: '0.2'}}");
  EXPECT_EQ(overridden(text, {"optimizer.schedule.type=cosine", "optimizer.schedule.floor=0.1"}),
            "{seed: '1', optimizer: {type: 'adam', lr: '0.1', "
            "schedule: {type: 'cosine', floor: '0.1'}}}");
  EXPECT_EQ(overridden(text, {"train.epochs=3"}),
            "{seed: '1', optimizer: {type: 'adam', lr: '0.1'}, train: {epochs: '3'}}");
  EXPECT_EQ(overridden("", {"a=1", "a=2"}), "{a: '2'}") << "the last one counts";
}

TEST(OverrideConfigTest, ValuesAreYaml) {
  EXPECT_EQ(overridden("", {"a=[1, '2', {b: ~}]"}), "{a: ['1', \"2\", {b: ~}]}");
  EXPECT_EQ(overridden("a: {x: 1, y: 2}", {"a={x: 3}"}), "{a: {x: '3'}}") << "replaced, not merged";
  EXPECT_EQ(overridden("", {"a={b: {c: [1]}}", "a.b.d=2"}), "{a: {b: {c: ['1'], d: '2'}}}");
  EXPECT_EQ(overridden("", {"a='5'"}), "{a: \"5\"}");
  EXPECT_EQ(overridden("", {"a=b=c"}), "{a: 'b=c'}");
  EXPECT_EQ(overridden("", {"a=1,2,3"}), "{a: '1,2,3'}");
  EXPECT_EQ(overridden("a: 1", {"a="}), "{a: ~}");
  EXPECT_EQ(overridden("a: 1", {"a=null"}), "{a: ~}");
}

TEST(OverrideConfigTest, FillsASectionThatIsEmpty) {
  EXPECT_EQ(overridden("optimizer:\n", {"optimizer.lr=1"}), "{optimizer: {lr: '1'}}");
}

TEST(OverrideConfigTest, KeepsThePlainScalarOfAMapThatItMakesOfOne) {
  ConfigNode root = parse_config("optimizer: adam\n", "f.yaml");
  override_config(root, "optimizer.lr=1");
  override_config(root, "optimizer.schedule.type=cosine");
  const ConfigNode& optimizer = *root.find("optimizer");
  EXPECT_EQ(optimizer.kind, ConfigNode::Kind::map);
  EXPECT_EQ(optimizer.find("lr")->scalar, "1");
  EXPECT_EQ(optimizer.find("schedule")->find("type")->scalar, "cosine");
  ASSERT_EQ(optimizer.plain.size(), 1u);
  EXPECT_EQ(optimizer.plain[0].scalar, "adam");
  EXPECT_EQ(optimizer.plain[0].where, "f.yaml:1:12");
  EXPECT_EQ(optimizer.where, "option 'optimizer.lr=1'");
  EXPECT_EQ(optimizer.key_where, "f.yaml:1:1");
}

TEST(OverrideConfigTest, AnEmptyValueThatBecomesAMapHasThePlaceOfTheOverride) {
  ConfigNode root = parse_config("optimizer:\n", "f.yaml");
  override_config(root, "optimizer.lr=1");
  EXPECT_EQ(root.find("optimizer")->where, "option 'optimizer.lr=1'");
  EXPECT_EQ(root.find("optimizer")->key_where, "f.yaml:1:1");
}

TEST(OverrideConfigTest, NodesKnowThatTheyWereOverridden) {
  ConfigNode root = parse_config("a: {b: 1, c: 2}\n", "f.yaml");
  override_config(root, "a.b={x: [5]}");
  override_config(root, "new.d=1");
  const std::string b_where = "option 'a.b={x: [5]}'", d_where = "option 'new.d=1'";
  const ConfigNode& b = *root.find("a")->find("b");
  EXPECT_EQ(b.where, b_where);
  EXPECT_EQ(b.key_where, b_where);
  EXPECT_EQ(b.find("x")->key_where, b_where);
  EXPECT_EQ(b.find("x")->items[0].where, b_where);
  EXPECT_EQ(root.find("new")->key_where, d_where);
  EXPECT_EQ(root.find("new")->where, d_where);
  EXPECT_EQ(root.find("new")->find("d")->key_where, d_where);
  EXPECT_EQ(root.find("a")->find("c")->where, "f.yaml:1:14") << "what stays keeps its place";
  EXPECT_EQ(root.find("a")->where, "f.yaml:1:4");
}

TEST(OverrideConfigTest, SaysWhatIsWrong) {
  EXPECT_EQ(override_message("", "seed"), "option 'seed': expected key=value");
  EXPECT_EQ(override_message("", "=1"), "option '=1': expected key=value");
  EXPECT_EQ(override_message("", ""), "option '': expected key=value");
  for (const char* key : {".a", "a.", "a..b", "."})
    EXPECT_EQ(override_message("", std::string(key) + "=1"),
              "option '" + std::string(key) + "=1': expected a name before and after each dot");
  EXPECT_EQ(override_message("a: {b: [1]}", "a.b.c.d=2"),
            "option 'a.b.c.d=2': 'a.b' is not a section");
  EXPECT_EQ(override_message("", "a=[1"),
            "option 'a=[1': not valid YAML: end of sequence flow not found");
  EXPECT_EQ(override_message("", "a={b: 1, b: 2}"),
            "option 'a={b: 1, b: 2}': key 'b' is given twice");
  EXPECT_EQ(override_message("", "a=1\n--- 2"),
            "option 'a=1\\n--- 2': a second document; expected one");
  EXPECT_EQ(override_message("", "a=&x [*x]"),
            "option 'a=&x [*x]': nested too deeply; expected at most 100 levels");
}

TEST(NearestNameTest, HasTheFewestEdits) {
  const std::vector<std::string> names = {"adagrad", "adam", "adamw", "sgd"};
  EXPECT_EQ(nearest_name("adam", names), "adam");
  EXPECT_EQ(nearest_name("adamm", names), "adam") << "of equally near ones the first";
  EXPECT_EQ(nearest_name("adamww", names), "adamw");
  EXPECT_EQ(nearest_name("adagard", names), "adagrad");
  EXPECT_EQ(nearest_name("sgdd", names), "sgd");
  EXPECT_EQ(nearest_name("lerning_rat", {"learning_rate", "batch_size"}), "learning_rate");
}

TEST(NearestNameTest, IsEmptyIfNoneIsNear) {
  EXPECT_EQ(nearest_name("momentum", {"adagrad", "adam", "sgd"}), "");
  EXPECT_EQ(nearest_name("adam", {}), "");
  // Three edits are too many for six letters, but not for nine.
  EXPECT_EQ(nearest_name("abcdef", {"abcxyz"}), "");
  EXPECT_EQ(nearest_name("abcdefghi", {"abcdefxyz"}), "abcdefxyz");
  // Two edits turn any word of two letters into any other.
  EXPECT_EQ(nearest_name("x", {"lr"}), "");
  EXPECT_EQ(nearest_name("xy", {"lr"}), "");
  EXPECT_EQ(nearest_name("l", {"lr"}), "lr");
  EXPECT_EQ(nearest_name("", {"lr"}), "");
}

TEST(OverrideConfigTest, TakesAValueThatWasReadBefore) {
  ConfigNode root = parse_config("a: {b: 1}", "f.yaml");
  override_config(root, "a.c", parse_config("x: [1, '2']", "g.yaml").find("x")[0], "g.yaml:1:1");
  EXPECT_EQ(shape(root), "{a: {b: '1', c: ['1', \"2\"]}}");
  EXPECT_EQ(root.find("a")->find("c")->where, "g.yaml:1:1");
}

TEST(OneLineYamlTest, ReadsBackTheSame) {
  for (const std::string text : {"{a: 1, b: [x, {c: ~}]}", "{a: {}, b: [], c: \"1\", d: 'y: z'}"}) {
    const ConfigNode node = parse_config(text, "f");
    const std::string line = one_line_yaml(node);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(shape(parse_config(line, "f")), shape(node)) << line;
  }
}

}  // namespace
}  // namespace ultr::config_tree_test
