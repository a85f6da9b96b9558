import { audit } from '#platform/security/audit.server.ts';
import { db, fold, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { LANGUAGE_CODE, languageOf, LANGUAGES } from '#platform/text/languages.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { isOwnContact } from './people.server.ts';
import type { Actor, Session } from './people.ts';
import type { ContactInfo, Profile, ProfileInput } from './profile.ts';

/**
 * Tells whether somebody may open and change their profile settings: not if the firm granted
 * ConfigureAccountInformation, which means that the firm manages these data, and not while staff view as a
 * contact (spec 1 sections 2 and 6).
 */
export const maySetProfile = ({ actor, viewing }: Session): boolean =>
  !viewing && !actor.viewedBy && !actor.access.controls.has('ConfigureAccountInformation');

/** Returns the profile of the caller. */
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
 * Saves the profile of the caller and returns it; their contact in this firm gets the new name. FORBIDDEN if
 * {@link maySetProfile} is false, INVALID for an unsupported language.
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
      .set({ full_name: fullName, name_key: fold(fullName) })
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

/** The spec's error key for setting the language of nobody or of somebody else. */
const UNKNOWN_USER = 'bm.account.service.unableToLoadUser';

/**
 * Changes the language of the caller, and returns it; nothing is written if it is unchanged. NOT_FOUND with
 * the spec's key unless `prismGuid` is their own; INVALID, and a log line, for a malformed or unsupported
 * code (spec 1 section 5).
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

/** The stored tag of a language code. */
function codeFor(code: string): string {
  const lang = LANGUAGE_CODE.test(code) ? languageOf(code) : undefined;
  if (lang) return LANGUAGES[lang];
  log.warn({ event: LANGUAGE_CODE.test(code) ? 'language.unknown' : 'language.malformed' });
  throw new PortalError('INVALID', { field: 'language' });
}

/** Finds a contact of the own firm: contacts see themselves, staff see all. NOT_FOUND for all others. */
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
    .where(isOwnContact(actor))
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
