import { bySeverity, type Finding } from '#features/brazil/labor-rules/findings.ts';
import type { Key as EstimateKey } from '#features/brazil/payroll-simulations/finding-texts.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { isSensitive } from '#features/tasks/questionnaires/answer-values.ts';
import type { AnswerValue, Answers, Template } from '#features/tasks/questionnaires/questionnaires.ts';
import { questionAt } from '#features/tasks/questionnaires/rules.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { Messages } from '#platform/text/messages.ts';
import { givenIn } from './given.ts';
import { planFacts, type Key, type KindRules, type KnownFacts, type Words } from './kind-rules.ts';

/* What the rules say about answers: on the server, which decides, and in the browser while somebody types. */

/** What a browser needs to check a request. */
export interface Preflight {
  type: RequestType;
  lang: Lang;
  /** What the request asks, without texts. */
  form: Template;
  /** The stored answers, without those that are only shown masked. */
  answers: Answers;
  facts: KnownFacts;
  /** The rules that warn instead of asking for a reason, as the firm has decided. */
  softened: readonly string[];
  texts: { own: Messages<Key>; estimates: Messages<EstimateKey> };
}

/** What a rule says, with its words. */
interface Said {
  rule: string;
  severity: Finding['severity'];
  path: string;
  text: string;
  law: string;
  vars: Finding['vars'];
  /** It warns because the firm asks for no reason. */
  isSoftened?: true;
}

interface Checked extends Pick<Preflight, 'form' | 'answers' | 'facts' | 'softened'> {
  words: Words;
}

/** Checks answers by the rules of a kind; the gravest first. */
export const checkAnswers = (
  { check, text }: KindRules,
  { form, answers, facts, softened, words }: Checked,
): Said[] => {
  const said = check(givenIn(form, answers), planFacts(facts)).map((finding): Said => {
    const isSoftened = finding.severity === 'confirm' && softened.includes(finding.rule);
    return {
      rule: finding.rule,
      severity: isSoftened ? 'warns' : finding.severity,
      path: finding.path ?? '',
      text: text(finding, words),
      law: finding.law,
      vars: finding.vars,
      ...(isSoftened && { isSoftened }),
    };
  });
  return bySeverity(said);
};

interface Typed {
  answers: Answers;
  sensitive: Readonly<Record<string, AnswerValue | null>>;
}

/** The stored answers with what a step contains. Of its sensitive answers the page knows those that were typed. */
export function withTyped(
  { form, answers: stored }: Pick<Preflight, 'form' | 'answers'>,
  step: string,
  { answers, sensitive }: Typed,
): Answers {
  const others = Object.entries(stored).filter(([path]) => {
    const question = questionAt(form, path);
    return !path.startsWith(`${step}.`) || (question !== undefined && isSensitive(question));
  });
  const all = { ...Object.fromEntries(others), ...answers, ...sensitive };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Answers;
}
