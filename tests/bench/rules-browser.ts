import { rulesOf } from '#features/brazil/service-request-rules/kinds.ts';
import { checkAnswers, withTyped, type Preflight } from '#features/brazil/service-request-rules/preflight.ts';
import { prepareTexts } from '#features/brazil/service-request-rules/texts.ts';
import type { Answers } from '#features/tasks/questionnaires/questionnaires.ts';
import { createTranslator } from '#platform/text/messages.ts';

/* What the page of a request does at each key, bundled for the browser of the benchmark. */

export interface Order {
  preflight: Preflight;
  /** The question whose answer changes at each key, and its answers in turn. */
  path: string;
  values: readonly string[];
  runs: number;
}

/** Milliseconds of each check. */
async function timeChecks({ preflight, path, values, runs }: Order): Promise<number[]> {
  const rules = await rulesOf(preflight.type);
  if (!rules) throw new Error(preflight.type);
  const { lang, texts } = preflight;
  const { answers, facts } = preflight;
  const words = { lang, own: createTranslator(texts.own), estimates: createTranslator(texts.estimates) };
  // as the page does when a field is entered
  prepareTexts(words, facts.today);
  checkAnswers(rules, { ...preflight, words });
  return Array.from({ length: runs }, (_, run) => {
    const typed = { ...answers, [path]: values[run % values.length] } as Answers;
    const begun = performance.now();
    const found = checkAnswers(rules, {
      ...preflight,
      answers: withTyped(preflight, path.split('.')[0] ?? '', { answers: typed, sensitive: {} }),
      words,
    });
    JSON.stringify(found);
    return performance.now() - begun;
  });
}

Object.assign(globalThis, { timeChecks });
