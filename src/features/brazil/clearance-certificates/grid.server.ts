import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { defineGrid } from '#features/base/grids/define.server.ts';
import { actsForClient } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { keepsCertificates, todayOf } from './access.server.ts';
import { agencyName } from './agency-names.server.ts';
import { present, type Followed } from './following.server.ts';
import { LIGHTS, type Light } from './lights.ts';
import { dayText } from './sentences.server.ts';
import { LIGHT_CHIPS, LIGHT_TEXTS, RESULT_TEXTS } from './texts.ts';

type Row = Followed & { client: string };

const pageOf = ({ clientId, agencyId }: Followed): string =>
  `staff/clients/${clientId}/clearance-certificates/${agencyId}`;

/** What is followed for the clients of the actor, that which needs a renewal first. */
export const certificateGrid = defineGrid({
  name: 'clearance-certificates',
  namespace: 'clearance-certificates',
  path: '/api/cnd/v1/grids/client-agencies',
  caption: 'title',
  submit: 'filterSubmit',
  empty: 'gridEmpty',
  noMatch: 'noneFound',
  from: (actor) => {
    if (!actor.staff) throw new PortalError('FORBIDDEN');
    return db()
      .selectFrom('cnd_client_agencies')
      .innerJoin('clients', 'clients.client_id', 'cnd_client_agencies.client_id')
      .where('cnd_client_agencies.company_id', '=', actor.companyId)
      .where('cnd_client_agencies.ended_at', 'is', null)
      .where('clients.archived_at', 'is', null)
      .where(actsForClient(actor));
  },
  id: sql.ref('cnd_client_agencies.client_agency_id'),
  columns: {
    client: {
      label: 'client',
      type: 'text',
      sql: sql.ref('clients.name_key'),
      isRowHeader: true,
      isGroupable: true,
      groupTexts: namesByKeys,
      cell: (row, { pathTo }) => ({ text: row.client, href: pathTo(pageOf(row)) }),
    },
    agency: {
      label: 'agency',
      type: 'exact',
      sql: sql.ref('cnd_client_agencies.agency_id'),
      isSortable: false,
      isFilterable: false,
      textStyle: 'phrase',
      cell: ({ agencyId }, { lang }) => agencyName(lang, agencyId),
    },
    light: {
      label: 'state',
      type: 'exact',
      sql: sql.ref('cnd_client_agencies.renew_on'),
      isFilterable: false,
      textStyle: 'phrase',
      options: LIGHTS.map((light) => [light, LIGHT_TEXTS[light]] as const),
      chip: {},
      cell: ({ light }, { t }) => ({ text: t(LIGHT_TEXTS[light]), chip: LIGHT_CHIPS[light] }),
    },
    validUntil: {
      label: 'validUntil',
      type: 'exact',
      sql: sql.ref('cnd_client_agencies.valid_until'),
      isFilterable: false,
      isShort: true,
      isLabelled: true,
      textStyle: 'meta',
      cell: ({ validUntil }, { lang }) =>
        validUntil === '' ? undefined : { text: dayText(lang, validUntil), on: validUntil },
    },
    result: {
      label: 'result',
      type: 'choice',
      sql: sql.ref('cnd_client_agencies.result'),
      isSortable: false,
      isGroupable: true,
      isMinor: true,
      textStyle: 'phrase',
      options: [['', 'none'], ...Object.entries(RESULT_TEXTS)] as const,
      cell: ({ result }, { t }) => (result === '' ? undefined : t(RESULT_TEXTS[result])),
    },
  },
  orderBy: [{ by: 'light', dir: 'asc' }],
  search: { label: 'searchClient', in: ['client'] },
  fields: {
    light: {
      kind: 'select',
      label: 'state',
      options: [
        ['', 'allStates'],
        ['due', 'light_due'],
        ...LIGHTS.map((light) => [light, LIGHT_TEXTS[light]] as const),
      ],
      where: async (actor, light) => hasLight(light, await todayOf(actor)),
    },
    agency: {
      kind: 'select',
      label: 'agency',
      options: [
        ['', 'allAgencies'],
        ['federal', 'agency_federal'],
        ['fgts', 'agency_fgts'],
        ['labor', 'agency_labor'],
        ['state', 'agenciesOfStates'],
        ['city', 'agenciesOfCities'],
      ],
      where: (_, kind) =>
        ['state', 'city'].includes(kind)
          ? sql<SqlBool>`cnd_client_agencies.agency_id like ${`${kind}-%`}`
          : sql<SqlBool>`cnd_client_agencies.agency_id = ${kind}`,
    },
  },
  rows: rowsWith,
  idOf: ({ id }) => id,
  nameOf: ({ client, agencyId }, { lang }) => `${client}, ${agencyName(lang, agencyId)}`,
  actions: (row, actor, { t, pathTo }) => [
    { label: t(keepsCertificates(actor) ? 'openOrFile' : 'open'), href: pathTo(pageOf(row)) },
    { label: t('allOfClient'), href: pathTo(`staff/clients/${row.clientId}/clearance-certificates`) },
  ],
});

/** Clients by the folded names in groups; of several with one name, one. */
async function namesByKeys(actor: Actor, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db()
    .selectFrom('clients')
    .select(['name', 'name_key'])
    .where(actsForClient(actor))
    .where('name_key', 'in', keys)
    .execute();
  return new Map(rows.map((row) => [row.name_key, row.name]));
}

/** {@link lightOf} as a condition; `due` is all that somebody has to do something about. */
function hasLight(light: string, today: string): RawBuilder<SqlBool> {
  const [result, until, renewOn] = ['result', 'valid_until', 'renew_on'].map((column) =>
    sql.ref(`cnd_client_agencies.${column}`),
  );
  const isClear = sql`${result} not in ('', 'positive')`;
  const conditions: Readonly<Record<Light | 'due', RawBuilder<SqlBool>>> = {
    missing: sql<SqlBool>`${result} = ''`,
    positive: sql<SqlBool>`${result} = 'positive'`,
    expired: sql<SqlBool>`(${isClear} and ${until} < ${today})`,
    expiring: sql<SqlBool>`(${isClear} and ${until} >= ${today} and ${renewOn} <= ${today})`,
    valid: sql<SqlBool>`(${isClear} and ${renewOn} > ${today})`,
    due: sql<SqlBool>`(${result} in ('', 'positive') or ${renewOn} <= ${today})`,
  };
  return (conditions as Readonly<Record<string, RawBuilder<SqlBool>>>)[light] ?? sql<SqlBool>`1 = 0`;
}

async function rowsWith(actor: Actor, ids: readonly (string | number)[]): Promise<Row[]> {
  const rows = await db()
    .selectFrom('cnd_client_agencies')
    .innerJoin('clients', 'clients.client_id', 'cnd_client_agencies.client_id')
    .selectAll('cnd_client_agencies')
    .select('clients.name')
    .where('client_agency_id', 'in', ids.map(String))
    .execute();
  const today = await todayOf(actor);
  return rows.map((row) => ({ ...present(row, today), client: row.name }));
}
