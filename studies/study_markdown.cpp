#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/markup.h"
#include "studies/study_output.h"

namespace ultr {
namespace {

/// Returns text for a cell of a Markdown table.
std::string in_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c == '\n' ? ' ' : c;
  }
  return cell;
}

/// Returns text as a cell of a Markdown table. HTML in it is shown, not obeyed.
std::string markdown_cell(const std::string& text) { return in_cell(escape_markup(text)); }

/// Returns text as a cell that is code. In backquotes, Markdown shows HTML as it is.
std::string markdown_code(const std::string& text) {
  return text.find('`') == std::string::npos ? fmt::format("`{}`", in_cell(text))
                                             : fmt::format("<code>{}</code>", markdown_cell(text));
}

}  // namespace

std::string expectations_markdown(const StudyOutcome& outcome) {
  std::string text;
  for (std::size_t i = 0; i < outcome.expectations.size(); ++i)
    text += fmt::format("| {} | {} | {} | {} | {} |\n", markdown_code(outcome.study.name),
                        markdown_cell(outcome.study.paper),
                        markdown_code(outcome.study.expectations[i].claim.text),
                        verdict(outcome.expectations[i].status),
                        markdown_cell(shown_comparisons(outcome.expectations[i])));
  return text;
}

std::string tuning_markdown(const StudyOutcome& outcome) {
  std::string text;
  const std::size_t stages = outcome.tuned.size();
  for (std::size_t s = 0; s < stages; ++s)
    for (const TunedOptions& tuned : outcome.tuned[s]) {
      const TuningCandidate& chosen = tuned.chosen();
      StudyCoordinates place = tuned.place;
      if (place.front().second.empty()) place.erase(place.begin());
      if (stages > 1) place.emplace(place.begin(), "stage", std::to_string(s + 1));
      text +=
          fmt::format("| {} | {} | {} | {:.6g} | {} |\n", markdown_code(outcome.study.name),
                      markdown_cell(shown_scope(place)), markdown_cell(shown_scope(chosen.options)),
                      chosen.result.mean, tuned.candidates.size());
    }
  return text;
}

}  // namespace ultr
