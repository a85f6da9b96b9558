import { db } from '#platform/database/database.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import type { Session } from '#features/base/people/people.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { publicKey } from './keys.server.ts';

/** What the offer needs to subscribe the browser. */
export interface PushOffer {
  publicKey: string;
  isOnIPhone: boolean;
}

/** Whether push notifications are for the person at all, whatever their browser can do. */
export const hasPush = ({ session, firm }: Pick<App.Locals, 'session' | 'firm'>): boolean =>
  config.pushServices.length > 0 && config.serviceWorker && !session.actor.staff && !firm?.isPractice;

/**
 * The offer of push notifications after a task was submitted, to contacts who have no device that gets them and have not
 * declined; undefined for everybody else. The browser asks only when they press the button.
 */
export async function pushOffer(page: {
  request: Request;
  locals: Pick<App.Locals, 'session' | 'firm'>;
}): Promise<PushOffer | undefined> {
  const { session } = page.locals;
  if (!hasPush(page.locals) || session.viewing) return undefined;
  const { contactId } = session.actor;
  const decided = await db()
    .selectFrom('push_subscriptions')
    .select('contact_id')
    .where('contact_id', '=', contactId)
    .union(db().selectFrom('push_offers').select('contact_id').where('contact_id', '=', contactId))
    .executeTakeFirst();
  const key = decided ? undefined : await publicKey();
  return key === undefined ? undefined : { publicKey: key, isOnIPhone: isIPhone(page.request) };
}

/** Offers them to the caller no more. EMULATION_READ_ONLY while viewing as a contact. */
export async function declineOffer({ actor, viewing }: Session): Promise<void> {
  if (viewing) throw new PortalError('EMULATION_READ_ONLY');
  await db()
    .insertInto('push_offers')
    .values({ contact_id: actor.contactId, declined_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Where push notifications come only to an app on the home screen. An iPad says that it is a Mac. */
export const isIPhone = ({ headers }: Request): boolean =>
  /iPhone|iPad|iPod/.test(headers.get('user-agent') ?? '');
