import { expect, test, vi } from 'vitest';
import { changeAccess, reportAccess } from '#features/base/access/access.server.ts';
import type { Decision } from '#features/base/access/access.ts';
import { groupsOf } from '#features/base/access/rows.server.ts';
import { beginBatch } from '#features/base/batches/batches.server.ts';
import { inboxQuery } from '#features/office/inbox/inbox.ts';
import { play } from '#features/demo/demo/story.server.ts';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { loadCounts } from '#features/office/live/counts.server.ts';
import { listNotifications } from '#features/office/notifications/notifications.server.ts';
import { addressOf, notificationText as noticeText } from '#features/office/notifications/texts.server.ts';
import { itemText, nextStep } from '#features/office/inbox/texts.server.ts';
import { kindText, kindsFor, notificationText } from '#features/clients/mails/texts.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { filterKinds, receiptKindText } from '#features/base/receipts/kinds.server.ts';
import type { ReceiptKind } from '#features/base/receipts/kinds.ts';
import { listReceipts } from '#features/base/receipts/receipts.server.ts';
import type { Import } from '#features/office/imports/imports.ts';
import { importKindsFor } from '#features/office/imports/kinds.server.ts';
import { proposedMapping } from '#features/office/imports/mapping.server.ts';
import { recordFile } from '#features/office/imports/record-files.server.ts';
import { figuresFor } from '#features/office/overview/figures.server.ts';
import { tablesFor } from '#features/office/overview/tables.server.ts';
import { searchEverything } from '#features/office/search/search.server.ts';
import { settingsAreas } from '#features/office/settings/rows.server.ts';
import { findingsOf } from '#features/tasks/questionnaires/answer-rules.server.ts';
import { makeCalendar, readCalendar } from '#features/tasks/task-reminders/calendars.server.ts';
import { findEntries } from '#features/tasks/questionnaires/lookups.server.ts';
import { activityOf } from '#features/office/staff/audit-log.server.ts';
import { addressBuilder } from '#platform/http/addresses.server.ts';
import { actionText } from '#platform/security/audit-actions.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import type { MailKind, OptionalKind } from '#platform/mail/mail-kinds.ts';
import type * as all from '../src/features/all.server.ts';
import { navigationOf, type Side } from '#layouts/navigation.server.ts';
import '../src/app.server.ts';
import { en, published, sectionOf, templateOf } from './features/questionnaires/support.ts';
import { sessionAs } from './support/api.ts';
import { localsOf, rowsOf } from './support/home.ts';
import { digestOf, makeCast, person } from './support/cast.ts';
import { exportOf, tableIn } from './support/exported.ts';
import { runDueJobs } from './support/jobs.ts';
import { makeParcelTables, parcels, prepareParcels, sentOf } from './support/planted-batch.ts';
import { askForVisit, confirmVisit, VISIT, VISIT_IN_STORY } from './support/planted-feature.ts';

/*
 * One feature more than the portal has is composed with the others: what it contributes appears everywhere, and so no
 * other file than the list of features has to change for it. The surfaces are asked for what they show, not for what they gathered.
 */
vi.mock('../src/features/all.server.ts', async (original) => ({
  FEATURES: [
    ...(await original<typeof all>()).FEATURES,
    (await import('./support/planted-feature.ts')).visits,
  ],
}));

const { ada, cleo, sam, firmOne, clientA } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const pathTo = addressBuilder(() => 'en-us', undefined);
const visit = { id: 'visit_1', clientId: clientA, name: 'Signing the lease' };
await askForVisit(ada, visit);

/** The test of each kind of contribution: a new one is missing here. */
const TESTS = {
  story: async () => {
    const planned: number[] = [];
    await play(
      'americanFirm',
      { firm: sam },
      { firstDay: 7, yesterday: 9, later: (instant) => void planned.push(instant) },
    );
    expect(planned).toEqual([7, VISIT_IN_STORY]);
  },
  access: async () => {
    const page = async () => {
      const report = await reportAccess(olga, ada.contactId);
      return groupsOf(report).find(({ group }) => group === 'team');
    };
    const may = async () => (await actorOf(ada.contactId)).access.permissions.has(VISIT);
    const change = (to: Decision['to']) =>
      changeAccess(olga, { contact: ada.contactId, kind: 'permission', name: VISIT, to });
    expect((await page())?.rows).toMatchObject([
      { label: { key: 'submit' }, word: 'off', choices: [{ to: 'granted', word: 'on' }] },
    ]);
    expect(await may()).toBe(false);
    await change('granted');
    expect((await page())?.rows).toMatchObject([{ word: 'on', entry: { from: 'contact' } }]);
    expect(await may()).toBe(true);
    await change('usual');
    expect(await may()).toBe(false);
  },
  auditActions: () => {
    expect(actionText('en-us', 'visit.ask', false)).toBe('Add comment');
    return Promise.resolve();
  },
  names: async () => {
    const [entry] = (await activityOf(ada, undefined)).entries;
    expect(entry).toMatchObject({ action: 'visit.ask', what: visit.name, who: ada.fullName });
  },
  answerRules: () => {
    const form = published(
      templateOf([sectionOf('when', [{ kind: 'date', key: 'day', label: en('Day') }])], {
        checks: [{ rule: 'visit', of: { day: 'when.day' } }],
      }),
    );
    const found = findingsOf(form, { 'when.day': '2026-12-24' }, { lang: 'en-us', today: '2026-11-28' });
    expect(found).toEqual([
      { rule: 'visit', id: 'closed', severity: 'informs', text: 'Closed on 2026-12-24', path: 'when.day' },
    ]);
    return Promise.resolve();
  },
  lookups: async () => {
    const context = { companyId: firmOne, clientId: clientA, lang: 'en-us' } as const;
    expect(await findEntries(context, 'visits', 'lease')).toEqual([{ key: visit.id, text: visit.name }]);
    expect(await findEntries({ ...context, clientId: 'client_other' }, 'visits', 'lease')).toEqual([]);
  },
  mails: () => {
    expect(kindText('en-us', 'visit' as MailKind)).toBe('Comment');
    expect(kindsFor(false)).toContain('visit');
    expect(kindsFor(true)).not.toContain('visit');
    const about = { isStaff: false, firm: 'A firm' };
    expect(notificationText('en-us', 'visit' as OptionalKind, about)).toBe('Your comment');
    return Promise.resolve();
  },
  notifications: async () => {
    const [row] = (await listNotifications(ada, { state: 'unread', before: '' })).items;
    if (!row) throw new Error('Nobody is told of the visit.');
    expect(row).toMatchObject({ kind: 'visit', clientId: clientA, count: 1, isUnread: true });
    expect(noticeText('en-us', row)).toBe(`Comments on ${visit.name}`);
    expect(addressOf(row, pathTo)).toBe(pathTo('visits/visit_1', { client: clientA }));
  },
  receiptKinds: async () => {
    expect(receiptKindText('en-us', 'visit' as ReceiptKind)).toBe('Comment');
    expect(filterKinds()).toEqual(['upload', 'visit', 'share', 'submission', 'signature', 'payment']);
    const { receipts } = await listReceipts(ada, clientA, { kind: 'visit' });
    expect(receipts).toMatchObject([{ kind: 'visit', name: visit.name, who: ada.fullName }]);
  },
  inbox: async () => {
    const rows = async () => (await listInbox(sam, inboxQuery.parse({ of: 'all', kind: 'visit' }))).items;
    const [row] = await rows();
    if (!row) throw new Error('The visit does not wait.');
    expect(row).toMatchObject({ kind: 'visit', key: visit.id, clientId: clientA, count: 1 });
    expect(itemText('en-us', row)).toBe(`Comments on ${visit.name}`);
    expect(nextStep(row, pathTo)).toBe(pathTo('staff/visits/visit_1'));
    await confirmVisit(visit.id);
    expect(await rows()).toEqual([]);
  },
  exports: async () => {
    const ofClient = await exportOf(olga, clientA);
    expect(tableIn(ofClient, 'visits.csv')).toEqual([{ ID: visit.id, Name: visit.name }]);
    expect(ofClient.get('visits/visit_1.txt')?.toString()).toBe(visit.name);
    const readme = ofClient.get('README.txt')?.toString() ?? '';
    expect(readme).toContain('visits.csv, visits/\r\n  Comments');
    const page = ofClient.get('index.html')?.toString() ?? '';
    expect(page).toContain('href="visits.csv"');
    const manifest = JSON.parse(ofClient.get('manifest.json')?.toString() ?? '') as { files: object[] };
    expect(manifest.files).toContainEqual({
      path: 'visits/visit_1.txt',
      size: visit.name.length,
      sha256: digestOf(Buffer.from(visit.name)),
    });
    // what the firm keeps from its clients is in an export of the whole firm only
    expect(readme).not.toContain('visitors.txt');
    expect([...ofClient.keys()]).not.toContain('visitors.txt');
    const ofFirm = await exportOf(olga, null);
    expect(ofFirm.get('visitors.txt')?.toString()).toBe('Nobody else');
    expect(tableIn(ofFirm, 'clients/Amber Bakery/visits.csv')).toHaveLength(1);
    expect([...ofFirm.keys()]).not.toContain('clients/Birch Boats/visits.csv');
  },
  settings: async () => {
    const areasOf = (actor: Actor) =>
      settingsAreas({ lang: 'en-us', locale: 'en-US', timeZone: 'UTC', session: sessionAs(actor) });
    const areas = await areasOf(olga);
    const pages = areas.map(({ page }) => page);
    expect(pages.indexOf('staff/visits')).toBe(pages.indexOf('staff/people') + 1);
    expect(areas.find(({ page }) => page === 'staff/visits')?.state).toBe('1 visits');
    expect((await areasOf(sam)).map(({ page }) => page)).not.toContain('staff/visits');
  },
  navigation: () => {
    const pagesOf = (side: Side, actor: Actor) =>
      navigationOf(side, {
        ...localsOf(actor),
        client: Promise.resolve(undefined),
        openings: Promise.resolve([]),
        mayOpen: () => true,
      }).map(({ page }) => page);
    const areas = pagesOf('staff', olga);
    expect(areas.indexOf('staff/visits')).toBe(areas.indexOf('staff/clients') + 1);
    expect(pagesOf('client', ada)).toContain('visits');
    expect(pagesOf('client', olga)).not.toContain('visits');
    expect(pagesOf('new', olga)).toContain('staff/visits/new');
    return Promise.resolve();
  },
  search: async () => {
    const foundBy = async (actor: Actor) =>
      (
        await searchEverything(
          { ...localsOf(actor), client: Promise.resolve(undefined) },
          { text: 'lease', limit: 5 },
        )
      ).find(({ kind }) => kind === 'visits');
    expect((await foundBy(ada))?.hits).toEqual([{ title: visit.name, href: 'visits/visit_1' }]);
    expect(await foundBy(olga)).toBeUndefined();
  },
  batches: async () => {
    await makeParcelTables();
    const batchId = await prepareParcels(olga, 2, 'ready');
    await beginBatch(olga, parcels, batchId);
    await runDueJobs();
    expect(await sentOf(batchId)).toEqual([0, 1, 2]);
  },
  widgets: async () => {
    expect(await rowsOf(ada, 'visits')).toEqual([[visit.name]]);
    expect(await rowsOf(cleo, 'visits')).toEqual([[visit.name, 'Amber Bakery']]);
  },
  calendarEvents: async () => {
    const address = await makeCalendar(ada);
    const { text } = await readCalendar(/calendar\/(.*)\.ics/.exec(address)?.[1] ?? '', '192.0.2.1');
    expect(text).toContain(`SUMMARY:${visit.name}`);
  },
  figures: async () => {
    const of = async (actor: Actor) =>
      (await figuresFor(localsOf(actor)))
        .flatMap(({ figures }) => figures)
        .filter(({ id }) => /visits/.test(id));
    const [listed, waiting] = await of(olga);
    expect(listed).toMatchObject({ label: 'Comments, oldest first', count: { n: 1, isMore: false } });
    expect(listed?.href).toMatch(/staff\/inbox\?of=all&kind=visit&day=20\d\d-\d\d-\d\d$/);
    // the test of the inbox settles the visit
    expect(waiting?.href).toBe(pathTo('staff/inbox', { of: 'all', kind: 'visit' }));
    expect(waiting?.count).toMatchObject({ isMore: false });
    expect(await of(ada)).toEqual([]);
  },
  overviewTables: async () => {
    const of = async (actor: Actor) => (await tablesFor(localsOf(actor))).find(({ id }) => id === 'visits');
    expect(await of(olga)).toMatchObject({
      columns: ['Comment', 'Comments, oldest first'],
      view: { rows: [{ title: visit.name, cells: [{ n: 10, isMore: true }] }] },
    });
    expect(await of(ada)).toBeUndefined();
  },
  importKinds: async () => {
    expect(importKindsFor(olga)).toEqual(['clients', 'visits', 'contacts', 'links', 'employees']);
    const job = { kind: 'visits', columns: ['Comment', 'Guest'] } as unknown as Import;
    expect(await proposedMapping(olga, job)).toEqual(['visitor', '']);
    const file = await recordFile(olga, 'en-us', 'visits.csv');
    expect(await file.text()).toContain(`Comment\r\n${visit.name}`);
  },
  liveCounts: async () => {
    expect(await loadCounts([ada, cleo])).toMatchObject([{ visits: 1 }, { visits: 1 }]);
  },
  companyFacts: async () => {
    expect(await rowsOf(cleo, 'companies')).toEqual([['Amber Bakery', 'Comment']]);
  },
} satisfies Record<keyof Contributions, () => Promise<void>>;

test.each(Object.entries(TESTS))('what a feature contributes as %s is shown', (_, holds) => holds());
