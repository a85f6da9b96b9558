import { addDays, type Day } from '#features/base/work-calendars/days.ts';
import type { Finding } from '#features/brazil/labor-rules/findings.ts';
import {
  checkLeave,
  checkReturn,
  leaveEndedBy,
  type LeavePlan,
} from '#features/brazil/labor-rules/leave-rules.ts';
import { chosenCode, numberOf, textOf } from './given.ts';
import { busyOf, placed, some, type Key, type KindRules, type KnownEmployee } from './kind-rules.ts';
import { ownTexts } from './texts.ts';

/* A leave, and the return from one. */

const ILLNESS = ['01', '03'];

const check: KindRules['check'] = (given, { today, calendar, employee }) => {
  const returnedOn = textOf(given.at('request.returned-on'));
  if (returnedOn !== undefined)
    return placed(returnTo(employee, returnedOn, today), (path) => LEAVE_PATHS[path]);
  const reason = chosenCode(given.at('request.reason'));
  const start = textOf(given.at('request.start'));
  if (reason === undefined || start === undefined) return [];
  const days = numberOf(given.at('request.days'));
  const end = textOf(given.at('request.end')) ?? (days === undefined ? undefined : addDays(start, days - 1));
  const sameReason = given.at('request.same-reason');
  const plan: LeavePlan = {
    reason,
    start,
    ...some('end', end),
    ...(typeof sameReason === 'boolean' && { isSameReason: sameReason }),
    ...some('text', textOf(given.at('request.text'))),
    ...some('union', textOf(given.at('request.union'))),
    ...some('birthOn', textOf(given.at('request.birth-on'))),
    ...some('dischargedOn', textOf(given.at('request.discharged-on'))),
    ...some('accidentOn', textOf(given.at('request.accident-on'))),
    isReported: given.at('request.reported') === true,
  };
  const earlier = (employee?.leaves ?? [])
    .filter((each) => ILLNESS.includes(each.reason) && each.endsOn !== '' && each.endsOn < start)
    .map(({ startsOn, endsOn }) => ({ start: startsOn, end: endsOn }))
    .toSorted((one, other) => (one.start < other.start ? -1 : 1));
  const found = checkLeave(plan, {
    today,
    calendar,
    earlier,
    busy: busyOf(employee),
  });
  return placed(found, (path) => LEAVE_PATHS[path]);
};

/** Without an employee nothing is known of leaves, and nothing is said. */
function returnTo(employee: KnownEmployee | undefined, returnedOn: Day, today: Day): Finding[] {
  if (!employee) return [];
  const open = leaveEndedBy(employee.leaves, returnedOn);
  const leave = open && {
    reason: open.reason,
    start: open.startsOn,
    ...(open.endsOn !== '' && { end: open.endsOn }),
  };
  return checkReturn(returnedOn, { today, leave });
}

const LEAVE_PATHS: Readonly<Record<string, string>> = {
  returnedOn: 'request.returned-on',
  end: 'request.until',
  previous: 'request.same-reason',
  start: 'request.start',
  accidentOn: 'request.accident-on',
  reason: 'request.reason',
  text: 'request.text',
  union: 'request.union',
};

const TEXTS: Readonly<Record<string, Key>> = {
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

export const rules: KindRules = {
  needs: { employee: 'request.employee' },
  asking: ['L4', 'L12'],
  check,
  ...ownTexts(TEXTS),
};
