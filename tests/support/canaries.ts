import type { Actor } from '#features/base/people/people.ts';
import { copyOrder, type foreignKeys } from '#platform/database/copy.server.ts';
import { db } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import type { EncryptedColumn } from '#platform/database/schema.server.ts';
import { allTables, type Table } from '#platform/database/tables.server.ts';

type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;
type Keys = Awaited<ReturnType<typeof foreignKeys>>;

/** Tables that the database itself fills, as an index of others; they are in no copy. */
const INDEXES = ['unread', 'client_search_people', 'possible_duplicates'];

/** The tables whose rows belong to a client: by a column of their own, or by a row of another such table. */
export function tablesOfClients(
  columns: ReadonlyMap<string, readonly string[]>,
  keys: Pick<Keys[number], 'table' | 'references'>[],
): string[] {
  const found = new Set([
    'clients',
    ...[...columns].flatMap(([name, own]) => (own.includes('client_id') ? [name] : [])),
  ]);
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const { table, references } of keys) if (found.has(references)) found.add(table);
  }
  return [...found].filter((name) => !INDEXES.includes(name)).toSorted();
}

/** The columns of each table. */
export async function columnsByTable(): Promise<
  Map<string, { name: string; isNullable: boolean; isText: boolean }[]>
> {
  const tables = await db().introspection.getTables();
  return new Map(
    tables.map(({ name, columns }) => [
      name,
      columns.map((column) => ({
        name: column.name,
        isNullable: column.isNullable,
        isText: !/bool|int|real|double|numeric/i.test(column.dataType),
      })),
    ]),
  );
}

/** By which a planted value is recognized: it names its table and column, and the set of rows that it belongs to. */
export const canaryOf = (table: string, column: string, set = ''): string =>
  `CANARY-${table}-${column}-${set}`;

interface Planting {
  keys: Keys;
  /** The ids of rows that are there already, by table. */
  existing: Row;
  values: Readonly<Record<string, Row>>;
  /** Which rows belong together, if there are several of a table. */
  set?: string;
}

/**
 * Plants a row in each of these tables and in those that they reference, from the catalogue of the database alone. All
 * belong to each other; every text of theirs is a canary, but what `values` has. Returns the rows by table, with their
 * texts as they are before encryption.
 */
export async function plantCanaries(
  wanted: readonly string[],
  { keys, existing, values, set = '' }: Planting,
): Promise<Map<string, Row>> {
  const columns = await columnsByTable();
  const referenced = new Set(wanted);
  for (let before = 0; before < referenced.size;) {
    before = referenced.size;
    for (const { table, references } of keys) if (referenced.has(table)) referenced.add(references);
  }
  const { tables, laterColumns } = copyOrder(allTables(), keys);
  const planted = new Map<string, Row>();
  for (const table of tables.filter(({ name }) => referenced.has(name) && !(name in existing))) {
    const row: Record<string, Value> = {};
    for (const { name, isNullable, isText } of columns.get(table.name) ?? []) {
      const key = keys.find((each) => each.table === table.name && each.column === name);
      const target =
        key && (existing[key.references] ?? planted.get(key.references)?.[keyOf(tables, key.references)]);
      if (table.maintained?.includes(name)) continue;
      if (laterColumns.get(table.name)?.includes(name)) row[name] = null;
      else if (key) row[name] = target ?? null;
      else if (name === 'company_id') row[name] = existing['firms'] ?? null;
      else if (name === 'client_id' && table.name !== 'clients')
        row[name] = planted.get('clients')?.['client_id'] ?? null;
      else row[name] = isText ? `${canaryOf(table.name, name, set)}é` : isNullable ? null : 1;
    }
    Object.assign(row, values[table.name]);
    planted.set(table.name, row);
    await db()
      .insertInto(table.name)
      .values(encrypted(table, row) as never)
      .execute();
  }
  return planted;
}

const keyOf = (tables: readonly Table[], name: string): string =>
  tables.find((table) => table.name === name)?.key[0] ?? '';

/** The row as it is stored. */
function encrypted(table: Table, row: Row): Row {
  const id = table.key.map((part) => row[part]).join('/');
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      name in (table.encrypted ?? {}) && typeof value === 'string'
        ? encryptFor(`${table.name}.${name}` as EncryptedColumn, id, value)
        : value,
    ]),
  );
}

/** What a canary would not be read as, in the rows of a set: codes, JSON, and numbers that are unique. */
export const readableValues = (
  { contactId }: Pick<Actor, 'contactId'>,
  set = '',
): Readonly<Record<string, Row>> => ({
  clients: {
    kind: 'business',
    archived_at: null,
    merged_into: null,
    address: JSON.stringify({
      country: 'US',
      address1: canaryOf('clients', 'address', set),
      address2: '',
      city: '',
      state: '',
      zip: '',
      county: '',
    }),
  },
  access_reviews: { finished_at: 1 },
  client_tax_ids: { kind: 'ein', value: '471234567' },
  client_tags: { tag: canaryOf('client_tags', 'tag', set) },
  establishments: { rest_days: '7' },
  employees: {
    details: JSON.stringify({
      cbo: canaryOf('employees', 'details', set),
      salaryCents: null,
      salaryUnit: '5',
      weeklyMinutes: null,
      bornOn: '',
      contractEndsOn: '',
      trialEndsOn: '',
      endReason: '',
    }),
  },
  payroll_lists: { payroll: 'monthly', state: 'published', columns: '[]' },
  payroll_sheets: {
    status: 'returned',
    competence: '2026-11',
    returned: JSON.stringify({ reason: canaryOf('payroll_sheets', 'returned', set), cells: [] }),
    reply: canaryOf('payroll_sheets', 'reply', set),
    undo: '[]',
  },
  payroll_rows: {
    cells: JSON.stringify({
      [canaryOf('payroll_rows', 'cells', set)]: { value: 1, version: 1, at: 1, by: contactId },
    }),
  },
  payroll_late_entries: {
    cells: JSON.stringify([
      { employeeId: 'employee', column: canaryOf('payroll_late_entries', 'cells', set), value: 1 },
    ]),
  },
  tax_profiles: {
    country: 'br',
    facts: '{}',
    choices: JSON.stringify({ [canaryOf('tax_profiles', 'choices', set)]: 'on' }),
  },
  service_requests: { number: Number(set) + 1 },
  tax_own_dates: { starts_on: '2026-12-01', repeats: 'once', roll: 'none' },
  container_roles: { role: 'Owner' },
  containers: {
    container_type: 'folder',
    product_type: null,
    container_id: canaryOf('containers', 'container_id', set),
  },
  // its bytes are not in the store
  documents: { scan: 'infected', deleted_with: null, deleted_by: null, created_by: contactId },
  item_locks: { kind: 'Read', level: 'Master', item_id: `${canaryOf('documents', 'document_id', set)}é` },
  audit: { seq: 1_000_000 + Number(set), action: 'document.upload', details: '{}', actor: contactId },
  receipts: { number: 1_000_000 + Number(set), kind: 'upload' },
  mails: { state: 'accepted', kind: 'documents' },
  task_groups: { type: 'misc', status: 'Received', tags: '[]', due_on: '2026-12-24' },
  tasks: {
    type: 'misc',
    status: 'Received',
    tags: JSON.stringify([canaryOf('tasks', 'tags', set)]),
    data: '{}',
    firm_data: '{}',
    triggers: null,
    form_id: null,
    deleted_by: null,
  },
  task_steps: { data: JSON.stringify({ x: canaryOf('task_steps', 'data', set) }), firm_data: '{}' },
  task_submissions: {
    content: JSON.stringify({
      comments: [{ path: '#comment', value: canaryOf('task_submissions', 'content', set) }],
    }),
    decision: '',
  },
  task_messages: { is_internal: 0 },
  task_templates: { type: 'misc' },
  payment_requests: { state: 'open', paid_by: 'bank', currency: 'USD', failure: '' },
  sign_documents: {
    pages: '[]',
    foreign_signatures: null,
    differences: null,
    original_blob: null,
    sealed_document: null,
    state: 'sent',
  },
  signers: { seen_pages: '[]' },
});
