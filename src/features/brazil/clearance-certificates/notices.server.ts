import { firmOf, languageOfFirm } from '#features/base/firms/firms.server.ts';
import { readersOf } from '#features/base/people/people.server.ts';
import { hasPart, type Actor } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { queueMail, type Mail } from '#platform/mail/mail.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import { DEFAULT_LANG, LANGUAGES, languageOf } from '#platform/text/languages.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { agencyName } from './agency-names.server.ts';
import { certificateLapsing } from './events.server.ts';
import type { AgencyRow } from './internal/rows.server.ts';
import { daysLeft, nextNoticeOn, stageOn, type Stage } from './lights.ts';

/*
 * Before a certificate lapses, and when it has, it waits in the inbox of the firm; the contacts of the client get an email,
 * if the firm has decided so, and a notification.
 */

const AT_ONCE = 100;

/** Tells of the certificates that should be renewed now, each stage once. */
export async function noticeLapses(signal: AbortSignal): Promise<void> {
  let after: string | undefined = '';
  while (after !== undefined && !signal.aborted) {
    const rows: AgencyRow[] = await dueAfter(after);
    for (const row of rows) await inTransaction(() => notice(row.client_agency_id));
    after = rows.length < AT_ONCE ? undefined : rows.at(-1)?.client_agency_id;
  }
}

/** Those whose day has come anywhere in the world; the firm's own day decides then. */
const dueAfter = (after: string): Promise<AgencyRow[]> =>
  db()
    .selectFrom('cnd_client_agencies')
    .selectAll()
    .where('next_notice_on', '<>', '')
    .where('next_notice_on', '<=', dayOf(now() + DAY, 'UTC'))
    .where('client_agency_id', '>', after)
    .orderBy('client_agency_id')
    .limit(AT_ONCE)
    .execute();

async function notice(clientAgencyId: string): Promise<void> {
  const row = await db()
    .selectFrom('cnd_client_agencies')
    .innerJoin('clients', 'clients.client_id', 'cnd_client_agencies.client_id')
    .selectAll('cnd_client_agencies')
    .select(['clients.archived_at', 'clients.name as client_name'])
    .where('client_agency_id', '=', clientAgencyId)
    .executeTakeFirstOrThrow();
  const firm = await firmOf(row.company_id);
  const today = dayOf(now(), firm.timeZone);
  const current = { result: row.result, validUntil: row.valid_until, renewOn: row.renew_on };
  const stage = stageOn(current, today);
  if (row.ended_at !== null || stage === undefined || row.next_notice_on > today) return;
  const { numUpdatedRows } = await db()
    .updateTable('cnd_client_agencies')
    .set({ next_notice_on: nextNoticeOn(current, stage) })
    .where('client_agency_id', '=', clientAgencyId)
    .where('next_notice_on', '=', row.next_notice_on)
    .executeTakeFirst();
  // another node was sooner, or nobody acts for the client any more
  if (numUpdatedRows === 0n || row.archived_at !== null) return;
  await certificateLapsing.announce({
    companyId: row.company_id,
    clientId: row.client_id,
    clientAgencyId,
    name: agencyName(await languageOfFirm(row.company_id), row.agency_id),
  });
  if (row.notifies_client === 0) return;
  for (const reader of await readersOf(row.company_id, row.client_id, 'contacts'))
    if (hasPart(reader.access, 'dashboards'))
      await queueMail(
        lapseMail(firm, reader, { row, stage, today }),
        `clearance:${row.current_attempt_id ?? ''}:${stage}:${reader.contactId}`,
      );
}

interface Lapsing {
  row: AgencyRow & { client_name: string };
  stage: Stage;
  today: string;
}

function lapseMail(
  firm: Awaited<ReturnType<typeof firmOf>>,
  reader: Actor,
  { row, stage, today }: Lapsing,
): Mail {
  const lang = languageOf(reader.language) ?? DEFAULT_LANG;
  const t = translationsFor(lang, 'clearance-certificates');
  const vars = {
    agency: agencyName(lang, row.agency_id),
    client: row.client_name,
    firm: firm.name,
    date: formatDate(LANGUAGES[lang], `${row.valid_until}T00:00:00Z`, 'UTC'),
    count: daysLeft(row.valid_until, today),
  };
  return firmMail({
    about: {
      kind: 'clearance',
      contactId: reader.contactId,
      clientId: row.client_id,
      targets: [`clearance:${row.current_attempt_id ?? ''}`],
    },
    firm,
    to: reader.emailAddress,
    lang,
    title:
      stage === 'lapsed'
        ? t('mailLapsed', vars)
        : vars.count === 0
          ? t('mailToday', vars)
          : t('mailLapses', vars),
    text: [stage === 'lapsed' ? t('mailLapsedText', vars) : t('mailLapsesText', vars)],
    button: {
      label: t('mailButton'),
      link: mailedPage(lang, `home/cnd/${row.client_id}`, {
        companyId: firm.companyId,
        clientId: row.client_id,
      }),
    },
    reason: t('mailReason', vars),
  });
}
