#include <pybind11/stl.h>

#include "base/error.h"
#include "python/bindings.h"
#include "python/python_model.h"
#include "python/story_values.h"

namespace ultr::python {
namespace {

namespace py = pybind11;

StoryProb both(const StoryProb& p, const StoryProb& q) {
  return {p.get() * q.get(p.recording), p.recording};
}
StoryProb either(const StoryProb& p, const StoryProb& q) {
  return {p.get() + q.get(p.recording), p.recording};
}
StoryProb given(const StoryProb& p, const StoryProb& q) {
  return {p.get() / q.get(p.recording), p.recording};
}
StoryProb not_p(const StoryProb& p) { return {!p.get(), p.recording}; }
StoryProb mixed(const StoryProb& w, const StoryProb& p, const StoryProb& q) {
  return {mix(w.get(), p.get(w.recording), q.get(w.recording)), w.recording};
}

bool no_truth(const StoryProb&) {
  throw py::type_error(
      "a probability has no value while its story is recorded; expected mix(w, p, q) in place of "
      "if, and, or and not");
}

std::vector<StoryProb> shares_of(const ShareParameter& shares, const StorySession& s) {
  std::vector<StoryProb> all;
  for (const Prob share : shares(s.get())) all.push_back({share, s.recording});
  return all;
}

void bind_probabilities(py::module_& m) {
  py::class_<StoryProb>(m, "Prob", "A probability of a story.")
      .def("__mul__", &both, py::is_operator())
      .def("__and__", &both, py::is_operator())
      .def("__add__", &either, py::is_operator())
      .def("__truediv__", &given, py::is_operator())
      .def("__invert__", &not_p)
      .def("__bool__", &no_truth);
  m.def("mix", &mixed, py::arg("w"), py::arg("p"), py::arg("q"), "The probability w p + (1-w) q.");

  py::class_<StoryLogit>(m, "Logit", "A logit of a story.")
      .def(
          "__add__",
          [](const StoryLogit& a, const StoryLogit& b) {
            if (a.recording != b.recording || !a.recording->open)
              throw ConfigError(
                  "a logit is of another call of the story; expected those of this call alone");
            return StoryLogit{a.logit + b.logit, a.recording};
          },
          py::is_operator());
  m.def(
      "sigmoid",
      [](const StoryLogit& x) {
        if (!x.recording->open)
          throw ConfigError(
              "a logit is of another call of the story; expected those of this call alone");
        return StoryProb{sigmoid(x.logit), x.recording};
      },
      py::arg("logit"), "The probability with this logit.");

  py::class_<StorySession>(m, "Session", "A session as a story sees it: without clicks and ids.")
      .def("always",
           [](const StorySession& s) {
             return StoryProb{s.get().always(), s.recording};
           })
      .def("never", [](const StorySession& s) {
        return StoryProb{s.get().never(), s.recording};
      });
  py::class_<LogitParameter>(m, "LearnedProbability",
                             "A parameter of a model whose story is being told.")
      .def("__call__",
           [](const LogitParameter& parameter, const StorySession& s) {
             return StoryProb{parameter(s.get()), s.recording};
           })
      .def("logit", [](const LogitParameter& parameter, const StorySession& s) {
        return StoryLogit{parameter.logit(s.get()), s.recording};
      });
  py::class_<ShareParameter>(m, "LearnedShares").def("__call__", &shares_of);
}

void bind_results(py::module_& m) {
  py::class_<StoryExamination>(m, "Examination",
                               "Users click what they examine and find attractive.")
      .def(py::init([](const StoryProb& examination, const StoryProb& attraction) {
             return StoryExamination{examination, attraction};
           }),
           py::arg("examination"), py::arg("attraction"));
  py::class_<StoryCascade>(m, "Cascade", "Users read down the list and may stop.")
      .def(py::init([](const StoryProb& attraction, const StoryProb& after_click,
                       const StoryProb& after_skip) {
             return StoryCascade{attraction, after_click, after_skip};
           }),
           py::arg("attraction"), py::arg("after_click"), py::arg("after_skip"));
  py::class_<StoryMove>(m, "Move", "A move to a state, with a probability.")
      .def(py::init([](std::size_t to, const StoryProb& probability) {
             return StoryMove{to, probability};
           }),
           py::arg("to"), py::arg("probability"));
  py::class_<StoryState>(m, "State", "A state of the user at a document.")
      .def(py::init([](const StoryProb& examination, const StoryProb& attraction,
                       std::vector<StoryMove> after_click, std::vector<StoryMove> after_skip) {
             return StoryState{examination, attraction, std::move(after_click),
                               std::move(after_skip)};
           }),
           py::arg("examination"), py::arg("attraction"), py::arg("after_click"),
           py::arg("after_skip"));
  py::class_<StoryChain>(m, "Chain",
                         "A click model as a finite-state machine over the ranks of a list.")
      .def(py::init([](std::vector<StoryState> states, std::vector<StoryMove> start) {
             return StoryChain{std::move(states), std::move(start)};
           }),
           py::arg("states"), py::arg("start") = std::vector<StoryMove>());
}

}  // namespace

void bind_stories(py::module_& m) {
  bind_probabilities(m);
  bind_results(m);
  py::class_<PythonBuilder>(m, "ModelBuilder")
      .def("parameter", &PythonBuilder::parameter)
      .def("shares", [](PythonBuilder& self, const std::string& name, std::size_t count,
                        const std::string& help) { return self.build().shares(name, count, help); })
      .def("number",
           [](PythonBuilder& self, const std::string& name, double value, double low, double high,
              const std::string& help) {
             return self.build().number(name, value, between(low, high), help);
           })
      .def("boolean",
           [](PythonBuilder& self, const std::string& name, bool value, const std::string& help) {
             return self.build().boolean(name, value, help);
           })
      .def("word", [](PythonBuilder& self, const std::string& name, const std::string& value,
                      const std::vector<std::string>& words, const std::string& help) {
        return self.build().word(name, value, words, help);
      });
}

}  // namespace ultr::python
