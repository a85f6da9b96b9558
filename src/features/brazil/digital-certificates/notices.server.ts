import { firmOf } from '#features/base/firms/firms.server.ts';
import { readersOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { queueMail, type Mail } from '#platform/mail/mail.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { DEFAULT_LANG, LANGUAGES, languageOf } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { keepsCertificates } from './access.server.ts';
import { certificateWanted } from './events.server.ts';
import { daysLeft, nextNoticeOn, today } from './rules.ts';

/*
 * Thirty days, a week and a day before a certificate ends, and when it has, it waits in the inbox of the firm, and the contacts
 * of the client who may replace it get an email.
 */

const AT_ONCE = 100;

/** Tells of the certificates that should be replaced now, each stage once. */
export async function noticeEndings(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const rows = await db()
      .selectFrom('client_certificates')
      .select('certificate_id')
      .where('next_notice_on', '<>', '')
      .where('next_notice_on', '<=', today(now()))
      .orderBy('next_notice_on')
      .limit(AT_ONCE)
      .execute();
    for (const row of rows) await inTransaction(() => notice(row.certificate_id));
    if (rows.length < AT_ONCE) return;
  }
}

async function notice(certificateId: string): Promise<void> {
  const row = await db()
    .selectFrom('client_certificates')
    .innerJoin('clients', 'clients.client_id', 'client_certificates.client_id')
    .select(['client_certificates.company_id', 'client_certificates.client_id', 'holder', 'valid_to'])
    .select(['next_notice_on', 'clients.archived_at', 'clients.name as client_name'])
    .where('certificate_id', '=', certificateId)
    .executeTakeFirst();
  if (!row) return;
  const validTo = Number(row.valid_to);
  const { numUpdatedRows } = await db()
    .updateTable('client_certificates')
    .set({ next_notice_on: nextNoticeOn(validTo, now()) })
    .where('certificate_id', '=', certificateId)
    .where('next_notice_on', '=', row.next_notice_on)
    .executeTakeFirst();
  // another node was sooner, or nobody acts for the client any more
  if (numUpdatedRows === 0n || row.archived_at !== null) return;
  const { company_id: companyId, client_id: clientId } = row;
  await certificateWanted.announce({ companyId, clientId, certificateId, name: row.holder });
  const firm = await firmOf(companyId);
  for (const reader of await readersOf(companyId, clientId, 'contacts'))
    if (keepsCertificates(reader))
      await queueMail(
        endingMail(reader, firm, { clientId, certificateId, client: row.client_name, validTo }),
        `certificate:${certificateId}:${row.next_notice_on}:${reader.contactId}`,
      );
}

interface Ending {
  clientId: string;
  certificateId: string;
  client: string;
  validTo: number;
}

function endingMail(
  reader: Actor,
  firm: Awaited<ReturnType<typeof firmOf>>,
  { clientId, certificateId, client, validTo }: Ending,
): Mail {
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'digital-certificates');
  const count = daysLeft(validTo, now());
  const vars = {
    client,
    firm: firm.name,
    count,
    date: formatDate(LANGUAGES[lang], validTo, 'America/Sao_Paulo'),
  };
  return firmMail({
    about: {
      kind: 'certificate',
      contactId: reader.contactId,
      clientId,
      targets: [`certificate:${certificateId}`],
    },
    firm,
    to: reader.emailAddress,
    lang,
    title: count < 0 ? t('mailEnded', vars) : count === 0 ? t('mailToday', vars) : t('mailEnds', vars),
    text: [t('mailText', vars)],
    button: {
      label: t('mailButton'),
      link: mailedPage(lang, 'actions/nfe-manifest/digital-certificate', {
        companyId: firm.companyId,
        clientId,
      }),
    },
    reason: t('mailReason', vars),
  });
}
