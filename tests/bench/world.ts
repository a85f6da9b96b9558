import { randomBytes } from 'node:crypto';
import { createReadStream, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { linkContact } from '#features/clients/clients/clients.server.ts';
import { createFolder, createProject } from '#features/documents/folders/folders.server.ts';
import { listContainers } from '#features/documents/folders/tree.server.ts';
import { createFirm } from '#features/base/firms/firms.server.ts';
import { actorOf, createContact, createUser } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { startSession } from '#features/identity/sessions/sessions.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { commitBlobs, putBlob } from '#platform/storage/blobs.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { newToken, sha256 } from '#platform/security/crypto.server.ts';
import { closeDatabase, db, inBatches, inTransaction, migrate } from '#platform/database/database.server.ts';
import { hashSecret } from '#platform/security/passwords.server.ts';
import { storeClient } from '../support/store-client.ts';

/*
 * A separate program, since the database belongs to the process with its DATA_DIR: `make` and `crowd` fill an empty one,
 * `share` sends the contents of a container, `tree` times the one function without a call. Commands and results are
 * JSON. See support/seed.ts.
 */

/**
 * One firm: a contact with one client that has most documents in one folder, and a contact with forty
 * clients.
 */
export interface World {
  contactId: string;
  clientId: string;
  /** The folder with (almost) all documents of the client. */
  folderId: string;
  /** An empty project, for uploads. */
  projectId: string;
  /** Session tokens. */
  contact: string;
  holder: string;
  /** A session of somebody who has read everything of the client. */
  reader: string;
  /** A session of staff. */
  staff: string;
}

export interface Made {
  do: 'make';
  documents: number;
  /** A file of one byte for each document, a day old. */
  blobs?: boolean;
  /** An encrypted file of so many bytes for each document. */
  bytes?: number;
  /** Ten thousand more clients. */
  moreClients?: boolean;
}
/** A firm of people with a client and documents each. */
export interface Crowded {
  do: 'crowd';
  people: number;
  /** Of each client. */
  documents: number;
}
export interface Crowd {
  /** Their session tokens. */
  sessions: string[];
  emails: string[];
  password: string;
}
export interface Shared {
  do: 'share';
  contactId: string;
  containerId: string;
  most: number;
}
/** The token of a link, and the visit of somebody who opened it. */
export interface Link {
  token: string;
  visit: string;
}
export interface Timed {
  do: 'tree';
  contactId: string;
  clientId: string;
  times: number;
}

const LARGEST_FOLDER = 100_000;
const OTHER_CLIENTS = 300;
/** Clients without documents, before the requested one in the order of names. */
const MORE_CLIENTS = 10_000;
const FOLDERS = 20;

const isPostgres = config.databaseUrl !== undefined;
/** Other for each row. */
const RANDOM_UUID = isPostgres
  ? sql`gen_random_uuid()::text`
  : sql`lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`;
const RANDOM_HEX = isPostgres
  ? sql`replace(gen_random_uuid()::text, '-', '')`
  : sql`lower(hex(randomblob(16)))`;

const PASSWORD = 'a long enough phrase';
const BROWSER = { amr: ['pwd', 'otp', 'mfa'], device: { userAgent: 'a browser', network: '192.0.2.1' } };

const order = JSON.parse(process.argv[2] ?? '{}') as Made | Crowded | Shared | Timed;
process.stdout.write(JSON.stringify(await answerTo(order)));
await closeDatabase();

function answerTo(given: typeof order): Promise<World | Crowd | Link | number> {
  switch (given.do) {
    case 'make':
      return make(given);
    case 'crowd':
      return crowd(given);
    case 'share':
      return share(given);
    case 'tree':
      return timeTree(given);
  }
}

async function make(made: Made): Promise<World> {
  const { blobs, bytes } = made;
  await migrate();
  const world = await inTransaction(() => withoutIndexOfWords(() => fill(made)));
  if (isPostgres) await sql`vacuum (analyze)`.execute(db()); // as autovacuum does
  if (blobs) await writeBlobs();
  if (bytes !== undefined) await storeBlobs(bytes);
  return world;
}

async function fill({ documents, bytes, moreClients }: Made): Promise<World> {
  const companyId = await firmWithLogo();
  const [contact, holder, firm] = [
    await person(companyId, 'Olivia Bennett'),
    await person(companyId, 'Marcus Reed'),
    await person(companyId, 'Eleanor Hart', bytes === undefined ? 'member' : 'owner'),
  ];
  const reader = await person(companyId, 'Rosa Klein');
  const clientId = await clientFor(companyId, 'Juniper Street Bakery LLC', contact);
  const folderId = await folders(firm, clientId);
  const { id: projectId } = await createProject(contact, {
    clientId,
    name: 'From you',
    productType: 'ClientContactFolder',
  });
  const inFolder = Math.min(documents, LARGEST_FOLDER);
  await addDocuments(firm, clientId, folderId, inFolder);
  await linkContact(clientId, reader.contactId);
  await markRead(contact, clientId, 2);
  await markRead(reader, clientId, 1);
  const share = Math.ceil((documents - inFolder) / OTHER_CLIENTS);
  for (let i = 0; i < OTHER_CLIENTS; i += 1) {
    const other = await clientFor(companyId, `Harbor Lane Bakery ${i}`, i < 40 ? holder : firm);
    const { id } = await createProject(firm, { clientId: other, name: 'Payroll 2026' });
    await addDocuments(firm, other, id, share);
  }
  if (moreClients)
    for (let i = 0; i < MORE_CLIENTS; i += 1)
      await storeClient(companyId, { name: `Another client ${i}`, code: `A-${i}` });
  return {
    contactId: contact.contactId,
    clientId,
    folderId,
    projectId,
    contact: await startSession(contact, BROWSER),
    holder: await startSession(holder, BROWSER),
    reader: await startSession(reader, BROWSER),
    staff: await startSession(firm, BROWSER),
  };
}

/** Has PostgreSQL build its index of words once all documents are there, which takes a fifth of the time. */
async function withoutIndexOfWords<T>(work: () => Promise<T>): Promise<T> {
  if (!isPostgres) return work();
  const { rows } = await sql<{
    definition: string;
  }>`select indexdef as definition from pg_indexes where indexname = 'documents_by_beginnings'`.execute(db());
  await sql`drop index documents_by_beginnings`.execute(db());
  const made = await work();
  await sql`set local maintenance_work_mem = '500MB'`.execute(db());
  await sql.raw(rows[0]?.definition ?? '').execute(db());
  return made;
}

async function firmWithLogo(): Promise<string> {
  const logo = {
    bytes: createReadStream(
      path.join(import.meta.dirname, '../../src/features/demo/demo/logos/maple-hart.png'),
    ),
    type: 'image/png' as const,
  };
  return createFirm({
    secondStep: 'nobody',
    name: 'Maple & Hart CPAs',
    phone: '+1 312 555 0142',
    email: 'office@maplehart.example',
    language: 'en-us',
    loginPageText: 'Tax, payroll and books since 1987.',
    logo,
  });
}

async function crowd({ people, documents }: Crowded): Promise<Crowd> {
  await migrate();
  const passwordHash = await hashSecret(PASSWORD);
  return inTransaction(async () => {
    const companyId = await firmWithLogo();
    const firm = await person(companyId, 'Eleanor Hart', 'owner');
    const made: Crowd = { sessions: [], emails: [], password: PASSWORD };
    for (let i = 0; i < people; i += 1) {
      const email = `person${i}@juniper.example`;
      const name = { firstName: `Olivia ${i}`, lastName: 'Bennett' };
      const prismGuid = await createUser({ email, ...name, language: 'en-US', passwordHash });
      const contact = await actorOf(
        await createContact({ companyId, prismGuid, fullName: `${name.firstName} ${name.lastName}` }),
      );
      const clientId = await clientFor(companyId, `Juniper Street Bakery ${i}`, contact);
      await addDocuments(firm, clientId, await folders(firm, clientId), documents);
      await markRead(contact, clientId, 2);
      made.sessions.push(await startSession(contact, BROWSER));
      made.emails.push(email);
    }
    return made;
  });
}

async function person(companyId: string, fullName: string, role?: 'member' | 'owner'): Promise<Actor> {
  const [firstName = '', lastName = ''] = fullName.split(' ');
  const prismGuid = await createUser({
    email: `${firstName.toLowerCase()}@juniper.example`,
    firstName,
    lastName,
    language: 'en-US',
    passwordHash: await hashSecret(PASSWORD),
  });
  return actorOf(await createContact({ companyId, prismGuid, fullName, ...(role && { role }) }));
}

async function clientFor(companyId: string, name: string, contact: Actor): Promise<string> {
  const clientId = await storeClient(companyId, { name, code: `JB-${name.length}` });
  if (!contact.staff) await linkContact(clientId, contact.contactId);
  return clientId;
}

/** A project with folders; the first one gets the documents. */
async function folders(firm: Actor, clientId: string): Promise<string> {
  const project = await createProject(firm, {
    clientId,
    name: 'Payroll 2026',
    productType: 'Payroll',
    processingYear: 2026,
  });
  const made = [];
  for (let i = 0; i < FOLDERS; i += 1)
    made.push(await createFolder(firm, { name: `Branch ${i}`, parentId: project.id, parentType: 'Project' }));
  return made[0]?.id ?? '';
}

/**
 * Rows as the functions would write them, with random ids, so that the indexes are as scattered as in
 * production.
 */
async function addDocuments(
  firm: Actor,
  clientId: string,
  containerId: string,
  count: number,
): Promise<void> {
  if (count === 0) return;
  const first = now() - 400 * DAY;
  await sql`
    insert into documents (document_id, company_id, client_id, container_id, name, name_key, mime_type, size, sha256, crc32, blob_key, created_by, uploaded_by_staff, created_at, modified_at)
    with recursive numbers (i) as (select cast(1 as bigint) union all select i + 1 from numbers where i < ${count}),
      named as (select i, 'Payroll summary week ' || substr(cast(1000000 + i as text), 2) || '.pdf' as name from numbers)
    select 'doc_' || ${RANDOM_HEX}, ${firm.companyId}, ${clientId}, ${containerId}, name, lower(name), 'application/pdf',
      1000 + i * 7919 % 900000, ${RANDOM_HEX} || ${RANDOM_HEX}, 0, ${RANDOM_UUID},
      ${firm.contactId}, 1, ${first} + i * 300000, ${first} + i * 300000
    from named`.execute(db());
}

/** Marks each of them, each second one, … */
async function markRead(contact: Actor, clientId: string, each: number): Promise<void> {
  await sql`insert into document_reads (document_id, contact_id, read_at) select document_id, ${contact.contactId}, created_at from documents where client_id = ${clientId} and seq % ${each} = 0`.execute(
    db(),
  );
}

async function writeBlobs(): Promise<void> {
  const root = path.join(config.dataDir, 'blobs');
  const dayAgo = new Date(now() - DAY);
  for (const { blob_key: key } of await db().selectFrom('documents').select('blob_key').execute()) {
    const folder = path.join(root, key.slice(0, 2));
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, key), 'x');
    utimesSync(path.join(folder, key), dayAgo, dayAgo);
  }
}

/** Stores a file for each document as an upload does, in batches. */
async function storeBlobs(bytes: number): Promise<void> {
  const content = randomBytes(bytes);
  const documents = await db().selectFrom('documents').select('document_id').execute();
  for (const some of inBatches(documents)) {
    const blobs = await Promise.all(
      some.map(async ({ document_id: id }) => ({
        id,
        blob: await putBlob(Readable.from([content], { objectMode: false }), bytes),
      })),
    );
    await inTransaction(async () => {
      await commitBlobs(blobs.map(({ blob }) => blob));
      for (const { id, blob } of blobs)
        await db()
          .updateTable('documents')
          .set({ size: bytes, sha256: blob.sha256, crc32: blob.crc32, blob_key: blob.key })
          .where('document_id', '=', id)
          .execute();
    });
  }
}

async function share({ contactId, containerId, most }: Shared): Promise<Link> {
  const actor = await actorOf(contactId);
  const ids = (
    await db()
      .selectFrom('documents')
      .select('document_id')
      .where('container_id', '=', containerId)
      .limit(most)
      .execute()
  ).map((row) => row.document_id);
  const sharedItems = ids
    .slice(0, 1)
    .map((documentId) => ({ containerType: 'Folder' as const, containerId, documentId }));
  const { shareId } = await shareDocuments(
    actor,
    {
      expirationPeriod: 'AfterTwoWeeks',
      overrides: { subject: 'Documents' },
      recipients: [{ emailAddress: 'supplier@ledger.example' }],
      sharedItems,
    },
    'en-us',
  );
  // The contract allows 200 documents and mails the token: for the measurement a link may have more, and its
  // token is known.
  for (let i = 1; i < ids.length; i += 500)
    await db()
      .insertInto('share_items')
      .values(ids.slice(i, i + 500).map((id) => ({ share_id: shareId, document_id: id })))
      .execute();
  const [token, visit] = [newToken(), newToken()];
  const { recipient_id } = await db()
    .updateTable('share_recipients')
    .set({ token_hash: sha256(token) })
    .where('share_id', '=', shareId)
    .returning('recipient_id')
    .executeTakeFirstOrThrow();
  await db()
    .insertInto('share_visits')
    .values({ visit_hash: sha256(visit), recipient_id, expires_at: now() + DAY })
    .execute();
  return { token, visit };
}

/** The median duration of the function in ms. */
async function timeTree({ contactId, clientId, times }: Timed): Promise<number> {
  const actor = await actorOf(contactId);
  const took: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const began = performance.now();
    await listContainers(actor, clientId);
    took.push(performance.now() - began);
  }
  return took.toSorted((a, b) => a - b)[times >> 1] ?? Number.NaN;
}
