import type { Selectable } from 'kysely';
import { addressLines } from '#platform/inputs/address-fields.server.ts';
import { taxIdChoices } from '#platform/inputs/schemas.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { eachRow, rowPages } from '#platform/database/row-pages.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { exportedTable } from '#platform/tabular/exported-table.server.ts';
import { text } from '#platform/text/texts.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { addressOf, tagsOf, taxIdsOf } from './internal/rows.server.ts';

/** What the firm keeps about a client, who its contacts are, and who looks after it. */
export const exportedClients: Contributions['exports'] = [
  {
    of: 'client',
    name: 'client.csv',
    text: text('records', 'exportClient'),
    content: ({ lang, clientId }, { ids }) =>
      exportedTable(lang, ['field', 'value', 'client'], recordRows(lang, ids, clientId === null)),
  },
  {
    of: 'client',
    name: 'contacts.csv',
    text: text('records', 'exportContacts'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['name', 'email', 'language', 'createdAt', 'isSuspended', 'contact'],
        eachRow(contactsOf(ids), (row) => ({
          contact: row.contact_id,
          name: row.full_name,
          email: decryptFrom('users.email', row.prism_guid, row.email),
          language: row.language,
          createdAt: { at: row.created_at },
          isSuspended: row.suspended_at !== null,
        })),
      ),
  },
  {
    of: 'client',
    name: 'team.csv',
    text: text('records', 'exportTeam'),
    content: ({ lang }, { ids }) =>
      exportedTable(
        lang,
        ['name', 'isResponsible', 'contact'],
        eachRow(teamOf(ids), (row) => ({
          contact: row.contact_id,
          name: row.full_name,
          isResponsible: row.is_responsible === 1,
        })),
      ),
  },
];

/** A record as fields and values. Tags are the firm's own, and clients do not see them. */
async function* recordRows(lang: Lang, clientIds: readonly string[], withTags: boolean) {
  const rows = await db().selectFrom('clients').selectAll().where('client_id', 'in', clientIds).execute();
  for (const row of rows)
    for (const [field, value] of [...fieldsOf(lang, row), ...(await listsOf(lang, row.client_id, withTags))])
      yield { client: row.client_id, field, value };
}

function fieldsOf(lang: Lang, row: Selectable<Tables['clients']>): [field: string, value: string][] {
  const t = translationsFor(lang, 'records');
  const c = translationsFor(lang, 'export-columns');
  const address = addressOf(row.client_id, row.address);
  const moment = (at: number | null): string => (at === null ? '' : new Date(at).toISOString());
  return [
    [t('name'), row.name],
    [t('code'), row.code],
    [t('kind'), t(row.kind)],
    [t('tradeName'), row.doing_business_as ?? ''],
    [translationsFor(lang, 'clients')('nickname'), row.nickname ?? ''],
    [t('language'), row.language],
    [t('yearEnd'), row.year_end],
    [t('address'), address === null ? '' : addressLines(address, lang).join(', ')],
    [c('createdAt'), moment(row.created_at)],
    [c('archivedAt'), moment(row.archived_at)],
  ];
}

async function listsOf(lang: Lang, clientId: string, withTags: boolean): Promise<[string, string][]> {
  const labels = new Map(taxIdChoices(lang).map(({ value, text: label }) => [value, label]));
  const taxIds = await taxIdsOf(clientId);
  const tags = withTags ? await tagsOf(clientId) : [];
  return [
    ...taxIds.map(({ kind, number }): [string, string] => [labels.get(kind) ?? kind, number]),
    ...tags.map((tag): [string, string] => [translationsFor(lang, 'records')('tag'), tag]),
  ];
}

const contactsOf = (clientIds: readonly string[]) =>
  rowPages(['contacts.name_key', 'contacts.contact_id'], (page) =>
    db()
      .selectFrom('contacts')
      .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
      .selectAll('contacts')
      .select(['users.email', 'users.language'])
      .where('contacts.contact_id', 'in', (e) =>
        e
          .selectFrom('client_contacts')
          .select('client_contacts.contact_id')
          .where('client_contacts.client_id', 'in', clientIds),
      )
      .$call(page)
      .execute(),
  );

const teamOf = (clientIds: readonly string[]) =>
  rowPages(['staff_clients.contact_id', 'staff_clients.client_id'], (page) =>
    db()
      .selectFrom('staff_clients')
      .innerJoin('contacts', 'contacts.contact_id', 'staff_clients.contact_id')
      .selectAll('staff_clients')
      .select('contacts.full_name')
      .where('staff_clients.client_id', 'in', clientIds)
      .$call(page)
      .execute(),
  );
