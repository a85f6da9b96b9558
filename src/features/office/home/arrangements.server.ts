import { z } from 'zod';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { contributed } from '#platform/runtime/feature.server.ts';
import { arranged, moved, type Move, type Placed } from './arranging.ts';

/*
 * Contacts arrange their own home page; what they have not arranged is as the firm has it, and without that as the features
 * say.
 */

const stored = z.array(z.strictObject({ id: z.string(), isBeside: z.boolean(), isShown: z.boolean() }));

/** The widgets of all features, as these arrange them. */
export const allWidgets = () =>
  contributed('widgets')
    .flat()
    .toSorted((a, b) => a.section - b.section || a.order - b.order);

const placed = (widgets: readonly { id: string; section: number }[]): Placed[] =>
  widgets.map(({ id, section }) => ({ id, isBeside: section === 2, isShown: true }));

async function arrangementOf(companyId: string, contactId: string): Promise<Placed[] | undefined> {
  const row = await db()
    .selectFrom('home_arrangements')
    .select('widgets')
    .where('company_id', '=', companyId)
    .where('contact_id', '=', contactId)
    .executeTakeFirst();
  return row && stored.parse(JSON.parse(row.widgets));
}

/** The widgets that somebody is offered and their firm shows, as they or the firm arranged them, and whether they did it themselves. */
export async function homeArrangement(
  { companyId, contactId }: Actor,
  offered: readonly { id: string; section: number }[],
): Promise<{ widgets: Placed[]; isOwn: boolean }> {
  const rows = await db()
    .selectFrom('home_arrangements')
    .select(['contact_id', 'widgets'])
    .where('company_id', '=', companyId)
    .where('contact_id', 'in', ['', contactId])
    .execute();
  const own = rows.find(({ contact_id: id }) => id === contactId);
  const ofFirm = rows.find(({ contact_id: id }) => id === '');
  const read = (row: { widgets: string } | undefined) => row && stored.parse(JSON.parse(row.widgets));
  // nobody can show again what the firm hides
  const shown = arranged(placed(offered), read(ofFirm)).filter(({ isShown }) => isShown);
  return { widgets: arranged(shown, read(own)), isOwn: own !== undefined };
}

/** Changes one's own home page by one button; FORBIDDEN while staff view as the contact. */
export async function arrangeOwn(
  actor: Actor,
  offered: readonly { id: string; section: number }[],
  id: string,
  move: Move,
): Promise<void> {
  if (actor.viewedBy !== undefined) throw new PortalError('FORBIDDEN');
  await inTransaction(async () => {
    const { companyId, contactId } = await actorNow(actor);
    const { widgets } = await homeArrangement(actor, offered);
    if (widgets.some((widget) => widget.id === id))
      await store(companyId, contactId, moved(widgets, id, move));
  });
}

/** Arranges one's own home page as the firm does; FORBIDDEN while staff view as the contact. */
export async function forgetOwnArrangement(actor: Actor): Promise<void> {
  if (actor.viewedBy !== undefined) throw new PortalError('FORBIDDEN');
  await remove(actor.companyId, actor.contactId);
}

/** How the firm arranges the home pages of its contacts, and whether it changed anything. */
export async function firmArrangement(companyId: string): Promise<{ widgets: Placed[]; isOwn: boolean }> {
  const own = await arrangementOf(companyId, '');
  return { widgets: arranged(placed(allWidgets()), own), isOwn: own !== undefined };
}

/** Changes the arrangement of the firm by one button; FORBIDDEN. */
export async function arrangeForFirm(actor: Actor, id: string, move: Move): Promise<void> {
  await changeOfFirm(actor, async ({ companyId }) => {
    const { widgets } = await firmArrangement(companyId);
    await store(companyId, '', moved(widgets, id, move));
  });
}

/** Arranges the home pages as the portal does; FORBIDDEN. */
export const forgetFirmArrangement = (actor: Actor): Promise<void> =>
  changeOfFirm(actor, ({ companyId }) => remove(companyId, ''));

async function changeOfFirm(actor: Actor, change: (actor: Actor) => Promise<void>): Promise<void> {
  await inTransaction(async () => {
    const current = await actorNow(actor);
    if (!current.access.permissions.has('ManageFirm')) throw new PortalError('FORBIDDEN');
    await change(current);
    const { companyId, contactId } = current;
    await audit({ companyId, actor: contactId, action: 'home.arrange', target: companyId });
  });
}

async function store(companyId: string, contactId: string, widgets: readonly Placed[]): Promise<void> {
  const values = { widgets: JSON.stringify(widgets), modified_at: now() };
  await db()
    .insertInto('home_arrangements')
    .values({ company_id: companyId, contact_id: contactId, ...values })
    .onConflict((conflict) => conflict.columns(['company_id', 'contact_id']).doUpdateSet(values))
    .execute();
}

async function remove(companyId: string, contactId: string): Promise<void> {
  await db()
    .deleteFrom('home_arrangements')
    .where('company_id', '=', companyId)
    .where('contact_id', '=', contactId)
    .execute();
}
