#include "dsl/click_model.h"

namespace ultr {

Logit LogitParameter::logit(const Session& session) const { return logit_of((*this)(session)); }

Logits LogitParameter::logits(const Session& session) const {
  const ProbGraph::Node& coin = session.probabilities().node((*this)(session).node());
  return {coin.values, coin.table};
}

Chain CascadeModel::chain(const Session& session) const {
  enum : std::size_t { on, off };
  const Cascade s = story(session);
  const Prob always = session.always(), never = session.never();
  return {{
      {.examination = always,
       .attraction = s.attraction,
       .after_click = {{on, s.after_click}, {off, !s.after_click}},
       .after_skip = {{on, s.after_skip}, {off, !s.after_skip}}},
      {.examination = never,
       .attraction = s.attraction,
       .after_click = {},
       .after_skip = {{off, always}}},
  }};
}

Chain independent_clicks(const Examination& story, const Session& session) {
  const Prob always = session.always();
  return {.states = {{.examination = story.examination,
                      .attraction = story.attraction,
                      .after_click = {{0, always}},
                      .after_skip = {{0, always}}}}};
}

Chain ExaminationModel::chain(const Session& session) const {
  return independent_clicks(story(session), session);
}

Tensor session_objective(const ClickModel& model, const Session& session, Impossible rule) {
  if (const auto objective = model.objective(session, rule)) return *objective;
  return chain_log_likelihood(model.chain(session), session, rule);
}

}  // namespace ultr
