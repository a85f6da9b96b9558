import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { audit } from '#platform/security/audit.server.ts';
import { text } from '#platform/text/texts.server.ts';
import {
  assertManagesClients,
  createClients,
  updateClient,
} from '#features/clients/clients/editing.server.ts';
import {
  clientChange,
  clientInput,
  fieldProblems,
  type ClientChange,
  type ClientInput,
  type ClientRecord,
  type NewClient,
} from '#features/clients/clients/client-records.ts';
import { clientRecordsOf, clientsByCode, currentClientIds } from '#features/clients/clients/bulk.server.ts';
import { findDuplicates, plainNumber } from '#features/clients/clients/duplicates.server.ts';
import { removeUnusedClient } from '#features/clients/clients/removing.server.ts';
import { invitedStaff } from '#features/identity/invitations/invited-staff.server.ts';
import { staffByEmail } from '#features/base/people/staff.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { fold } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { withMask } from '#platform/inputs/masks.ts';
import { TAX_ID_KINDS, withLostZeros } from '#platform/inputs/tax-ids.ts';
import { DEFAULT_LANG, LANGUAGES, languageOf } from '#platform/text/languages.ts';
import { ADDRESS_FIELDS, clientInputOf, rowField } from './client-values.server.ts';
import type { KeptReason, ProblemCode, RowProblemOf } from './imports.ts';
import {
  appliedOf,
  type Applied,
  type Field,
  type RecordKind,
  type RowToApply,
  type RowValues,
  type Verdict,
} from './record-kind.ts';

const FIELDS = [
  'code',
  'name',
  'kind',
  'doingBusinessAs',
  ...TAX_ID_KINDS,
  'address1',
  'address2',
  'city',
  'state',
  'zip',
  'county',
  'country',
  'tags',
  'responsible',
  'language',
  'yearEnd',
] as const;

const fields: readonly Field[] = FIELDS.map((name) => ({
  name,
  ...(name === 'code' && { isRequired: true }),
}));

/** Clients, recognized by their numbers. */
export const clientRows: RecordKind = {
  kind: 'clients',
  title: text('imports', 'kind_clients'),
  order: 10,
  fields,
  keyOf: (values) => (values['code'] === undefined ? undefined : fold(values['code'])),
  labelOf: ({ code, name }) => [code, name].filter(Boolean).join(' · '),
  assertMay,
  check,
  apply,
  undo,
  titlesOf,
  list,
};

/** Only those who act for all clients can tell which number is free. */
function assertMay(actor: Actor): void {
  assertManagesClients(actor);
  if (!actor.hasAllClients) throw new PortalError('FORBIDDEN');
}

type Staff = ReadonlyMap<string, string>;

/** The row as input of a client. An address without a country is in that of whoever imports. */
function inputOf(actor: Actor, staff: Staff, values: RowValues, record: ClientRecord | undefined) {
  const lang = languageOf(actor.language) ?? DEFAULT_LANG;
  const country = LANGUAGES[lang].slice(-2);
  return clientInputOf(values, { lang, country, staff, address: record?.address ?? null });
}

/** The ids of the staff by their folded email addresses, and those of the invitations to the team. */
async function teamByEmail(actor: Actor): Promise<Staff> {
  const invited = await invitedStaff(actor.companyId);
  return new Map([
    ...invited.map(({ emailAddress, invitationId }) => [fold(emailAddress), invitationId] as const),
    ...(await staffByEmail(actor)),
  ]);
}

async function check(actor: Actor, rows: readonly RowValues[]): Promise<Verdict[]> {
  const staff = await teamByEmail(actor);
  const ids = await clientsByCode(
    actor,
    rows.flatMap((values) => values['code'] ?? []),
  );
  const records = new Map(
    (await clientRecordsOf(actor, [...ids.values()])).map((record) => [record.id, record]),
  );
  const verdicts = rows.map((values) => {
    const record = records.get(ids.get(fold(values['code'] ?? '')) ?? '');
    return verdictOn(values, inputOf(actor, staff, values, record), record);
  });
  return withDuplicates(actor, staff, rows, verdicts);
}

/**
 * The verdicts, with those on new clients that may be a client that exists, or one of an earlier row, and on clients that
 * would get the tax id of another one.
 */
async function withDuplicates(
  actor: Actor,
  staff: Staff,
  rows: readonly RowValues[],
  verdicts: readonly Verdict[],
): Promise<Verdict[]> {
  const identities = rows.map((values, index) => identityIn(actor, staff, values, verdicts[index]));
  const found = await findDuplicates(actor, identities);
  const ids = found.flatMap((duplicates) => duplicates.flatMap(({ id }) => id ?? []));
  const records = new Map((await clientRecordsOf(actor, ids)).map((record) => [record.id, record]));
  const seen = new Map<string, number>();
  return verdicts.map((verdict, index): Verdict => {
    const [values, identity] = [rows[index] ?? {}, identities[index] ?? NOBODY];
    const keys = keysOf(identity);
    const earlierRow = keys.map((key) => seen.get(key)).find((row) => row !== undefined);
    for (const key of keys) if (!seen.has(key)) seen.set(key, index);
    if (verdict.action === 'update') {
      const other = found[index]?.find(({ id }) => id !== verdict.target)?.id;
      return other === undefined
        ? verdict
        : { action: 'problem', problems: [{ code: 'TAX_ID_TAKEN', duplicateOf: other }] };
    }
    if (verdict.action !== 'create') return verdict;
    const record = records.get(found[index]?.[0]?.id ?? '');
    if (record) {
      const changes = changedFields(record, changeOf(inputOf(actor, staff, values, record), record));
      return { action: 'duplicate', target: record.id, changes };
    }
    return earlierRow === undefined ? verdict : { action: 'duplicate', target: '', changes: [], earlierRow };
  });
}

type Identity = Pick<NewClient, 'code' | 'taxIds'>;

/** The number and the tax ids that a row gives a client: all of a new one, else the tax ids that change. */
function identityIn(actor: Actor, staff: Staff, values: RowValues, verdict: Verdict | undefined): Identity {
  if (verdict?.action !== 'create' && verdict?.action !== 'update') return NOBODY;
  const { code, taxIds } = clientInput.parse({
    name: '-',
    ...inputOf(actor, staff, values, undefined),
  });
  return verdict.action === 'create'
    ? { code, taxIds }
    : { code: '', taxIds: taxIds.filter(({ kind }) => verdict.changes.includes(kind)) };
}

const keysOf = ({ code, taxIds }: Identity): string[] => [
  ...taxIds.map(({ kind, number }) => `${kind} ${number}`),
  ...[plainNumber(code)].filter((number) => number !== ''),
];

/** Of a row that creates no client. */
const NOBODY: Identity = { code: '', taxIds: [] };

/** The numbers and names of clients. */
async function titlesOf(actor: Actor, ids: readonly string[]): Promise<Map<string, string>> {
  const records = await clientRecordsOf(actor, ids);
  return new Map(records.map(({ id, code, name }) => [id, [code, name].filter(Boolean).join(' · ')]));
}

function verdictOn(
  values: RowValues,
  input: Record<string, unknown>,
  record: ClientRecord | undefined,
): Verdict {
  if (values['code'] === undefined)
    return { action: 'problem', problems: [{ code: 'MISSING', field: 'code' }] };
  const named = { ...input, name: input['name'] ?? record?.name ?? '' };
  const problems = [...problemsIn(named), ...unknownStaff(input)];
  if (problems.length > 0) return { action: 'problem', problems };
  if (!record) return { action: 'create' };
  if (record.archivedDate !== null) return { action: 'problem', problems: [{ code: 'ARCHIVED' }] };
  const changes = changedFields(record, changeOf(input, record));
  return { action: changes.length > 0 ? 'update' : 'none', target: record.id, changes };
}

const unknownStaff = ({ responsible }: Record<string, unknown>): RowProblemOf[] =>
  Array.isArray(responsible) && responsible.includes('')
    ? [{ code: 'STAFF_UNKNOWN', field: 'responsible' }]
    : [];

const WRONG: Partial<Record<string, ProblemCode>> = {
  kind: 'KIND',
  language: 'LANGUAGE',
  yearEnd: 'DAY',
  country: 'COUNTRY',
};

function problemsIn(input: Record<string, unknown>): RowProblemOf[] {
  const { error } = clientInput.safeParse(input);
  return (error ? fieldProblems(error) : []).map(({ field: path, problem }) => {
    const field = rowField(path, input);
    if (problem === 'missing') return { code: 'MISSING', field };
    if (problem === 'too-long') return { code: 'TOO_LONG', field };
    const kind = TAX_ID_KINDS.find((known) => known === field);
    if (kind && withLostZeros(kind, taxIdIn(input, kind)) !== undefined) return { code: 'ZERO_LOST', field };
    return { code: path.startsWith('taxIds') ? 'TAX_ID' : (WRONG[field] ?? 'INVALID'), field };
  });
}

/** The change that a row makes: its values; tax ids of other kinds stay. */
function changeOf(input: Record<string, unknown>, record: ClientRecord): ClientChange {
  const { code: _, ...change } = clientChange.parse(input);
  if (!change.taxIds) return change;
  const { taxIds } = change;
  const others = record.taxIds.filter(({ kind }) => !taxIds.some((given) => given.kind === kind));
  return { ...change, taxIds: [...others, ...taxIds] };
}

type Named = Readonly<Record<string, unknown>>;

/** The fields of rows whose values differ. */
function changedFields(record: ClientRecord, change: ClientChange): string[] {
  const [before, after] = [asNamed(record), asNamed(change)];
  return FIELDS.filter((field) => {
    const kind = TAX_ID_KINDS.find((known) => known === field);
    if (kind) return 'taxIds' in after && taxIdIn(before, kind) !== taxIdIn(after, kind);
    const part = ADDRESS_FIELDS.find((known) => known === field);
    if (part) return 'address' in after && addressPart(before, part) !== addressPart(after, part);
    return field in after && !isSame(before[field], after[field]);
  });
}

const asNamed = (value: ClientRecord | ClientChange): Named => ({ ...value });

const taxIdIn = ({ taxIds }: Partial<ClientRecord>, kind: string): string =>
  taxIds?.find((one) => one.kind === kind)?.number ?? '';

const addressPart = ({ address }: Partial<ClientRecord>, part: (typeof ADDRESS_FIELDS)[number]): string =>
  address?.[part] ?? '';

/** Lists are equal in any order. */
const isSame = (a: unknown, b: unknown): boolean => isDeepStrictEqual(unordered(a), unordered(b));
const unordered = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((item) => JSON.stringify(item)).toSorted() : value;

async function apply(actor: Actor, rows: readonly RowToApply[]): Promise<Applied[]> {
  const staff = await teamByEmail(actor);
  const inputs = (isAllowed: boolean) =>
    rows.flatMap(({ step, values, allowDuplicate = false }) =>
      step.action === 'create' && allowDuplicate === isAllowed
        ? [clientInput.parse(inputOf(actor, staff, values, undefined))]
        : [],
    );
  const unique = (await createClients(actor, inputs(false))).values();
  const others = (await createClients(actor, inputs(true), { allowDuplicate: true })).values();
  const created = rows.flatMap(({ step, allowDuplicate }) =>
    step.action === 'create' ? [(allowDuplicate ? others : unique).next().value ?? ''] : [],
  );
  return appliedOf(rows, created, ({ step, values }) =>
    update(actor, staff, { target: step.target, values }),
  );
}

async function update(
  actor: Actor,
  staff: Staff,
  { target, values }: { target: string; values: RowValues },
): Promise<Applied> {
  const [record] = await clientRecordsOf(actor, [target]);
  if (!record) throw new PortalError('NOT_FOUND');
  const change = changeOf(inputOf(actor, staff, values, record), record);
  const after = await updateClient(actor, record.id, given(change));
  return { target: record.id, before: { before: partOf(record, change), after: partOf(after, change) } };
}

/** Only the fields that a change has. */
const given = (change: ClientChange): Partial<ClientInput> =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));

/** The fields of a record that a change has. */
const partOf = (record: ClientRecord, change: ClientChange): ClientChange =>
  clientChange.parse(Object.fromEntries(Object.entries(record).filter(([name]) => name in change)));

async function undo(
  actor: Actor,
  _: RowValues,
  { target, before }: Applied,
): Promise<KeptReason | undefined> {
  const [record] = await clientRecordsOf(actor, [target]);
  if (!record || record.mergedInto !== null) return 'GONE';
  if (before === undefined) return removeCreated(actor, target);
  const images = changeImages.parse(before);
  const now = partOf(record, images.after);
  if (!Object.entries(images.after).every(([name, value]) => isSame(value, asNamed(now)[name])))
    return 'CHANGED_SINCE';
  await updateClient(actor, target, { ...given(images.before), allowDuplicate: true });
  return undefined;
}

async function removeCreated(actor: Actor, target: string): Promise<KeptReason | undefined> {
  if (!(await removeUnusedClient(actor, target))) return 'IN_USE';
  const { companyId, contactId } = actor;
  await audit({ companyId, actor: contactId, action: 'import.remove', target });
  return undefined;
}

/** A client's fields before and after a change. */
const changeImages = z.strictObject({ before: clientChange, after: clientChange });

async function list(actor: Actor): Promise<string[][]> {
  const emails = new Map([...(await teamByEmail(actor))].map(([email, id]) => [id, email]));
  const ids = await currentClientIds(actor);
  const records = await clientRecordsOf(actor, ids);
  return records.map((record) => FIELDS.map((field) => cellOf(record, field, emails)));
}

function cellOf(
  record: ClientRecord,
  field: (typeof FIELDS)[number],
  emails: ReadonlyMap<string, string>,
): string {
  const kind = TAX_ID_KINDS.find((known) => known === field);
  if (kind) return withMask(kind, taxIdIn(record, kind));
  const part = ADDRESS_FIELDS.find((known) => known === field);
  if (part) return addressPart(record, part);
  if (field === 'tags') return record.tags.join('; ');
  if (field === 'responsible') return record.responsible.flatMap((id) => emails.get(id) ?? []).join('; ');
  const value = asNamed(record)[field];
  return typeof value === 'string' ? value : '';
}
