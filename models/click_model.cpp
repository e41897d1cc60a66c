#include "models/click_model.h"

namespace ultr {

Logit LogitParameter::logit(const Session& session) const { return logit_of((*this)(session)); }

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

std::optional<Prob> ExaminationModel::direct_conditional(const Session& session) const {
  const Examination s = story(session);
  return s.examination * s.attraction;
}

Chain ExaminationModel::chain(const Session& session) const {
  const Prob always = session.always();
  const auto state = [&](std::size_t number) {
    const Examination s =
        story(session.with_last_click(number == 0 ? std::nullopt : std::optional(number - 1)));
    return State{.examination = s.examination,
                 .attraction = s.attraction,
                 .after_click = {{Move::state_of_rank, always}},
                 .after_skip = {{number, always}}};
  };
  const Session probe = session;
  story(probe);
  if (!probe.last_click_was_used()) {
    State only = state(0);
    only.after_click = {{0, always}};
    return {{only}};
  }
  // One state for each rank of the last click, and one for none yet.
  Chain chain;
  for (std::size_t k = 0; k < session.inputs().longest(); ++k) chain.states.push_back(state(k));
  chain.states.push_back(state(session.inputs().longest()));
  return chain;
}

Tensor session_log_likelihood(const ClickModel& model, const Session& session, Impossible rule) {
  if (const auto click = model.direct_conditional(session))
    return sum_over_ranks(where(session.inputs().clicked(), *click, !*click).log(), session);
  return chain_log_likelihood(model.chain(session), session, rule);
}

Prob conditional_click(const ClickModel& model, const Session& session) {
  if (const auto click = model.direct_conditional(session)) return *click;
  return session.probabilities().from_log(chain_conditional(model.chain(session), session));
}

Prob examination(const ClickModel& model, const Session& session) {
  return session.probabilities().from_log(chain_examination(model.chain(session), session));
}

Prob unconditional_click(const ClickModel& model, const Session& session) {
  return session.probabilities().from_log(chain_unconditional(model.chain(session), session));
}

}  // namespace ultr
