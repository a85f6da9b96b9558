import { hasPart, type Actor } from '#features/base/people/people.ts';
import { isOfOwnClient } from '#features/base/people/people.server.ts';
import { db } from '#platform/database/database.server.ts';

/** Whether somebody sees messages at all: contacts may be kept from them. */
export const seesMessages = ({ staff, access }: Pick<Actor, 'staff' | 'access'>): boolean =>
  staff || hasPart(access, 'messages');

/**
 * The messages that the actor may see: those of their clients, and for contacts without the notes of the firm, also while
 * staff view as one of them.
 */
export const messagesOf = (actor: Actor) =>
  db()
    .selectFrom('client_messages')
    .where(isOfOwnClient(actor, 'client_messages.client_id'))
    .$if(!actor.staff, (messages) => messages.where('client_messages.is_internal', '=', 0));
