import { afterAll, expect, test } from 'vitest';
import { calendarText } from '#features/tasks/task-reminders/calendar-format.ts';
import { calendarResponse } from '#features/tasks/task-reminders/calendar-page.server.ts';
import {
  calendarOf,
  makeCalendar,
  readCalendar,
  revokeCalendar,
} from '#features/tasks/task-reminders/calendars.server.ts';
import { decideAccess } from '#features/base/people/people.server.ts';
import { performAction } from '#features/tasks/tasks/acting.server.ts';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { db } from '#platform/database/database.server.ts';
import { everyRow, lockFirm, makeCast, unlink } from '../../support/cast.ts';
import '../../../src/app.server.ts';

const { ada, cleo, sam, zoe, tom, firmOne, clientA, clientB, clientTwo } = await makeCast();
afterAll(() => lockFirm(firmOne, false));

const create = (clientId: string, label: string, dueDate: string | null = '2027-05-20', type = 'misc') =>
  createTask(clientId === clientTwo ? tom : sam, { clientId, type, label, dueDate });
const tokenOf = (address: string): string => /\/calendar\/(.+)\.ics$/.exec(address)?.[1] ?? '';
let network = 0;
const read = (token: string) => readCalendar(token, `192.0.2.${(network += 1)}`);

interface Line {
  name: string;
  parameters: string;
  value: string;
}

/** Parses a calendar by the grammar of RFC 5545 section 3.1; throws for what it does not allow. */
function parsed(text: string): Line[] {
  if (!text.endsWith('\r\n') || /[^\r]\n|\r[^\n]/.test(text)) throw new Error('Lines end with CRLF.');
  for (const line of text.split('\r\n'))
    if (Buffer.byteLength(line) > 75) throw new Error(`A line is too long: ${line}`);
  return text
    .replaceAll('\r\n ', '')
    .trimEnd()
    .split('\r\n')
    .map((line) => {
      const [, name = '', parameters = '', value = ''] =
        /^([A-Z-]+)((?:;[A-Z-]+=(?:[^";:,]+|"[^"]*"))*):(.*)$/u.exec(line) ?? [];
      if (name === '') throw new Error(`Not a content line: ${line}`);
      return { name, parameters, value };
    });
}

/** The events of a calendar, checked: each has what section 3.6.1 requires, once. */
function eventsIn(text: string): Record<string, string>[] {
  const lines = parsed(text);
  expect(lines[0]).toMatchObject({ name: 'BEGIN', value: 'VCALENDAR' });
  expect(lines.at(-1)).toMatchObject({ name: 'END', value: 'VCALENDAR' });
  const events: Record<string, string>[] = [];
  let event: Record<string, string> | undefined;
  for (const { name, parameters, value } of lines.slice(1, -1)) {
    if (name === 'BEGIN') {
      expect(value).toBe('VEVENT');
      event = {};
    } else if (name === 'END' && event) {
      for (const required of ['UID', 'DTSTAMP', 'DTSTART', 'SUMMARY']) expect(event).toHaveProperty(required);
      events.push(event);
      event = undefined;
    } else if (event) {
      expect(event).not.toHaveProperty(name);
      event[name] = value;
      if (name === 'DTSTART' || name === 'DTEND') expect(parameters).toBe(';VALUE=DATE');
    }
  }
  return events;
}
const textIn = (value = ''): string =>
  value.replaceAll(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));

test('a contact’s calendar has the due dates of the open tasks of all their companies, and no others', async () => {
  const [one, two] = [await create(clientA, 'Bank, statements; 2026'), await create(clientB, 'Payroll')];
  await create(clientA, 'Undated', null);
  const done = await create(clientA, 'Done');
  await performAction(sam, done.taskId, 'cancel');
  await create(clientTwo, 'Of another firm');
  const { text } = await read(tokenOf(await makeCalendar(cleo)));
  const events = eventsIn(text);
  expect(events.map(({ SUMMARY }) => textIn(SUMMARY)).toSorted()).toEqual([
    'Bank, statements; 2026 – Amber Bakery',
    'Payroll – Birch Boats',
  ]);
  expect(events.map(({ UID }) => UID?.split('@')[0]).toSorted()).toEqual([one.taskId, two.taskId].toSorted());
  expect(events[0]).toMatchObject({ DTSTART: '20270520', DTEND: '20270521' });
  expect(events[0]?.['URL']).toContain(`/tasks/clients/`);
  expect(text).not.toMatch(/VALARM|DESCRIPTION|ATTENDEE|ORGANIZER/);
});

test('the calendar of a contact follows what they may see', async () => {
  const token = tokenOf(await makeCalendar(ada));
  await create(clientA, 'Papers', '2027-06-01', 'document_request');
  expect((await read(token)).text).toContain('Papers');
  await decideAccess(firmOne, ada.contactId, { kind: 'control', name: 'HideDocRequestTask' }, true);
  expect((await read(token)).text).not.toContain('Papers');
  await unlink(clientA, ada);
  expect(eventsIn((await read(token)).text)).toEqual([]);
});

test('only the hash of an address is stored; a new one ends the one before, and it can be revoked', async () => {
  const first = tokenOf(await makeCalendar(cleo));
  expect(JSON.stringify(await everyRow())).not.toContain(first);
  const second = tokenOf(await makeCalendar(cleo));
  expect(second).not.toBe(first);
  await expect(read(first)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await read(second);
  expect(await calendarOf(cleo)).toBeDefined();
  await revokeCalendar(cleo);
  expect(await calendarOf(cleo)).toBeUndefined();
  await expect(read(second)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a calendar ends with the access of its contact, and while the firm is locked', async () => {
  const token = tokenOf(await makeCalendar(zoe));
  await read(token);
  await db()
    .updateTable('contacts')
    .set({ suspended_at: 1 })
    .where('contact_id', '=', zoe.contactId)
    .execute();
  await expect(read(token)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const other = tokenOf(await makeCalendar(cleo));
  await lockFirm(firmOne, true);
  await expect(read(other)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await lockFirm(firmOne, false);
});

test('staff have no calendar, and make none for the contact whom they view', async () => {
  await expect(makeCalendar(sam)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(makeCalendar({ ...cleo, viewedBy: sam.contactId })).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
  await expect(revokeCalendar({ ...cleo, viewedBy: sam.contactId })).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
});

test('a calendar program that has the current state gets 304, and after a change the new one', async () => {
  const token = tokenOf(await makeCalendar(cleo));
  const ask = (etag?: string) =>
    calendarResponse(
      new Request(
        'https://portal.example/',
        etag === undefined ? {} : { headers: { 'If-None-Match': etag } },
      ),
      token,
      `198.51.100.${(network += 1)}`,
    );
  const first = await ask();
  expect(first.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  const etag = first.headers.get('etag') ?? '';
  expect((await ask(etag)).status).toBe(304);
  expect((await ask(`W/${etag}`)).status).toBe(304);
  await create(clientB, 'One more');
  expect((await ask(etag)).status).toBe(200);
  const wrong = await calendarResponse(new Request('https://portal.example/'), 'wrong', '198.51.100.250');
  expect(wrong.status).toBe(404);
  expect(await wrong.text()).toBe('This calendar address does not work.\n');
});

test('addresses cannot be guessed without limit', async () => {
  const answers = [];
  for (let attempt = 0; attempt < 61; attempt += 1)
    answers.push(
      (await calendarResponse(new Request('https://portal.example/'), `guess-${attempt}`, '203.0.113.7'))
        .status,
    );
  expect(answers.slice(0, 60).every((status) => status === 404)).toBe(true);
  expect(answers.at(-1)).toBe(429);
});

test('long, foreign and hostile titles stay one value of one line', () => {
  const titles = [
    'ü'.repeat(200),
    '报税'.repeat(80),
    '😀'.repeat(60),
    'a\r\nEND:VEVENT\r\nBEGIN:VALARM',
    String.raw`back\slash, semicolon; "quote": colon`,
    'null\u0000tab\t',
    'x'.repeat(67) + '😀',
  ];
  const text = calendarText({
    name: 'Maple & Hart, LLC; Ltd',
    lang: 'fr',
    events: titles.map((title, index) => ({
      uid: `task_${index}@portal.example`,
      sequence: 1,
      changedAt: Date.parse('2027-01-01T00:00:00Z'),
      on: '2027-12-31',
      title,
      url: 'https://portal.example/clientcenter/fr/tasks?firm=a&client=b',
    })),
  });
  const events = eventsIn(text);
  expect(events).toHaveLength(titles.length);
  expect(events.map(({ SUMMARY }) => textIn(SUMMARY))).toEqual(
    titles.map((title) => title.replaceAll('\r\n', '\n').replaceAll(/[\u0000\t]/g, ' ')),
  );
  expect(events[0]).toMatchObject({ DTSTART: '20271231', DTEND: '20280101', DTSTAMP: '20270101T000000Z' });
});
