import { checkInternship, type InternPlan } from '#features/brazil/labor-rules/intern-rules.ts';
import { centsOf, chosenCode, minutesOf, numberOf, textOf } from './given.ts';
import { placed, some, type Key, type KindRules } from './kind-rules.ts';
import { ownTexts } from './texts.ts';

/* The registration of an intern. */

const LEVELS: Readonly<Record<string, InternPlan['level']>> = {
  1: 'fundamental',
  2: 'medium',
  3: 'professional',
  4: 'higher',
  8: 'special',
};

const check: KindRules['check'] = (given, { headcount }) => {
  const start = textOf(given.at('request.start'));
  const end = textOf(given.at('internship.term-end'));
  const level = LEVELS[chosenCode(given.at('internship.level')) ?? ''];
  const dayMinutes = minutesOf(given.at('internship.day-hours'));
  const weekMinutes = minutesOf(given.at('internship.week-hours'));
  if (
    start === undefined ||
    end === undefined ||
    level === undefined ||
    dayMinutes === undefined ||
    weekMinutes === undefined
  )
    return [];
  const disability = given.at('person.disability');
  const found = checkInternship(
    {
      start,
      end,
      level,
      dayMinutes,
      weekMinutes,
      isMandatory: given.at('internship.mandatory') === 'yes',
      hasDisability: Array.isArray(disability) && !disability.includes('none'),
      grant: centsOf(given.at('internship.grant')) ?? 0,
      transport: centsOf(given.at('internship.transport')) ?? 0,
      hasInsurance: given.at('internship.policy') !== undefined,
    },
    {
      ...some('supervised', numberOf(given.at('internship.supervised'))),
      ...some('employees', headcount),
    },
  );
  return placed(found, (path) => INTERN_PATHS[path] ?? `internship.${path}`);
};

const INTERN_PATHS: Readonly<Record<string, string>> = {
  insurance: 'internship.policy',
};

const TEXTS: Readonly<Record<string, Key>> = {
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

export const rules: KindRules = {
  needs: { headcount: true },
  asking: [],
  check,
  ...ownTexts(TEXTS),
};
