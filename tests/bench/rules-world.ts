import { overlaid } from '#features/brazil/service-request-forms/overlay.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { rulesOf } from '#features/brazil/service-request-rules/kinds.ts';
import { checkTemplate } from '#features/tasks/questionnaires/checks.server.ts';
import { rulesOfTemplate } from '#features/tasks/questionnaires/editor.server.ts';
import type { Answers } from '#features/tasks/questionnaires/questionnaires.ts';
import { messagesOf } from '#platform/text/translations.server.ts';
import type { Order } from './rules-browser.ts';
import '../../src/app.server.ts';

/* A program of its own: the requests that the benchmark of the rules checks, as JSON. */

const KEYS = 200;

const days = Array.from({ length: 7 }, (_, at) => `ROWROWROWRO${at}`);

/** What is typed at each key. */
const DATES = ['2026-12-07', '2026-12-23', '2027-01-08', '2027-02-18'];

const ADMISSION = {
  'request.cpf': '11144477735',
  'request.name': 'Rosana Teles Prado',
  'request.birth': '2009-03-14',
  'request.start': '2026-12-07',
  'request.category': 'c101',
  'request.salary': { minor: 150_000, currency: 'BRL' },
  'request.unit': 'c5',
  'request.term': 'c1',
  'hours.trial': true,
  'hours.trial-days': 45,
  'hours.trial-extension': 45,
  'hours.night': true,
  'hours.schedule#order': days,
  ...Object.fromEntries(
    days.flatMap((row, at) => [
      [`hours.schedule.${row}.day`, `day${at + 1}`],
      [`hours.schedule.${row}.from`, { minutes: 480 }],
      [`hours.schedule.${row}.pause-from`, { minutes: 720 }],
      [`hours.schedule.${row}.pause-to`, { minutes: 750 }],
      [`hours.schedule.${row}.to`, { minutes: 1080 }],
    ]),
  ),
} as Answers;

const VACATION = {
  'request.period-start': '2025-03-10',
  'request.absences': 0,
  'request.sell': false,
  'request.agree': true,
  'request.parts#order': days.slice(0, 3),
  ...Object.fromEntries(
    days.slice(0, 3).flatMap((row, at) => [
      [`request.parts.${row}.start`, `2027-0${at + 1}-08`],
      [`request.parts.${row}.days`, 10],
    ]),
  ),
} as Answers;

async function orderFor(type: RequestType, answers: Answers, question: string): Promise<Order> {
  const checked = checkTemplate(overlaid(type, {}));
  const rules = await rulesOf(type);
  if ('problems' in checked || !rules) throw new Error(type);
  const form = rulesOfTemplate(checked.template);
  const facts = { today: '2026-11-27', workplace: { places: ['BR-SP', '3550308'] }, headcount: 40 };
  const texts = {
    own: messagesOf('pt', 'service-requests', rules.keys.own),
    estimates: messagesOf('pt', 'payroll-simulations', rules.keys.estimates),
  };
  const preflight = { type, lang: 'pt', form, answers, facts, softened: [], texts } as const;
  return { preflight, path: question, values: DATES, runs: KEYS };
}

/** What is checked. */
export type RulesWorld = readonly Order[];

const orders: RulesWorld = [
  await orderFor('employeeRegistration', ADMISSION, 'request.start'),
  await orderFor('vacationNotice', VACATION, `request.parts.${days[0]}.start`),
];
process.stdout.write(JSON.stringify(orders));
