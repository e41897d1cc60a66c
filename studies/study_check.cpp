#include "studies/study_check.h"

#include "studies/study_figures.h"

namespace ultr {

void check_study(const Study& study, const std::vector<StudyPoint>& points) {
  const StudyTable open(study, points);
  for (const ExpectationResult& result : evaluate_expectations(study, open))
    if (result.status == ExpectationStatus::unknown) throw ConfigError(result.note);
  for (const StudyFigure& figure : study.figures) draw_figure(study, figure, open);
}

}  // namespace ultr
