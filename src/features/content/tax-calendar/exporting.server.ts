import { db } from '#platform/database/database.server.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { ruleOf } from './obligations/all.ts';

/** The tax calendars of clients in an export of all data. */
export const exportedTaxCalendars: Contributions['exports'] = [
  {
    of: 'client',
    name: 'tax-profile.csv',
    text: text('tax-calendar', 'exportProfile'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['country', 'facts', 'ruleChoices', 'modifiedAt', 'client'],
        eachRow(profilesOf(ids), (row) => ({
          country: row.country,
          facts: row.facts,
          ruleChoices: row.choices,
          modifiedAt: { at: row.modified_at },
          client: row.client_id,
        })),
      ),
  },
  {
    of: 'client',
    name: 'tax-dates.csv',
    text: text('tax-calendar', 'exportDates'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['dueOn', 'rule', 'kind', 'period', 'plannedOn', 'reason', 'state', 'markedAt', 'client'],
        eachRow(datesOf(ids), (row) => ({
          dueOn: row.due_on,
          rule: ruleOf(row.rule_key)?.name ?? row.rule_key,
          kind: row.kind,
          period: row.period,
          plannedOn: row.planned_on,
          reason: row.reason === null ? '' : decryptFrom('tax_dates.reason', row.tax_date_id, row.reason),
          state: row.mark,
          markedAt: row.marked_at === null ? '' : { at: row.marked_at },
          client: row.client_id,
        })),
      ),
  },
  {
    of: 'export',
    name: 'tax-own-dates.csv',
    text: text('tax-calendar', 'exportOwnDates'),
    content: ({ lang, firm }, ids) =>
      exportedTable(
        lang,
        ['rule', 'name', 'kind', 'startsOn', 'repeats', 'createdAt', 'isDeleted', 'client'],
        eachRow(ownDatesOf(firm.companyId, ids), (row) => ({
          rule: row.own_date_id,
          name: decryptFrom('tax_own_dates.name', row.own_date_id, row.name),
          kind: row.kind,
          startsOn: row.starts_on,
          repeats: row.repeats,
          createdAt: { at: row.created_at },
          isDeleted: row.removed_at !== null,
          client: row.client_id ?? '',
        })),
      ),
  },
];

const profilesOf = (ids: readonly string[]) =>
  rowPages(['client_id'], (page) =>
    db().selectFrom('tax_profiles').selectAll().where('client_id', 'in', ids).$call(page).execute(),
  );

const datesOf = (ids: readonly string[]) =>
  rowPages(['client_id', 'due_on', 'tax_date_id'], (page) =>
    db().selectFrom('tax_dates').selectAll().where('client_id', 'in', ids).$call(page).execute(),
  );

/** Those of clients; of the whole firm also those for all clients. */
const ownDatesOf = (companyId: string, ids: readonly string[] | null) =>
  rowPages(['own_date_id'], (page) =>
    db()
      .selectFrom('tax_own_dates')
      .selectAll()
      .where('company_id', '=', companyId)
      .$if(ids !== null, (dates) => dates.where('client_id', 'in', ids ?? []))
      .$call(page)
      .execute(),
  );
