import { sql } from 'kysely';
import { assertActsFor, clientIdsOf } from '#features/base/people/people.server.ts';
import { isReadOnly, type Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { STORAGES, type Direction, type Kind, type State, type Storage } from './fiscal-documents.ts';
import { gapsOf, type Gap } from './internal/gaps.server.ts';
import { assertStorageOpen } from './ordered.server.ts';

/* What an archive has of a month, and what it lacks. */

/** A month of an archive of a client. */
export interface MonthOf {
  clientId: string;
  storage: Storage;
  month: string;
  /** The CNPJ of an establishment: only its documents count. */
  establishment?: string;
}

interface MonthSum {
  kind: Kind;
  direction: Direction;
  state: State;
  count: number;
  totalCents: number;
}

interface MonthCheck {
  name: string;
  at: number;
  /** Whether the counts are others since. */
  isOutdated: boolean;
}

export interface Month {
  sums: MonthSum[];
  /** Documents of the test environment, which count for nothing. */
  tests: number;
  problems: number;
  gaps: Gap[];
  /** Keys that events name without their documents. */
  missing: string[];
  /** The counts and sums of the month before, and of the year before. */
  earlier: { month: string; count: number; totalCents: number }[];
  check: MonthCheck | undefined;
}

/** Maximum number of keys that are named without a document. */
const MAX_MISSING = 100;
const MAX_MONTHS = 60;

/** The months in which an archive has documents, the newest first; each is one step in the index. */
export async function monthsWithDocuments(clientId: string, storage: Storage): Promise<string[]> {
  const before = (limit: ReturnType<typeof sql>) =>
    sql`(select max(issued_month) from fiscal_documents where client_id = ${clientId} and storage = ${storage} ${limit})`;
  const { rows } = await sql<{ month: string }>`
    with recursive months(month) as (
      select ${before(sql``)} union all
      select ${before(sql`and issued_month < months.month`)} from months where months.month is not null)
    select month from months where month is not null limit ${sql.lit(MAX_MONTHS)}`.execute(db());
  return rows.map(({ month }) => month);
}

/** The months in which any archive has documents, the newest first. */
export async function monthsOfClient(clientId: string): Promise<string[]> {
  const all = await Promise.all(STORAGES.map((storage) => monthsWithDocuments(clientId, storage)));
  return [...new Set(all.flat())].toSorted().toReversed().slice(0, MAX_MONTHS);
}

const MAX_ELSEWHERE = 5;

/** The clients of the actor with documents in an archive, by name: some of them, for who looks at a client without. */
export const clientsWithDocuments = (
  actor: Actor,
  storage: Storage,
): Promise<{ id: string; name: string }[]> =>
  db()
    .selectFrom('clients')
    .select(['clients.client_id as id', 'clients.name'])
    .where('clients.client_id', 'in', clientIdsOf(actor))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('fiscal_documents')
          .select('document_id')
          .whereRef('fiscal_documents.client_id', '=', 'clients.client_id')
          .where('storage', '=', storage),
      ),
    )
    .orderBy('clients.name')
    .limit(MAX_ELSEWHERE)
    .execute();

/** Reads a month; FORBIDDEN where the storage is not ordered, NOT_FOUND for a client of others. */
export async function monthFor(actor: Actor, of: MonthOf): Promise<Month> {
  await assertStorageOpen(actor);
  await assertActsFor(actor, of.clientId);
  const earlier = [monthBefore(of.month, 1), monthBefore(of.month, 12)];
  const rows = await sumsOf(of, [of.month, ...earlier]);
  const own = rows.filter(({ month }) => month === of.month);
  const counted = {
    sums: own.filter(({ isTest }) => !isTest).map(({ month: _, isTest: __, ...sum }) => sum),
    tests: own.reduce((all, { isTest, count }) => all + (isTest ? count : 0), 0),
    problems: await problemsIn(of),
    gaps: await gapsOf(of),
    missing: of.establishment === undefined ? await missingIn(of) : [],
  };
  return {
    ...counted,
    earlier: earlier.map((month) => {
      const then = rows.filter((row) => row.month === month && !row.isTest);
      return {
        month,
        count: then.reduce((all, { count }) => all + count, 0),
        totalCents: then.reduce((all, { totalCents }) => all + totalCents, 0),
      };
    }),
    check: of.establishment === undefined ? await checkOf(of, digestOf(counted)) : undefined,
  };
}

type Counted = Pick<Month, 'sums' | 'tests' | 'problems' | 'gaps' | 'missing'>;
const digestOf = (counted: Counted): string => sha256(JSON.stringify(counted));
const countedIn = ({ sums, tests, problems, gaps, missing }: Month): Counted => ({
  sums,
  tests,
  problems,
  gaps,
  missing,
});

/** The month that is so many months before, `2026-01` of `2026-02`. */
export function monthBefore(month: string, count: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const index = year * 12 + number - 1 - count;
  return `${Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, '0')}`;
}

async function sumsOf({ clientId, storage, establishment }: MonthOf, months: readonly string[]) {
  const rows = await db()
    .selectFrom('fiscal_documents')
    .select((e) => [
      'issued_month as month',
      'is_test',
      'kind',
      'direction',
      'state',
      e.fn.countAll<number>().as('count'),
      e.fn.sum<number>('total_cents').as('total'),
    ])
    .where('client_id', '=', clientId)
    .where('storage', '=', storage)
    .where('issued_month', 'in', months)
    .$if(establishment !== undefined, (all) => all.where('own_id', '=', establishment ?? ''))
    .groupBy(['issued_month', 'is_test', 'kind', 'direction', 'state'])
    .orderBy('kind')
    .orderBy('direction')
    .orderBy('state')
    .execute();
  return rows.map(({ month, is_test: isTest, kind, direction, state, count, total }) => ({
    month,
    isTest: isTest === 1,
    kind,
    direction,
    state,
    count: Number(count),
    totalCents: Number(total),
  }));
}

async function problemsIn({ clientId, storage, month, establishment }: MonthOf): Promise<number> {
  const row = await db()
    .selectFrom('fiscal_documents')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('client_id', '=', clientId)
    .where('storage', '=', storage)
    .where('issued_month', '=', month)
    .where('problems', '<>', 0)
    .$if(establishment !== undefined, (all) => all.where('own_id', '=', establishment ?? ''))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** The models of the documents of an archive, as keys have them. */
const MODELS: Readonly<Record<Storage, readonly string[]>> = {
  nfe: ['55'],
  nfce: ['65'],
  cte: ['57', '64', '67'],
  cfe: ['59'],
  xml: ['58', '62', '63', '66'],
};

/** Documents that events name and nobody sent. */
async function missingIn({ clientId, storage, month }: MonthOf): Promise<string[]> {
  const inKey = month.slice(2).replace('-', '');
  const rows = await db()
    .selectFrom('fiscal_events')
    .select('access_key')
    .distinct()
    .where('client_id', '=', clientId)
    .where(sql<string>`substr(access_key, 3, 4)`, '=', inKey)
    .where(sql<string>`substr(access_key, 21, 2)`, 'in', MODELS[storage])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('fiscal_documents')
            .select('fiscal_documents.document_id')
            .whereRef('fiscal_documents.client_id', '=', 'fiscal_events.client_id')
            .whereRef('fiscal_documents.document_key', '=', 'fiscal_events.access_key'),
        ),
      ),
    )
    .orderBy('access_key')
    .limit(MAX_MISSING)
    .execute();
  return rows.map(({ access_key: key }) => key);
}

async function checkOf(
  { clientId, storage, month }: MonthOf,
  digest: string,
): Promise<MonthCheck | undefined> {
  const row = await db()
    .selectFrom('fiscal_month_checks')
    .innerJoin('contacts', 'contacts.contact_id', 'fiscal_month_checks.checked_by')
    .select(['contacts.full_name', 'checked_at', 'counts_digest'])
    .where('client_id', '=', clientId)
    .where('storage', '=', storage)
    .where('month', '=', month)
    .executeTakeFirst();
  return row && { name: row.full_name, at: row.checked_at, isOutdated: row.counts_digest !== digest };
}

/** Notes that somebody has checked a month as it is now; a document that comes later reopens it. */
export async function checkMonth(actor: Actor, of: MonthOf): Promise<void> {
  if (isReadOnly(actor)) throw new PortalError('FORBIDDEN');
  await inTransaction(async () => {
    const month = await monthFor(actor, of);
    const checked = {
      counts_digest: digestOf(countedIn(month)),
      checked_by: actor.contactId,
      checked_at: now(),
    };
    const { clientId, storage } = of;
    await db()
      .insertInto('fiscal_month_checks')
      .values({
        client_id: clientId,
        storage,
        month: of.month,
        company_id: actor.companyId,
        ...checked,
      })
      .onConflict((conflict) => conflict.columns(['client_id', 'storage', 'month']).doUpdateSet(checked))
      .execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'fiscal.check-month',
      target: clientId,
      clientId,
      details: { month: of.month, storage },
    });
  });
}
