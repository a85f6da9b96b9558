import type { Session } from '#features/base/people/people.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { readCookie, setCookie } from '#platform/http/cookies.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { SIZES, USUAL, type Reading } from './reading.ts';

/*
 * The settings belong to the person. A cookie repeats them, with the person whom they are of: so a page asks the database
 * only when somebody else has signed in, and pages that need no sign-in show the larger text, too.
 */

const YEAR = 31_536_000;

const ownerOf = (contactId: string): string => sha256(`reading:${contactId}`).slice(0, 16);

/** The cookie of somebody's settings. */
export const readingCookie = (contactId: string, { size, hasPlainWords, isReadAloud }: Reading): string =>
  setCookie(
    'reading',
    [ownerOf(contactId), size, hasPlainWords ? 'plain' : '', isReadAloud ? 'aloud' : ''].join('.'),
    YEAR,
  );

/** Loads how somebody reads. */
export async function loadReading(contactId: string): Promise<Reading> {
  const row = await db()
    .selectFrom('reading_settings')
    .select(['size', 'has_plain_words', 'is_read_aloud'])
    .where('contact_id', '=', contactId)
    .executeTakeFirst();
  return row
    ? {
        size: row.size,
        hasPlainWords: row.has_plain_words === 1,
        isReadAloud: row.is_read_aloud === 1,
      }
    : USUAL;
}

/**
 * Returns how the person of a request reads, and a cookie to set if they are not the one whose settings the browser has.
 * Visitors read as whoever signed in last in this browser; staff who view as a contact read as they do themselves.
 */
export async function readingFor(
  session: Session | undefined,
  cookies: string | null,
): Promise<{ reading: Reading; cookie?: string }> {
  const stored = parse(readCookie(cookies, 'reading'));
  if (!session || session.viewing) return { reading: stored?.reading ?? USUAL };
  const { contactId } = session.actor;
  if (stored?.owner === ownerOf(contactId)) return { reading: stored.reading };
  const reading = await loadReading(contactId);
  return { reading, cookie: readingCookie(contactId, reading) };
}

function parse(cookie: string | undefined): { owner: string; reading: Reading } | undefined {
  const [owner = '', named, plain, aloud] = cookie?.split('.') ?? [];
  const size = SIZES.find((known) => known === named);
  return (
    size && { owner, reading: { size, hasPlainWords: plain === 'plain', isReadAloud: aloud === 'aloud' } }
  );
}

/** Saves how the caller reads. EMULATION_READ_ONLY while viewing as a contact. */
export async function saveReading({ actor, viewing }: Session, reading: Reading): Promise<void> {
  if (viewing || actor.viewedBy !== undefined) throw new PortalError('EMULATION_READ_ONLY');
  const settings = {
    size: reading.size,
    has_plain_words: reading.hasPlainWords ? 1 : 0,
    is_read_aloud: reading.isReadAloud ? 1 : 0,
    changed_at: now(),
  } as const;
  await inTransaction(() =>
    db()
      .insertInto('reading_settings')
      .values({ contact_id: actor.contactId, ...settings })
      .onConflict((conflict) => conflict.column('contact_id').doUpdateSet(settings))
      .execute(),
  );
}

/** The texts of the button that reads a page aloud; undefined for those who do not want it. */
export function readAloudLabels({
  lang,
  reading,
}: Pick<App.Locals, 'lang' | 'reading'>): { label: string; stopLabel: string } | undefined {
  if (!reading?.isReadAloud) return undefined;
  const t = translationsFor(lang, 'reading');
  return { label: t('read'), stopLabel: t('stop') };
}
