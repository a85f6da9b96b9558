import type { Finding } from '#features/brazil/labor-rules/findings.ts';
import { checkVacation, type VacationRule } from '#features/brazil/labor-rules/vacation-rules.ts';
import { vacationKeys, vacationText } from '#features/brazil/payroll-simulations/vacation-texts.ts';
import { numberOf, textOf } from './given.ts';
import { busyOf, placed, some, type KindRules } from './kind-rules.ts';

/* The notice and the calculation of a vacation. */

const check: KindRules['check'] = (given, { today, calendar, employee }) => {
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
  text: (finding, { estimates, lang }) => vacationText(finding as Finding<VacationRule>, estimates, lang),
  keys: { own: [], estimates: vacationKeys },
};
