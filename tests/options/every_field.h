#pragma once

#include "options/fields.h"

namespace ultr::testing {

struct InnerOptions final : Options {
  double ratio = 0.5;
  std::string note;

  void fields(Fields& f) override {
    f.number("ratio", ratio, "Help of ratio.", inside(0, 1));
    f.text("note", note, "Help of note.");
  }
};

struct PointOptions final : Options {
  void fields(Fields&) override {}
};

struct CircleOptions final : Options {
  std::int64_t radius = 2;
  InnerOptions inner;

  void fields(Fields& f) override {
    f.integer("radius", radius, "Help of radius.", between(1, 9));
    f.section("inner", inner, "Help of a circle's inner.");
  }
};

inline const std::vector<OptionType>& shape_types() {
  static const std::vector<OptionType> types = {
      option_type<PointOptions>("point", "Help of point."),
      option_type<CircleOptions>("circle", "Help of circle."),
  };
  return types;
}

/// Options whose choice has no section of its own.
struct Drawing final : Options {
  std::string title;
  Choice shape = Choice(shape_types(), "point", "shape");

  void fields(Fields& f) override {
    f.text("title", title, "Help of title.");
    f.inline_choice(shape, "Help of shape.");
  }
};

/// Options with a field of every kind that has a name of its own (all but inline_choice).
struct EveryField final : Options {
  bool flag = true;
  std::int64_t count = 3;
  std::int64_t any_count = -4;
  double rate = 0.1;
  double any_rate = -2.5;
  std::optional<double> start;
  std::optional<double> end = 0.75;
  std::string title = "Clicks";
  std::string mode = "fast";
  std::vector<std::int64_t> cutoffs = {1, 3};
  std::vector<double> weights = {0.5, 2};
  std::vector<std::string> files;
  InnerOptions inner;
  Choice shape = Choice(shape_types(), "circle", "kind");

  void fields(Fields& f) override {
    f.boolean("flag", flag, "Help of flag.");
    f.integer("count", count, "Help of count.", at_least(1));
    f.integer("any_count", any_count, "Help of any_count.", {});
    f.number("rate", rate, "Help of rate.", above(0));
    f.number("any_rate", any_rate, "Help of any_rate.", {});
    f.optional_number("start", start, "Help of start.", inside(0, 1));
    f.optional_number("end", end, "Help of end.", between(0, 1));
    f.text("title", title, "Help of title.");
    f.word("mode", mode, "Help of mode.", {"fast", "slow"});
    f.integers("cutoffs", cutoffs, "Help of cutoffs.", between(1, 10));
    f.numbers("weights", weights, "Help of weights.", at_least(0));
    f.texts("files", files, "Help of files.");
    f.section("inner", inner, "Help of inner.");
    f.choice("shape", shape, "Help of shape.");
  }
};

}  // namespace ultr::testing
