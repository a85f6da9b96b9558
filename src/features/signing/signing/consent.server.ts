import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import type { Signer } from './internal/rows.server.ts';

/** The text in which people agree to sign electronically, which its digest names. */
export interface ConsentText {
  paragraphs: string[];
  sha256: string;
  /** 0 until the firm changes its text in this language. */
  version: number;
  language: Lang;
}

const textOf = (paragraphs: string[], language: Lang, version: number): ConsentText => ({
  paragraphs,
  sha256: sha256(paragraphs.join('\n\n')),
  version,
  language,
});

/** The text of the portal, until a firm has its own. */
export function defaultConsent(lang: Lang, firm: string, version = 0): ConsentText {
  const t = translationsFor(lang, 'signing');
  const paragraphs = (
    ['consentScope', 'consentPaper', 'consentWithdraw', 'consentContact', 'consentNeeds'] as const
  ).map((key) => t(key, { firm }));
  return textOf(paragraphs, lang, version);
}

/** The text that a firm shows now. */
export async function consentText(companyId: string, lang: Lang): Promise<ConsentText> {
  const own = await newestText(companyId, lang);
  if (own && own.text !== '') return textOf(own.text.split(/\n{2,}/u), lang, own.version);
  return defaultConsent(lang, (await firmOf(companyId)).name, own?.version);
}

const newestText = (companyId: string, lang: Lang) =>
  db()
    .selectFrom('sign_consent_texts')
    .select(['text', 'version'])
    .where('company_id', '=', companyId)
    .where('language', '=', lang)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Throws FORBIDDEN unless the actor may change the text of the firm. */
function assertMayManage(actor: Actor): void {
  const mayManage = actor.staff && actor.viewedBy === undefined && actor.access.permissions.has('ManageFirm');
  if (!mayManage) throw new PortalError('FORBIDDEN');
}

/**
 * Changes the text of the firm in a language, which asks everybody again who signs in it; an empty one means the text
 * of the portal. Does nothing for the text that it is. FORBIDDEN.
 */
export async function changeConsentText(actor: Actor, lang: Lang, text: string): Promise<void> {
  assertMayManage(actor);
  await inTransaction(async () => {
    const current = await actorNow(actor);
    assertMayManage(current);
    const { companyId, contactId } = current;
    const newest = await newestText(companyId, lang);
    const changed = text.trim();
    if ((newest?.text ?? '') === changed) return;
    const version = (newest?.version ?? 0) + 1;
    await db()
      .insertInto('sign_consent_texts')
      .values({
        company_id: companyId,
        language: lang,
        version,
        text: changed,
        changed_by: contactId,
        changed_at: now(),
      })
      .execute();
    await audit({
      companyId,
      actor: contactId,
      action: 'signing.change-consent',
      target: lang,
      details: { version, sha256: (await consentText(companyId, lang)).sha256 },
    });
  });
}

/**
 * Whether a signer has agreed to the text with this digest: in this request, or with their account in another one of
 * the firm.
 */
export async function hasAgreed(companyId: string, signer: Signer, digest: string): Promise<boolean> {
  if (signer.consentSha256 === digest) return true;
  if (signer.contactId === null) return false;
  const row = await db()
    .selectFrom('signers')
    .innerJoin('sign_documents', 'sign_documents.signing_id', 'signers.signing_id')
    .select('signers.signer_id')
    .where('sign_documents.company_id', '=', companyId)
    .where('signers.contact_id', '=', signer.contactId)
    .where('signers.consent_sha256', '=', digest)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Keeps the text that somebody agreed to: it may change later. */
export async function keepConsentText(
  companyId: string,
  { paragraphs, sha256: digest, language }: ConsentText,
): Promise<void> {
  await db()
    .insertInto('sign_consents')
    .values({
      company_id: companyId,
      sha256: digest,
      language,
      text: paragraphs.join('\n\n'),
      used_at: now(),
    })
    .onConflict((conflict) => conflict.columns(['company_id', 'sha256']).doNothing())
    .execute();
}
