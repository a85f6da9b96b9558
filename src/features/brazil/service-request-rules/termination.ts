import type { Day } from '#features/base/work-calendars/days.ts';
import type { Finding } from '#features/brazil/labor-rules/findings.ts';
import { NOTICES, REASONS, type Notice, type Reason } from '#features/brazil/labor-rules/termination.ts';
import {
  checkTermination,
  STABILITIES,
  type TerminationRule,
} from '#features/brazil/labor-rules/termination-rules.ts';
import { terminationKeys, terminationText } from '#features/brazil/payroll-simulations/termination-texts.ts';
import { chosenCode, textOf, type Given } from './given.ts';
import { LAST, placed, some, type KindRules, type KnownEmployee } from './kind-rules.ts';

/* The notice and the calculation of the end of a contract. */

const NOTICE_OF: Readonly<Record<string, Notice>> = { 'not-worked': 'notWorked' };

const check: KindRules['check'] = (given, { today, calendar, employee }) => {
  const code = chosenCode(given.at('request.reason'));
  const reason = REASONS.find((each): each is Reason => each === code);
  const chosen = textOf(given.at('request.notice')) ?? '';
  const notice = NOTICE_OF[chosen] ?? NOTICES.find((each) => each === chosen);
  const lastDay = textOf(given.at('request.last-day'));
  if (!employee || reason === undefined || notice === undefined || lastDay === undefined) return [];
  const month = Number((textOf(given.at('request.base-month')) ?? '').slice(1));
  const found = checkTermination(
    {
      salary: employee.salaryUnit === '5' ? (employee.salaryCents ?? 0) : 0,
      admission: employee.hiredOn,
      lastDay,
      reason,
      notice,
      noticeOn: textOf(given.at('request.notice-on')),
      termEnd: employee.contractEndsOn || employee.trialEndsOn || undefined,
      hasClause: given.at('request.clause') === true,
      stabilities: stabilitiesIn(given),
      baseMonth: month > 0 ? month : undefined,
    },
    {
      today,
      calendar,
      ...some('birth', employee.bornOn || undefined),
      ...some('away', awayOn(employee, lastDay)),
    },
  );
  return placed(found, (path) => TERMINATION_PATHS[path]);
};

const TERMINATION_PATHS: Readonly<Record<string, string>> = {
  notice: 'request.notice',
  lastDay: 'request.last-day',
  noticeOn: 'request.notice-on',
  termEnd: 'request.last-day',
  stabilities: 'request.stability',
  baseMonth: 'request.base-month',
  reason: 'request.reason',
};

function stabilitiesIn(given: Given) {
  const chosen = given.at('request.stability');
  return STABILITIES.filter((each) => Array.isArray(chosen) && chosen.includes(each));
}

const VACATION = '15';

/** What keeps an employee from working on a day. Whether social security pays is not known. */
function awayOn({ leaves }: KnownEmployee, day: Day): 'vacation' | 'leave' | undefined {
  const current = leaves.find(({ startsOn, endsOn }) => startsOn <= day && (endsOn || LAST) >= day);
  return current && (current.reason === VACATION ? 'vacation' : 'leave');
}

export const rules: KindRules = {
  needs: { employee: 'request.employee' },
  asking: ['T7', 'T9', 'T12'],
  check,
  text: (finding, { estimates, lang }) =>
    terminationText(finding as Finding<TerminationRule>, estimates, lang),
  keys: { own: [], estimates: terminationKeys },
};
