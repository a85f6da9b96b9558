import type { Selectable } from 'kysely';
import type { Actor } from '#features/base/people/people.ts';
import { assertActsFor } from '#features/base/people/people.server.ts';
import { mayWithdraw } from '#features/base/people/withdrawing.server.ts';
import { presentMessage } from '#features/clients/threads/messages.server.ts';
import {
  messagePage,
  MESSAGES_A_PAGE,
  newMessage,
  type MessageQuery,
  type NewMessage,
} from '#features/clients/threads/threads.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import type { Tables } from '#platform/database/schema.server.ts';
import { recordDone } from '#platform/mail/mail-log.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import type { ClientMessage, ClientMessagePage } from './client-messages.ts';
import { clientMessageAdded, clientMessageWithdrawn } from './events.server.ts';
import { answerTo, scheduleMessageMail } from './mails.server.ts';
import { messagesOf, seesMessages } from './scope.server.ts';

/*
 * The conversation between the people of a client and the firm, about nothing in particular. It is part of the records:
 * after 15 minutes a message stays, and one that is withdrawn before leaves its place (docs/decisions/0146).
 */

const MAX_AN_HOUR = 60;

/** Throws NOT_FOUND for a client of others, FORBIDDEN for a contact who is kept from messages. */
async function assertSees(actor: Actor, clientId: string): Promise<void> {
  await assertActsFor(actor, clientId);
  if (!seesMessages(actor)) throw new PortalError('FORBIDDEN');
}

/**
 * Adds a message to the conversation with a client, and notifies the other side unless it is a note of the firm.
 * NOT_FOUND for a client that the actor may not see, CLOSED for an archived one, FORBIDDEN for a note of a contact, TOO_MANY
 * beyond 60 an hour.
 */
export async function addClientMessage(
  actor: Actor,
  clientId: string,
  input: NewMessage,
): Promise<ClientMessage> {
  const { text, isInternal } = newMessage.parse(input);
  await assertSees(actor, clientId);
  if (isInternal && !actor.staff) throw new PortalError('FORBIDDEN');
  await consume(`client-messages:${actor.contactId}`, MAX_AN_HOUR, HOUR);
  return inTransaction(async () => {
    await assertIsActive(clientId);
    const messageId = newId('clientmessage');
    const row = {
      message_id: messageId,
      company_id: actor.companyId,
      client_id: clientId,
      body: encryptFor('client_messages.body', messageId, text),
      is_internal: isInternal ? 1 : 0,
      by_staff: actor.staff ? 1 : 0,
      created_by: actor.contactId,
      created_at: Math.max(now(), (await newestOf(clientId)) + 1),
      withdrawn_at: null,
    } as const;
    await db().insertInto('client_messages').values(row).execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: isInternal ? 'client-message.add-note' : 'client-message.add',
      target: clientId,
      clientId,
    });
    if (!isInternal) {
      await recordDone([answerTo(clientId)], actor.contactId);
      await clientMessageAdded.announce({
        messageId,
        companyId: actor.companyId,
        clientId,
        byStaff: actor.staff,
      });
      await scheduleMessageMail(row);
    }
    return present(actor, { ...row, full_name: actor.fullName });
  });
}

async function assertIsActive(clientId: string): Promise<void> {
  const active = await db()
    .selectFrom('clients')
    .select('client_id')
    .where('client_id', '=', clientId)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
  if (!active) throw new PortalError('CLOSED');
}

/** When the newest message with a client was written; 0 if there is none. */
async function newestOf(clientId: string): Promise<number> {
  const { newest } = await db()
    .selectFrom('client_messages')
    .select((e) => e.fn.max('created_at').as('newest'))
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow();
  return Number(newest ?? 0);
}

/**
 * Lists the messages with a client, the oldest first, 100 a page; NOT_FOUND for one that the actor may not see, FORBIDDEN
 * for a contact who is kept from messages. Counts them unless it gets their number.
 */
export async function listClientMessages(
  actor: Actor,
  clientId: string,
  { from, ...counted }: MessageQuery & { total?: number },
): Promise<ClientMessagePage> {
  await assertSees(actor, clientId);
  const total = counted.total ?? (await countClientMessages(actor, clientId));
  const rows = await messagesOf(actor)
    .innerJoin('contacts', 'contacts.contact_id', 'client_messages.created_by')
    .selectAll('client_messages')
    .select('contacts.full_name')
    .where('client_messages.client_id', '=', clientId)
    .orderBy('client_messages.created_at')
    .orderBy('client_messages.message_id')
    .limit(MESSAGES_A_PAGE)
    .offset(from)
    .execute();
  return messagePage(
    rows.map((row) => present(actor, row)),
    { from, total },
  );
}

/** How many messages with a client the actor sees. */
export async function countClientMessages(actor: Actor, clientId: string): Promise<number> {
  const { total } = await messagesOf(actor)
    .select((e) => e.fn.countAll<number>().as('total'))
    .where('client_messages.client_id', '=', clientId)
    .executeTakeFirstOrThrow();
  return Number(total);
}

/**
 * Withdraws a message: its text is removed, its place stays. NOT_FOUND unless the actor wrote it, FORBIDDEN after 15
 * minutes: then it is part of the records.
 */
export async function withdrawClientMessage(
  actor: Actor,
  clientId: string,
  messageId: string,
): Promise<void> {
  await inTransaction(async () => {
    await assertSees(actor, clientId);
    const row = await messagesOf(actor)
      .selectAll('client_messages')
      .where('client_messages.client_id', '=', clientId)
      .where('client_messages.message_id', '=', messageId)
      .where('client_messages.created_by', '=', actor.contactId)
      .where('client_messages.withdrawn_at', 'is', null)
      .executeTakeFirst();
    if (!row) throw notFound();
    if (!mayWithdraw(actor, row)) throw new PortalError('FORBIDDEN');
    await db()
      .updateTable('client_messages')
      .set({ body: null, withdrawn_at: now() })
      .where('message_id', '=', messageId)
      .execute();
    await clientMessageWithdrawn.announce({ messageId });
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: row.is_internal ? 'client-message.withdraw-note' : 'client-message.withdraw',
      target: clientId,
      clientId,
    });
  });
}

type MessageRow = Selectable<Tables['client_messages']> & { full_name: string };

const present = (actor: Actor, row: MessageRow): ClientMessage => ({
  ...presentMessage(
    actor,
    row,
    row.body === null ? '' : decryptFrom('client_messages.body', row.message_id, row.body),
  ),
  clientId: row.client_id,
});
