import type { Finding } from '#features/brazil/labor-rules/findings.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { givenIn } from '#features/brazil/service-request-rules/given.ts';
import type { Words } from '#features/brazil/service-request-rules/kind-rules.ts';
import { rulesOf } from '#features/brazil/service-request-rules/kinds.ts';
import { checkAnswers, type Preflight } from '#features/brazil/service-request-rules/preflight.ts';
import { RULE_TEXTS } from '#features/brazil/service-request-rules/texts.ts';
import { isMasked } from '#features/tasks/questionnaires/answer-values.ts';
import { rulesOfTemplate } from '#features/tasks/questionnaires/editor.server.ts';
import { problemsOf, questionAt, type Problem } from '#features/tasks/questionnaires/rules.ts';
import type { Template } from '#features/tasks/questionnaires/questionnaires.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { Lang } from '#platform/text/languages.ts';
import { messagesOf, translationsFor } from '#platform/text/translations.server.ts';
import { knownFacts } from './employee-facts.server.ts';
import type { RequestRow } from './scope.server.ts';
import type { RequestFinding } from './service-requests.ts';
import { settingsOf } from './settings.server.ts';
import { answersOf, reasonFor, type RequestAnswers } from './stored-answers.server.ts';

/*
 * What the law says about a request before it is sent. The same rules run in the browser while somebody types
 * (`service-request-rules`); what they say here, for the page, for the call, and in the transaction that sends it, decides.
 */

interface Checked {
  /** Answers that are missing or wrong. */
  problems: Problem[];
  findings: RequestFinding[];
}

type Request = Pick<RequestRow, 'company_id' | 'client_id' | 'type'>;

/** Checks the answers to a request; the findings are the gravest first. */
export async function checkRequest(
  actor: Actor,
  row: Request,
  form: Template,
  { filled, lang }: { filled: RequestAnswers; lang: Lang },
): Promise<Checked> {
  return {
    problems: problemsOf(form, filled.answers, 'submit').filter(({ isWarning }) => !isWarning),
    findings: (await findingsOf(actor, row, form, { filled, lang })).map((finding) => ({
      ...finding,
      reason: finding.severity === 'confirm' ? reasonFor(filled, finding.rule) : '',
    })),
  };
}

async function findingsOf(
  actor: Actor,
  row: Request,
  form: Template,
  { filled: { answers }, lang }: { filled: RequestAnswers; lang: Lang },
): Promise<Omit<RequestFinding, 'reason'>[]> {
  const rules = await rulesOf(row.type);
  if (!rules) return [];
  const facts = await knownFacts(actor, row, rules, givenIn(form, answers));
  const { softened } = await settingsOf(row.company_id, row.type);
  return checkAnswers(rules, { form, answers, facts, softened, words: wordsIn(lang) });
}

/** What a browser needs to check a request while somebody types; undefined if the law says nothing about its kind. */
export async function preflightOf(
  actor: Actor,
  row: Request & Pick<RequestRow, 'request_id'>,
  form: Template,
  lang: Lang,
): Promise<Preflight | undefined> {
  const rules = await rulesOf(row.type);
  if (!rules) return undefined;
  const { answers } = await answersOf(row.request_id);
  const { own, estimates } = rules.keys;
  return {
    type: row.type,
    lang,
    form: rulesOfTemplate(form),
    answers: Object.fromEntries(
      Object.entries(answers).filter(([path]) => {
        const question = questionAt(form, path);
        return question === undefined
          ? path.endsWith('#order')
          : !isMasked(question) && question.kind !== 'files';
      }),
    ),
    facts: await knownFacts(actor, row, rules, givenIn(form, answers)),
    softened: (await settingsOf(row.company_id, row.type)).softened,
    texts: {
      own: messagesOf(lang, RULE_TEXTS, [...own, 'ruleResolved']),
      estimates: messagesOf(lang, 'payroll-simulations', [...estimates, ...SEVERITY_KEYS]),
    },
  };
}

const SEVERITY_KEYS = ['severityBlocks', 'severityConfirm', 'severityWarns', 'severityInforms'] as const;

const wordsIn = (lang: Lang): Words => ({
  lang,
  own: translationsFor(lang, RULE_TEXTS),
  estimates: translationsFor(lang, 'payroll-simulations'),
});

/** Findings that were kept with a submission, in the language of who reads them now. */
export async function findingsFor(
  type: RequestType,
  findings: readonly RequestFinding[],
  lang: Lang,
): Promise<RequestFinding[]> {
  const rules = await rulesOf(type);
  return findings.map((finding) => ({
    ...finding,
    text:
      (finding.vars && rules?.text(asChecked(finding as Finding & RequestFinding), wordsIn(lang))) ||
      finding.text,
  }));
}

/** Its text is that of the rule that asks for a reason. */
const asChecked = (finding: Finding & RequestFinding): Finding =>
  finding.isSoftened ? { ...finding, severity: 'confirm' } : finding;

/** Whether a finding prevents that a request is sent: the law forbids it, or the reason that it asks for is missing. */
export const prevents = ({ severity, reason }: RequestFinding): boolean =>
  severity === 'blocks' || (severity === 'confirm' && reason === '');
