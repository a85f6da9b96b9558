import { sql } from 'kysely';
import { linkContact } from '#features/clients/clients/clients.server.ts';
import { createProject } from '#features/documents/folders/folders.server.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { createFirm } from '#features/base/firms/firms.server.ts';
import { actorOf, createContact, createUser } from '#features/base/people/people.server.ts';
import { closeDatabase, db, migrate } from '#platform/database/database.server.ts';
import { storeClient } from '../support/store-client.ts';

/*
 * A program of its own, for a database belongs to a process: fills the PostgreSQL of DATABASE_URL with one
 * client's documents and times searches. See parts/search.ts.
 */

export interface SearchOrder {
  documents: number;
  searches: readonly string[];
  times: number;
}

const { documents, searches, times } = JSON.parse(process.argv[2] ?? '{}') as SearchOrder;
await migrate();
const companyId = await createFirm({
  secondStep: 'nobody',
  name: 'Maple & Hart CPAs',
  phone: '+1 312 555 0142',
  email: 'office@maplehart.example',
  language: 'en-us',
  loginPageText: 'Tax, payroll and books since 1987.',
});
const prismGuid = await createUser({
  email: 'olivia@juniper.example',
  firstName: 'Olivia',
  lastName: 'Bennett',
  language: 'en-US',
  passwordHash: null,
});
const contact = await actorOf(await createContact({ companyId, prismGuid, fullName: 'Olivia Bennett' }));
const clientId = await storeClient(companyId, {
  name: 'Juniper Street Bakery',
  code: 'J',
  kind: 'business',
});
await linkContact(clientId, contact.contactId);
const { id: containerId } = await createProject(contact, {
  clientId,
  name: 'From you',
  productType: 'ClientContactFolder',
});
// the triggers count and note each row, which is not what is measured here
await sql`alter table documents disable trigger user`.execute(db());
await sql`
  insert into documents (document_id, company_id, client_id, container_id, name, name_key, mime_type, size, sha256, crc32,
    blob_key, created_by, uploaded_by_staff, created_at, modified_at)
  select 'doc_' || i, ${companyId}, ${clientId}, ${containerId}, name, lower(name), 'application/pdf', 1000, '', 0, 'blob ' || i,
    ${contact.contactId}, 1, i, i
  from (select i, case when i % 2 = 0 then 'Payroll' else 'Invoice' end || ' summary week ' || lpad(i::text, 7, '0')
      || ' supplier' || (i * 7919) % 1000 || '.pdf' as name from generate_series(1, ${documents}::bigint) i) as made`.execute(
  db(),
);
await sql`alter table documents enable trigger user`.execute(db());
await sql`analyze documents`.execute(db());

const took: Record<string, number[]> = {};
for (const name of searches) {
  const query = documentQuery.parse({ name });
  await listDocuments(contact, clientId, query);
  const each: number[] = (took[name] = []);
  for (let i = 0; i < times; i += 1) {
    const began = performance.now();
    await listDocuments(contact, clientId, query);
    each.push(performance.now() - began);
  }
}
process.stdout.write(JSON.stringify(took));
await closeDatabase();
