import { bySeverity } from '#features/brazil/labor-rules/findings.ts';
import { EMPLOYEE_PATH } from '#features/brazil/service-request-forms/forms.ts';
import { problemsOf, type Problem } from '#features/tasks/questionnaires/rules.ts';
import type { Template } from '#features/tasks/questionnaires/questionnaires.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { Lang } from '#platform/text/languages.ts';
import { givenIn, keyOfEntry } from './answer-facts.ts';
import { checkPlan } from './plans.server.ts';
import { findingText } from './rule-texts.server.ts';
import { firmToday, type RequestRow } from './scope.server.ts';
import type { RequestFinding } from './service-requests.ts';
import { reasonFor, type RequestAnswers } from './stored-answers.server.ts';

/*
 * What the law says about a request before it is sent. The rules are code (`labor-rules`), and run on the server alone: for
 * the page, for the call, and in the transaction that sends it.
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
  const given = givenIn(form, filled.answers);
  const found = await checkPlan(actor, row, given, {
    today: await firmToday(row.company_id),
    employeeId: keyOfEntry(given.at(EMPLOYEE_PATH)),
  });
  return {
    problems: problemsOf(form, filled.answers, 'submit').filter(({ isWarning }) => !isWarning),
    findings: bySeverity(found).map((finding) => ({
      rule: finding.rule,
      severity: finding.severity,
      path: finding.path ?? '',
      text: findingText(row.type, finding, lang),
      law: finding.law,
      vars: finding.vars,
      reason: finding.severity === 'confirm' ? reasonFor(filled, finding.rule) : '',
    })),
  };
}

/** Whether a finding prevents that a request is sent: the law forbids it, or the reason that it asks for is missing. */
export const prevents = ({ severity, reason }: RequestFinding): boolean =>
  severity === 'blocks' || (severity === 'confirm' && reason === '');
