import { sql } from 'kysely';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorOf, staffWith } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { HOUR, now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction, withoutAct } from '#platform/database/database.server.ts';
import { PortalError, refusal } from '#platform/runtime/errors.server.ts';
import { formatMoment } from '#platform/text/formats.ts';
import { DEFAULT_LANG, languageOf, LANGUAGES } from '#platform/text/languages.ts';
import { consume, consumedCount } from '#platform/security/limits.server.ts';
import { firmMail, mailedPage } from '#platform/mail/mail-layout.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';

/*
 * Limits the downloads of a person per hour until they authenticate again (threat-model.md T67;
 * docs/decisions/0030). Beyond the limit an alarm is raised: the firm is notified, and for an hour only
 * sessions with a newer step-up can continue. Each alarm starts a new count.
 */

const MAX_FILES = 500;
const MAX_BYTES = 5 * 1024 ** 3;
const WINDOW = HOUR;

/**
 * Counts downloads by number and bytes, and runs `alongWith` in the same transaction; STEP_UP, in which case
 * nothing may be sent, beyond 500 or 5 GiB within an hour.
 */
export async function countFetched(
  session: Session,
  sizes: readonly number[],
  alongWith?: () => Promise<void>,
): Promise<void> {
  const { who, alarm, files, bytes } = await askedOf(session, sizes);
  try {
    // Both counts or none, in one write: if this transaction is rolled back, nothing was sent.
    const count = (): Promise<void> =>
      inTransaction(async () => {
        await consume(countOf('files', who, alarm), MAX_FILES, WINDOW, files);
        await consume(countOf('bytes', who, alarm), MAX_BYTES, WINDOW, bytes);
        await alongWith?.();
      });
    await (alongWith ? count() : withoutAct(count));
  } catch (error) {
    if (refusal(error)?.code !== 'TOO_MANY') throw error;
    throw await raiseAlarm(session, who, alarm);
  }
}

/**
 * Checks the same before documents are packed, without counting them: STEP_UP if they could not be
 * downloaded.
 */
export async function assertMayFetch(session: Session, sizes: readonly number[]): Promise<void> {
  const { who, alarm, files, bytes } = await askedOf(session, sizes);
  const room =
    (await consumedCount(countOf('files', who, alarm))) + files <= MAX_FILES &&
    (await consumedCount(countOf('bytes', who, alarm))) + bytes <= MAX_BYTES;
  if (!room) throw await raiseAlarm(session, who, alarm);
}

const countOf = (what: 'files' | 'bytes', who: string, alarm: number): string =>
  `fetched-${what}:${who}:${alarm}`;
const alarmOf = (who: string): string => `fetch-alarm:${who}`;

/**
 * The amount to count: more than the whole allowance counts as all of it, after a step-up. Downloads by staff
 * who view as a contact count as their own.
 */
async function askedOf(
  session: Session,
  sizes: readonly number[],
): Promise<{ who: string; alarm: number; files: number; bytes: number }> {
  const who = session.actor.viewedBy ?? session.actor.contactId;
  const row = await db()
    .selectFrom('limits')
    .select('resets_at')
    .where('limit_key', '=', alarmOf(who))
    .where('resets_at', '>', now())
    .executeTakeFirst();
  const alarm = row ? row.resets_at - WINDOW : 0;
  if (alarm > 0 && session.authenticatedAt <= alarm) throw new PortalError('STEP_UP');
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (alarm === 0 && (sizes.length > MAX_FILES || bytes > MAX_BYTES))
    throw await raiseAlarm(session, who, alarm);
  return { who, alarm, files: Math.min(sizes.length, MAX_FILES), bytes: Math.min(bytes, MAX_BYTES) };
}

/**
 * Raises the alarm after the one that the caller knew of, once for any number of concurrent calls, and
 * returns the error.
 */
async function raiseAlarm({ actor }: Session, who: string, known: number): Promise<PortalError> {
  const instant = now();
  await inTransaction(async () => {
    const raised = await db()
      .insertInto('limits')
      .values({ limit_key: alarmOf(who), used: 1, resets_at: instant + WINDOW })
      .onConflict((conflict) =>
        conflict
          .column('limit_key')
          .doUpdateSet({ resets_at: instant + WINDOW })
          .where(sql<boolean>`limits.resets_at <= ${instant} or limits.resets_at = ${known + WINDOW}`),
      )
      .returning('limit_key')
      .executeTakeFirst();
    if (!raised) return;
    await audit({ companyId: actor.companyId, actor: who, action: 'document.alarm', target: who });
    await tellFirm(await actorOf(who), instant);
  });
  return new PortalError('STEP_UP');
}

/** Sends a mail to everybody who manages the firm. */
async function tellFirm(who: Actor, instant: number): Promise<void> {
  const firm = await firmOf(who.companyId);
  for (const { contactId, emailAddress, language } of await staffWith(who.companyId, 'ManageFirm')) {
    const lang = languageOf(language) ?? DEFAULT_LANG;
    const t = translationsFor(lang, 'mail');
    const title = t('fetchAlarmTitle', { name: who.fullName });
    const lines = [
      t('fetchAlarmText', {
        name: who.fullName,
        email: who.emailAddress,
        moment: formatMoment(LANGUAGES[lang], instant, firm.timeZone),
      }),
      t('fetchAlarmAdvice', { name: who.fullName }),
    ];
    const mail = firmMail({
      about: { kind: 'security', contactId },
      firm,
      to: emailAddress,
      lang,
      title,
      text: lines,
      button: { label: t('fetchAlarmButton'), link: mailedPage(lang, 'staff/audit', firm) },
      reason: t('fetchAlarmReason', { firm: firm.name }),
    });
    await queueMail(mail, newId('notice'));
  }
}
