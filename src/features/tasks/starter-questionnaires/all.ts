import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import { brMonthly } from './br-monthly.ts';
import { brNewEmployee } from './br-new-employee.ts';
import { brOnboarding } from './br-onboarding.ts';
import { brYearEnd } from './br-year-end.ts';
import { caNewEmployee } from './ca-new-employee.ts';
import { caYearEnd } from './ca-year-end.ts';
import { DRAFT_REVIEWS } from './draft-reviews.ts';
import { ENGAGEMENTS } from './engagement.ts';
import { ukNewEmployee } from './uk-new-employee.ts';
import { ukPersonal } from './uk-personal.ts';
import { ukYearEnd } from './uk-year-end.ts';
import { us1040 } from './us-1040.ts';
import { usNewEmployee } from './us-new-employee.ts';
import { usYearEnd } from './us-year-end.ts';

/** A template that comes with the product; a firm copies it and makes it its own. */
export interface Starter {
  key: string;
  kind: 'questionnaire' | 'document_request' | 'document_review' | 'misc';
  country: string;
  template: TemplateInput;
}

const starter = (kind: Starter['kind'], template: TemplateInput): Starter => ({
  key: template.key,
  kind,
  country: template.country,
  template,
});

export const STARTERS: readonly Starter[] = [
  starter('questionnaire', us1040),
  starter('document_request', usYearEnd),
  starter('questionnaire', usNewEmployee),
  starter('document_request', caYearEnd),
  starter('questionnaire', caNewEmployee),
  starter('questionnaire', ukPersonal),
  starter('document_request', ukYearEnd),
  starter('questionnaire', ukNewEmployee),
  starter('document_request', brYearEnd),
  starter('questionnaire', brOnboarding),
  starter('document_request', brMonthly),
  starter('questionnaire', brNewEmployee),
  ...ENGAGEMENTS.map((template) => starter('questionnaire', template)),
  ...DRAFT_REVIEWS.map((template) => starter('document_review', template)),
];
