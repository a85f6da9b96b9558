import { sql, type Expression, type SqlBool } from 'kysely';
import { defineGrid } from '#features/base/grids/define.server.ts';
import { contains } from '#features/base/grids/filters.server.ts';
import { fiscalFormats } from '#features/documents/fiscal-xml/formats.server.ts';
import { spacedKey } from '#features/documents/fiscal-xml/keys.ts';
import { assertActsFor, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, fold } from '#platform/database/database.server.ts';
import { withMask } from '#platform/inputs/masks.ts';
import { formatMoney } from '#platform/text/formats.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { DIRECTIONS, KINDS, ROLES, STATES, STORAGES, type Storage } from './fiscal-documents.ts';
import { assertStorageOpen } from './ordered.server.ts';
import { taxIdIndex } from './owners.server.ts';
import type { FiscalDocuments } from './schema.server.ts';
import { BAD_STATES, DIRECTION_TEXTS, ROLE_TEXTS, STATE_TEXTS, STORAGE_TEXTS } from './texts.server.ts';

const STATE_OPTIONS = STATES.map((state) => [state, STATE_TEXTS[state]] as const);
const DIRECTION_OPTIONS = DIRECTIONS.map((direction) => [direction, DIRECTION_TEXTS[direction]] as const);

/** The texts of groups whose keys are what people read. */
const keysAsTexts = (_: Actor, keys: readonly string[]): Promise<Map<string, string>> =>
  Promise.resolve(new Map(keys.map((key) => [key, key])));

const maskedNumbers = (_: Actor, keys: readonly string[]): Promise<Map<string, string>> =>
  Promise.resolve(new Map(keys.map((key) => [key, key === '' ? '–' : withMask('cnpj', key)])));

/** The grid of each archive. */
export const FISCAL_GRIDS = Object.fromEntries(
  STORAGES.map((storage) => [storage, gridOf(storage)]),
) as Record<Storage, ReturnType<typeof gridOf>>;

/** The grid of the report over all archives. */
export const FISCAL_REPORT = gridOf(undefined);

/** The documents of an archive of the active client, or of all archives, the newest first. */
function gridOf(storage: Storage | undefined) {
  const isReport = storage === undefined;
  /** Over all archives there is an index for the date alone. */
  const order = isReport ? ({ isSortable: false } as const) : {};
  return defineGrid({
    name: isReport ? 'fiscal-report' : `fiscal-${storage}`,
    namespace: 'fiscal-documents',
    path: `/api/boxe/v1/grids/${storage ?? 'all'}`,
    caption: isReport ? 'reportTitle' : STORAGE_TEXTS[storage],
    submit: 'filterSubmit',
    empty: isReport ? 'reportEmpty' : 'empty',
    noMatch: 'noneFound',
    isOfClient: true,
    from: (actor, { client, searchTerm }) => documentsIn(storage, actor, { client, searchTerm }),
    id: sql.ref('fiscal_documents.document_id'),
    columns: {
      number: {
        label: 'columnNumber',
        type: 'number',
        sql: sql.ref('fiscal_documents.number'),
        isNullable: true,
        ...order,
        isRowHeader: true,
        cell: (row, { t, pathTo }) => ({
          text: nameOf(row, t('noNumber')),
          href: pathTo(`actions/box-e/documents/${row.document_id}`),
          note: row.is_test === 1 ? t('testEnvironment') : undefined,
          ...(row.problems !== 0 && { isProblem: true }),
        }),
      },
      issuedAt: {
        label: 'columnIssuedAt',
        type: 'time',
        sql: sql.ref('fiscal_documents.issued_at'),
        textStyle: 'meta',
        cell: ({ issued_at: at }) => ({ text: '', at }),
      },
      party: {
        label: 'columnParty',
        type: 'text',
        sql: sql.ref('fiscal_documents.party_key'),
        isGroupable: true,
        ...order,
        textStyle: 'phrase',
        cell: ({ party_name: name }) => name,
      },
      direction: {
        label: 'columnDirection',
        type: 'choice',
        sql: sql.ref('fiscal_documents.direction'),
        isSortable: false,
        isGroupable: true,
        options: DIRECTION_OPTIONS,
        textStyle: 'meta',
        cell: ({ direction }, { t }) => t(DIRECTION_TEXTS[direction]),
      },
      total: {
        label: 'columnTotal',
        type: 'number',
        sql: sql.ref('fiscal_documents.total_cents'),
        isFilterable: false,
        ...order,
        cell: ({ total_cents: cents }, { lang }) => money(lang, cents),
      },
      state: {
        label: 'columnState',
        type: 'choice',
        sql: sql.ref('fiscal_documents.state'),
        isSortable: false,
        isGroupable: true,
        options: STATE_OPTIONS,
        textStyle: 'phrase',
        cell: ({ kind, state }, { t }) => ({
          text: kind === 'other' ? t('stateOther') : t(STATE_TEXTS[state]),
          ...(kind !== 'other' && BAD_STATES.includes(state) && { isProblem: true }),
        }),
      },
      kind: {
        label: 'columnKind',
        type: 'choice',
        sql: sql.ref('fiscal_documents.kind'),
        isSortable: false,
        isGroupable: true,
        ...(!isReport && storage !== 'xml' && { isHidden: true }),
        options: KINDS.map((kind) => [kind, kind === 'other' ? 'kindOther' : 'kindNamed'] as const),
        groupTexts: keysAsTexts,
        cell: ({ kind }, { t }) => (kind === 'other' ? t('kindOther') : kind),
      },
      month: {
        label: 'columnMonth',
        type: 'exact',
        sql: sql.ref('fiscal_documents.issued_month'),
        isSortable: false,
        isGroupable: true,
        isHidden: true,
        groupTexts: keysAsTexts,
        cell: ({ issued_month: month }) => month,
      },
      key: {
        label: 'columnKey',
        type: 'exact',
        sql: sql.ref('fiscal_documents.access_key'),
        isSortable: false,
        isHidden: true,
        textStyle: 'meta',
        cell: ({ access_key: key }) => spacedKey(key),
      },
      role: {
        label: 'columnRole',
        type: 'choice',
        sql: sql.ref('fiscal_documents.role'),
        isSortable: false,
        isGroupable: true,
        isHidden: true,
        options: ROLES.map((role) => [role, ROLE_TEXTS[role]] as const),
        cell: ({ role }, { t }) => t(ROLE_TEXTS[role]),
      },
      issuer: {
        label: 'columnIssuer',
        type: 'exact',
        sql: sql.ref('fiscal_documents.issuer_id'),
        isSortable: false,
        isHidden: true,
        cell: ({ issuer_id: id, issuer_name: name }, { lang }) => ({
          text: name,
          note: id === '' ? undefined : fiscalFormats(lang).taxId(id),
        }),
      },
      establishment: {
        label: 'columnEstablishment',
        type: 'exact',
        sql: sql.ref('fiscal_documents.own_id'),
        isSortable: false,
        isGroupable: true,
        isHidden: true,
        groupTexts: maskedNumbers,
        textStyle: 'meta',
        cell: ({ own_id: id }) => (id === '' ? '–' : withMask('cnpj', id)),
      },
      nature: { label: 'columnNature', type: 'text', isHidden: true, cell: ({ nature }) => nature },
      icms: {
        label: 'columnIcms',
        type: 'number',
        isHidden: true,
        cell: ({ icms_cents: cents }, { lang }) => money(lang, cents),
      },
      ibs: {
        label: 'columnIbs',
        type: 'number',
        isHidden: true,
        cell: ({ ibs_cents: cents }, { lang }) => money(lang, cents),
      },
      cbs: {
        label: 'columnCbs',
        type: 'number',
        isHidden: true,
        cell: ({ cbs_cents: cents }, { lang }) => money(lang, cents),
      },
      protocol: { label: 'columnProtocol', type: 'text', isHidden: true, cell: ({ protocol }) => protocol },
      storedAt: {
        label: 'columnStoredAt',
        type: 'time',
        isHidden: true,
        textStyle: 'meta',
        cell: ({ stored_at: at }) => ({ text: '', at }),
      },
    },
    orderBy: [{ by: 'issuedAt', dir: 'desc' }],
    search: { label: 'search', isInFrom: true },
    fields: {
      month: {
        kind: 'select',
        label: 'columnMonth',
        where: (_, month) => sql<SqlBool>`fiscal_documents.issued_month = ${month}`,
      },
      ...(!isReport && {
        establishment: {
          kind: 'select',
          label: 'columnEstablishment',
          where: (_: Actor, own: string) => sql<SqlBool>`fiscal_documents.own_id = ${own}`,
        } as const,
      }),
      direction: {
        kind: 'select',
        label: 'columnDirection',
        by: 'direction',
        op: 'EQ',
        options: [['', 'allDirections'], ...DIRECTION_OPTIONS],
      },
      state: {
        kind: 'select',
        label: 'columnState',
        options: [['', 'allStates'], ['problems', 'onlyProblems'], ...STATE_OPTIONS],
        where: (_, state) =>
          state === 'problems'
            ? sql<SqlBool>`fiscal_documents.problems <> 0`
            : sql<SqlBool>`fiscal_documents.state = ${state}`,
      },
    },
    rows: documentsWithIds,
    idOf: ({ document_id: id }) => id,
    nameOf: (row) => nameOf(row, row.document_id),
    actions: ({ document_id: id }, _, { t, pathTo }) => [
      { label: t('open'), href: pathTo(`actions/box-e/documents/${id}`) },
      { label: t('xml'), href: `/api/boxe/v1/documents/${id}/xml` },
    ],
  });
}

function documentsWithIds(_: Actor, ids: readonly (string | number)[]): Promise<FiscalDocuments[]> {
  return db()
    .selectFrom('fiscal_documents')
    .selectAll()
    .where('document_id', 'in', ids.map(String))
    .execute();
}

interface Wanted {
  client: string | undefined;
  searchTerm: string;
}

/** The rows of an archive, or of all, that a search finds; those with a key or a number are few, and looked up by it. */
async function documentsIn(storage: Storage | undefined, actor: Actor, { client, searchTerm }: Wanted) {
  await assertStorageOpen(actor);
  if (client !== undefined) await assertActsFor(actor, client);
  const rows = db()
    .selectFrom('fiscal_documents')
    .$if(storage !== undefined, (all) => all.where('fiscal_documents.storage', '=', storage ?? 'xml'))
    .$if(client !== undefined, (all) => all.where('fiscal_documents.client_id', '=', client ?? ''))
    .$if(client === undefined, (all) => all.where('fiscal_documents.client_id', 'in', clientIdsOf(actor)));
  if (searchTerm === '') return rows;
  const { condition, areFew } = await sought(searchTerm);
  return { rows: rows.where(condition), areFew, some: [] };
}

interface Named {
  kind: string;
  number: number | null;
  series: string;
  party_name: string;
}

/** What a document is called in a list: its number and series, or the name of other files. */
function nameOf({ kind, number, series, party_name: name }: Named, otherwise: string): string {
  if (kind === 'other') return name;
  if (number === null) return otherwise;
  return series === '' ? `${number}` : `${number} / ${series}`;
}

const money = (lang: Lang, cents: number): string => formatMoney(LANGUAGES[lang], cents / 100, 'BRL');

/** A whole access key, tax id or number is looked up; anything else is a part of the other side's name. */
async function sought(term: string): Promise<{ condition: Expression<SqlBool>; areFew: boolean }> {
  const characters = term.replaceAll(/[\s.]/g, '').toUpperCase();
  if (/^(?:[\dA-Z]{44}|[\dA-Z]{50})$/.test(characters))
    return { condition: sql<SqlBool>`fiscal_documents.document_key = ${characters}`, areFew: true };
  const taxId = await taxIdIndex(term);
  if (taxId !== '')
    return { condition: sql<SqlBool>`fiscal_documents.party_id_key = ${taxId}`, areFew: false };
  if (/^\d{1,9}$/.test(term.trim()))
    return { condition: sql<SqlBool>`fiscal_documents.number = ${Number(term)}`, areFew: true };
  return { condition: contains(sql.ref('fiscal_documents.party_key'), fold(term.trim())), areFew: false };
}
