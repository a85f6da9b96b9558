import { createFirm, firmOf, languageOfFirm, lockFirm } from '#features/base/firms/firms.server.ts';
import { actorOf, createContact, createUser } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import { endPractice, exchangeSession } from '#features/identity/sessions/sessions.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { audit } from '#platform/security/audit.server.ts';
import { consume } from '#platform/security/limits.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { copyAccess, fillPracticeFirm, practiceAddress } from './filling.server.ts';
import { removeLater } from './removal.server.ts';

/*
 * The practice firm of a firm: a firm of its own, so that the scope of every query keeps the two apart. Its people are users of
 * their own, too, who have no password: they are entered from a session of the real firm, and left for it
 * (docs/decisions/0148).
 */

/** Filling one takes about a second. */
const MAX_A_DAY = 10;

/** Staff in their own firm: neither viewing as a contact, nor a program, nor there already. */
function assertOwnStaff({ actor, viewing, byToken, practicedBy }: Session): void {
  if (!actor.staff || viewing || byToken !== undefined || practicedBy !== undefined)
    throw new PortalError('FORBIDDEN');
}

/** When the practice firm of the caller's firm was made (epoch ms); undefined if there is none. */
export async function practiceSince({ companyId }: Actor): Promise<number | undefined> {
  const row = await db()
    .selectFrom('practice_firms')
    .select('made_at')
    .where('practice_of', '=', companyId)
    .executeTakeFirst();
  return row?.made_at;
}

/**
 * Enters the practice firm of the caller's firm, which the first one makes; returns the cookie value. FORBIDDEN for anybody but
 * staff in their own firm, TOO_MANY.
 */
export async function enterPractice(session: Session): Promise<string> {
  assertOwnStaff(session);
  const { actor } = session;
  const companyId = (await currentOf(actor.companyId)) ?? (await makeFirst(actor));
  return inTransaction(async () => {
    const person = await personIn(companyId, actor);
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'practice.enter',
      target: companyId,
    });
    return exchanged(await exchangeSession(session.id, person, { practicedBy: actor.contactId }));
  });
}

/** Returns to the own account; returns the cookie value. NOT_FOUND outside of a practice firm. */
export async function leavePractice(session: Session): Promise<string> {
  const own = await ownAccount(session);
  return exchanged(await exchangeSession(session.id, own, { practicedBy: null }));
}

/** The people of clients of the practice firm, as whom one can try the portal; NOT_FOUND outside of one. */
export async function practiceClients(session: Session): Promise<{ contactId: string; name: string }[]> {
  await ownAccount(session);
  const rows = await db()
    .selectFrom('contacts')
    .select(['contact_id', 'full_name'])
    .where('company_id', '=', session.actor.companyId)
    .where('staff', '=', 0)
    .where('removed_at', 'is', null)
    .where('suspended_at', 'is', null)
    .orderBy('created_at')
    .orderBy('contact_id')
    .limit(20)
    .execute();
  return rows.map(({ contact_id: contactId, full_name: name }) => ({ contactId, name }));
}

/**
 * Goes on as somebody of a client of the practice firm, with all that they may do; returns the cookie value. NOT_FOUND for
 * anybody else.
 */
export async function practiceAsClient(session: Session, contactId: string): Promise<string> {
  const clients = await practiceClients(session);
  if (!clients.some((client) => client.contactId === contactId)) throw notFound();
  return inTransaction(async () => {
    await audit({
      companyId: session.actor.companyId,
      actor: session.actor.contactId,
      action: 'practice.act',
      target: contactId,
    });
    return exchanged(await exchangeSession(session.id, await actorOf(contactId)));
  });
}

/** Goes on as oneself on the side of the firm; returns the cookie value. NOT_FOUND outside of a practice firm. */
export async function practiceAsStaff(session: Session): Promise<string> {
  const own = await ownAccount(session);
  return inTransaction(async () =>
    exchanged(await exchangeSession(session.id, await personIn(session.actor.companyId, own))),
  );
}

/**
 * Starts over for everybody in the firm, from within the practice firm or the real one: what they have done in it is out of
 * reach, and soon removed. Returns the cookie value of whoever is in it. NOT_FOUND without a practice firm, TOO_MANY.
 */
export async function resetPractice(session: Session): Promise<string | undefined> {
  const isInside = session.practicedBy !== undefined;
  if (!isInside) assertOwnStaff(session);
  const own = isInside ? await ownAccount(session) : session.actor;
  const before = await currentOf(own.companyId);
  if (before === undefined) throw notFound();
  await consume(`practice:${own.companyId}`, MAX_A_DAY, DAY);
  return inTransaction(async () => {
    const companyId = await makeFirm(own);
    const { numUpdatedRows } = await db()
      .updateTable('practice_firms')
      .set({ company_id: companyId, made_by: own.contactId, made_at: now() })
      .where('practice_of', '=', own.companyId)
      .where('company_id', '=', before)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new PortalError('EDIT_CONFLICT'); // a colleague started over at the same time
    await audit({
      companyId: own.companyId,
      actor: own.contactId,
      action: 'practice.reset',
      target: companyId,
    });
    const token = isInside ? await exchangeSession(session.id, await personIn(companyId, own)) : undefined;
    await endPractice(before);
    await lockFirm(before, true, own.contactId);
    await removeLater(before);
    return token;
  });
}

/** The account to which the caller returns; NOT_FOUND outside of a practice firm, and while viewing as a contact. */
async function ownAccount({ practicedBy, viewing }: Session): Promise<Actor> {
  if (practicedBy === undefined || viewing) throw notFound();
  return actorOf(practicedBy);
}

/** The session may have ended meanwhile. */
function exchanged(token: string | undefined): string {
  if (token === undefined) throw new PortalError('UNAUTHENTICATED');
  return token;
}

async function currentOf(firmId: string): Promise<string | undefined> {
  const row = await db()
    .selectFrom('practice_firms')
    .select('company_id')
    .where('practice_of', '=', firmId)
    .executeTakeFirst();
  return row?.company_id;
}

async function makeFirst(actor: Actor): Promise<string> {
  await consume(`practice:${actor.companyId}`, MAX_A_DAY, DAY);
  const made = await inTransaction(async () => {
    const companyId = await makeFirm(actor);
    const mine = await db()
      .insertInto('practice_firms')
      .values({
        practice_of: actor.companyId,
        company_id: companyId,
        made_by: actor.contactId,
        made_at: now(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('company_id')
      .executeTakeFirst();
    if (!mine) throw new OtherWasFirst();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'practice.create',
      target: companyId,
    });
    return companyId;
  }).catch((error: unknown) => {
    if (error instanceof OtherWasFirst) return undefined;
    throw error;
  });
  const companyId = made ?? (await currentOf(actor.companyId));
  if (companyId === undefined) throw notFound();
  return companyId;
}

/** Undoes what was made for a second practice firm. */
class OtherWasFirst extends Error {}

/** Makes a firm with made-up clients, with the language, time zone and settings of access of the real one. */
async function makeFirm(actor: Actor): Promise<string> {
  const firm = await firmOf(actor.companyId);
  const language = await languageOfFirm(actor.companyId);
  const t = translationsFor(language, 'practice');
  const companyId = await createFirm({
    name: t('firmName', { firm: firm.name }),
    headerLine: t('headerLine'),
    phone: '',
    email: 'office@practice.invalid',
    language,
    timeZone: firm.timeZone,
    secondStep: 'nobody',
    practiceOf: actor.companyId,
    colors: {
      headerFillColor: firm.theme.headerFillColor,
      headerTextColor: firm.theme.headerTextColor,
      buttonFillColor: firm.theme.buttonFillColor,
      buttonTextColor: firm.theme.buttonTextColor,
    },
  });
  await fillPracticeFirm(await personIn(companyId, actor), language);
  await copyAccess(actor.companyId, companyId); // afterwards, as it may turn off what the story does
  return companyId;
}

/** Who somebody of a firm is in its practice firm: an owner, so that they can try everything. */
async function personIn(companyId: string, member: Actor): Promise<Actor> {
  const known = await db()
    .selectFrom('practice_people')
    .select('contact_id')
    .where('member_id', '=', member.contactId)
    .where('company_id', '=', companyId)
    .executeTakeFirst();
  if (known) return actorOf(known.contact_id);
  const { firstName, lastName, fullName, language } = member;
  const email = practiceAddress(fullName);
  const prismGuid = await createUser({ email, firstName, lastName, language, passwordHash: null });
  const contactId = await createContact({ companyId, prismGuid, fullName, role: 'owner' });
  await db()
    .insertInto('practice_people')
    .values({ member_id: member.contactId, company_id: companyId, contact_id: contactId })
    .execute();
  return actorOf(contactId);
}
