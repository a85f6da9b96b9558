import { afterAll, describe, expect, test } from 'vitest';
import { assignClient } from '#features/base/people/rights.server.ts';
import { clientMerged } from '#features/base/people/merged-clients.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { listDates, nextDates, taxDateOf } from '#features/content/tax-calendar/dates.server.ts';
import {
  addDate,
  addedDates,
  confirmRule,
  muteRule,
  removeDate,
} from '#features/content/tax-calendar/firm-rules.server.ts';
import { markDate, moveDate } from '#features/content/tax-calendar/keeping.server.ts';
import { deleteOldDates, planDue } from '#features/content/tax-calendar/planning.server.ts';
import {
  chooseRule,
  profileOf,
  rulesOfClient,
  saveProfile,
} from '#features/content/tax-calendar/profiles.server.ts';
import {
  chooseReminders,
  remindedBefore,
  sweepReminders,
} from '#features/content/tax-calendar/reminders.server.ts';
import type { Country, Facts } from '#features/content/tax-calendar/profile.ts';
import type { TaxDate } from '#features/content/tax-calendar/tax-calendar.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { makeCalendar, readCalendar } from '#features/tasks/task-reminders/calendars.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { at, DAY, now } from '#platform/runtime/clock.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { namesOf } from '#platform/runtime/names.server.ts';
import { apiAs, impersonating } from '../../support/api.ts';
import { client, makeCast, person, standAt, startMailServer } from '../../support/cast.ts';
import { rowsOf } from '../../support/home.ts';
import { runDueJobs } from '../../support/jobs.ts';
import '../../../src/app.server.ts';

/** All happens in November 2026, at an hour at which people are reminded everywhere in America. */
standAt(Date.UTC(2026, 10, 27, 17));
const { ada, ben, cleo, sam, zoe, tom, clientA, clientB, clientTwo, firmOne } = await makeCast();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
const rita = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
const ari = await person(firmOne, 'Ari Assigned', 'ari@one.example', {
  role: 'member',
  hasAllClients: false,
});
await assignClient(clientA, ari.contactId);

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => refusal(error)?.code,
  );

const begin = async (clientId: string, country: Country, facts: Facts, by: Actor = sam): Promise<void> =>
  saveProfile(by, clientId, { country, facts, version: (await profileOf(by, clientId))?.version ?? 0 });

const datesFor = async (actor: Actor, clientId: string): Promise<TaxDate[]> =>
  (await listDates(actor, { clientId, start: 0, limit: 500 })).items;
const keysOf = async (actor: Actor, clientId: string): Promise<string[]> => [
  ...new Set((await datesFor(actor, clientId)).map(({ ruleKey }) => ruleKey)),
];
const firstOf = async (clientId: string, key: string): Promise<TaxDate> => {
  const found = (await datesFor(sam, clientId)).find(({ ruleKey }) => ruleKey === key);
  if (!found) throw new Error(`No date of ${key}`);
  return found;
};

let counter = 0;
/** A client of its own with a contact of its own, so that tests do not meet. */
async function shop(country: Country, facts: Facts): Promise<{ clientId: string; owner: Actor }> {
  counter += 1;
  const owner = await person(firmOne, `Owner ${counter}`, `owner${counter}@one.example`);
  const clientId = await client(firmOne, `Shop ${counter}`, `S-${counter}`, [owner]);
  await begin(clientId, country, facts);
  return { clientId, owner };
}

describe('the dates of a client', () => {
  test('they follow from the profile, for fourteen months, and change with it', async () => {
    const { clientId, owner } = await shop('br', { regime: 'simples', employees: 'no' });
    expect(await keysOf(owner, clientId)).toEqual(
      expect.arrayContaining(['br-das', 'br-dctfweb', 'br-defis', 'br-reinf']),
    );
    const das = (await datesFor(owner, clientId)).filter(({ ruleKey }) => ruleKey === 'br-das');
    expect(das.map(({ dueOn }) => dueOn)).toHaveLength(14);
    expect(das[0]).toMatchObject({ dueOn: '2026-12-21', period: '2026-11-30', kind: 'pay', mark: 'open' });
    await begin(clientId, 'br', { regime: 'mei' });
    expect(await keysOf(owner, clientId)).toEqual(['br-das-mei']);
    expect(das.map(({ id }) => id)).not.toContain((await datesFor(owner, clientId))[0]?.id);
  });

  test('a tax year that ends in June, and the last digit of the tax id, decide the dates', async () => {
    const { clientId } = await shop('gb', { entity: 'company' });
    expect(await firstOf(clientId, 'gb-ct-pay')).toMatchObject({ period: '2026-12-31', dueOn: '2027-10-01' });
    await db()
      .updateTable('clients')
      .set({ year_end: '03-31', modified_at: now() + 1 })
      .where('client_id', '=', clientId)
      .execute();
    await planDue();
    expect(await firstOf(clientId, 'gb-ct-pay')).toMatchObject({ period: '2026-03-31', dueOn: '2026-12-31' });
    const other = await shop('ar', { regime: 'general' });
    expect(await keysOf(sam, other.clientId)).toEqual([]);
  });

  test('what is unknown leaves a rule out and may apply, and the firm includes it or leaves another one out', async () => {
    const { clientId } = await shop('us', { entity: 'person' });
    const profile = await profileOf(sam, clientId);
    const states = new Map(
      rulesOfClient(profile ?? { country: 'us', facts: {}, choices: {}, version: 0 }).map((each) => [
        each.rule.key,
        each.applies,
      ]),
    );
    expect([states.get('us-1040'), states.get('us-1040es'), states.get('us-1120')]).toEqual([
      'yes',
      'maybe',
      'no',
    ]);
    expect(await keysOf(sam, clientId)).toEqual(['us-1040']);
    await chooseRule(sam, clientId, 'us-fbar', 'on');
    await chooseRule(sam, clientId, 'us-1040', 'off');
    expect(await keysOf(sam, clientId)).toEqual(['us-fbar']);
    await chooseRule(sam, clientId, 'us-1040', 'auto');
    expect((await keysOf(sam, clientId)).toSorted()).toEqual(['us-1040', 'us-fbar']);
    expect(await codeOf(chooseRule(sam, clientId, 'gb-vat-may', 'on'))).toBe('NOT_FOUND');
  });

  test('a year that nobody compared with official dates says so, until the firm did', async () => {
    const { clientId } = await shop('us', { payroll: 'monthly' });
    expect((await firstOf(clientId, 'us-941')).isConfirmed).toBe(true);
    expect((await firstOf(clientId, 'us-deposit')).isConfirmed).toBe(false);
    await confirmRule(sam, 'us-deposit', 2026);
    const deposits = (await datesFor(sam, clientId)).filter(({ ruleKey }) => ruleKey === 'us-deposit');
    expect(deposits.map(({ dueOn, isConfirmed }) => [dueOn.slice(0, 4), isConfirmed])).toEqual(
      expect.arrayContaining([
        ['2026', true],
        ['2027', false],
      ]),
    );
  });

  test('dates that are over stay, and the next month is computed as time goes by', async () => {
    const { clientId } = await shop('br', { regime: 'mei' });
    const before = await datesFor(sam, clientId);
    await at(now() + 60 * DAY, async () => {
      await planDue();
      const after = await datesFor(sam, clientId);
      expect(after.slice(0, before.length).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
      expect(after.length).toBeGreaterThan(before.length);
    });
    await at(now() + 800 * DAY, deleteOldDates);
    expect((await datesFor(sam, clientId))[0]?.dueOn).toBe('2027-02-22');
  });

  test('only those who act for a client see its dates, and read-only staff change nothing', async () => {
    await begin(clientA, 'br', { regime: 'simples' });
    await begin(clientB, 'gb', { payroll: 'monthly' });
    await begin(clientTwo, 'gb', { payroll: 'monthly' }, tom);
    const { id } = await firstOf(clientA, 'br-das');
    for (const reader of [ada, cleo, sam, ari, rita]) expect((await taxDateOf(reader, id)).id).toBe(id);
    for (const reader of [ben, zoe, tom]) expect(await codeOf(taxDateOf(reader, id))).toBe('NOT_FOUND');
    for (const writer of [ben, zoe, tom])
      expect(await codeOf(markDate(writer, id, 'done'))).toBe('NOT_FOUND');
    expect(await codeOf(markDate(rita, id, 'done'))).toBe('FORBIDDEN');
    expect(await codeOf(markDate({ ...ada, viewedBy: sam.contactId }, id, 'done'))).toBe('FORBIDDEN');
    expect(await codeOf(moveDate(ada, id, { day: '2026-12-30', reason: 'x' }))).toBe('FORBIDDEN');
    const input = { country: 'br', facts: {}, version: 1 } as const;
    for (const [writer, code] of [
      [ada, 'FORBIDDEN'],
      [rita, 'FORBIDDEN'],
      [tom, 'NOT_FOUND'],
    ] as const)
      expect(await codeOf(saveProfile(writer, clientA, input))).toBe(code);
    expect(await codeOf(saveProfile(ari, clientB, input))).toBe('NOT_FOUND');
    expect(await codeOf(profileOf(ada, clientA))).toBe('FORBIDDEN');
    expect(
      (await listDates(zoe, { start: 0, limit: 100 })).items.every((date) => date.clientId === clientTwo),
    ).toBe(true);
    expect(
      (await listDates(cleo, { start: 0, limit: 500 })).items.some((date) => date.clientId === clientB),
    ).toBe(true);
  });

  test('two people who change a profile at the same time do not overwrite each other', async () => {
    const { clientId } = await shop('br', { regime: 'mei' });
    const change = { country: 'br', facts: { regime: 'simples' }, version: 1 } as const;
    expect(await codeOf(saveProfile(sam, clientId, change))).toBe('done');
    expect(await codeOf(saveProfile(sam, clientId, change))).toBe('EDIT_CONFLICT');
  });

  test('an archived client has no dates in any list', async () => {
    const { clientId } = await shop('br', { regime: 'mei' });
    await db().updateTable('clients').set({ archived_at: now() }).where('client_id', '=', clientId).execute();
    expect(await datesFor(sam, clientId)).toEqual([]);
  });
});

describe('what the firm decides', () => {
  test('a moved date keeps the day by the rule and the reason, and goes back', async () => {
    const { clientId, owner } = await shop('br', { regime: 'mei' });
    const { id, dueOn } = await firstOf(clientId, 'br-das-mei');
    await moveDate(sam, id, { day: '2026-12-29', reason: 'Agreed with the bank' });
    expect(await taxDateOf(owner, id)).toMatchObject({
      dueOn: '2026-12-29',
      movedFrom: dueOn,
      reason: 'Agreed with the bank',
      isConfirmed: true,
    });
    await begin(clientId, 'br', { regime: 'mei', industry: 'no' });
    expect((await taxDateOf(owner, id)).dueOn).toBe('2026-12-29');
    await moveDate(sam, id, undefined);
    expect(await taxDateOf(owner, id)).toMatchObject({ dueOn, movedFrom: null, reason: null });
    for (const day of ['2026-11-26', '2031-01-01'])
      expect(await codeOf(moveDate(sam, id, { day, reason: 'x' }))).toBe('INVALID');
  });

  test('a hidden rule is not shown to anybody but what was marked, and comes back', async () => {
    const { clientId, owner } = await shop('br', { regime: 'simples' });
    const marked = await firstOf(clientId, 'br-defis');
    await markDate(owner, marked.id, 'done');
    await muteRule(sam, 'br-defis', true);
    await muteRule(sam, 'br-dctfweb', true);
    const keys = (await datesFor(owner, clientId)).map(({ ruleKey }) => ruleKey);
    expect(keys).not.toContain('br-dctfweb');
    expect(keys).toContain('br-defis');
    await muteRule(sam, 'br-dctfweb', false);
    await muteRule(sam, 'br-defis', false);
    expect(await keysOf(owner, clientId)).toContain('br-dctfweb');
    expect(await codeOf(muteRule(ari, 'br-das', true))).toBe('FORBIDDEN');
    expect(await codeOf(muteRule(rita, 'br-das', true))).toBe('FORBIDDEN');
    expect(await codeOf(muteRule(sam, 'nothing', true))).toBe('NOT_FOUND');
  });

  test('dates of the firm’s own are for one client or for all, and are removed again', async () => {
    const { clientId, owner } = await shop('br', { regime: 'mei' });
    const input = { name: 'Send receipts', kind: 'give', startsOn: '2026-12-05', roll: 'after' } as const;
    const id = await addDate(sam, clientId, { ...input, repeats: 'monthly' });
    const [first, second] = (await datesFor(owner, clientId)).filter(({ ruleKey }) => ruleKey === id);
    expect([first?.name, first?.dueOn, second?.dueOn]).toEqual(['Send receipts', '2026-12-07', '2027-01-05']);
    expect((await namesOf([id, first?.id ?? ''], { lang: 'en-us', contactId: undefined })).get(id)).toBe(
      'Send receipts',
    );
    const all = await addDate(sam, undefined, { ...input, name: 'Office closed', repeats: 'once' });
    await runDueJobs();
    expect(await keysOf(owner, clientId)).toContain(all);
    expect((await addedDates(sam)).map((each) => each.id)).toEqual([all]);
    await chooseRule(sam, clientId, all, 'off');
    expect(await keysOf(owner, clientId)).not.toContain(all);
    await removeDate(sam, id);
    await removeDate(sam, all);
    await runDueJobs();
    expect(await keysOf(owner, clientId)).toEqual(['br-das-mei']);
    expect(await codeOf(removeDate(sam, id))).toBe('NOT_FOUND');
    expect(await codeOf(addDate(ari, undefined, { ...input, repeats: 'once' }))).toBe('FORBIDDEN');
    expect(await codeOf(addDate(ari, clientB, { ...input, repeats: 'once' }))).toBe('NOT_FOUND');
    expect(await codeOf(addDate(tom, clientId, { ...input, repeats: 'once' }))).toBe('NOT_FOUND');
  });
});

describe('nothing to send', () => {
  const waitingOf = async (clientId: string) =>
    (await listInbox(sam, inboxQuery.parse({ of: 'all', kind: 'tax-nothing' }))).items.filter(
      (item) => item.clientId === clientId,
    );

  test('the contact says so once, the firm finds it in its inbox, and it goes when the date is open again', async () => {
    const { clientId, owner } = await shop('br', { regime: 'mei' });
    const { id } = await firstOf(clientId, 'br-das-mei');
    await Promise.all([markDate(owner, id, 'nothing'), markDate(owner, id, 'nothing')]);
    expect((await taxDateOf(owner, id)).mark).toBe('nothing');
    expect(await waitingOf(clientId)).toHaveLength(1);
    const marks = await db()
      .selectFrom('audit')
      .select('audit.action')
      .where('target', '=', id)
      .where('action', '=', 'calendar.mark')
      .execute();
    expect(marks).toHaveLength(1);
    await markDate(owner, id, 'open');
    expect(await waitingOf(clientId)).toEqual([]);
    await markDate(sam, id, 'nothing');
    expect(await waitingOf(clientId)).toEqual([]);
  });
});

describe('reminders', () => {
  const mails = async () =>
    (await mailServer.deliver()).flatMap(({ recipients, mail }) =>
      recipients.map((to) => ({ to, subject: mail.subject, text: String(mail.text) })),
    );

  test('nobody is reminded who did not ask for it; who did is reminded once of each date', async () => {
    const { clientId, owner } = await shop('br', { regime: 'simples', employees: 'yes' });
    await mails();
    await at(Date.UTC(2026, 11, 17, 17), async () => {
      await sweepReminders();
      expect(await mails()).toEqual([]);
      await chooseReminders(owner, 7);
      await sweepReminders();
      await sweepReminders();
      const [mail, ...others] = await mails();
      expect(others).toEqual([]);
      expect(mail?.to).toBe(owner.emailAddress);
      expect(mail?.text).toContain('DAS');
      expect(mail?.text).toContain('FGTS Digital');
    });
    await at(Date.UTC(2026, 11, 18, 17), async () => {
      await sweepReminders();
      expect(await mails()).toEqual([]);
    });
    expect(await remindedBefore(owner)).toBe(7);
    await chooseReminders(owner, undefined);
    expect(await remindedBefore(owner)).toBeUndefined();
    expect(await codeOf(chooseReminders(sam, 3))).toBe('FORBIDDEN');
    expect(await codeOf(chooseReminders({ ...owner, viewedBy: sam.contactId }, 3))).toBe('FORBIDDEN');
    expect(clientId).not.toBe('');
  });

  test('nobody is reminded of what was handled, where there is nothing to send, or what is hidden', async () => {
    const { clientId, owner } = await shop('br', { regime: 'mei' });
    await chooseReminders(owner, 14);
    await mails();
    await markDate(owner, (await firstOf(clientId, 'br-das-mei')).id, 'nothing');
    await at(Date.UTC(2026, 11, 17, 17), async () => {
      await sweepReminders();
      expect(await mails()).toEqual([]);
    });
    await at(Date.UTC(2027, 0, 15, 4), async () => {
      await sweepReminders();
      expect(await mails()).toEqual([]); // at night
    });
    await at(Date.UTC(2027, 0, 15, 17), async () => {
      await sweepReminders();
      expect(await mails()).toHaveLength(1);
    });
  });
});

describe('home, calendar programs and calls', () => {
  test('home shows the next five dates, with those that nobody confirmed marked', async () => {
    const { owner } = await shop('br', { regime: 'simples', employees: 'yes' });
    const rows = await rowsOf(owner, 'tax-calendar');
    expect(rows).toHaveLength(5);
    expect(rows?.[0]?.slice(1)).toEqual(['until Nov 30, 2026', 'Not confirmed yet']);
    const without = await person(firmOne, 'Nora None', 'nora@one.example');
    await client(firmOne, 'No Dates', 'N-1', [without]);
    expect(await rowsOf(without, 'tax-calendar')).toBeUndefined();
  });

  test('a calendar program gets the dates of a year under ids that stay, and nothing else about them', async () => {
    const { clientId, owner } = await shop('br', { regime: 'mei' });
    const address = await makeCalendar(owner);
    const read = async () => {
      const { text } = await readCalendar(/calendar\/(.*)\.ics/.exec(address)?.[1] ?? '', '192.0.2.1');
      return text.replaceAll('\r\n ', '');
    };
    const text = await read();
    expect(text.match(/BEGIN:VEVENT/g)).toHaveLength(12);
    expect(text).toContain(`UID:br-das-mei.2026-11-30.${clientId}@`);
    expect(text).toContain('DTSTART;VALUE=DATE:20261221');
    expect(text).toMatch(/SUMMARY:DAS-MEI\\, November 2026 – Shop \d+ \(Not confirmed yet\)/);
    const { id } = await firstOf(clientId, 'br-das-mei');
    await moveDate(sam, id, { day: '2026-12-29', reason: 'Secret of the firm' });
    const moved = await read();
    expect(moved).toContain(`UID:br-das-mei.2026-11-30.${clientId}@`);
    expect(moved).toContain('DTSTART;VALUE=DATE:20261229');
    expect(moved).toContain('SEQUENCE:2');
    expect(moved).not.toContain('Secret');
    await markDate(owner, id, 'done');
    expect((await read()).match(/BEGIN:VEVENT/g)).toHaveLength(11);
  });

  test('the calls list and mark the dates of the caller’s clients, and of no other', async () => {
    const { clientId, owner } = await shop('br', { regime: 'mei' });
    const answer = await apiAs(owner)(
      'GET',
      `/api/tax-calendar/v1/dates?clientId=${clientId}&itemsPerPage=2`,
    );
    const page = (await answer.json()) as { items: TaxDate[]; totalItems: number };
    expect([answer.status, page.items.length, page.totalItems]).toEqual([200, 2, 14]);
    const [first] = page.items;
    const mark = (actor: Actor, json: unknown, session?: ReturnType<typeof impersonating>) =>
      apiAs(actor, session)('PUT', `/api/tax-calendar/v1/dates/${first?.id ?? ''}/mark`, { json });
    expect((await mark(owner, { mark: 'done' })).status).toBe(200);
    expect((await mark(owner, { mark: 'paid' })).status).toBe(422);
    expect((await mark(zoe, { mark: 'done' })).status).toBe(404);
    expect((await mark(rita, { mark: 'done' })).status).toBe(403);
    expect((await mark(owner, { mark: 'open' }, impersonating(owner, sam))).status).toBe(403);
    expect((await apiAs(zoe)('GET', `/api/tax-calendar/v1/dates?clientId=${clientId}`)).status).toBe(404);
    for (const query of ['from=soon', 'itemsPerPage=1000', 'startIndex=-1'])
      expect((await apiAs(owner)('GET', `/api/tax-calendar/v1/dates?${query}`)).status).toBe(422);
    const until = await apiAs(owner)('GET', '/api/tax-calendar/v1/dates?from=2027-01-01&until=2027-01-31');
    expect(((await until.json()) as { items: TaxDate[] }).items.map(({ dueOn }) => dueOn)).toEqual([
      '2027-01-20',
    ]);
  });
});

describe('clients that are merged or removed', () => {
  test('the dates, marks and profile of a merged client go to the other one', async () => {
    const one = await shop('br', { regime: 'mei' });
    const two = await shop('br', { regime: 'mei' });
    const { id } = await firstOf(one.clientId, 'br-das-mei');
    await markDate(one.owner, id, 'done');
    await addDate(sam, one.clientId, {
      name: 'Own',
      kind: 'file',
      startsOn: '2026-12-10',
      repeats: 'once',
      roll: 'none',
    });
    const plain = await client(firmOne, 'Without dates', 'W-1', [two.owner]);
    await inTransaction(() => clientMerged.announce({ companyId: firmOne, from: one.clientId, into: plain }));
    expect((await datesFor(sam, plain)).find((date) => date.id === id)?.mark).toBe('done');
    expect((await addedDates(sam, plain)).map(({ name }) => name)).toEqual(['Own']);
    await inTransaction(() => clientMerged.announce({ companyId: firmOne, from: two.clientId, into: plain }));
    const merged = await datesFor(sam, plain);
    expect(new Set(merged.map(({ ruleKey, period }) => `${ruleKey} ${period}`)).size).toBe(merged.length);
    expect(await nextDates(two.owner, { from: '2026-11-27', limit: 100 })).not.toEqual([]);
  });
});
