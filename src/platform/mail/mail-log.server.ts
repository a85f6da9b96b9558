import { DAY, now } from '../runtime/clock.server.ts';
import { checkCodeOf } from './check-codes.server.ts';
import { db, fold, inBatches, inTransaction } from '../database/database.server.ts';
import { decryptFrom, encryptFor } from '../security/encryption.server.ts';
import { unlessStorageIsFull } from '../runtime/errors.server.ts';
import { defineEvent } from '../runtime/events.server.ts';
import type { MailKind, MailState } from './mail-kinds.ts';
import type { Mail, MailContent } from './mail.server.ts';
import { blindIndex } from '../runtime/settings.server.ts';
import { deleteShortLinks, storeShortLinks } from './short-links.server.ts';

/*
 * A row for each mail, with its state. What "opened" and "done" mean is in docs/decisions/0055: neither is
 * ever inferred from a request that a mail scanner could make.
 */

export interface ChangedMail {
  mailId: string;
  companyId: string | null;
  clientId: string | null;
  kind: MailKind;
  state: MailState;
}

/** Announced in the transaction that changes the state of a mail. */
export const mailChanged = defineEvent<ChangedMail>();

/** Adds the row of a mail that is being queued. Returns false if there was a mail with this key. */
export async function recordMail(mail: Mail, key: string, heldUntil: number | null): Promise<boolean> {
  const { mailId, about, content } = mail;
  const added = await db()
    .insertInto('mails')
    .values({
      mail_id: mailId,
      mail_key: key,
      company_id: mail.companyId ?? null,
      contact_id: about.contactId ?? null,
      client_id: about.clientId ?? null,
      kind: about.kind,
      recipient: encryptFor('mails.recipient', mailId, mail.to),
      recipient_key: await blindIndex(fold(mail.to)),
      subject: encryptFor('mails.subject', mailId, mail.subject),
      content: content ? encryptFor('mails.content', mailId, JSON.stringify(content)) : null,
      // a tag such as en-US, whatever was passed: PostgreSQL stores no null characters
      language: mail.language.replaceAll(/[^\w-]/g, ''),
      state: 'queued',
      reason: null,
      queued_at: now(),
      held_until: heldUntil,
      accepted_at: null,
      bounced_at: null,
      opened_at: null,
      done_at: null,
      check_code: checkCodeOf(mailId),
    })
    .onConflict((conflict) => conflict.column('mail_key').doNothing())
    .returning('mail_id')
    .executeTakeFirst();
  if (!added) return false;
  for (const some of inBatches([...new Set(about.targets)]))
    await db()
      .insertInto('mail_targets')
      .values(some.map((target) => ({ mail_id: mailId, target })))
      .execute();
  await storeShortLinks(mailId, mail.shortLinks ?? []);
  return true;
}

/** Records that the mail server accepted a mail. */
export const recordAccepted = (key: string): Promise<void> =>
  change({ mail_key: key }, ['queued'], { state: 'accepted', accepted_at: now(), reason: null });

/** Records why the last attempt to send a mail failed; it will be repeated. */
export async function recordDelay(key: string, reason: string): Promise<void> {
  await db()
    .updateTable('mails')
    .set({ reason })
    .where('mail_key', '=', key)
    .where('state', '=', 'queued')
    .execute();
}

/**
 * Records that a mail will not arrive: an enhanced status code (RFC 3463), or the code of an error. A mail
 * whose link was opened has arrived, whatever a mail server says later.
 */
export const recordBounce = (
  mail: { mail_id: string } | { mail_key: string },
  reason: string,
): Promise<void> => change(mail, ['queued', 'accepted'], { state: 'bounced', bounced_at: now(), reason });

/**
 * Records that the recipient, signed in as this contact, followed the link of a mail; nothing while nothing can be
 * stored, since the link still works.
 */
export async function recordOpened(mailId: string, contactId: string): Promise<void> {
  await unlessStorageIsFull(() =>
    change({ mail_id: mailId, contact_id: contactId }, ['queued', 'accepted', 'bounced'], {
      state: 'opened',
      opened_at: now(),
    }),
  );
}

/** Records that mails with these keys were canceled before they were sent. */
export async function recordCanceled(keys: readonly string[]): Promise<void> {
  for (const some of inBatches(keys))
    await db()
      .updateTable('mails')
      .set({ state: 'canceled' })
      .where('mail_key', 'in', some)
      .where('state', '=', 'queued')
      .execute();
}

/** Records that all mails still waiting were canceled, after a restore. */
export async function recordAllCanceled(): Promise<void> {
  await db().updateTable('mails').set({ state: 'canceled' }).where('state', '=', 'queued').execute();
}

/**
 * Records that the recipient of a link that needs no sign-in opened it by a POST, in mails about one thing.
 */
export async function recordLinkOpened(target: string): Promise<void> {
  for (const { mail_id } of await mailsAbout(target).execute())
    await change({ mail_id }, ['queued', 'accepted', 'bounced'], { state: 'opened', opened_at: now() });
}

/** What mails are about has happened; for one recipient if one is named. Announced in the transaction. */
export const mailTargetsDone = defineEvent<{ targets: readonly string[]; contactId: string | undefined }>();

/**
 * Records that something that mails are about has happened, such as that an invitation was accepted; for
 * mails to one contact if one is named. A mail about several things is done with the last of them.
 */
export async function recordDone(targets: readonly string[], contactId?: string): Promise<void> {
  if (targets.length === 0) return;
  await inTransaction(async () => {
    const found: { mail_id: string; target: string }[] = [];
    for (const some of inBatches(targets))
      found.push(
        ...(await db()
          .selectFrom('mail_targets')
          .innerJoin('mails', 'mails.mail_id', 'mail_targets.mail_id')
          .select(['mails.mail_id', 'mail_targets.target'])
          .where('mail_targets.target', 'in', some)
          .$if(contactId !== undefined, (rows) => rows.where('mails.contact_id', '=', contactId ?? ''))
          .execute()),
      );
    for (const { mail_id, target } of found)
      await db()
        .deleteFrom('mail_targets')
        .where('mail_id', '=', mail_id)
        .where('target', '=', target)
        .execute();
    for (const mailId of new Set(found.map(({ mail_id }) => mail_id))) await finish(mailId);
    await mailTargetsDone.announce({ targets, contactId });
  });
}

async function finish(mailId: string): Promise<void> {
  const left = await db()
    .selectFrom('mail_targets')
    .select('target')
    .where('mail_id', '=', mailId)
    .limit(1)
    .executeTakeFirst();
  if (left) return;
  const unfinished = ['queued', 'accepted', 'bounced', 'opened'] as const;
  await change({ mail_id: mailId }, unfinished, { state: 'done', done_at: now() });
}

const mailsAbout = (target: string) =>
  db()
    .selectFrom('mails')
    .select('mails.mail_id')
    .where(
      'mails.mail_id',
      'in',
      db().selectFrom('mail_targets').select('mail_targets.mail_id').where('target', '=', target),
    );

type Change = { state: MailState; reason?: string | null } & Partial<
  Record<'accepted_at' | 'bounced_at' | 'opened_at' | 'done_at', number>
>;

/** Changes the state of a mail in one of these states, and announces it. */
async function change(
  mail: Partial<Record<'mail_id' | 'mail_key' | 'contact_id', string>>,
  from: readonly MailState[],
  to: Change,
): Promise<void> {
  await inTransaction(async () => {
    const row = await db()
      .updateTable('mails')
      .set(to)
      .where((e) => e.and(mail))
      .where('state', 'in', from)
      .returning(['mail_id', 'company_id', 'client_id', 'kind'])
      .executeTakeFirst();
    if (!row) return;
    await mailChanged.announce({
      mailId: row.mail_id,
      companyId: row.company_id,
      clientId: row.client_id,
      kind: row.kind,
      state: to.state,
    });
  });
}

/** A mail that was held for the quiet hours of its recipient. */
export interface HeldMail {
  mailId: string;
  clientId: string | null;
  content: MailContent;
  targets: string[];
}

const MAX_MERGED = 500;

/**
 * Takes the mails that waited for the same time and are of the kind of this one, or `together` with it, to be sent as
 * one: their rows are deleted. `alone` if there is only this mail, and `gone` if it was canceled or taken.
 */
export async function takeHeldMails(
  key: string,
  together: readonly MailKind[],
): Promise<'alone' | 'gone' | HeldMail[]> {
  const own = await db()
    .selectFrom('mails')
    .select(['mail_id', 'company_id', 'contact_id', 'kind', 'held_until'])
    .where('mail_key', '=', key)
    .where('state', '=', 'queued')
    .executeTakeFirst();
  if (!own) return 'gone';
  if (own.held_until === null) return 'alone';
  const held = await db()
    .selectFrom('mails')
    .select(['mail_id', 'client_id', 'content'])
    .where('company_id', '=', own.company_id)
    .where('contact_id', '=', own.contact_id)
    .where('kind', 'in', together.includes(own.kind) ? together : [own.kind])
    .where('state', '=', 'queued')
    .where('held_until', '<=', now())
    .orderBy('queued_at')
    .limit(MAX_MERGED)
    .execute();
  if (held.length < 2) {
    await db().updateTable('mails').set({ held_until: null }).where('mail_id', '=', own.mail_id).execute();
    return 'alone';
  }
  const ids = held.map((row) => row.mail_id);
  const targets = Map.groupBy(
    await db().selectFrom('mail_targets').selectAll().where('mail_id', 'in', ids).execute(),
    (row) => row.mail_id,
  );
  await db().deleteFrom('mails').where('mail_id', 'in', ids).execute();
  await deleteShortLinks(ids);
  return held.map((row) => ({
    mailId: row.mail_id,
    clientId: row.client_id,
    content: JSON.parse(decryptFrom('mails.content', row.mail_id, row.content ?? '')) as MailContent,
    targets: (targets.get(row.mail_id) ?? []).map(({ target }) => target),
  }));
}

const RETENTION = 180 * DAY;

/** Deletes the rows of mails after half a year. */
export async function sweepMails(): Promise<void> {
  await db()
    .deleteFrom('mails')
    .where('queued_at', '<', now() - RETENTION)
    .execute();
}
