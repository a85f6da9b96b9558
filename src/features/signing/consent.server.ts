import { now } from '#platform/clock.server.ts';
import { sha256 } from '#platform/crypto.server.ts';
import { db } from '#platform/database.server.ts';
import type { Lang } from '#platform/languages.ts';
import { translationsFor } from '#platform/translations.server.ts';
import type { Signer } from './internal/rows.server.ts';

/** The text in which people agree to sign electronically. Its version is its digest. */
export interface ConsentText {
  paragraphs: string[];
  sha256: string;
}

export function consentText(lang: Lang, firm: string): ConsentText {
  const t = translationsFor(lang, 'signing');
  const paragraphs = (
    ['consentScope', 'consentPaper', 'consentWithdraw', 'consentContact', 'consentNeeds'] as const
  ).map((key) => t(key, { firm }));
  return { paragraphs, sha256: sha256(paragraphs.join('\n\n')) };
}

/**
 * Whether a signer has agreed to this version of the text: in this request, or with their account in another one of
 * the firm.
 */
export async function hasAgreed(companyId: string, signer: Signer, version: string): Promise<boolean> {
  if (signer.consentSha256 === version) return true;
  if (signer.contactId === null) return false;
  const row = await db()
    .selectFrom('signers')
    .innerJoin('sign_documents', 'sign_documents.signing_id', 'signers.signing_id')
    .select('signers.signer_id')
    .where('sign_documents.company_id', '=', companyId)
    .where('signers.contact_id', '=', signer.contactId)
    .where('signers.consent_sha256', '=', version)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Keeps the text that somebody agreed to: it may change later. */
export async function keepConsentText(
  companyId: string,
  lang: Lang,
  { paragraphs, sha256: version }: ConsentText,
): Promise<void> {
  await db()
    .insertInto('sign_consents')
    .values({
      company_id: companyId,
      sha256: version,
      language: lang,
      text: paragraphs.join('\n\n'),
      used_at: now(),
    })
    .onConflict((conflict) => conflict.columns(['company_id', 'sha256']).doNothing())
    .execute();
}
