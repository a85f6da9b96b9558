import { audit } from '#platform/audit.server.ts';
import { db, inTransaction } from '#platform/database.server.ts';
import { notFound, PortalError } from '#platform/errors.server.ts';
import { LANGUAGE_CODE, languageOf, LANGUAGES } from '#platform/languages.ts';
import { log } from '#platform/log.server.ts';
import { decryptFrom } from '#platform/encryption.server.ts';
import type { Actor, ContactInfo, Profile, ProfileInput, Session } from './people.ts';

/**
 * Whether somebody may open and change their profile settings: not where the firm granted
 * ConfigureAccountInformation, which says that the firm keeps these data, and not while staff look as a
 * contact (spec 1 sections 2 and 6).
 */
export const maySetProfile = ({ actor, viewing }: Session): boolean =>
  !viewing && !actor.viewedBy && !actor.access.controls.has('ConfigureAccountInformation');

/** The profile of whoever calls. */
export async function profileOf(actor: Actor): Promise<Profile> {
  const row = await db()
    .selectFrom('users')
    .innerJoin('contacts', 'contacts.prism_guid', 'users.prism_guid')
    .innerJoin('firms', 'firms.company_id', 'contacts.company_id')
    .select([
      'users.prefix',
      'users.first_name',
      'users.middle_name',
      'users.last_name',
      'users.suffix',
      'users.language',
      'firms.name as company_name',
    ])
    .where('contacts.contact_id', '=', actor.contactId)
    .executeTakeFirst();
  if (!row) throw notFound();
  return {
    id: actor.prismGuid,
    prefix: row.prefix,
    firstName: row.first_name,
    middleName: row.middle_name,
    lastName: row.last_name,
    suffix: row.suffix,
    email: actor.emailAddress,
    language: row.language,
    account: { companyName: row.company_name, contactId: actor.contactId },
  };
}

/**
 * Saves the profile of whoever calls and answers it; their contact in this firm takes the new name. FORBIDDEN
 * where {@link maySetProfile} says no, INVALID for a language that we do not have.
 */
export async function saveProfile(session: Session, input: ProfileInput): Promise<Profile> {
  if (!maySetProfile(session)) throw new PortalError('FORBIDDEN');
  const { actor } = session;
  const language = codeFor(input.language);
  const names = {
    prefix: input.prefix,
    first_name: input.firstName,
    middle_name: input.middleName,
    last_name: input.lastName,
    suffix: input.suffix,
  };
  const fullName = [input.prefix, input.firstName, input.middleName, input.lastName, input.suffix]
    .filter((part) => part !== '')
    .join(' ');
  await inTransaction(async () => {
    await db()
      .updateTable('users')
      .set({ ...names, language })
      .where('prism_guid', '=', actor.prismGuid)
      .execute();
    await db()
      .updateTable('contacts')
      .set({ full_name: fullName })
      .where('contact_id', '=', actor.contactId)
      .execute();
    await audit({
      companyId: actor.companyId,
      actor: actor.contactId,
      action: 'profile.change',
      target: actor.prismGuid,
    });
  });
  return profileOf(actor);
}

/** The spec's error key for a language that is to be changed for nobody, or for somebody else. */
const UNKNOWN_USER = 'bm.account.service.unableToLoadUser';

/**
 * Changes the language of whoever calls, and answers it; nothing is written when it is their language
 * already. NOT_FOUND with the spec's key unless `prismGuid` is their own; INVALID, and a line in the log, for
 * a code that is malformed or that we do not have (spec 1 section 5).
 */
export async function changeLanguage(actor: Actor, prismGuid: string, code: string): Promise<string> {
  if (prismGuid !== actor.prismGuid) throw new PortalError('NOT_FOUND', { key: UNKNOWN_USER });
  const language = codeFor(code);
  await inTransaction(async () => {
    const { numUpdatedRows } = await db()
      .updateTable('users')
      .set({ language })
      .where('prism_guid', '=', prismGuid)
      .where('language', '!=', language)
      .executeTakeFirst();
    if (numUpdatedRows > 0n)
      await audit({
        companyId: actor.companyId,
        actor: actor.contactId,
        action: 'language.change',
        target: prismGuid,
        details: { language },
      });
  });
  return language;
}

/** The tag that we keep for a language code. */
function codeFor(code: string): string {
  const lang = LANGUAGE_CODE.test(code) ? languageOf(code) : undefined;
  if (lang) return LANGUAGES[lang];
  log.warn({ event: LANGUAGE_CODE.test(code) ? 'language.unknown' : 'language.malformed' });
  throw new PortalError('INVALID', { field: 'language' });
}

/** A contact of the own firm: contacts see themselves, staff see all. NOT_FOUND for everybody else's. */
export async function contactOf(
  actor: Actor,
  { companyId, contactId }: { companyId: string; contactId: string },
): Promise<ContactInfo> {
  const row = await db()
    .selectFrom('contacts')
    .innerJoin('users', 'users.prism_guid', 'contacts.prism_guid')
    .select([
      'contacts.company_id',
      'contacts.contact_id',
      'contacts.full_name',
      'users.prism_guid',
      'users.first_name',
      'users.middle_name',
      'users.last_name',
      'users.email',
    ])
    .where('contacts.company_id', '=', actor.companyId)
    .where('contacts.contact_id', '=', contactId)
    .$if(!actor.staff, (query) => query.where('contacts.contact_id', '=', actor.contactId))
    .executeTakeFirst();
  if (!row || companyId !== actor.companyId) throw notFound();
  return {
    CompanyId: row.company_id,
    ContactId: row.contact_id,
    fullName: row.full_name,
    givenName: row.first_name,
    additionalName: row.middle_name,
    familyName: row.last_name,
    emailAddresses: [
      { emailAddress: decryptFrom('users.email', row.prism_guid, row.email), isPrimary: true },
    ],
  };
}
