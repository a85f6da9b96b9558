import type { Actor } from '#features/base/people/people.ts';
import { mayWithdraw } from '#features/base/people/withdrawing.server.ts';
import type { Bit, Millis } from '#platform/database/schema.server.ts';
import type { Message } from './threads.ts';

/** A message as stored, whose text is encrypted. */
export interface StoredMessage {
  message_id: string;
  is_internal: Bit;
  by_staff: Bit;
  created_by: string;
  created_at: Millis;
  withdrawn_at: Millis | null;
  full_name: string;
}

/** A message for the actor. `text` is decrypted, and empty after the message was withdrawn. */
export const presentMessage = (actor: Actor, row: StoredMessage, text: string): Message => ({
  id: row.message_id,
  text,
  createdBy: row.full_name,
  role: row.by_staff ? 'Firm' : 'Client',
  isInternal: row.is_internal === 1,
  isDeleted: row.withdrawn_at !== null,
  createdDate: new Date(row.created_at).toISOString(),
  permissions: { delete: row.withdrawn_at === null && mayWithdraw(actor, row) },
});
