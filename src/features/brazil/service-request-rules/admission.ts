import { checkAdmission, type AdmissionPlan } from '#features/brazil/labor-rules/admission-rules.ts';
import type { Day } from '#features/base/work-calendars/days.ts';
import { centsOf, chosenCode, minutesOf, numberOf, textOf, type Given } from './given.ts';
import { placed, some, type Key, type KindRules } from './kind-rules.ts';
import { scheduleIn } from './schedules.ts';
import { ownTexts } from './texts.ts';

/* The registration of an employee. */

const check: KindRules['check'] = (given, { today, calendar, isActiveHere, headcount }) => {
  const start = textOf(given.at('request.start'));
  const category = chosenCode(given.at('request.category'));
  if (start === undefined || category === undefined) return [];
  const found = checkAdmission(admissionPlan(given, start, category), {
    today,
    calendar,
    ...some('isActiveHere', isActiveHere),
    ...some('employees', headcount),
  });
  return placed(found, (path) => ADMISSION_PATHS[path]);
};

const ADMISSION_PATHS: Readonly<Record<string, string>> = {
  start: 'request.start',
  birth: 'request.birth',
  night: 'hours.night',
  examOn: 'more.exam-on',
  trial: 'hours.trial-days',
  week: 'hours.week',
  schedule: 'hours.schedule',
  salary: 'request.salary',
  cpf: 'request.cpf',
  category: 'request.category',
  disability: 'person.disability',
};

const UNITS: Readonly<Record<string, 'hour' | 'month'>> = { 1: 'hour', 5: 'month' };

function admissionPlan(given: Given, start: Day, category: string): AdmissionPlan {
  const schedule = scheduleIn(given.rows('hours.schedule'));
  const trialDays = numberOf(given.at('hours.trial-days'));
  const extension = numberOf(given.at('hours.trial-extension')) ?? 0;
  const cents = centsOf(given.at('request.salary'));
  const unit = UNITS[chosenCode(given.at('request.unit')) ?? ''];
  const partTime = Number(chosenCode(given.at('hours.part-time')) ?? 0);
  const endsOn = textOf(given.at('apprentice.until'));
  return {
    start,
    category,
    ...some('birth', textOf(given.at('request.birth'))),
    ...(trialDays !== undefined && { trial: extension > 0 ? [trialDays, extension] : [trialDays] }),
    ...(schedule.length > 0 && { schedule }),
    ...some('weekMinutes', minutesOf(given.at('hours.week'))),
    isAtNight: given.at('hours.night') === true,
    ...((partTime === 1 || partTime === 2 || partTime === 3) && { partTime }),
    ...(cents !== undefined && unit !== undefined && { salary: { cents, unit } }),
    ...some('examOn', textOf(given.at('more.exam-on'))),
    ...(endsOn !== undefined && {
      apprenticeship: {
        endsOn,
        hasEntity: given.at('apprentice.entity') !== undefined,
        hasFinishedSchool: given.at('apprentice.school') === true,
      },
    }),
  };
}

const TEXTS: Readonly<Record<string, Key>> = {
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

export const rules: KindRules = {
  needs: { place: 'request.place', cpf: 'request.cpf', headcount: true },
  asking: ['A1', 'A3', 'A8', 'A9'],
  check,
  ...ownTexts(TEXTS),
};
