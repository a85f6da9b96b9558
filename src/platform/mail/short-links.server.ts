import { randomBytes } from 'node:crypto';
import { DAY, now } from '../runtime/clock.server.ts';
import { config } from '../runtime/config.server.ts';
import { db, inBatches } from '../database/database.server.ts';

/*
 * Mails name pages of the portal by a code, since the ids of firm, client, task and mail would take four lines. A code
 * is no secret: it leads to a page that asks who the reader is. It can't be guessed either, so that nobody learns ids.
 * Links that work without signing in stay as they are, since their tokens are stored nowhere.
 */

/** A link of a mail, to be stored when the mail is queued. */
export interface ShortLink {
  code: string;
  /** The address without the origin. */
  page: string;
}

/** The prefix of short links, which the front door serves. */
export const SHORT_LINKS = '/m/';

/** Small letters and digits without those that look like others (Crockford's Base32): 70 bits in 14 letters. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 14;
const CODE = /^[0-9a-z]{14}$/;

/** Makes a short link to a page of the portal; undefined for other addresses. */
export function shortLinkTo(address: string): ShortLink | undefined {
  const url = URL.parse(address);
  if (url?.origin !== config.origin) return undefined;
  const code = Array.from(randomBytes(LENGTH), (byte) => LETTERS.charAt(byte % LETTERS.length)).join('');
  return { code, page: url.pathname + url.search + url.hash };
}

export const shortAddress = ({ code }: ShortLink): string => config.origin + SHORT_LINKS + code;

/** Stores the links of a mail, in the transaction that queues it. */
export async function storeShortLinks(mailId: string, links: readonly ShortLink[]): Promise<void> {
  for (const some of inBatches(links))
    await db()
      .insertInto('mail_links')
      .values(some.map(({ code, page }) => ({ code, mail_id: mailId, page, created_at: now() })))
      .execute();
}

/** The page that a short link leads to, without the origin; undefined if there is none. */
export async function pageOfShortLink(address: string): Promise<string | undefined> {
  const code = address.slice(SHORT_LINKS.length).split('?', 1)[0] ?? '';
  if (!CODE.test(code)) return undefined;
  const row = await db().selectFrom('mail_links').select('page').where('code', '=', code).executeTakeFirst();
  return row?.page;
}

/** Deletes the links of mails that are not sent. */
export async function deleteShortLinks(mailIds: readonly string[]): Promise<void> {
  await db().deleteFrom('mail_links').where('mail_id', 'in', mailIds).execute();
}

const RETENTION = 5 * 365 * DAY;

/** Deletes links after five years. */
export async function sweepShortLinks(): Promise<void> {
  await db()
    .deleteFrom('mail_links')
    .where('created_at', '<', now() - RETENTION)
    .execute();
}
