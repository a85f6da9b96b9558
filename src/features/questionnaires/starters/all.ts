import type { TemplateInput } from '../questionnaires.ts';
import { ukPersonal } from './uk-personal.ts';
import { us1040 } from './us-1040.ts';

/** A template that comes with the product; a firm copies it and makes it its own. */
export interface Starter {
  key: string;
  kind: 'questionnaire' | 'document_request' | 'misc';
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
  starter('questionnaire', ukPersonal),
];
