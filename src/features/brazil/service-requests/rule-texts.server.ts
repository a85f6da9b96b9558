import type { Finding } from '#features/brazil/labor-rules/findings.ts';
import type { TerminationRule } from '#features/brazil/labor-rules/termination-rules.ts';
import type { VacationRule } from '#features/brazil/labor-rules/vacation-rules.ts';
import { textVars } from '#features/brazil/payroll-simulations/estimate-view.server.ts';
import { terminationFindingViews } from '#features/brazil/payroll-simulations/termination-view.server.ts';
import { vacationFindingViews } from '#features/brazil/payroll-simulations/vacation-view.server.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { hoursAndMinutes } from '#features/tasks/questionnaires/answer-values.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
import type { RequestFinding } from './service-requests.ts';

type Key = KeysOf<'service-requests'>;

const ADMISSION: Readonly<Record<string, Key>> = {
  A1: 'ruleA1',
  A2: 'ruleA2',
  A3: 'ruleA3',
  A4: 'ruleA4',
  A5: 'ruleA5',
  A6: 'ruleA6',
  A7: 'ruleA7',
  A8: 'ruleA8',
  A9: 'ruleA9',
  A10: 'ruleA10',
  A11: 'ruleA11',
  A12: 'ruleA12',
  'A1 confirm': 'ruleA1Past',
  'A1 warns': 'ruleA1Today',
  'A5 warns': 'ruleA5Day',
};

const INTERN: Readonly<Record<string, Key>> = {
  hours: 'ruleInternHours',
  term: 'ruleInternTerm',
  pay: 'ruleInternPay',
  insurance: 'ruleInternInsurance',
  supervisor: 'ruleInternSupervisor',
  share: 'ruleInternShare',
  recess: 'ruleInternRecess',
  report: 'ruleInternReport',
  event: 'ruleEvent',
};

const PARTNER: Readonly<Record<string, Key>> = {
  minimum: 'rulePartnerMinimum',
  ceiling: 'rulePartnerCeiling',
  none: 'rulePartnerNone',
  event: 'ruleEvent',
};

const LEAVE: Readonly<Record<string, Key>> = {
  L1: 'ruleL1',
  L2: 'ruleL2',
  L3: 'ruleL3',
  L4: 'ruleL4',
  L5: 'ruleL5',
  L6: 'ruleL6',
  L7: 'ruleL7',
  L8: 'ruleL8',
  L9: 'ruleL9',
  L10: 'ruleL10',
  L11: 'ruleL11',
  L12: 'ruleL12',
  L13: 'ruleL13',
  'L3 warns': 'ruleL3Late',
};

const TEXTS: Partial<Record<RequestType, Readonly<Record<string, Key>>>> = {
  employeeRegistration: ADMISSION,
  internRegistration: INTERN,
  partnerRegistration: PARTNER,
  employeeLeave: LEAVE,
};

/** What a finding says. Those of vacations and terminations are worded as in the estimates. */
export function findingText(type: RequestType, finding: Finding, lang: Lang): string {
  if (type === 'vacationNotice' || type === 'vacationCalculation')
    return vacationFindingViews([finding as Finding<VacationRule>], lang)[0]?.text ?? '';
  if (type === 'terminationNotice' || type === 'terminationCalculation')
    return terminationFindingViews([finding as Finding<TerminationRule>], lang)[0]?.text ?? '';
  const texts = TEXTS[type] ?? {};
  const key = texts[`${finding.rule} ${finding.severity}`] ?? texts[finding.rule];
  const { minutes, ...vars } = finding.vars;
  return key === undefined
    ? ''
    : translationsFor(lang, 'service-requests')(key, {
        ...textVars(vars, lang),
        ...(typeof minutes === 'number' && { hours: hoursAndMinutes(minutes) }),
      });
}

/** Findings that were kept with a submission, in the language of who reads them now. */
export const findingsFor = (
  type: RequestType,
  findings: readonly RequestFinding[],
  lang: Lang,
): RequestFinding[] =>
  findings.map((finding) => ({
    ...finding,
    text: (finding.vars && findingText(type, { ...finding, vars: finding.vars }, lang)) || finding.text,
  }));
