import { searchKeyOf } from '#features/clients/clients/client-search.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, fold, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { blindIndex } from '#platform/runtime/settings.server.ts';

interface StoredClient {
  name: string;
  code: string;
  kind: 'business' | 'individual';
  tags: readonly string[];
  /** The contact id of the responsible person. */
  responsible: string;
}

/** Stores clients by the hundreds, as `storeClient` does one, without MACs; returns their ids. */
export async function storeManyClients(
  companyId: string,
  clients: readonly StoredClient[],
): Promise<string[]> {
  const made = clients.map((client) => ({ ...client, clientId: newId('client') }));
  for (const some of inBatches(made))
    await inTransaction(async () => {
      const rows = some.map(({ clientId, name, code, kind, tags }) => ({
        client_id: clientId,
        company_id: companyId,
        name,
        name_key: fold(name),
        code,
        code_key: fold(code),
        kind,
        doing_business_as: null,
        nickname: null,
        nickname_key: '',
        created_at: 1,
        modified_at: 1,
        search_key: searchKeyOf({ name, doingBusinessAs: '', code, tags }),
      }));
      await db().insertInto('clients').values(rows).execute();
      const tagged = some.flatMap(({ clientId, tags }) =>
        tags.map((tag) => ({ client_id: clientId, company_id: companyId, tag_key: fold(tag), tag })),
      );
      if (tagged.length > 0) await db().insertInto('client_tags').values(tagged).execute();
      const assigned = some.map(({ clientId, responsible }) => ({
        client_id: clientId,
        contact_id: responsible,
        is_responsible: 1 as const,
        mac: '',
      }));
      await db().insertInto('staff_clients').values(assigned).execute();
    });
  return made.map(({ clientId }) => clientId);
}

interface StoredContact {
  clientId: string;
  fullName: string;
  email: string;
}

/** Stores contacts of one client each by the hundreds, without MACs. */
export async function storeManyContacts(
  companyId: string,
  contacts: readonly StoredContact[],
): Promise<void> {
  for (const some of inBatches(contacts)) {
    const made = await Promise.all(
      some.map(async (contact) => ({
        ...contact,
        contactId: newId('contact'),
        prismGuid: newId('user'),
        emailKey: await blindIndex(fold(contact.email)),
      })),
    );
    await inTransaction(async () => {
      const users = made.map(({ prismGuid, email, emailKey, fullName }) => ({
        prism_guid: prismGuid,
        email: encryptFor('users.email', prismGuid, email),
        email_key: emailKey,
        first_name: fullName,
        last_name: '',
        language: 'en-US',
        password_hash: null,
        mfa_required: 0 as const,
        created_at: 1,
      }));
      await db().insertInto('users').values(users).execute();
      const people = made.map(({ contactId, prismGuid, fullName }) => ({
        contact_id: contactId,
        company_id: companyId,
        prism_guid: prismGuid,
        full_name: fullName,
        name_key: fold(fullName),
        staff: 0 as const,
        created_at: 1,
      }));
      await db().insertInto('contacts').values(people).execute();
      const links = made.map(({ contactId, clientId }) => ({ contact_id: contactId, client_id: clientId }));
      await db().insertInto('client_contacts').values(links).execute();
    });
  }
}
