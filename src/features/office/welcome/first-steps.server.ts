import { sql } from 'kysely';
import type { Actor, Session } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { STEPS, type Step } from './steps.ts';

/** Whether first steps are for this person: not while staff view as them, nor where the firm hides them. */
export const offersSteps = ({ actor, viewing }: Session): boolean =>
  !viewing && !actor.access.controls.has('HideWelcomeModal');

/** The steps that a contact has neither taken nor put away. Those with settings are taken once these are saved. */
export async function openSteps({ contactId }: Pick<Actor, 'contactId'>): Promise<Step[]> {
  const takenWith = (table: 'contact_phrases' | 'quiet_hours' | 'mail_times', step: Step) =>
    db()
      .selectFrom(table)
      .select(sql<Step>`${sql.lit(step)}`.as('step'))
      .where('contact_id', '=', contactId);
  const rows = await db()
    .selectFrom('first_steps')
    .select('step')
    .where('contact_id', '=', contactId)
    .unionAll(takenWith('contact_phrases', 'phrase'))
    .unionAll(takenWith('quiet_hours', 'notices'))
    .unionAll(takenWith('mail_times', 'notices'))
    .unionAll(
      db()
        .selectFrom('notification_opt_outs')
        .select(sql<Step>`'notices'`.as('step'))
        .where('contact_id', '=', contactId),
    )
    .execute();
  const done = new Set(rows.map(({ step }) => step));
  return STEPS.filter((step) => !done.has(step));
}

/** Puts steps away, for good. EMULATION_READ_ONLY while viewing as a contact. */
export async function putAway(actor: Actor, steps: readonly Step[]): Promise<void> {
  if (actor.viewedBy !== undefined) throw new PortalError('EMULATION_READ_ONLY');
  await inTransaction(async () => {
    for (const step of steps)
      await db()
        .insertInto('first_steps')
        .values({ contact_id: actor.contactId, step, at: now() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  });
}
