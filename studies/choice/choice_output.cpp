#include "studies/choice/choice_output.h"

#include <fmt/format.h>

#include "base/files/file.h"
#include "base/text/json_number.h"
#include "base/version.h"
#include "data/text/csv_text.h"
#include "studies/choice/choice_report.h"
#include "studies/choice/choice_words.h"
#include "training/run_files.h"

namespace ultr {
namespace {

using Json = nlohmann::ordered_json;

Json model_json(const ModelChoice& choice, std::size_t m) {
  const FittedModel& model = choice.models[m];
  const auto optional = [](const std::optional<double>& value) {
    return value ? json_number(*value) : Json();
  };
  Json json = {{"model", model.type},
               {"verdict", choice_verdict(choice, m)},
               {"cond_ppl", json_number(model.cond_ppl)},
               {"ppl", json_number(model.ppl)},
               {"test_cond_ppl", optional(model.test_cond_ppl)},
               {"ranking", optional(model.ranking)},
               {"parameters", model.parameters},
               {"epochs", model.epochs},
               {"seconds", model.seconds},
               {"impossible_clicks", model.impossible},
               {"reads_clicks_above", model.reads_clicks_above},
               {"separates_relevance", model.separates_relevance},
               {"examination", json_numbers(model.examination)},
               {"warnings", model.warnings},
               {"test", nullptr}};
  if (const auto& test = model.against_best)
    json["test"] = {{"pairs", test->pairs},
                    {"mean_difference", json_number(test->t_test.mean_difference)},
                    {"lower", json_number(test->interval.lower)},
                    {"upper", json_number(test->interval.upper)},
                    {"t", json_number(test->t_test.t)},
                    {"p", test->t_test.p_value},
                    {"corrected_p", model.corrected_p}};
  return json;
}

Json rates_json(const EventRates& rates) {
  Json json = Json::array();
  for (const EventRate& rate : rates) json.push_back(json_number(rate.rate()));
  return json;
}

Json patterns_json(const ModelChoice& choice) {
  Json json;
  for (std::size_t p = 0; p < click_pattern_count; ++p) {
    const ClickPattern& pattern = click_patterns()[p];
    Json& of = json[std::string(pattern.name)];
    of["first"] = pattern.first;
    of["cases"] = Json::array();
    for (const EventRate& rate : choice.observed[p]) of["cases"].push_back(rate.cases);
    of["observed"] = rates_json(choice.observed[p]);
    for (const FittedModel& model : choice.models)
      of["models"][model.type] = rates_json(model.patterns[p]);
  }
  return json;
}

Json name_of_model(const ModelChoice& choice, const std::optional<std::size_t>& m) {
  return m ? Json(choice.models[*m].type) : Json();
}

std::string listed(const std::string& heading, const std::vector<std::string>& texts) {
  std::string text;
  if (!texts.empty()) text = "\n" + heading + "\n";
  for (const std::string& sentence : texts) text += "- " + sentence + "\n";
  return text;
}

}  // namespace

std::string choice_text(const ModelChoice& choice) {
  std::string text;
  if (!choice.models.empty()) text = render_text_table(choice_table(choice));
  text += listed("choice", answer_of(choice));
  text += listed("users", users_of(choice));
  text += listed("warnings", warnings_of(choice));
  std::vector<std::string> refused;
  for (const RefusedModel& model : choice.refused)
    refused.push_back(fmt::format("{}: {}", model.type, model.reason));
  return text + listed("not fitted", refused);
}

nlohmann::ordered_json choice_json(const ModelChoice& choice) {
  Json json = {{"name", choice.name},
               {"version", version()},
               {"train_sessions", choice.train_sessions},
               {"sessions", choice.sessions},
               {"documents", choice.documents},
               {"pairs", choice.pairs_name()},
               {"for_prediction", name_of_model(choice, choice.for_prediction)},
               {"for_relevance", name_of_model(choice, choice.for_relevance)},
               {"choice", answer_of(choice)},
               {"users", users_of(choice)},
               {"warnings", warnings_of(choice)},
               {"ranking_metric", choice.ranking_metric},
               {"models", Json::array()},
               {"not_fitted", Json::array()}};
  for (std::size_t m = 0; m < choice.models.size(); ++m)
    json["models"].push_back(model_json(choice, m));
  for (const RefusedModel& model : choice.refused)
    json["not_fitted"].push_back({{"model", model.type}, {"reason", model.reason}});
  json["patterns"] = patterns_json(choice);
  json["all_pairs"] = choice.examination ? json_numbers(choice.examination->estimated) : Json();
  return json;
}

std::string choice_csv(const ModelChoice& choice) {
  std::string csv =
      "model,verdict,cond_ppl,ppl,difference,lower,upper,corrected_p,separates_relevance,"
      "parameters,"
      "epochs,seconds,test_cond_ppl,ranking\n";
  const auto optional = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  for (std::size_t m = 0; m < choice.models.size(); ++m) {
    const FittedModel& model = choice.models[m];
    csv += fmt::format("{},{},{},{}", csv_field(model.type), choice_verdict(choice, m),
                       model.cond_ppl, model.ppl);
    if (const auto& test = model.against_best)
      csv += fmt::format(",{},{},{},{}", test->t_test.mean_difference, test->interval.lower,
                         test->interval.upper, model.corrected_p);
    else
      csv += ",,,,";
    csv += fmt::format(",{},{},{},{},{},{}\n", model.separates_relevance ? 1 : 0, model.parameters,
                       model.epochs, model.seconds, optional(model.test_cond_ppl),
                       optional(model.ranking));
  }
  return csv;
}

std::string patterns_csv(const ModelChoice& choice) {
  std::string csv = "pattern,at,model,cases,rate\n";
  const auto add = [&](const std::string& model, const ClickPatternCounts& counts) {
    for (std::size_t p = 0; p < click_pattern_count; ++p)
      for (std::size_t i = 0; i < counts[p].size(); ++i)
        if (counts[p][i].cases > 0)
          csv += fmt::format("{},{},{},{},{}\n", click_patterns()[p].name,
                             click_patterns()[p].label(i), csv_field(model), counts[p][i].cases,
                             counts[p][i].rate());
  };
  add("observed", choice.observed);
  for (const FittedModel& model : choice.models) add(model.type, model.patterns);
  return csv;
}

void write_choice(const ModelChoice& choice, const std::filesystem::path& folder) {
  write_file(folder / "models.csv", choice_csv(choice));
  write_file(folder / "patterns.csv", patterns_csv(choice));
  write_file(folder / "report.html", render_report(choice_report(choice, folder)));
  write_file(folder / results_file,
             choice_json(choice).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace ultr
