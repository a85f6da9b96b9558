import type { Finding } from '#features/brazil/labor-rules/findings.ts';
import { checkVacation, type VacationRule } from '#features/brazil/labor-rules/vacation-rules.ts';
import { openPeriods } from '#features/brazil/labor-rules/vacation.ts';
import { vacationKeys, vacationText } from '#features/brazil/payroll-simulations/vacation-texts.ts';
import { numberOf, textOf } from './given.ts';
import { busyOf, placed, some, type KindRules } from './kind-rules.ts';
import { OPEN_PERIOD_TEXT, openPeriodText } from './texts.ts';

/* The notice and the calculation of a vacation. */

const check: KindRules['check'] = (given, facts) => [
  ...checkPlan(given, facts),
  ...offeredPeriods(given, facts),
];

/** The years of work that have vacation left, as long as none of them is chosen. */
const offeredPeriods: KindRules['check'] = (given, { today, employee }) => {
  const open =
    employee?.isEmployed === true ? openPeriods(employee.hiredOn, employee.vacationPeriods, today) : [];
  const chosen = given.at('request.period-start');
  if (open.some(({ start }) => start === chosen)) return [];
  return open.slice(0, MAX_OFFERED).map(({ start, end, useBy, leftDays }) => ({
    rule: OPEN_PERIOD,
    severity: 'informs',
    path: 'request.period-start',
    vars: { start, end, useBy, days: leftDays },
    law: 'CLT, arts. 130 e 134',
  }));
};

const OPEN_PERIOD = 'openPeriod';
const MAX_OFFERED = 3;

const checkPlan: KindRules['check'] = (given, { today, calendar, employee }) => {
  const periodStart = textOf(given.at('request.period-start'));
  const absences = numberOf(given.at('request.absences'));
  const rows = given.rows('request.parts');
  const parts = rows.flatMap(({ at }) => {
    const [start, days] = [textOf(at('start')), numberOf(at('days'))];
    return start === undefined || days === undefined ? [] : [{ start, days }];
  });
  if (periodStart === undefined || absences === undefined || parts.length === 0 || parts.length < rows.length)
    return [];
  const soldDays = numberOf(given.at('request.sold-days')) ?? 0;
  const found = checkVacation(
    { periodStart, absences, parts, soldDays },
    {
      today,
      calendar,
      ...some('noticeOn', textOf(given.at('request.notice-on'))),
      ...some('saleAskedOn', textOf(given.at('request.asked-on'))),
      ...(given.at('request.thirteenth') === true && { thirteenthAskedOn: today }),
      isCollective: given.at('request.collective') === true,
      isAgreed: given.at('request.agree') === true,
      ...some('birth', employee?.bornOn || undefined),
      busy: busyOf(employee),
      ...some('contractEnd', employee?.contractEndsOn || undefined),
    },
  );
  return placed(found, (path) => {
    const [, row, name] = /^parts\[(\d+)\]\.(\w+)$/.exec(path) ?? [];
    if (row !== undefined) return `${rows[Number(row)]?.path ?? 'request.parts'}.${name}`;
    return {
      parts: 'request.parts',
      soldDays: 'request.sold-days',
      absences: 'request.absences',
      thirteenth: 'request.thirteenth',
      agree: 'request.agree',
    }[path];
  });
};

export const rules: KindRules = {
  needs: { employee: 'request.employee' },
  asking: ['V2', 'V3', 'V4', 'V7', 'V11'],
  check,
  text: (finding, words) =>
    finding.rule === OPEN_PERIOD
      ? openPeriodText(finding, words)
      : vacationText(finding as Finding<VacationRule>, words.estimates, words.lang),
  keys: { own: [OPEN_PERIOD_TEXT], estimates: vacationKeys },
};
