import { assertActsFor, clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { assertStorageOpen } from '#features/brazil/fiscal-documents/ordered.server.ts';
import { db } from '#platform/database/database.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { STATUS_OF, type IntakeAnswer, type ItemOutcome } from './fiscal-intake.ts';

const SHOWN = 1000;
const NEWEST = 10;

/** Finds an intake for a client of the actor; NOT_FOUND for any other. */
export async function intakeFor(actor: Actor, intakeId: string) {
  await assertStorageOpen(actor);
  const row = await db()
    .selectFrom('fiscal_intakes')
    .selectAll()
    .where('intake_id', '=', intakeId)
    .where('client_id', 'in', clientIdsOf(actor))
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

/** How many files of an intake had each outcome. */
export async function countsOf(intakeId: string): Promise<Partial<Record<ItemOutcome, number>>> {
  const rows = await db()
    .selectFrom('fiscal_intake_items')
    .select((e) => ['outcome', e.fn.countAll<number>().as('count')])
    .where('intake_id', '=', intakeId)
    .groupBy('outcome')
    .execute();
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, Number(count)]));
}

interface ItemQuery {
  outcomes?: readonly ItemOutcome[];
  /** The number after which they begin. */
  after?: number;
  limit?: number;
}

/** The files of an intake in their order, those with some outcomes or all. */
export const itemsOf = (intakeId: string, { outcomes, after = 0, limit = SHOWN }: ItemQuery = {}) =>
  db()
    .selectFrom('fiscal_intake_items')
    .selectAll()
    .where('intake_id', '=', intakeId)
    .where('number', '>', after)
    .$if(outcomes !== undefined, (rows) => rows.where('outcome', 'in', outcomes ?? []))
    .orderBy('number')
    .limit(limit)
    .execute();

/** An intake as the call answers it. What was set aside or stored elsewhere names no client of others. */
export async function intakeAnswerFor(
  actor: Actor,
  intakeId: string,
  after = 0,
): Promise<IntakeAnswer['data']> {
  const { state, client_id: clientId } = await intakeFor(actor, intakeId);
  const rows = await itemsOf(intakeId, { after, limit: SHOWN + 1 });
  const shown = rows.slice(0, SHOWN);
  return {
    id: intakeId,
    state,
    counts: await countsOf(intakeId),
    items: shown.map((row) => ({
      name: row.name,
      status: STATUS_OF[row.outcome],
      outcome: row.outcome,
      ...(row.code !== '' && { code: row.code }),
      ...(row.client_id !== clientId && { clientId: row.client_id }),
    })),
    next: rows.length > SHOWN ? (shown.at(-1)?.number ?? null) : null,
  };
}

/** The newest intakes of a client. */
export async function newestIntakes(actor: Actor, clientId: string) {
  await assertActsFor(actor, clientId);
  return db()
    .selectFrom('fiscal_intakes')
    .select(['intake_id', 'name', 'source', 'created_at'])
    .where('client_id', '=', clientId)
    .orderBy('created_at', 'desc')
    .orderBy('intake_id', 'desc')
    .limit(NEWEST)
    .execute();
}
