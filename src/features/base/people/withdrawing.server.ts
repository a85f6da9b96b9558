import { MINUTE, now } from '#platform/runtime/clock.server.ts';
import { isReadOnly, type Actor } from './people.ts';

/** For how long people can withdraw what they wrote to others; after that it is part of the records. */
const WITHDRAWN_WITHIN = 15 * MINUTE;

/** Tells whether the actor wrote this and may still withdraw it. */
export const mayWithdraw = (actor: Actor, row: { created_by: string; created_at: number }): boolean =>
  actor.viewedBy === undefined &&
  !isReadOnly(actor) &&
  row.created_by === actor.contactId &&
  now() - row.created_at <= WITHDRAWN_WITHIN;
