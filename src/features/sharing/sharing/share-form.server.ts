import { clientIdsOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { formatDay } from '#platform/text/formats.ts';
import { viewOf } from '#platform/forms/forms.server.ts';
import type { Choice, FormView } from '#platform/forms/forms.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { shareForm } from './forms.server.ts';
import { EMPTY_SHARE, EXPIRATION_DAYS, EXPIRATION_PERIODS, type ShareForm } from './rules.ts';

type Locals = Pick<App.Locals, 'lang' | 'timeZone' | 'firm' | 'session' | 'client'>;

/** The form of the dialog, which has the same choices as the page. */
export async function shareFormView(locals: Locals): Promise<FormView> {
  const { values, ...options } = await shareFormOptions(locals);
  return viewOf(shareForm, locals.lang, { values: { ...values }, ...options });
}

/** What the form starts with: a subject that names the company, dates of expiry, and recent recipients. */
export async function shareFormOptions(locals: Locals): Promise<{
  values: ShareForm;
  choices: { to: Choice[]; expirationPeriod: Choice[] };
  vars: { firm: string };
}> {
  const { lang, timeZone, firm, session } = locals;
  const client = await locals.client;
  const t = translationsFor(lang, 'sharing');
  const recent = client ? await recentRecipients(session.actor, client.id) : [];
  return {
    values: { ...EMPTY_SHARE, subject: client ? t('subjectDefault', { company: client.displayAs }) : '' },
    choices: {
      to: recent.map((address) => ({ value: address, text: address })),
      expirationPeriod: expirationChoices(lang, timeZone),
    },
    vars: { firm: firm?.name ?? '' },
  };
}

/** The options of expiry with their dates, which count from now. */
export function expirationChoices(lang: Lang, timeZone: string): Choice[] {
  const t = translationsFor(lang, 'sharing');
  return EXPIRATION_PERIODS.map((value) => ({
    value,
    text: t('expirationOn', {
      period: t(value),
      date: formatDay(LANGUAGES[lang], now() + EXPIRATION_DAYS[value] * DAY, timeZone),
    }),
  }));
}

const MAX_RECENT = 8;
/** How many links are read to find them. */
const MAX_READ = 40;

/** The addresses to which the actor last sent documents of a client, the newest first and each once. */
export async function recentRecipients(actor: Actor, clientId: string): Promise<string[]> {
  const rows = await db()
    .selectFrom('shares')
    .innerJoin('share_clients', 'share_clients.share_id', 'shares.share_id')
    .innerJoin('share_recipients', 'share_recipients.share_id', 'shares.share_id')
    .select(['share_recipients.recipient_id', 'share_recipients.email'])
    .where('shares.company_id', '=', actor.companyId)
    .where('shares.sender_contact_id', '=', actor.contactId)
    .where('share_clients.client_id', '=', clientId)
    .where('share_clients.client_id', 'in', clientIdsOf(actor))
    .orderBy('shares.created_at', 'desc')
    .orderBy('share_recipients.recipient_id')
    .limit(MAX_READ)
    .execute();
  const addresses = rows.map((row) => decryptFrom('share_recipients.email', row.recipient_id, row.email));
  const byAddress = Map.groupBy(addresses, (address) => address.toLowerCase());
  byAddress.delete(actor.emailAddress.toLowerCase());
  return [...byAddress.values()].flatMap(([newest = '']) => newest).slice(0, MAX_RECENT);
}
