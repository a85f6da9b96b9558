import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Finding } from './answer-values.ts';
import type { TemplateProblem } from './checks.server.ts';
import { problemMessage } from './problem-messages.ts';
import type { Template } from './questionnaires.ts';
import { labelAt, textIn, type Problem } from './rules.ts';

/** What is wrong with an answer, and what to do. */
export const problemText = (problem: Pick<Finding, 'code' | 'vars'>, lang: Lang): string =>
  problemMessage(problem, {
    shared: translationsFor(lang, 'inputs'),
    own: translationsFor(lang, 'questionnaires'),
    lang,
  });

/** What is wrong with an answer, with its question: for lists of problems, in which many have the same text. */
export function problemOfQuestion(template: Template, { path, ...problem }: Problem, lang: Lang): string {
  const label = labelAt(template, path);
  const text = problemText(problem, lang);
  if (!label) return text;
  const question = textIn(label, lang, template);
  return translationsFor(lang, 'questionnaires')('problemOfQuestion', { question, problem: text });
}

/** What is wrong with a template. */
export function templateProblemText({ code, lang: missing }: TemplateProblem, lang: Lang): string {
  const names = new Intl.DisplayNames(LANGUAGES[lang], { type: 'language' });
  const language = missing === undefined ? '' : (names.of(LANGUAGES[missing]) ?? missing);
  return translationsFor(lang, 'questionnaires')(code, { language });
}
