import { sql } from 'kysely';
import type { Actor } from '#features/base/people/people.ts';
import { clientIdsOf } from '#features/base/people/people.server.ts';
import { db } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';

/**
 * The mails of the firm that an actor may see: those about clients they may act for, and about no client if
 * they manage all contacts or are the recipient. FORBIDDEN for contacts.
 */
export function mailsOf(actor: Actor) {
  if (!actor.staff) throw new PortalError('FORBIDDEN');
  const ofClient = clientIdsOf(actor).where('clients.client_id', '=', sql<string>`mails.client_id`);
  const seesAll = actor.hasAllClients && actor.access.permissions.has('ManageContacts');
  return db()
    .selectFrom('mails')
    .where('mails.company_id', '=', actor.companyId)
    .where((e) =>
      e.or([
        e.exists(ofClient),
        seesAll
          ? e('mails.client_id', 'is', null)
          : e.and([e('mails.client_id', 'is', null), e('mails.contact_id', '=', actor.contactId)]),
      ]),
    );
}
