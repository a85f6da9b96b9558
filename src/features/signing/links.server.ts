import { sql } from 'kysely';
import { firmOf } from '#features/firms/firms.server.ts';
import { actorOf } from '#features/people/people.server.ts';
import { audit } from '#platform/audit.server.ts';
import { HOUR, MINUTE, now } from '#platform/clock.server.ts';
import { newToken, sha256 } from '#platform/crypto.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';
import { consumeForNetwork } from '#platform/limits.server.ts';
import { recordLinkOpened } from '#platform/mail-log.server.ts';
import { tellSender } from './acting.server.ts';
import { addEvidence, type Origin } from './evidence.server.ts';
import { sameText } from './identity.server.ts';
import { isOpenIn, reasonOver, seatOfSigner, type Seat } from './party.server.ts';

const CODE = { pauseAfter: 5, pause: 15 * MINUTE, most: 10 };
const VISIT = 12 * HOUR;

interface Sender {
  name: string;
  firmName: string;
  companyId: string;
}

/** What the page of a link shows: `closed` asks for the access code. */
export type LinkView =
  | { kind: 'unknown' }
  | { kind: 'over'; sender: Sender }
  | { kind: 'closed'; sender: Sender; name: string }
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
  return { kind: 'closed', sender, name: signer.name };
}

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
  await consumeForNetwork('sign', origin.address, 30, MINUTE);
  const view = await viewLink(token, '');
  if (view.kind === 'unknown') throw notFound();
  if (view.kind === 'over') throw new PortalError('GONE');
  const link = await linkOf(token);
  if (!link) throw notFound();
  const seat = await seatOfSigner(link.signing_id, link.signer_id);
  await checkCode(seat, code);
  const visit = newToken();
  await inTransaction(async () => {
    await db()
      .insertInto('sign_visits')
      .values({ visit_hash: sha256(visit), signer_id: link.signer_id, expires_at: now() + VISIT })
      .execute();
    await db()
      .updateTable('signers')
      .set({ code_tries: 0, code_paused_until: null })
      .where('signer_id', '=', link.signer_id)
      .execute();
    await recordLinkOpened(link.signer_id);
    await addEvidence(link.signing_id, 'code-entered', {
      signerId: link.signer_id,
      data: { via: 'link', to: seat.signer.email, ...origin },
    });
  });
  return visit;
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
