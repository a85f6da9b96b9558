import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import type { QueuedMail } from '#platform/mail/mail-events.server.ts';
import { isOptional, mailKind, optionalKinds } from '#platform/mail/mail-kinds.server.ts';
import type { OptionalKind } from '#platform/mail/mail-kinds.ts';
import { audit } from '#platform/security/audit.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';
import { languageOf, type Lang } from '#platform/text/languages.ts';
import { filled, type OwnText } from './mail-texts.ts';

interface StoredText extends OwnText {
  version: number;
}

/** The kinds of emails to which a firm adds words: those that clients can turn off. The others protect somebody. */
export const wordedKinds = (): OptionalKind[] =>
  optionalKinds().filter((kind) => mailKind(kind)?.optional?.contact !== undefined);

const rowKey = (companyId: string, kind: string, lang: Lang): string => `${companyId}/${kind}/${lang}`;

/** What a firm writes into emails of a kind; undefined if it leaves that to the portal. */
export async function ownText(companyId: string, kind: string, lang: Lang): Promise<StoredText | undefined> {
  const row = await db()
    .selectFrom('mail_texts')
    .select(['subject', 'introduction', 'version'])
    .where('company_id', '=', companyId)
    .where('kind', '=', kind)
    .where('lang', '=', lang)
    .executeTakeFirst();
  const key = rowKey(companyId, kind, lang);
  return (
    row && {
      subject: decryptFrom('mail_texts.subject', key, row.subject),
      introduction: decryptFrom('mail_texts.introduction', key, row.introduction),
      version: Number(row.version),
    }
  );
}

/** The kinds and languages of which a firm has texts. */
export const ownTexts = (companyId: string): Promise<{ kind: string; lang: Lang }[]> =>
  db()
    .selectFrom('mail_texts')
    .select(['kind', 'lang'])
    .where('company_id', '=', companyId)
    .orderBy('kind')
    .orderBy('lang')
    .execute();

/**
 * Stores what a firm writes into emails of a kind; two empty texts leave it to the portal again. EDIT_CONFLICT if it is not
 * `version`, 0 for none, that was changed.
 */
export async function saveOwnText(
  actor: Actor,
  kind: OptionalKind,
  lang: Lang,
  { version, ...text }: StoredText,
): Promise<void> {
  const { companyId, contactId } = actor;
  await inTransaction(async () => {
    const stored = await ownText(companyId, kind, lang);
    if ((stored?.version ?? 0) !== version) throw new PortalError('EDIT_CONFLICT');
    const isOver = text.subject === '' && text.introduction === '';
    if (isOver && !stored) return;
    await db()
      .deleteFrom('mail_texts')
      .where('company_id', '=', companyId)
      .where('kind', '=', kind)
      .where('lang', '=', lang)
      .execute();
    if (!isOver) await insert(actor, kind, lang, { ...text, version: version + 1 });
    await audit({
      companyId,
      actor: contactId,
      action: 'mail-text.change',
      target: companyId,
      details: { kind, language: lang },
    });
  });
}

async function insert(actor: Actor, kind: string, lang: Lang, text: StoredText): Promise<void> {
  const key = rowKey(actor.companyId, kind, lang);
  await db()
    .insertInto('mail_texts')
    .values({
      company_id: actor.companyId,
      kind,
      lang,
      subject: encryptFor('mail_texts.subject', key, text.subject),
      introduction: encryptFor('mail_texts.introduction', key, text.introduction),
      version: text.version,
      changed_at: now(),
      changed_by: actor.contactId,
    })
    .execute();
}

/** Writes what the firm says itself into an email to one of its clients. The bell keeps the words of the portal. */
export async function rewordMail({ mail, reword }: QueuedMail): Promise<void> {
  const { companyId, about, language } = mail;
  const lang = languageOf(language);
  if (companyId === undefined || about.contactId === undefined || !lang || !isOptional(about.kind)) return;
  const own = await ownText(companyId, about.kind, lang);
  if (!own) return;
  const reader = await actorOf(about.contactId);
  if (reader.staff) return;
  const { name: firm } = await firmOf(companyId);
  reword(wordsOf(own, { firm, name: reader.firstName, subject: mail.subject }));
}

/** What an email says instead of its own subject, and before its own text. */
export function wordsOf(
  own: OwnText,
  values: Parameters<typeof filled>[1],
): { subject: string; introduction: string[] } {
  return {
    subject: own.subject === '' ? values.subject : filled(own.subject, values),
    introduction: filled(own.introduction, values)
      .split(/\n+/)
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  };
}
