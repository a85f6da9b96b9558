import { languageOfFirm } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf, type Lang } from '#platform/text/languages.ts';
import { termsPublication, type Terms, type TermsAcceptance } from './sessions.ts';

async function newestVersion(companyId: string): Promise<number | undefined> {
  return (
    await db()
      .selectFrom('terms')
      .select('version')
      .where('company_id', '=', companyId)
      .orderBy('version', 'desc')
      .limit(1)
      .executeTakeFirst()
  )?.version;
}

/**
 * Finds the newest terms of the actor's firm in the reader's language, else the firm's, else en-us; undefined
 * if the firm has none.
 */
export async function termsFor(actor: Actor, lang: Lang): Promise<Terms | undefined> {
  const newest = await newestVersion(actor.companyId);
  if (newest === undefined) return undefined;
  const rows = await db()
    .selectFrom('terms')
    .selectAll()
    .where('company_id', '=', actor.companyId)
    .where('version', '=', newest)
    .orderBy('language')
    .execute();
  const row =
    [lang, await languageOfFirm(actor.companyId), DEFAULT_LANG]
      .map((language) => rows.find((one) => one.language === language))
      .find(Boolean) ?? rows[0];
  return (
    row && {
      version: row.version,
      language: languageOf(row.language) ?? DEFAULT_LANG,
      text: row.body,
      sha256: row.sha256,
      publishedAt: new Date(row.published_at).toISOString(),
    }
  );
}

/**
 * Accepts the newest terms: the digest of the text is stored with the contact and the time, and audited.
 * NOT_FOUND if these are not, or no longer, the terms to accept; accepting twice has no further effect.
 */
export async function acceptTerms(
  actor: Actor,
  { version, language, sha256: digest }: TermsAcceptance,
): Promise<void> {
  if (actor.viewedBy !== undefined) throw new PortalError('EMULATION_READ_ONLY');
  await inTransaction(async () => {
    const read = await db()
      .selectFrom('terms')
      .select('version')
      .where('company_id', '=', actor.companyId)
      .where('version', '=', version)
      .where('language', '=', language)
      .where('sha256', '=', digest)
      .executeTakeFirst();
    if (!read || (await newestVersion(actor.companyId)) !== version) throw notFound();
    const written = await db()
      .insertInto('terms_acceptances')
      .values({
        company_id: actor.companyId,
        contact_id: actor.contactId,
        version,
        language,
        sha256: digest,
        accepted_at: now(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('version')
      .executeTakeFirst();
    if (written)
      await audit({
        companyId: actor.companyId,
        actor: actor.contactId,
        action: 'terms.accept',
        target: nameOf(version),
        details: { language, sha256: digest },
      });
  });
}

const nameOf = (version: number): string => `terms_${version}`;

/**
 * Publishes the firm's next terms, which every contact must then accept; returns the version. Requires
 * ManageFirm, and a text in the firm's language: else INVALID names that language.
 */
export async function publishTerms(
  actor: Actor,
  texts: Readonly<Partial<Record<Lang, string>>>,
): Promise<number> {
  if (!mayPublish(actor)) throw new PortalError('FORBIDDEN');
  const given = termsPublication.safeParse(texts);
  const needed = await languageOfFirm(actor.companyId);
  if (!given.success || !given.data.some(([language]) => language === needed))
    throw new PortalError('INVALID', { language: needed });
  return inTransaction(async () => {
    const version = ((await newestVersion(actor.companyId)) ?? 0) + 1;
    const rows = given.data
      .map(([language, text]) => ({
        company_id: actor.companyId,
        version,
        language,
        body: text.replaceAll('\r\n', '\n'),
        published_at: now(),
      }))
      .map((row) => ({ ...row, sha256: sha256(row.body) }));
    await db().insertInto('terms').values(rows).execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'terms.publish',
      target: nameOf(version),
      details: Object.fromEntries(rows.map((row) => [row.language, row.sha256])),
    });
    return version;
  });
}

const mayPublish = ({ staff, access, viewedBy }: Actor): boolean =>
  staff && viewedBy === undefined && access.permissions.has('ManageFirm');

/**
 * Lists every published version of the firm's terms, the newest first, with its texts by language. Requires
 * ManageFirm.
 */
export async function termsVersions(
  actor: Actor,
): Promise<
  { version: number; publishedAt: number; texts: { language: Lang; text: string }[]; accepted: number }[]
> {
  if (!mayPublish(actor)) throw new PortalError('FORBIDDEN');
  const rows = await db()
    .selectFrom('terms')
    .select(['version', 'language', 'body', 'published_at'])
    .where('company_id', '=', actor.companyId)
    .orderBy('version', 'desc')
    .orderBy('language')
    .execute();
  const counts = await db()
    .selectFrom('terms_acceptances')
    .select((e) => ['version', e.fn.countAll<number | string>().as('accepted')])
    .where('company_id', '=', actor.companyId)
    .groupBy('version')
    .execute();
  return [...Map.groupBy(rows, ({ version }) => version)].map(([version, own]) => ({
    version,
    publishedAt: own[0]?.published_at ?? 0,
    texts: own.map(({ language, body }) => ({ language: languageOf(language) ?? DEFAULT_LANG, text: body })),
    accepted: Number(counts.find((count) => count.version === version)?.accepted ?? 0),
  }));
}

interface Acceptance {
  fullName: string;
  version: number;
  language: string;
  acceptedAt: number;
  sha256: string;
}

/** Lists who accepted which terms of the firm, the latest first, at most `most`. Requires ManageFirm. */
export async function acceptancesOf(actor: Actor, most: number): Promise<Acceptance[]> {
  if (!mayPublish(actor)) throw new PortalError('FORBIDDEN');
  const rows = await db()
    .selectFrom('terms_acceptances')
    .innerJoin('contacts', 'contacts.contact_id', 'terms_acceptances.contact_id')
    .select([
      'contacts.full_name',
      'terms_acceptances.version',
      'terms_acceptances.language',
      'terms_acceptances.accepted_at',
      'terms_acceptances.sha256',
    ])
    .where('terms_acceptances.company_id', '=', actor.companyId)
    .orderBy('terms_acceptances.accepted_at', 'desc')
    .orderBy('contacts.contact_id')
    .limit(most)
    .execute();
  return rows.map((row) => ({
    fullName: row.full_name,
    version: row.version,
    language: row.language,
    acceptedAt: row.accepted_at,
    sha256: row.sha256,
  }));
}
