import { afterEach, describe, expect, test } from 'vitest';
import { setFlag } from '#features/base/access/access.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { addEmployee } from '#features/brazil/employees/changes.server.ts';
import type { EmployeeInput } from '#features/brazil/employees/employees.ts';
import type { RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { rulesOf } from '#features/brazil/service-request-rules/kinds.ts';
import { checkAnswers, withTyped, type Preflight } from '#features/brazil/service-request-rules/preflight.ts';
import { performAction } from '#features/brazil/service-requests/acting.server.ts';
import { beginRequest } from '#features/brazil/service-requests/beginning.server.ts';
import { checkRequest, preflightOf } from '#features/brazil/service-requests/preflight.server.ts';
import { formOfRequest } from '#features/brazil/service-requests/request-forms.server.ts';
import { requestRow } from '#features/brazil/service-requests/scope.server.ts';
import { answersOf, writeAnswer } from '#features/brazil/service-requests/stored-answers.server.ts';
import { isSensitive } from '#features/tasks/questionnaires/answer-values.ts';
import type { AnswerValue, Answers } from '#features/tasks/questionnaires/questionnaires.ts';
import { questionAt } from '#features/tasks/questionnaires/rules.ts';
import { createTranslator } from '#platform/text/messages.ts';
import { LANGS } from '#platform/text/languages.ts';
import { makeCast, person, standAt } from '../../support/cast.ts';
import '../../../src/app.server.ts';

/* The rules in the browser, with the facts as they come by the call, beside those of the server. */

const { firmOne, ada, sam, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
for (const flag of ['ServiceRequest.Denied'] as const) await setFlag(olga, flag, false);
for (const flag of ['ServiceRequest.Employee', 'ServiceRequest.Intern', 'ServiceRequest.Partner'] as const)
  await setFlag(olga, flag, true);
const contact = await actorOf(ada.contactId);
standAt(Date.UTC(2026, 10, 27, 15));

const employee = (cpf: string, name: string, more: Partial<EmployeeInput> = {}) =>
  addEmployee(sam, clientA, { name, cpf, hiredOn: '2023-01-14', salaryCents: 240_000, ...more });

const fernanda = await employee('951.788.742-69', 'Fernanda Okada');
const away = await employee('529.982.247-25', 'Lia Souza', {
  leaves: [
    { startsOn: '2026-10-01', endsOn: '2026-10-10', reason: '03' },
    { startsOn: '2026-12-10', endsOn: '2027-01-20', reason: '17' },
  ],
});
const young = await employee('111.444.777-35', 'Caio Prado', { bornOn: '2009-05-02' });
const onTrial = await employee('390.533.447-05', 'Rui Telles', {
  hiredOn: '2026-12-01',
  trialEndsOn: '2027-02-28',
});

const onRecord = await employee('168.995.350-09', 'Ivo Ramos', {
  vacationPeriods: [{ startsOn: '2025-01-14', takenDays: 10 }],
});

const ROW = 'AAAAAAAAAAAA';
const rowAt = (at: number): string => ROW.slice(0, -1) + 'ABCDEFG'[at]!;

interface Vector {
  type: RequestType;
  about?: { id: string };
  answers: Record<string, AnswerValue>;
  /** The gravest rules, which the vector is about. */
  says?: string[];
}

const vacation = (
  [periodStart, absences, sold, ...parts]: [string, number, number, ...[start: string, days: number][]],
  more: Record<string, AnswerValue> = {},
): Record<string, AnswerValue> => ({
  'request.period-start': periodStart,
  'request.absences': absences,
  'request.sell': sold > 0,
  ...(sold > 0 && { 'request.sold-days': sold }),
  'request.parts#order': parts.map((_, at) => rowAt(at)),
  ...Object.fromEntries(
    parts.flatMap(([start, days], at): [string, AnswerValue][] => [
      [`request.parts.${rowAt(at)}.start`, start],
      [`request.parts.${rowAt(at)}.days`, days],
    ]),
  ),
  'request.agree': true,
  ...more,
});

const STARTS = [
  '2026-12-21',
  '2026-12-22',
  '2026-12-23',
  '2026-12-24',
  '2026-12-25',
  '2026-12-28',
  '2026-12-30',
  '2027-01-04',
  '2027-01-08',
  '2027-02-08',
  '2027-02-18',
  '2027-03-24',
];

const PARTS: [sold: number, ...[start: string, days: number][]][] = [
  [0, ['2027-01-04', 14], ['2027-02-01', 11], ['2027-03-01', 5]],
  [0, ['2027-01-04', 15], ['2027-02-01', 10], ['2027-03-01', 5]],
  [0, ['2027-01-04', 13], ['2027-02-01', 12], ['2027-03-01', 5]],
  [0, ['2027-01-04', 14], ['2027-02-01', 12], ['2027-03-01', 4]],
  [10, ['2027-01-04', 6], ['2027-02-01', 14]],
  [10, ['2027-01-04', 5], ['2027-02-01', 15]],
  [11, ['2027-01-04', 19]],
  [0, ['2027-01-04', 15], ['2027-01-12', 15]],
];

const registration = (more: Record<string, AnswerValue>): Record<string, AnswerValue> => ({
  'request.cpf': '86288366757',
  'request.name': 'Rosana Teles',
  'request.birth': '1998-03-14',
  'request.start': '2026-12-07',
  'request.category': 'c101',
  'request.salary': { minor: 240_000, currency: 'BRL' },
  'request.unit': 'c5',
  'request.term': 'c1',
  ...more,
});

const shift = (from: number, to: number, pause: [number, number]): Record<string, AnswerValue> => ({
  'hours.schedule#order': [ROW],
  [`hours.schedule.${ROW}.day`]: 'day1',
  [`hours.schedule.${ROW}.from`]: { minutes: from },
  [`hours.schedule.${ROW}.to`]: { minutes: to },
  [`hours.schedule.${ROW}.pause-from`]: { minutes: pause[0] },
  [`hours.schedule.${ROW}.pause-to`]: { minutes: pause[1] },
});

const internship = (more: Record<string, AnswerValue>): Record<string, AnswerValue> => ({
  'request.start': '2026-12-01',
  'internship.level': 'c4',
  'internship.term-end': '2028-11-30',
  'internship.day-hours': { minutes: 360 },
  'internship.week-hours': { minutes: 1800 },
  'internship.mandatory': false,
  ...more,
});

const termination = (
  reason: string,
  notice: string,
  lastDay: string,
  more: Record<string, AnswerValue> = {},
) => ({
  'request.reason': `c${reason}`,
  'request.notice': notice,
  'request.last-day': lastDay,
  ...more,
});

const leave = (reason: string, start: string, days: number, more: Record<string, AnswerValue> = {}) => ({
  'request.what': 'leave',
  'request.reason': `c${reason}`,
  'request.start': start,
  'request.until': 'days',
  'request.days': days,
  ...more,
});

const VECTORS: Vector[] = [
  ...STARTS.map((start): Vector => ({
    type: 'vacationNotice',
    about: fernanda,
    answers: vacation(['2025-03-10', 0, 0, [start, 20]]),
  })),
  ...[5, 6, 14, 15, 23, 24, 32, 33].map((absences): Vector => ({
    type: 'vacationCalculation',
    about: fernanda,
    answers: vacation(['2025-03-10', absences, 0, ['2027-01-04', 18]]),
  })),
  ...PARTS.map(([sold, ...parts]): Vector => ({
    type: 'vacationNotice',
    about: fernanda,
    answers: vacation(['2025-03-10', 0, sold, ...parts]),
  })),
  {
    type: 'vacationNotice',
    about: fernanda,
    answers: vacation(['2025-12-01', 0, 0, ['2026-11-23', 20]], { 'request.notice-on': '2026-10-01' }),
  },
  {
    type: 'vacationNotice',
    about: fernanda,
    answers: vacation(['2025-03-10', 0, 0, ['2027-01-04', 10], ['2027-02-01', 20]], {
      'request.agree': false,
    }),
    says: ['V17'],
  },
  {
    type: 'vacationNotice',
    about: away,
    answers: vacation(['2025-03-10', 0, 0, ['2027-01-04', 20]]),
    says: ['V14'],
  },
  { type: 'vacationNotice', about: young, answers: vacation(['2025-03-10', 0, 0, ['2027-01-04', 20]]) },
  ...(['2026-11-26', '2026-11-27', '2026-11-28', '2026-11-30', '2026-12-07'] as const).map(
    (start): Vector => ({
      type: 'employeeRegistration',
      answers: registration({ 'request.start': start }),
    }),
  ),
  {
    type: 'employeeRegistration',
    answers: registration({ 'request.birth': '2010-11-28', 'request.start': '2026-11-27' }),
    says: ['A2'],
  },
  {
    type: 'employeeRegistration',
    answers: registration({
      'request.birth': '2010-11-28',
      'request.start': '2026-11-28',
      'hours.night': true,
    }),
    says: ['A2'],
  },
  ...(
    [
      [45, 45],
      [30, 60],
      [60, 45],
    ] as const
  ).map(([days, extension]): Vector => ({
    type: 'employeeRegistration',
    answers: registration({
      'hours.trial': true,
      'hours.trial-days': days,
      'hours.trial-extension': extension,
    }),
  })),
  {
    type: 'employeeRegistration',
    answers: registration({ ...shift(480, 1020, [720, 750]), 'hours.week': { minutes: 2640 } }),
  },
  {
    type: 'employeeRegistration',
    answers: registration({ 'request.salary': { minor: 150_000, currency: 'BRL' } }),
    says: ['A8'],
  },
  {
    type: 'employeeRegistration',
    answers: registration({ 'hours.week': { minutes: 45 * 60 } }),
    says: ['A5'],
  },
  { type: 'internRegistration', answers: internship({}), says: ['pay', 'insurance'] },
  { type: 'internRegistration', answers: internship({ 'internship.day-hours': { minutes: 420 } }) },
  {
    type: 'internRegistration',
    answers: internship({ 'internship.term-end': '2028-12-01' }),
    says: ['term'],
  },
  {
    type: 'internRegistration',
    answers: internship({
      'internship.level': 'c2',
      'internship.supervised': 11,
      'person.disability': ['none'],
    }),
  },
  ...([847_555, 162_100, 100_000] as const).map((minor): Vector => ({
    type: 'partnerRegistration',
    answers: {
      'request.start': '2026-12-01',
      'partnership.pro-labore': true,
      'partnership.value': { minor, currency: 'BRL' },
    },
  })),
  {
    type: 'partnerRegistration',
    answers: {
      'request.start': '2026-12-01',
      'partnership.pro-labore': false,
      'partnership.administrator': true,
    },
  },
  ...(
    [
      ['02', 'paid', '2026-11-27'],
      ['02', 'worked', '2026-12-30', { 'request.notice-on': '2026-11-27' }],
      ['33', 'paid', '2026-11-27'],
      ['01', 'none', '2026-11-27'],
      ['07', 'notWorked', '2026-12-15'],
      ['02', 'paid', '2026-11-27', { 'request.stability': ['pregnancy'] }],
      ['02', 'paid', '2026-12-01', { 'request.base-month': 'm1' }],
    ] as [string, string, string, Record<string, AnswerValue>?][]
  ).flatMap(([reason, notice, lastDay, more]) =>
    [fernanda, away, young].map((about): Vector => ({
      type: 'terminationNotice',
      about,
      answers: termination(reason, notice === 'notWorked' ? 'not-worked' : notice, lastDay, more),
    })),
  ),
  ...(['2026-12-20', '2027-02-28', '2027-03-01'] as const).map((lastDay): Vector => ({
    type: 'terminationCalculation',
    about: onTrial,
    answers: termination('06', 'none', lastDay),
  })),
  ...(
    [
      ['01', '2026-12-01', 10, { 'request.accident-on': '2026-11-20', 'request.reported': false }],
      ['03', '2026-12-01', 20],
      ['03', '2026-11-05', 10, { 'request.same-reason': true }],
      ['03', '2026-12-20', 10, { 'request.same-reason': false }],
      ['17', '2026-12-01', 120, { 'request.birth-on': '2026-12-01', 'request.discharged-on': '2027-01-10' }],
      ['21', '2026-12-01', 10],
      ['24', '2026-12-01', 10],
      ['16', '2026-12-01', 10],
      ['33', '2026-12-01', 180],
    ] as [string, string, number, Record<string, AnswerValue>?][]
  ).flatMap(([reason, start, days, more]) =>
    [fernanda, away].map((about): Vector => ({
      type: 'employeeLeave',
      about,
      answers: leave(reason, start, days, more),
    })),
  ),
  {
    type: 'employeeLeave',
    about: away,
    answers: { 'request.what': 'return', 'request.returned-on': '2026-12-20' },
  },
];

/** What the browser gets, through the JSON of the call. */
const sent = (preflight: Preflight | undefined): Preflight =>
  JSON.parse(JSON.stringify(preflight)) as Preflight;

async function inBrowser(preflight: Preflight, answers: Answers) {
  const rules = await rulesOf(preflight.type);
  if (!rules) throw new Error(preflight.type);
  const { lang, texts } = preflight;
  return checkAnswers(rules, {
    ...preflight,
    answers,
    words: { lang, own: createTranslator(texts.own), estimates: createTranslator(texts.estimates) },
  });
}

const drafts: string[] = [];
afterEach(async () => {
  for (const id of drafts.splice(0)) await performAction(contact, id, 'delete');
});

/** A new draft; an untouched one would be used again. */
async function draftOf({ type, about }: Vector) {
  const id = await beginRequest(contact, { clientId: clientA, type, ...(about && { employeeId: about.id }) });
  const row = await requestRow(contact, id);
  drafts.push(id);
  return { id, row, form: await formOfRequest(row) };
}

/** What a step of the page contains, when everything in it was typed. */
function typedIn(form: Preflight['form'], answers: Record<string, AnswerValue>) {
  const isOf = (path: string): boolean => {
    const question = questionAt(form, path);
    return question !== undefined && isSensitive(question);
  };
  const of = (isSecret: boolean) =>
    Object.fromEntries(Object.entries(answers).filter(([path]) => isOf(path) === isSecret)) as Answers;
  return { answers: of(false), sensitive: of(true) };
}

describe('what the browser says while somebody types', () => {
  test.each(VECTORS.map((vector, at) => [`${at} ${vector.type}`, vector] as const))(
    'is what the server says: %s',
    async (_, vector) => {
      const { id, row, form } = await draftOf(vector);
      const preflight = sent(await preflightOf(contact, row, form, 'pt'));
      const typed = typedIn(form, vector.answers);
      const found = await inBrowser(preflight, withTyped(preflight, 'request', typed));

      for (const [path, value] of Object.entries(vector.answers)) await writeAnswer(contact, id, path, value);
      const { findings } = await checkRequest(contact, row, form, {
        filled: await answersOf(id),
        lang: 'pt',
      });
      expect(found).toEqual(findings.map(({ reason: _reason, ...finding }) => finding));
      expect(found.length, 'the vector says something').toBeGreaterThan(0);
      expect(found.every(({ text, law }) => text !== '' && !text.includes('{{') && law !== '')).toBe(true);
      expect(found.map(({ rule }) => rule)).toEqual(expect.arrayContaining(vector.says ?? []));
    },
  );

  test.each(LANGS)('is said in %s as the server says it', async (lang) => {
    for (const vector of [VECTORS[2]!, VECTORS.find(({ type }) => type === 'employeeLeave')!]) {
      const { id, row, form } = await draftOf(vector);
      for (const [path, value] of Object.entries(vector.answers)) await writeAnswer(contact, id, path, value);
      const preflight = sent(await preflightOf(contact, row, form, lang));
      const { findings } = await checkRequest(contact, row, form, { filled: await answersOf(id), lang });
      expect((await inBrowser(preflight, preflight.answers)).map(({ text }) => text)).toEqual(
        findings.map(({ text }) => text),
      );
      expect(createTranslator(preflight.texts.own)('ruleResolved')).not.toBe('ruleResolved');
    }
  });

  test('forgets what was removed in the step, and keeps the answers of the others', async () => {
    const { id, row, form } = await draftOf({ type: 'employeeRegistration', answers: {} });
    await writeAnswer(contact, id, 'request.birth', '2010-11-28');
    await writeAnswer(contact, id, 'hours.night', true);
    const preflight = sent(await preflightOf(contact, row, form, 'pt'));
    const answers = withTyped(preflight, 'request', { answers: {}, sensitive: {} });
    expect(answers).toMatchObject({ 'hours.night': true });
    expect(answers).not.toHaveProperty(['request.birth']);
  });
});

test('offers the years of work that have vacation left until one of them is chosen', async () => {
  const { row, form } = await draftOf({ type: 'vacationNotice', about: onRecord, answers: {} });
  const preflight = sent(await preflightOf(contact, row, form, 'pt'));
  const choose = (start: string) =>
    inBrowser(
      preflight,
      withTyped(preflight, 'request', { answers: { 'request.period-start': start }, sensitive: {} }),
    );
  expect((await choose('2025-01-01')).map(({ text }) => text)).toEqual([
    'Período aquisitivo em aberto, pelo que está registrado: 14 de jan. de 2025 a 13 de jan. de 2026. Saldo em dias: 20. Usar até 13 de jan. de 2027.',
  ]);
  expect(await choose('2025-01-14')).toEqual([]);
});

test.each([
  ['a partner', '722', '123.456.789-09'],
  ['an intern', '901', '987.654.321-00'],
])('offers %s no years of work: the CLT gives them no vacation', async (_, category, cpf) => {
  const about = await employee(cpf, 'Bia Sem Férias', { category });
  const { row, form } = await draftOf({ type: 'vacationNotice', about, answers: {} });
  const preflight = sent(await preflightOf(contact, row, form, 'pt'));
  const typed = { answers: { 'request.period-start': '2025-01-01' }, sensitive: {} };
  expect(await inBrowser(preflight, withTyped(preflight, 'request', typed))).toEqual([]);
});

describe('what the browser is told', () => {
  test('has no answers that pages show only in part, and of the employee only what rules take', async () => {
    const { id, row, form } = await draftOf({ type: 'terminationNotice', about: fernanda, answers: {} });
    await writeAnswer(contact, id, 'more.files', ['document_x']);
    const preflight = sent(await preflightOf(contact, row, form, 'pt'));
    expect(JSON.stringify(preflight)).not.toContain('document_x');
    expect(Object.keys(preflight.facts.employee ?? {})).not.toContain('cpf');
    expect(preflight.facts.employee).toMatchObject({ hiredOn: '2023-01-14' });
  });

  test('is nothing for a kind about which the law says nothing', async () => {
    const { row, form } = await draftOf({ type: 'generalRequests', answers: {} });
    expect(await preflightOf(contact, row, form, 'pt')).toBeUndefined();
  });
});
