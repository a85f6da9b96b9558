import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Firm } from '#features/base/firms/firms.ts';
import { readersOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { queueMail, type Mail } from '#platform/mail/mail.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { reviewsInvoices, seesManifest } from './access.server.ts';
import { invoiceName, today, type IntentRow, type InvoiceRow } from './internal/store.server.ts';
import { nextReminderOn } from './rules.ts';
import { dayText } from './sentences.server.ts';

/*
 * A contact is told when the firm refuses what they marked, and those who may decide are reminded 30, 10 and 3 days before
 * the last day. A mail names no key and no reason, since mails are not encrypted.
 */

/** What a mail about an invoice is about. */
const aboutInvoice = (id: string): string => `manifest:${id}`;

/** Tells whoever marked an intent that it was refused, if they are a contact who still sees the invoice. */
export async function notifyRefused(intent: IntentRow, row: InvoiceRow): Promise<void> {
  if (intent.by_staff === 1) return;
  const reader = (await readersOf(row.company_id, row.client_id, 'contacts')).find(
    ({ contactId }) => contactId === intent.marked_by,
  );
  if (!reader || !seesManifest(reader)) return;
  const firm = await firmOf(row.company_id);
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'invoice-manifest');
  const vars = { invoice: invoiceName(row), issuer: row.issuer_name, firm: firm.name };
  await queueMail(
    mailTo(reader, firm, {
      clientId: row.client_id,
      targets: [aboutInvoice(row.manifest_id)],
      title: t('mailRefused', vars),
      text: t('mailRefusedText', vars),
      page: `actions/nfe-manifest/invoices/${row.manifest_id}`,
    }),
    `manifest-refused:${intent.intent_id}:${reader.contactId}`,
  );
}

const AT_ONCE = 50;

/** Reminds of the invoices whose last day comes closer, in one mail for each client and day. */
export async function remindOfInvoices(signal: AbortSignal): Promise<void> {
  const day = today();
  for (;;) {
    if (signal.aborted) return;
    const clients = await db()
      .selectFrom('manifest_documents')
      .select('client_id')
      .distinct()
      .where('next_reminder_on', '<>', '')
      .where('next_reminder_on', '<=', day)
      .limit(AT_ONCE)
      .execute();
    for (const { client_id: clientId } of clients) await inTransaction(() => remind(clientId, day));
    if (clients.length < AT_ONCE) return;
  }
}

async function remind(clientId: string, day: string): Promise<void> {
  const due = await db()
    .selectFrom('manifest_documents')
    .selectAll()
    .where('client_id', '=', clientId)
    .where('next_reminder_on', '<>', '')
    .where('next_reminder_on', '<=', day)
    .execute();
  const [first] = due;
  if (!first) return; // another node was sooner
  let changed = 0n;
  for (const lastDay of new Set(due.map((row) => row.last_day))) {
    const { numUpdatedRows } = await db()
      .updateTable('manifest_documents')
      .set({ next_reminder_on: nextReminderOn(lastDay, day) })
      .where('client_id', '=', clientId)
      .where('last_day', '=', lastDay)
      .where('next_reminder_on', '<>', '')
      .where('next_reminder_on', '<=', day)
      .executeTakeFirst();
    changed += numUpdatedRows;
  }
  const from = await remindFrom(first.company_id);
  const worth = due.filter((row) => row.last_day >= day && Number(row.total_cents) >= from);
  if (changed === 0n || worth.length === 0 || (await isArchived(clientId))) return;
  const open = await openOf(clientId, { day, from });
  const [soonest] = open;
  if (!soonest) return;
  const firm = await firmOf(first.company_id);
  for (const reader of await readersOf(first.company_id, clientId, 'contacts'))
    if (reviewsInvoices(reader))
      await queueMail(
        reminder(reader, firm, {
          clientId,
          targets: worth.map((row) => aboutInvoice(row.manifest_id)).slice(0, MAX_TARGETS),
          count: open.length,
          lastDay: soonest.last_day,
          urgent: open.filter((row) => row.last_day === soonest.last_day).length,
        }),
        `manifest:${clientId}:${day}:${reader.contactId}`,
      );
}

const MAX_TARGETS = 50;
const MAX_COUNTED = 1000;

const openOf = (clientId: string, { day, from }: { day: string; from: number }) =>
  db()
    .selectFrom('manifest_documents')
    .select('last_day')
    .where('client_id', '=', clientId)
    .where('status', 'in', ['pending', 'aware'])
    .where('intent', '=', 'none')
    .where('last_day', '>=', day)
    .where('total_cents', '>=', from)
    .orderBy('last_day')
    .limit(MAX_COUNTED)
    .execute();

async function isArchived(clientId: string): Promise<boolean> {
  const row = await db()
    .selectFrom('clients')
    .select('archived_at')
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row?.archived_at !== null;
}

/** The value from which a firm has people reminded, in cents. */
export async function remindFrom(companyId: string): Promise<number> {
  const row = await db()
    .selectFrom('manifest_settings')
    .select('remind_from_cents')
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  return Number(row?.remind_from_cents ?? 0);
}

function reminder(
  reader: Actor,
  firm: Firm,
  {
    clientId,
    targets,
    count,
    urgent,
    lastDay,
  }: { clientId: string; targets: string[]; count: number; urgent: number; lastDay: string },
): Mail {
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'invoice-manifest');
  const vars = { count, urgent, date: dayText(lang, lastDay), firm: firm.name };
  return mailTo(reader, firm, {
    clientId,
    targets,
    title: t('mailReminder', vars),
    text: t('mailReminderText', vars),
    page: 'actions/nfe-manifest/invoice-processing',
  });
}

function mailTo(
  reader: Actor,
  firm: Firm,
  {
    clientId,
    targets,
    title,
    text,
    page,
  }: { clientId: string; targets: string[]; title: string; text: string; page: string },
): Mail {
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'invoice-manifest');
  return firmMail({
    about: { kind: 'manifest', contactId: reader.contactId, clientId, targets },
    firm,
    to: reader.emailAddress,
    lang,
    title,
    text: [text],
    button: {
      label: t('mailButton'),
      link: mailedPage(lang, page, { companyId: firm.companyId, clientId }),
    },
    reason: t('mailReason', { firm: firm.name }),
  });
}
