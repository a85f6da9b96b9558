import type { Actor } from '#features/base/people/people.ts';
import { addEmployee } from '#features/brazil/employees/changes.server.ts';
import { makeSheets } from '#features/brazil/payroll-entries/making-sheets.server.ts';
import { monthOf, previousMonth } from '#features/brazil/payroll-entries/months.ts';
import { listInput } from '#features/brazil/payroll-entries/payroll-entries.ts';
import { listSheets } from '#features/brazil/payroll-entries/sheets.server.ts';
import { db } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import type { FeatureAccess } from '../../authz/feature-access.ts';
import {
  sends,
  toManagers,
  toStaff,
  toStaffWithId,
  toWriters,
  toWritersWithId,
} from '../../authz/page-policy.ts';
import type { Thing } from '../../authz/policy.ts';
import { unique } from '../../authz/request-fixtures.ts';
import { live, noIds, type WorldSoFar } from '../../authz/things.ts';

declare module '../../authz/things.ts' {
  interface Kinds {
    'payroll list': true;
    'payroll sheet': true;
  }
}

/** The month before: when a month begins in UTC, it is for some hours still the current one for the firm. */
const lastMonth = (): string => previousMonth(monthOf(dayOf(now(), 'UTC')));

const COLUMN = { key: 'c1', label: 'Overtime', type: 'hours' };
const newList = () => ({
  name: unique('List'),
  payroll: 'monthly',
  from: lastMonth(),
  dueDay: 25,
  columns: [COLUMN],
});

const path = '/api/br-payroll/v1';

export const access: FeatureAccess = {
  rules: {
    // the contacts of the fixture have no service requests: tests/features/payroll-entries has what they do
    [`get ${path}/lists`]: { who: 'staff', forWriters: true },
    // nobody in the fixture manages a firm
    [`post ${path}/lists`]: { who: 'nobody here' },
    [`post ${path}/lists/{id}/publish`]: { who: 'nobody here' },
    [`get ${path}/clients/{clientId}/sheets`]: { who: 'staff', sees: ['clientId'] },
    [`get ${path}/sheets/{id}`]: { who: 'staff', sees: ['id'] },
    [`patch ${path}/sheets/{id}/cells`]: { who: 'staff', sees: ['id'] },
    [`put ${path}/sheets/{id}/rows`]: { who: 'staff', sees: ['id'] },
    [`post ${path}/sheets/{id}/undo`]: { who: 'staff', sees: ['id'] },
    [`post ${path}/sheets/{id}/submit`]: { who: 'staff', sees: ['id'], answers: [404, 422] },
    [`post ${path}/sheets/{id}/take-back`]: { who: 'staff', sees: ['id'], answers: [404, 409] },
    [`post ${path}/sheets/{id}/return`]: { who: 'staff', sees: ['id'], answers: [404, 409] },
    [`post ${path}/sheets/{id}/reply`]: { who: 'staff', sees: ['id'], answers: [404, 409] },
    [`post ${path}/sheets/{id}/close`]: { who: 'staff', sees: ['id'], changes: ['payroll_sheets'] },
    [`post ${path}/sheets/{id}/reopen`]: { who: 'staff', sees: ['id'], changes: ['payroll_sheets'] },
    [`get ${path}/sheets/{id}/totals`]: { who: 'staff', sees: ['id'] },
    [`get ${path}/sheets/{id}/table`]: { who: 'staff', sees: ['id'] },
    [`get ${path}/exports/{listId}`]: { who: 'staff', forWriters: true, sees: ['listId'] },
    [`get ${path}/grids/sheets`]: { who: 'staff' },
    [`get ${path}/grids/sheets/export`]: { who: 'staff' },
    [`get ${path}/grids/entries`]: { who: 'nobody here' },
    [`get ${path}/grids/entries/export`]: { who: 'nobody here' },
  },
  requests: {
    [`get ${path}/lists`]: [{ ids: {} }],
    [`post ${path}/lists`]: [{ ids: {}, send: () => ({ json: newList() }), named: ['to', 'tag'] }],
    [`post ${path}/lists/{id}/publish`]: [{ ids: { id: 'payroll list' } }],
    [`get ${path}/clients/{clientId}/sheets`]: [{ ids: { clientId: 'client' }, named: ['competence'] }],
    [`get ${path}/sheets/{id}`]: [{ ids: { id: 'payroll sheet' }, named: ['startIndex', 'itemsPerPage'] }],
    [`patch ${path}/sheets/{id}/cells`]: [
      {
        ids: { id: 'payroll sheet' },
        send: () => ({ json: { changes: [{ employeeId: 'employee_0', column: 'c1', value: 60, base: 0 }] } }),
      },
    ],
    [`put ${path}/sheets/{id}/rows`]: [
      {
        ids: { id: 'payroll sheet' },
        send: () => ({ json: { rows: [{ registration: 'none', cells: [{ column: 'c1', value: 60 }] }] } }),
      },
    ],
    [`post ${path}/sheets/{id}/undo`]: [{ ids: { id: 'payroll sheet' } }],
    [`post ${path}/sheets/{id}/submit`]: [
      { ids: { id: 'payroll sheet' }, send: () => ({ json: {} }), named: ['isConfirmed'] },
    ],
    [`post ${path}/sheets/{id}/take-back`]: [{ ids: { id: 'payroll sheet' } }],
    [`post ${path}/sheets/{id}/return`]: [
      {
        ids: { id: 'payroll sheet' },
        send: () => ({ json: { reason: unique('A reason') } }),
        named: ['cells'],
      },
    ],
    [`post ${path}/sheets/{id}/reply`]: [
      { ids: { id: 'payroll sheet' }, send: () => ({ json: { text: unique('A reply') } }) },
    ],
    [`post ${path}/sheets/{id}/close`]: [{ ids: { id: 'payroll sheet' } }],
    [`post ${path}/sheets/{id}/reopen`]: [{ ids: { id: 'payroll sheet' } }],
    [`get ${path}/sheets/{id}/totals`]: [{ ids: { id: 'payroll sheet' } }],
    [`get ${path}/sheets/{id}/table`]: [{ ids: { id: 'payroll sheet' }, named: ['of'] }],
    [`get ${path}/exports/{listId}`]: [
      {
        ids: { listId: 'payroll list' },
        send: () => ({ query: { competence: lastMonth() } }),
        named: ['format'],
      },
    ],
    [`get ${path}/grids/sheets`]: [{ ids: {} }],
    [`get ${path}/grids/entries`]: [{ ids: {} }],
    [`get ${path}/grids/entries/export`]: [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
    [`get ${path}/grids/sheets/export`]: [{ ids: {}, send: () => ({ query: { format: 'csv' } }) }],
  },
  pages: {
    '/[base]/[lang]/actions/service-request/payroll-sheets/[sheetId]': sends(''),
    '/[base]/[lang]/actions/service-request/payroll-sheets/[sheetId]/send': sends(''),
    '/[base]/[lang]/actions/service-request/payroll-sheets/[sheetId]/paste': sends(''),
    '/[base]/[lang]/staff/payroll-entries': toStaff,
    '/[base]/[lang]/staff/payroll-entries/lists': toWriters,
    '/[base]/[lang]/staff/payroll-entries/lists/new': toManagers,
    '/[base]/[lang]/staff/payroll-entries/lists/[listId]': toWritersWithId,
    '/[base]/[lang]/staff/payroll-entries/sheets/[sheetId]': toStaffWithId,
  },
  inMissingSections: [
    '/[base]/[lang]/actions/service-request/payroll-sheets/[sheetId]',
    '/[base]/[lang]/actions/service-request/payroll-sheets/[sheetId]/send',
    '/[base]/[lang]/actions/service-request/payroll-sheets/[sheetId]/paste',
  ],
  placeholders: { sheetId: 'sheet_0', listId: 'payroll_0' },
  things: {
    kinds: { 'payroll list': 'payroll', 'payroll sheet': 'sheet' },
    make: ({ staff, otherStaff, clients }) => makeThings(staff, otherStaff, clients),
  },
  keys: { payroll_lists: 'list_id', payroll_sheets: 'sheet_id' },
  fuzz: {
    prepare: async ({ sam, clientA }) => {
      const { list, sheets } = await publish(sam, [clientA]);
      return {
        only: {
          [`GET ${path}/exports/{listId}`]: [list],
          [`GET ${path}/sheets/{id}`]: sheets,
          [`GET ${path}/sheets/{id}/totals`]: sheets,
          [`GET ${path}/sheets/{id}/table`]: sheets,
          [`POST ${path}/sheets/{id}/close`]: sheets,
          [`POST ${path}/sheets/{id}/reopen`]: sheets,
          [`POST ${path}/sheets/{id}/undo`]: sheets,
        },
      };
    },
    notHere: {
      [`POST ${path}/lists`]: 'a list of anything is seldom a list of columns',
      [`POST ${path}/lists/{id}/publish`]: 'lists are published by those who manage the firm',
      [`PATCH ${path}/sheets/{id}/cells`]: 'a list of anything is seldom a list of changes',
      [`PUT ${path}/sheets/{id}/rows`]: 'a list of anything is seldom a list of rows',
      [`POST ${path}/sheets/{id}/submit`]: 'nothing is filled in',
      [`POST ${path}/sheets/{id}/take-back`]: 'no sheet was sent',
      [`POST ${path}/sheets/{id}/return`]: 'no sheet was sent',
      [`POST ${path}/sheets/{id}/reply`]: 'no sheet was sent',
      [`GET ${path}/exports/{listId}`]: 'a month seldom fits by chance',
      [`POST ${path}/sheets/{id}/undo`]: 'a sheet that was closed by chance has nothing to undo',
    },
  },
};

/** A published list, and the sheets of these clients, each with an employee. */
async function publish(by: Actor, clientIds: readonly string[]): Promise<{ list: string; sheets: string[] }> {
  for (const clientId of clientIds)
    await addEmployee(by, clientId, {
      name: 'Canary',
      cpf: '34127023074',
      hiredOn: '2020-01-02',
      registration: unique('P'),
    });
  const list = await publishedList(by);
  await makeSheets(list);
  const sheets: string[] = [];
  for (const clientId of clientIds) {
    const own = await listSheets(by, clientId);
    sheets.push(own.find(({ listId }) => listId === list.list_id)?.id ?? '');
  }
  return { list: list.list_id, sheets };
}

/** A list as if somebody who manages the firm had published it. */
async function publishedList({ companyId, contactId }: Actor) {
  const input = newList();
  const columns = JSON.stringify(listInput.parse(input).columns);
  const list = {
    list_id: newId('payroll'),
    company_id: companyId,
    name: input.name,
    payroll: 'monthly' as const,
    from_competence: input.from,
    to_competence: '',
    tag_key: '',
    tag: '',
    due_day: 25,
    columns,
    version: 1,
    state: 'published' as const,
    created_at: now(),
    created_by: contactId,
    modified_at: now(),
  };
  await db().insertInto('payroll_lists').values(list).execute();
  await db()
    .insertInto('payroll_list_versions')
    .values({ list_id: list.list_id, version: 1, columns, published_at: now(), published_by: contactId })
    .execute();
  return list;
}

/** A list of each firm, and a sheet of each client. */
async function makeThings(
  staff: Actor,
  otherStaff: Actor,
  clients: WorldSoFar['clients'],
): Promise<Record<'payroll list' | 'payroll sheet', Record<string, Thing>>> {
  const keys = ['own', 'sibling', 'staff only'] as const;
  const own = await publish(
    staff,
    keys.map((key) => clients[key].id),
  );
  const other = await publish(otherStaff, [clients['other firm'].id]);
  return {
    'payroll list': {
      own: live(own.list, 'own'),
      'other firm': live(other.list, 'other firm'),
      ...noIds('payroll'),
    },
    'payroll sheet': {
      ...Object.fromEntries(keys.map((key, at) => [key, live(own.sheets[at] ?? '', key)])),
      'other firm': live(other.sheets[0] ?? '', 'other firm'),
      ...noIds('sheet'),
    },
  };
}
