import { describe, expect, test } from 'vitest';
import { setFlag } from '#features/base/access/access.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { addEmployee, changeEmployee } from '#features/brazil/employees/changes.server.ts';
import {
  addEstablishment,
  listEstablishments,
} from '#features/brazil/establishments/establishments.server.ts';
import { employeeOf, listEmployees } from '#features/brazil/employees/employees.server.ts';
import { performAction } from '#features/brazil/service-requests/acting.server.ts';
import { beginRequest } from '#features/brazil/service-requests/beginning.server.ts';
import {
  countsByCategory,
  listRequests,
  requestFor,
} from '#features/brazil/service-requests/listing.server.ts';
import { plannedChange } from '#features/brazil/service-requests/employee-changes.server.ts';
import { lapseRequests } from '#features/brazil/service-requests/lapsing.server.ts';
import { requestRow } from '#features/brazil/service-requests/scope.server.ts';
import { addMessage } from '#features/brazil/service-requests/messages.server.ts';
import { exportAsTable, exportRequest } from '#features/brazil/service-requests/request-export.server.ts';
import { saveChanges, saveReason, saveSection } from '#features/brazil/service-requests/saving.server.ts';
import { requestQuery } from '#features/brazil/service-requests/service-requests.ts';
import { answersOf, writeAnswer } from '#features/brazil/service-requests/stored-answers.server.ts';
import { changeSettings, settingsOf } from '#features/brazil/service-requests/settings.server.ts';
import { verifyRequests } from '#features/brazil/service-requests/submissions.server.ts';
import { REQUEST_TYPES, type RequestType } from '#features/brazil/service-request-forms/forms.ts';
import { rulesOf } from '#features/brazil/service-request-rules/kinds.ts';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { answerChanges } from '#features/tasks/answer-editor/answer-editor.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { db } from '#platform/database/database.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { apiAs, impersonating } from '../../support/api.ts';
import { makeCast, person, standAt } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { firmOne, ada, ben, sam, clientA, clientB } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const rita = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
await setFlag(olga, 'ServiceRequest.Denied', false);
const contact = await actorOf(ada.contactId);
const staff = await actorOf(sam.contactId);
standAt(Date.UTC(2026, 10, 27, 15));

const fernanda = await addEmployee(sam, clientA, {
  name: 'Fernanda Okada',
  cpf: '951.788.742-69',
  hiredOn: '2023-01-14',
  vacationPeriods: [{ startsOn: '2025-01-14' }],
});

const begin = (type: RequestType, employeeId?: string): Promise<string> =>
  beginRequest(contact, { clientId: clientA, type, ...(employeeId && { employeeId }) });

/** Fills fields of a request as its form posts them. */
async function fill(
  id: string,
  fields: Record<string, string>,
  { by = contact, section = 'request' }: { by?: Actor; section?: string } = {},
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return saveSection(by, id, { section, form, lang: 'pt' });
}

const GENERAL = {
  'request.subject': 'Segunda via do holerite',
  'request.department': 'payroll',
  'request.text': 'Preciso do holerite de outubro.',
};

/** A general request that was sent. */
async function sent(): Promise<string> {
  const id = await begin('generalRequests');
  await fill(id, GENERAL);
  await performAction(contact, id, 'submit');
  return id;
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => refusal(error)?.code ?? String(error),
  );

const PART = 'AAAAAAAAAAAA';
const VACATION = {
  'request.parts#order': PART,
  [`request.parts.${PART}.start`]: '23/12/2026',
  [`request.parts.${PART}.days`]: '30',
  'request.sell': 'no',
  'request.thirteenth': 'no',
  'request.notice-on': '20/11/2026',
};

describe('a draft', () => {
  test('is begun once when the button is pressed twice, and again once it was touched', async () => {
    const first = await begin('partnerRegistration');
    expect(await begin('partnerRegistration')).toBe(first);
    standAt(Date.UTC(2026, 10, 27, 15, 1));
    await fill(first, { 'request.name': 'Antônio Pires' });
    expect(await begin('partnerRegistration')).not.toBe(first);
  });

  test('knows the employee with whom it is begun, and the year of work that has vacation left', async () => {
    const id = await begin('vacationNotice', fernanda.id);
    await fill(id, {
      ...VACATION,
      [`request.parts.${PART}.start`]: '04/01/2027',
      [`request.parts.${PART}.days`]: '10',
    });
    await performAction(contact, id, 'submit');
    const request = await requestFor(contact, id);
    expect(request).toMatchObject({
      status: 'WaitingForAnswer',
      about: 'Fernanda Okada',
      dueOn: '2026-12-31',
    });
  });

  test('is seen by its company alone, and not by the firm', async () => {
    const id = await begin('generalRequests');
    expect(await codeOf(requestFor(staff, id))).toBe('NOT_FOUND');
    await performAction(contact, id, 'delete');
    expect(await codeOf(requestFor(contact, id))).toBe('NOT_FOUND');
  });

  test('keeps what two people type at the same time', async () => {
    const id = await begin('generalRequests');
    const change = (tab: string, value: string) =>
      saveChanges(
        contact,
        id,
        answerChanges.parse({
          tab,
          language: 'pt',
          changes: [{ path: 'request.subject', value, base: 0, sequence: 1 }],
        }),
      );
    expect(await change('tabOfAdaOne1', 'Um')).toMatchObject([{ result: 'saved', version: 1 }]);
    expect(await change('tabOfAdaTwo2', 'Outro')).toMatchObject([{ result: 'conflict' }]);
    expect(await codeOf(performAction(contact, id, 'submit'))).toBe('INCOMPLETE');
    await performAction(contact, id, 'delete');
  });

  test('is not sent while an answer is missing', async () => {
    const id = await begin('generalRequests');
    await fill(id, { 'request.subject': 'Sem texto' });
    expect(await codeOf(performAction(contact, id, 'submit'))).toBe('INCOMPLETE');
    await performAction(contact, id, 'delete');
  });
});

describe('the law', () => {
  test('blocks a vacation that begins two days before a holiday, with its article', async () => {
    const id = await begin('vacationNotice', fernanda.id);
    await fill(id, VACATION);
    const checked = (await (
      await apiAs(contact)('POST', `/api/service-request/v1/requests/${id}/check?language=pt`)
    ).json()) as { findings: { rule: string; severity: string; law: string; path: string; text: string }[] };
    expect(checked.findings[0]).toMatchObject({
      rule: 'V5',
      severity: 'blocks',
      law: 'CLT, art. 134, § 3º',
      path: `request.parts.${PART}.start`,
    });
    expect(checked.findings[0]?.text).toContain('Natal');
    expect(await codeOf(performAction(contact, id, 'submit'))).toBe('INCOMPLETE');
    await performAction(contact, id, 'delete');
  });

  test('asks for a reason, which is kept with what was sent', async () => {
    const id = await begin('vacationNotice', fernanda.id);
    await fill(id, {
      ...VACATION,
      [`request.parts.${PART}.start`]: '14/12/2026',
      'request.notice-on': '27/11/2026',
    });
    expect(await codeOf(performAction(contact, id, 'submit'))).toBe('INCOMPLETE');
    await saveReason(contact, id, 'V7', 'O empregado pediu.');
    await performAction(contact, id, 'submit');
    const { findings } = await exportRequest(contact, id, 'pt');
    expect(findings.find(({ rule }) => rule === 'V7')).toMatchObject({
      severity: 'confirm',
      reason: 'O empregado pediu.',
      text: expect.stringContaining('aviso') as string,
    });
    const inFrench = (await exportRequest(contact, id, 'fr')).findings.find(({ rule }) => rule === 'V7');
    expect(inFrench?.text).toContain('avis');
    expect(inFrench?.text).not.toContain('aviso');
  });

  test('says who is too young for a contract', async () => {
    const id = await begin('employeeRegistration');
    await fill(id, {
      'request.birth': '28/11/2011',
      'request.start': '30/11/2026',
      'request.category': 'c101',
    });
    const { findings } = (await (
      await apiAs(contact)('POST', `/api/service-request/v1/requests/${id}/check?language=pt`)
    ).json()) as { findings: { rule: string; severity: string }[] };
    expect(findings).toEqual(
      expect.arrayContaining([expect.objectContaining({ rule: 'A2', severity: 'blocks' })]),
    );
    await performAction(contact, id, 'delete');
  });
});

const HEAD_OFFICE = { name: 'Padaria', cnpj: '99.304.518/0001-86', city: '3550308' };

const ADMISSION = {
  'request.cpf': '642.468.273-20',
  'request.name': 'Bruna Castilho',
  'request.birth': '14/03/1998',
  'request.start': '07/12/2026',
  'request.category': 'c101',
  'request.nature': 'c1',
  'request.position': 'Atendente',
  'request.cbo': '513435',
  'request.salary': '2.400,00',
  'request.unit': 'c5',
  'request.term': 'c1',
};

/** Fills the first section of an admission, with the establishment that was looked up. */
async function fillMinimum(id: string): Promise<void> {
  const [first] = await listEstablishments(contact, clientA);
  const { id: key, name } = first ?? (await addEstablishment(sam, clientA, HEAD_OFFICE));
  await writeAnswer(contact, id, 'request.place', { key, text: name });
  await fill(id, ADMISSION);
}

describe('an admission', () => {
  test('names its occupation by the title or the code, without accents', async () => {
    const found = async (words: string) => {
      const address = `/api/service-request/v1/requests/${id}/lookups/occupations?language=pt&q=${words}`;
      const { data } = (await (await apiAs(contact)('GET', address)).json()) as {
        data: { entries: { key: string; text: string }[] };
      };
      return data.entries;
    };
    const id = await begin('employeeRegistration');
    expect((await found('padeiro'))[0]).toEqual({ key: '848305', text: 'Padeiro (8483-05)' });
    expect((await found('tecnico de contabilidade'))[0]).toMatchObject({ key: '351105' });
    expect((await found('8483-05'))[0]).toMatchObject({ key: '848305' });
    await fill(id, { 'request.cbo': '513435' });
    expect((await answersOf(id)).stored.get('request.cbo')?.value).toEqual({
      key: '513435',
      text: 'Atendente de lanchonete (5134-35)',
    });
    await performAction(contact, id, 'delete');
  });

  test('is sent with the minimum, which stays as it is while the rest is filled in', async () => {
    const id = await begin('employeeRegistration');
    expect(await codeOf(performAction(contact, id, 'submit-minimum'))).toBe('INCOMPLETE');
    await fillMinimum(id);
    await performAction(contact, id, 'submit-minimum');
    expect(await requestFor(staff, id)).toMatchObject({
      status: 'WaitingForAnswer',
      isMinimum: true,
      about: 'Bruna Castilho',
      submission: 1,
    });
    const { events, answers } = await exportRequest(staff, id, 'pt');
    expect(events).toHaveLength(1);
    expect(answers.every(({ path }) => path.startsWith('request.'))).toBe(true);
    expect(await codeOf(fill(id, { 'request.name': 'Outro Nome' }))).toBe('LOCKED');
    await fill(id, { 'person.sex': 'f' }, { section: 'person' });
    expect(await codeOf(performAction(contact, id, 'submit-rest'))).toBe('INCOMPLETE');
    await performAction(contact, id, 'take-back');
    expect(await requestFor(contact, id)).toMatchObject({ status: 'Draft', isMinimum: false });
    await performAction(contact, id, 'delete');
  });

  test('of the minimum alone is asked about and answered in words', async () => {
    const id = await begin('employeeRegistration');
    await fillMinimum(id);
    await performAction(contact, id, 'submit-minimum');
    await performAction(staff, id, 'ask', { text: 'Qual o horário?' });
    await fill(id, { 'person.sex': 'f' }, { section: 'person' });
    await performAction(contact, id, 'answer', { text: 'Das 8 às 17.' });
    expect(await requestFor(staff, id)).toMatchObject({
      status: 'WaitingForAnswer',
      submission: 1,
      isMinimum: true,
    });
  });
});

describe('a request that was sent', () => {
  test('waits in the inbox of the firm until it is replied to', async () => {
    const id = await sent();
    const { number } = await requestFor(contact, id);
    const rows = async () =>
      (await listInbox(staff, inboxQuery.parse({}))).items.filter(({ name }) => name === number);
    expect(await rows()).toHaveLength(1);
    await performAction(staff, id, 'reply', { text: 'Segue em Documentos.' });
    expect(await rows()).toHaveLength(0);
    expect(await requestFor(contact, id)).toMatchObject({ status: 'Replied', outcome: 'done' });
  });

  test('can be taken back until staff open it', async () => {
    const id = await sent();
    await performAction(contact, id, 'take-back');
    expect(await codeOf(requestFor(staff, id))).toBe('NOT_FOUND');
    await performAction(contact, id, 'submit');
    await performAction(staff, id, 'open');
    expect(await codeOf(performAction(contact, id, 'take-back'))).toBe('OPENED');
    expect(await codeOf(performAction(contact, id, 'cancel', { text: 'Engano' }))).toBe('OPENED');
  });

  test('is asked about, answered, and sent again only if an answer has changed', async () => {
    const id = await sent();
    expect(await codeOf(performAction(staff, id, 'ask', { text: ' ' }))).toBe('EMPTY');
    await performAction(staff, id, 'ask', { text: 'De qual mês?' });
    expect(await requestFor(contact, id)).toMatchObject({
      status: 'WaitingForClient',
      lapsesOn: '2026-12-27',
    });
    await performAction(contact, id, 'answer', { text: 'De outubro.' });
    expect(await requestFor(contact, id)).toMatchObject({ status: 'WaitingForAnswer', submission: 1 });
    await performAction(staff, id, 'ask', { text: 'E de novembro?' });
    await fill(id, { ...GENERAL, 'request.subject': 'Holerites' });
    await performAction(contact, id, 'answer');
    expect(await requestFor(contact, id)).toMatchObject({ submission: 2, about: 'Holerites' });
  });

  test('is returned in part: only what was returned can be changed', async () => {
    const id = await sent();
    expect(await codeOf(performAction(staff, id, 'return', { marks: [] }))).toBe('EMPTY');
    await performAction(staff, id, 'return', {
      marks: [{ path: 'request.text', reason: 'Qual empregado?' }],
    });
    expect(await requestFor(contact, id)).toMatchObject({
      status: 'WaitingForCorrection',
      marks: [{ path: 'request.text', reason: 'Qual empregado?' }],
    });
    expect(await codeOf(fill(id, { 'request.subject': 'Outro' }))).toBe('LOCKED');
    await fill(id, { 'request.text': 'O holerite da Fernanda.' });
    await performAction(contact, id, 'resubmit');
    expect(await requestFor(contact, id)).toMatchObject({
      status: 'WaitingForAnswer',
      submission: 2,
      marks: [],
    });
  });

  test('is declined with a reason, and cannot be reopened by the client then', async () => {
    const id = await sent();
    expect(await codeOf(performAction(staff, id, 'decline'))).toBe('EMPTY');
    await performAction(staff, id, 'decline', { text: 'Não fazemos.' });
    expect(await codeOf(performAction(contact, id, 'reopen', { text: 'Por favor' }))).toBe('CLOSED');
  });

  test('is in one list for the client and in the queue of the firm, by category', async () => {
    const id = await sent();
    const { items } = await listRequests(staff, requestQuery.parse({ category: 'waitingForAnswer' }));
    expect(items.map((item) => item.id)).toContain(id);
    const counts = await countsByCategory(contact, { clientId: clientA });
    expect(counts.waitingForAnswer).toBeGreaterThan(0);
    expect(counts.all).toBe(
      counts.draft +
        counts.waitingForAnswer +
        counts.waitingForClient +
        counts.waitingForCorrection +
        counts.replied,
    );
  });

  test('has a conversation of which the client sees no notes', async () => {
    const id = await sent();
    await addMessage(staff, id, { text: 'Ver com a Olga', isInternal: true });
    await addMessage(contact, id, { text: 'Alguma novidade?', isInternal: false });
    const texts = async (actor: Actor) => (await requestFor(actor, id)).messages.map(({ text }) => text);
    expect(await texts(contact)).toEqual(['', 'Alguma novidade?']);
    expect(await texts(staff)).toEqual(['', 'Ver com a Olga', 'Alguma novidade?']);
    expect(await codeOf(addMessage(contact, id, { text: 'Nota', isInternal: true }))).toBe('FORBIDDEN');
  });

  test('notifies the other side by email, with nothing of its content', async () => {
    const id = await sent();
    await performAction(staff, id, 'ask', { text: 'Qual salário da Fernanda?' });
    const mails = await db().selectFrom('mails').selectAll().where('kind', '=', 'service-request').execute();
    expect(mails.some(({ contact_id: to }) => to === contact.contactId)).toBe(true);
    expect(mails.some(({ contact_id: to }) => to === staff.contactId)).toBe(true);
  });

  test('has a confirmation over its content, which is what was sent', async () => {
    const id = await sent();
    const submission = (await (
      await apiAs(contact)('GET', `/api/service-request/v1/requests/${id}/submissions/1`)
    ).json()) as { receipt: number; sha256: string };
    expect(submission.receipt).toBeGreaterThan(0);
    expect(await verifyRequests()).toEqual([]);
  });

  test('is exported with the fields of eSocial, once for each part of a vacation', async () => {
    const id = await begin('vacationNotice', fernanda.id);
    const other = 'BBBBBBBBBBBB';
    const form = new FormData();
    for (const [name, value] of [
      ['request.parts#order', PART],
      ['request.parts#order', other],
      [`request.parts.${PART}.start`, '04/01/2027'],
      [`request.parts.${PART}.days`, '20'],
      [`request.parts.${other}.start`, '08/02/2027'],
      [`request.parts.${other}.days`, '10'],
      ['request.agree', 'yes'],
      ['request.sell', 'no'],
      ['request.thirteenth', 'no'],
      ['request.notice-on', '20/11/2026'],
    ] as const)
      form.append(name, value);
    await saveSection(contact, id, { section: 'request', form, lang: 'pt' });
    await saveReason(contact, id, 'V4', 'Acordo.');
    await performAction(contact, id, 'submit');
    const { events, employee } = await exportRequest(staff, id, 'pt');
    expect(employee).toMatchObject({ cpf: '95178874269', name: 'Fernanda Okada' });
    expect(
      events.map(({ event, fields }) =>
        [
          event,
          ...['iniAfastamento.codMotAfast', 'iniAfastamento.dtIniAfast', 'fimAfastamento.dtTermAfast'].map(
            (name) => fields[`infoAfastamento.${name}`],
          ),
          fields['infoAfastamento.perAquis.dtFim'],
        ].join(' '),
      ),
    ).toEqual(['S-2230 15 2027-01-04 2027-01-23 2026-01-13', 'S-2230 15 2027-02-08 2027-02-17 2026-01-13']);
    expect(await exportAsTable(staff, id, 'pt')).toContain('2025');
  });
});

describe('a request that waits for its client', () => {
  const noStop = new AbortController().signal;
  const at = (day: number, month = 10) => standAt(Date.UTC(2026, month, day, 15));
  const lapsingMails = async (id: string) =>
    (
      await db()
        .selectFrom('mails')
        .select('mail_key')
        .where('contact_id', '=', contact.contactId)
        .where('mail_key', 'like', `service-request:${id}:%`)
        .execute()
    ).length;

  test('lapses after the firm’s days, with a notice at half time and three days before, and is reopened', async () => {
    at(27);
    const id = await sent();
    await performAction(staff, id, 'ask', { text: 'De qual mês?' });
    expect(await requestFor(contact, id)).toMatchObject({ lapsesOn: '2026-12-27' });
    const told: number[] = [];
    for (const [day, month] of [
      [1, 11],
      [12, 11],
      [13, 11],
      [24, 11],
      [27, 11],
    ] as const) {
      at(day, month);
      await lapseRequests(noStop);
      told.push(await lapsingMails(id));
      expect(await requestFor(contact, id)).toMatchObject({ status: 'WaitingForClient' });
    }
    expect(told).toEqual([0, 1, 1, 2, 2]);
    at(28, 11);
    await lapseRequests(noStop);
    expect(await requestFor(contact, id)).toMatchObject({ status: 'Replied', outcome: 'lapsed' });
    expect(await lapsingMails(id)).toBe(3);
    await lapseRequests(noStop);
    expect(await lapsingMails(id)).toBe(3);
    await performAction(contact, id, 'reopen', { text: 'Era de outubro.' });
    expect(await requestFor(contact, id)).toMatchObject({ status: 'WaitingForAnswer', outcome: null });
    at(27);
  });

  test('does not lapse while a date of the law is open: the firm is told instead', async () => {
    at(27);
    const id = await begin('vacationNotice', fernanda.id);
    await fill(id, {
      ...VACATION,
      [`request.parts.${PART}.start`]: '18/01/2027',
      [`request.parts.${PART}.days`]: '10',
    });
    await saveReason(contact, id, 'V4', 'Acordo.');
    await performAction(contact, id, 'submit');
    await changeSettings(olga, 'vacationNotice', { isOpen: true, lapseDays: 5, questions: {} });
    await performAction(staff, id, 'ask', { text: 'Confirma?' });
    const { number } = await requestFor(contact, id);
    const rows = async () =>
      (await listInbox(staff, inboxQuery.parse({}))).items.filter(({ name }) => name === number);
    expect(await rows()).toHaveLength(0);
    at(3, 11);
    await lapseRequests(noStop);
    expect(await requestFor(contact, id)).toMatchObject({ status: 'WaitingForClient', outcome: null });
    expect(await rows()).toHaveLength(1);
    at(27);
  });
});

describe('a reply', () => {
  const vacation = async () => {
    const id = await begin('vacationNotice', fernanda.id);
    await fill(id, {
      ...VACATION,
      [`request.parts.${PART}.start`]: '01/02/2027',
      [`request.parts.${PART}.days`]: '10',
    });
    await saveReason(contact, id, 'V4', 'Acordo.');
    await performAction(contact, id, 'submit');
    return id;
  };

  test('writes the vacation into the employee, and takes it back when the firm reopens', async () => {
    const before = await employeeOf(sam, fernanda.id);
    const id = await vacation();
    await performAction(sam, id, 'reply', { text: 'Feito.', employee: { registration: '' } });
    const after = await employeeOf(sam, fernanda.id);
    expect(after.leaves).toContainEqual({ startsOn: '2027-02-01', endsOn: '2027-02-10', reason: '15' });
    expect(after.vacationPeriods.reduce((sum, { takenDays }) => sum + takenDays, 0)).toBe(
      before.vacationPeriods.reduce((sum, { takenDays }) => sum + takenDays, 0) + 10,
    );
    await performAction(sam, id, 'reopen', { text: 'Engano.', undoesChange: true });
    expect(await employeeOf(sam, fernanda.id)).toMatchObject({
      leaves: before.leaves,
      vacationPeriods: before.vacationPeriods,
    });
    expect(await codeOf(performAction(sam, id, 'reply', { text: 'De novo.' }))).toBe('done');
    expect(await codeOf(performAction(sam, id, 'reopen', { text: 'x', undoesChange: true }))).toBe(
      'NOT_POSSIBLE',
    );
  });

  test('is not undone at an employee who has changed since', async () => {
    const id = await vacation();
    await performAction(sam, id, 'reply', { text: 'Feito.', employee: { registration: '' } });
    await changeEmployee(sam, fernanda.id, { position: 'Gerente' });
    expect(await codeOf(performAction(sam, id, 'reopen', { text: 'x', undoesChange: true }))).toBe('CHANGED');
    expect(await requestFor(sam, id)).toMatchObject({ status: 'Replied' });
    await changeEmployee(sam, fernanda.id, { position: '' });
    await performAction(sam, id, 'reopen', { text: 'x', undoesChange: true });
  });

  test('adds who was registered, with the number of the contract', async () => {
    const employees = async () =>
      (
        await listEmployees(sam, clientA, {
          filter: 'all',
          searchTerm: 'Bruna',
          startIndex: 0,
          itemsPerPage: 9,
        })
      ).items;
    const admission = await begin('employeeRegistration');
    await fillMinimum(admission);
    await performAction(contact, admission, 'submit-minimum');
    expect(await employees()).toEqual([]);
    await performAction(sam, admission, 'reply', { text: 'Cadastrada.', employee: { registration: '0042' } });
    expect(await employees()).toMatchObject([
      { name: 'Bruna Castilho', registration: '0042', position: 'Atendente', hiredOn: '2026-12-07' },
    ]);
    const [added] = await employees();
    expect(await employeeOf(sam, added?.id ?? '')).toMatchObject({ cbo: '513435' });
    await performAction(sam, admission, 'reopen', { text: 'Não veio.', undoesChange: true });
    expect(await employees()).toEqual([]);
  });

  test('changes nobody for those who do not keep employees', async () => {
    const id = await vacation();
    expect(
      await codeOf(performAction(contact, id, 'reply', { text: 'x', employee: { registration: '' } })),
    ).toBe('NOT_POSSIBLE');
    expect(await plannedChange(sam, await requestRow(sam, id))).toMatchObject({ kind: 'change' });
  });
});

const joao = await addEmployee(sam, clientA, {
  name: 'João Pedro Nunes',
  cpf: '341.270.230-74',
  hiredOn: '2024-02-01',
  leaves: [{ startsOn: '2026-10-20', endsOn: '', reason: '03' }],
});

describe('a leave', () => {
  test('ends with the return that the client reports, a day before it', async () => {
    const id = await begin('employeeLeave', joao.id);
    await fill(id, { 'request.what': 'return', 'request.returned-on': '26/11/2026' });
    await performAction(contact, id, 'submit');
    const { events, findings } = await exportRequest(staff, id, 'pt');
    expect(events).toMatchObject([
      { event: 'S-2230', fields: { 'infoAfastamento.fimAfastamento.dtTermAfast': '2026-11-25' } },
    ]);
    expect(findings.map(({ rule }) => rule)).toEqual(['L5', 'L13']);
    await performAction(sam, id, 'reply', { text: 'Enviado.', employee: { registration: '' } });
    expect(await employeeOf(sam, joao.id)).toMatchObject({
      leaves: [{ startsOn: '2026-10-20', endsOn: '2026-11-25', reason: '03' }],
    });
    await performAction(sam, id, 'reopen', { text: 'Engano.', undoesChange: true });
    expect(await employeeOf(sam, joao.id)).toMatchObject({ leaves: [{ endsOn: '' }] });
  });

  test('of somebody who is on none needs a reason to be ended', async () => {
    const id = await begin('employeeLeave', fernanda.id);
    await fill(id, { 'request.what': 'return', 'request.returned-on': '26/11/2026' });
    expect(await codeOf(performAction(contact, id, 'submit'))).toBe('INCOMPLETE');
    await saveReason(contact, id, 'L12', 'O afastamento não estava na lista.');
    await performAction(contact, id, 'submit');
    expect(await plannedChange(sam, await requestRow(sam, id))).toBeUndefined();
  });

  test('for some days is exported with its last day', async () => {
    const id = await begin('employeeLeave', fernanda.id);
    await fill(id, {
      'request.what': 'leave',
      'request.reason': 'c03',
      'request.start': '23/11/2026',
      'request.until': 'days',
      'request.days': '5',
      'request.same-reason': 'no',
      'request.traffic': 'no',
    });
    await performAction(contact, id, 'submit');
    expect((await exportRequest(staff, id, 'pt')).events).toMatchObject([
      { fields: { 'infoAfastamento.fimAfastamento.dtTermAfast': '2026-11-27' } },
    ]);
  });
});

describe('the end of a contract', () => {
  test('with notice that is paid is exported with its projected end, in the next year', async () => {
    const joana = await addEmployee(sam, clientA, {
      name: 'Joana Prado',
      cpf: '111.444.777-35',
      hiredOn: '2024-02-01',
    });
    const id = await begin('terminationNotice', joana.id);
    await fill(id, {
      'request.reason': 'c02',
      'request.notice': 'paid',
      'request.notice-on': '27/11/2026',
      'request.last-day': '27/11/2026',
      'request.stability': 'none',
      'request.alimony': 'c0',
      'request.consigned': 'no',
    });
    await performAction(contact, id, 'submit');
    expect((await exportRequest(staff, id, 'pt')).events).toMatchObject([
      { event: 'S-2299', fields: { 'infoDeslig.dtProjFimAPI': '2027-01-02' } },
    ]);
  });
});

describe('access', () => {
  test('is by the client, the kind and the side', async () => {
    const id = await sent();
    expect(await codeOf(requestFor(await actorOf(ben.contactId), id))).toBe('NOT_FOUND');
    expect(await codeOf(performAction(contact, id, 'reply', { text: 'x' }))).toBe('NOT_POSSIBLE');
    expect(await codeOf(performAction(rita, id, 'reply', { text: 'x' }))).toBe('FORBIDDEN');
    expect(await codeOf(beginRequest(contact, { clientId: clientB, type: 'generalRequests' }))).toBe(
      'NOT_FOUND',
    );
    await setFlag(olga, 'ServiceRequest.Intern', false);
    expect(
      await codeOf(
        beginRequest(await actorOf(ada.contactId), { clientId: clientA, type: 'internRegistration' }),
      ),
    ).toBe('FORBIDDEN');
    await setFlag(olga, 'ServiceRequest.Intern', true);
  });

  test('staff who view as a contact change nothing', async () => {
    const id = await sent();
    const session = impersonating(contact, olga);
    const response = await apiAs(session.actor, session)(
      'POST',
      `/api/service-request/v1/requests/${id}/take-back`,
      { json: {} },
    );
    expect(response.status).toBe(403);
    expect(await requestFor(contact, id)).toMatchObject({ status: 'WaitingForAnswer' });
  });
});

describe('the settings of a kind', () => {
  test('close it, and hide a question of requests that begin afterwards', async () => {
    await changeSettings(olga, 'employeeLeave', {
      isOpen: false,
      lapseDays: 10,
      questions: { 'more.certificate': 'hidden' },
    });
    expect(await codeOf(begin('employeeLeave'))).toBe('CLOSED');
    expect(await settingsOf(firmOne, 'employeeLeave')).toMatchObject({ isOpen: false, lapseDays: 10 });
  });

  test('answer a question for all clients, who cannot change the answer', async () => {
    const own = {
      isOpen: true,
      lapseDays: 30,
      questions: { 'internship.area': 'locked' },
    } as const;
    expect(await codeOf(changeSettings(olga, 'internRegistration', own))).toBe('INVALID');
    await changeSettings(olga, 'internRegistration', { ...own, locked: { 'internship.area': 'Padaria' } });
    const id = await begin('internRegistration');
    const { stored } = await answersOf(id);
    expect(stored.get('internship.area')?.value).toBe('Padaria');
    expect(await codeOf(fill(id, { 'internship.area': 'Caixa' }, { section: 'internship' }))).toBe('LOCKED');
    await fill(id, { 'internship.school': 'Faculdade Vale do Sol' }, { section: 'internship' });
    await performAction(contact, id, 'delete');
  });

  test('let a rule warn that asks for a reason, with its words, and never one that forbids', async () => {
    const own = { isOpen: true, lapseDays: 30, questions: {} };
    for (const rule of ['V5', 'T12', 'nothing'])
      expect(await codeOf(changeSettings(olga, 'vacationNotice', { ...own, softened: [rule] }))).toBe(
        'INVALID',
      );
    await changeSettings(olga, 'vacationNotice', { ...own, softened: ['V7'] });
    const { details } = await db()
      .selectFrom('audit')
      .select('details')
      .where('action', '=', 'service-request.settings')
      .where('target', '=', 'vacationNotice')
      .orderBy('seq', 'desc')
      .executeTakeFirstOrThrow();
    expect(JSON.parse(details)).toMatchObject({ warning: 'V7' });
    const id = await begin('vacationNotice', fernanda.id);
    await fill(id, {
      ...VACATION,
      [`request.parts.${PART}.start`]: '14/12/2026',
      'request.notice-on': '27/11/2026',
    });
    await performAction(contact, id, 'submit');
    await changeSettings(olga, 'vacationNotice', own);
    for (const lang of ['pt', 'fr'] as const) {
      const { findings } = await exportRequest(contact, id, lang);
      expect(findings.find(({ rule }) => rule === 'V7')).toMatchObject({
        severity: 'warns',
        text: expect.stringMatching(lang === 'pt' ? /devia ser dado/ : /devait/) as string,
      });
    }
    const again = await begin('vacationNotice', fernanda.id);
    await fill(again, {
      ...VACATION,
      [`request.parts.${PART}.start`]: '14/12/2026',
      'request.notice-on': '27/11/2026',
    });
    expect(await codeOf(performAction(contact, again, 'submit')), 'it asks again').toBe('INCOMPLETE');
    await performAction(contact, again, 'delete');
  });

  test('name every rule that may ask for a reason, in every language', async () => {
    for (const type of REQUEST_TYPES)
      for (const rule of (await rulesOf(type))?.asking ?? [])
        for (const lang of LANGS)
          expect(translationsFor(lang, 'service-requests')(`asking_${rule}` as 'asking_V7')).not.toBe(
            `asking_${rule}`,
          );
  });

  test('never hide what the law needs', async () => {
    const hidden = { isOpen: true, lapseDays: 30, questions: { 'request.start': 'hidden' } } as const;
    expect(await codeOf(changeSettings(olga, 'employeeLeave', hidden))).toBe('INVALID');
    expect(await codeOf(changeSettings(staff, 'employeeLeave', { ...hidden, questions: {} }))).toBe(
      'FORBIDDEN',
    );
  });
});
