import { sql } from 'kysely';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { DEFAULT_LANG, languageOf } from '#platform/text/languages.ts';
import { consume, consumeForNetwork } from '#platform/security/limits.server.ts';
import { recordLinkOpened } from '#platform/mail/mail-log.server.ts';
import { queueMail } from '#platform/mail/mail.server.ts';
import { tellSender } from './acting.server.ts';
import { addEvidence, type Origin } from './evidence.server.ts';
import { sameText } from './identity.server.ts';
import type { SigningRow } from './internal/rows.server.ts';
import { accessCodeMail } from './mails.server.ts';
import { isOpenIn, reasonOver, seatOfSigner, type Seat } from './party.server.ts';

const CODE = { pauseAfter: 5, pause: 15 * MINUTE, most: 10 };
const VISIT = 12 * HOUR;
/** How many times an hour an access code is mailed. */
const MAILED_CODES = 5;

interface Sender {
  name: string;
  firmName: string;
  companyId: string;
}

/** What the page of a link shows: `closed` asks for the access code. */
export type LinkView =
  | { kind: 'unknown' }
  | { kind: 'over'; sender: Sender }
  /** `mailsCode`: the access code can be mailed, apart from the link. */
  | { kind: 'closed'; sender: Sender; name: string; mailsCode: boolean }
  | { kind: 'open'; sender: Sender; seat: Seat };

/** Finds what a link shows in a browser with these visits. Viewing changes nothing. */
export async function viewLink(token: string, visit: string): Promise<LinkView> {
  const link = await linkOf(token);
  if (!link) return { kind: 'unknown' };
  const seat = await seatOfSigner(link.signing_id, link.signer_id);
  const { signing, signer } = seat;
  const [person, firm] = [await actorOf(signing.sender), await firmOf(signing.company_id)];
  const sender = { name: person.fullName, firmName: firm.name, companyId: firm.companyId };
  if (firm.locked || !isUsable(link) || (await hasEnded(seat))) return { kind: 'over', sender };
  if (await isOpenIn(signer.signerId, visit)) return { kind: 'open', sender, seat };
  return { kind: 'closed', sender, name: signer.name, mailsCode: mailsCodes(signing) };
}

/** Firms that check signers by mailed codes trust their mailboxes with the access code as well. */
const mailsCodes = ({ identity }: SigningRow): boolean => identity === 'mail-code';

const linkOf = (token: string) =>
  db()
    .selectFrom('sign_links')
    .innerJoin('signers', 'signers.signer_id', 'sign_links.signer_id')
    .select(['sign_links.signer_id', 'sign_links.expires_at', 'sign_links.revoked_at', 'signers.signing_id'])
    .where('token_hash', '=', sha256(token))
    .executeTakeFirst();

const isUsable = (link: { expires_at: number; revoked_at: number | null }): boolean =>
  link.revoked_at === null && link.expires_at > now();

/** Whoever has signed can still fetch the copy. */
async function hasEnded({ signing, signer }: Seat): Promise<boolean> {
  if (signer.state === 'signed') return !['sent', 'signed', 'failed', 'sealed'].includes(signing.state);
  return signer.state !== 'waiting' || (await reasonOver(signing)) === 'CLOSED';
}

/**
 * Opens a link with its access code, and returns the value of the visit cookie. CODE_WRONG with `triesLeft`; TOO_MANY
 * during the pause after five wrong codes, and permanently after ten; GONE if it has ended.
 */
export async function openLink(token: string, code: string, origin: Origin): Promise<string> {
  const seat = await seatOfLink(token, origin);
  const { signingId, signerId } = seat.signer;
  await checkCode(seat, code);
  const visit = newToken();
  await inTransaction(async () => {
    await db()
      .insertInto('sign_visits')
      .values({ visit_hash: sha256(visit), signer_id: signerId, expires_at: now() + VISIT })
      .execute();
    await db()
      .updateTable('signers')
      .set({ code_tries: 0, code_paused_until: null })
      .where('signer_id', '=', signerId)
      .execute();
    await recordLinkOpened(signerId);
    await addEvidence(signingId, 'code-entered', {
      signerId,
      data: { via: 'link', to: seat.signer.email, ...origin },
    });
  });
  return visit;
}

/**
 * Mails the access code of a link to its signer, in a message without the link. NOT_POSSIBLE where the firm tells the
 * codes itself; TOO_MANY after five in an hour; GONE if the link has ended.
 */
export async function mailAccessCode(token: string, origin: Origin): Promise<void> {
  const seat = await seatOfLink(token, origin);
  const { signing, signer } = seat;
  if (!mailsCodes(signing) || signer.accessCode === '') throw new PortalError('NOT_POSSIBLE');
  await consume(`sign-access-code:${signer.signerId}`, MAILED_CODES, HOUR);
  await inTransaction(async () => {
    await addEvidence(signing.signing_id, 'access-code-mailed', {
      signerId: signer.signerId,
      data: { to: signer.email, ...origin },
    });
    await queueMail(
      accessCodeMail({
        signing,
        signer,
        firm: await firmOf(signing.company_id),
        lang: languageOf(signer.language) ?? DEFAULT_LANG,
        code: signer.accessCode,
      }),
      `sign-access-code-${signer.signerId}-${now()}`,
    );
  });
}

/** The request of a link that has not ended, for somebody who acts on its page. NOT_FOUND, GONE, TOO_MANY. */
async function seatOfLink(token: string, { address }: Origin): Promise<Seat> {
  await consumeForNetwork('sign', address, 30, MINUTE);
  const view = await viewLink(token, '');
  if (view.kind === 'over') throw new PortalError('GONE');
  const link = await linkOf(token);
  if (!link) throw notFound();
  return seatOfSigner(link.signing_id, link.signer_id);
}

async function checkCode(seat: Seat, typed: string): Promise<void> {
  const { signing, signer } = seat;
  const tries = await takeTry(signer.signerId);
  if (tries === undefined) {
    const { code_tries: used, code_paused_until: until } = await db()
      .selectFrom('signers')
      .select(['code_tries', 'code_paused_until'])
      .where('signer_id', '=', signer.signerId)
      .executeTakeFirstOrThrow();
    throw new PortalError('TOO_MANY', {
      asleep: used >= CODE.most,
      minutes: Math.max(1, Math.ceil(((until ?? 0) - now()) / MINUTE)),
    });
  }
  if (signer.accessCode !== '' && sameText(signer.accessCode, typed.replaceAll(/\s/gu, ''))) return;
  await audit({
    companyId: signing.company_id,
    actor: signer.signerId,
    action: 'signing.refuse',
    target: signing.task_id ?? signing.signing_id,
    clientId: signing.client_id,
  });
  if (tries >= CODE.most) await inTransaction(() => tellSender('asleep', seat));
  throw new PortalError('CODE_WRONG', { triesLeft: CODE.pauseAfter - 1 - ((tries - 1) % CODE.pauseAfter) });
}

/**
 * Counts a try at the code, before the code is checked, so that concurrent tries are all counted. Returns the number
 * of the try, from one; undefined during a pause and after the last try.
 */
async function takeTry(signerId: string): Promise<number | undefined> {
  const instant = now();
  const taken = await db()
    .updateTable('signers')
    .set((e) => ({
      code_tries: e('code_tries', '+', 1),
      code_paused_until: sql<
        number | null
      >`case when (code_tries + 1) % ${CODE.pauseAfter} = 0 then ${instant + CODE.pause} else code_paused_until end`,
    }))
    .where('signer_id', '=', signerId)
    .where('code_tries', '<', CODE.most)
    .where((e) => e.or([e('code_paused_until', 'is', null), e('code_paused_until', '<=', instant)]))
    .returning('code_tries')
    .executeTakeFirst();
  return taken?.code_tries;
}

/** Removes visits that have expired. */
export async function sweepVisits(): Promise<void> {
  await db().deleteFrom('sign_visits').where('expires_at', '<', now()).execute();
}
