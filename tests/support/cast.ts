import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { linkContact } from '#features/clients/clients/clients.server.ts';
import { addDocument } from '#features/documents/documents/adding.server.ts';
import { createProject } from '#features/documents/folders/folders.server.ts';
import type { Container } from '#features/documents/folders/folders.ts';
import type { Document } from '#features/documents/documents/documents.ts';
import { createFirm } from '#features/base/firms/firms.server.ts';
import { actorOf, createContact, createUser } from '#features/base/people/people.server.ts';
import type { Actor, StaffRole } from '#features/base/people/people.ts';
import { listStored } from '#platform/storage/blobs.server.ts';
import { moveClock, now } from '#platform/runtime/clock.server.ts';
import { db, migrate } from '#platform/database/database.server.ts';
import { useMailServer } from '#platform/mail/mail.server.ts';
import { hashSecret } from '#platform/security/passwords.server.ts';
import { runDueJobs } from './jobs.ts';
import { storeClient } from './store-client.ts';

/*
 * The cast of the tests. Firm one has the clients A and B: Ada acts for A, Ben for B, Cleo for both, Sam is
 * staff. Firm two has a client with Zoe, and Tom is staff; all its texts contain CANARY-F2, so that leaks are
 * easy to spot.
 */

export const CANARY = 'CANARY-F2';
export const PASSWORD = 'a long enough phrase';
/** Hashed once, since hashing takes longer than the rest of creating a user. */
const hashed = hashSecret(PASSWORD);
/** The browser of test sessions. */
export const BROWSER = {
  amr: ['pwd', 'otp', 'mfa'],
  device: {
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    network: '192.0.2.1',
  },
};

/** Migrates the schema and creates both firms. */
export async function makeCast() {
  await migrate();
  return { ...(await firmOne()), ...(await firmTwo()) };
}

async function firmOne() {
  const companyId = await createFirm({
    name: 'Maple & Hart',
    phone: '+1 312 555 0142',
    email: 'office@one.example',
    language: 'en-us',
  });
  const ada = await person(companyId, 'Ada Amber', 'ada@one.example');
  const ben = await person(companyId, 'Ben Birch', 'ben@one.example');
  const cleo = await person(companyId, 'Cleo Cedar', 'cleo@one.example');
  const sam = await person(companyId, 'Sam Staff', 'sam@one.example', { role: 'member' });
  const clientA = await client(companyId, 'Amber Bakery', 'A-1', [ada, cleo]);
  const clientB = await client(companyId, 'Birch Boats', 'B-2', [ben, cleo]);
  const projectA = await createProject(sam, {
    clientId: clientA,
    name: 'Tax return 2025',
    productType: 'TaxReturn',
    processingYear: 2025,
  });
  const projectB = await createProject(sam, {
    clientId: clientB,
    name: 'Tax return 2025',
    productType: 'TaxReturn',
    processingYear: 2025,
  });
  return { firmOne: companyId, ada, ben, cleo, sam, clientA, clientB, projectA, projectB };
}

async function firmTwo() {
  const companyId = await createFirm({
    name: `${CANARY} Ledger`,
    phone: `${CANARY} +44 20 5555 0100`,
    email: `${CANARY}@two.example`,
    language: 'en-gb',
    loginPageText: `${CANARY} welcome`,
  });
  const zoe = await person(companyId, `Zoe ${CANARY}`, `zoe-${CANARY}@two.example`);
  const tom = await person(companyId, `Tom ${CANARY}`, `tom-${CANARY}@two.example`, { role: 'member' });
  const clientTwo = await client(companyId, `${CANARY} Zinc Works`, `${CANARY}-1`, [zoe]);
  const projectTwo = await createProject(tom, {
    clientId: clientTwo,
    name: `${CANARY} accounts`,
    productType: CANARY,
    processingYear: 2025,
  });
  const documentTwo = await uploadAs(tom, projectTwo, `${CANARY} accounts.pdf`, CANARY);
  return { firmTwo: companyId, zoe, tom, clientTwo, projectTwo, documentTwo };
}

/** Creates a user with a contact in a firm, and returns the actor. All passwords are PASSWORD. */
export async function person(
  companyId: string,
  fullName: string,
  email: string,
  {
    role,
    hasAllClients = true,
    mfaRequired = false,
    language = 'en-US',
  }: { role?: StaffRole; hasAllClients?: boolean; mfaRequired?: boolean; language?: string } = {},
): Promise<Actor> {
  const [firstName = '', lastName = ''] = fullName.split(' ');
  const prismGuid = await createUser({
    email,
    firstName,
    lastName,
    language,
    passwordHash: await hashed,
    mfaRequired,
  });
  return actorOf(
    await createContact({
      companyId,
      prismGuid,
      fullName,
      ...(role !== undefined && { role }),
      hasAllClients,
    }),
  );
}

/** Creates a client of a firm with its contacts. */
export async function client(
  companyId: string,
  name: string,
  code: string,
  contacts: Actor[],
): Promise<string> {
  const clientId = await storeClient(companyId, { name, code });
  for (const { contactId } of contacts) await linkContact(clientId, contactId);
  return clientId;
}

/** Revokes a contact's access to a client. */
export async function unlink(clientId: string, { contactId }: Actor): Promise<void> {
  await db()
    .deleteFrom('client_contacts')
    .where('client_id', '=', clientId)
    .where('contact_id', '=', contactId)
    .execute();
}

/** Locks or unlocks a firm. */
export async function lockFirm(companyId: string, locked: boolean): Promise<void> {
  await db()
    .updateTable('firms')
    .set({ locked: locked ? 1 : 0 })
    .where('company_id', '=', companyId)
    .execute();
}

/** A small PDF with one empty page and this text in its bytes. */
export const pdf = (content: string): Buffer =>
  Buffer.from(
    `%PDF-1.7\n${content}\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 280]>>\nendobj\ntrailer\n<</Root 1 0 R>>\n%%EOF\n`,
  );

/** A stream with one chunk. */
export const fileOf = (content: string | Buffer): Readable => Readable.from([Buffer.from(content)]);

export const digestOf = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A stream that starts after `happens` has finished. */
export const bytesAfter = (happens: () => Promise<unknown>, bytes: () => Readable): Readable =>
  Readable.from(
    (async function* () {
      await happens();
      yield* bytes() as AsyncIterable<Buffer>;
    })(),
    { objectMode: false },
  );

export const readAll = (stream: Readable): Promise<Buffer> => buffer(stream);

/** Uploads a PDF; a number is added to a name in use. */
export function uploadAs(
  actor: Actor,
  place: Pick<Container, 'id' | 'containerType'>,
  name: string,
  content: string,
): Promise<Document> {
  return addDocument(actor, {
    containerType: place.containerType,
    containerId: place.id,
    name,
    bytes: fileOf(pdf(content)),
    onConflict: 'rename',
  });
}

/** Moves the clock of this process to `instant`. */
export const standAt = (instant: number): void => moveClock(instant - now());

/** Every row of every table, as in a stolen database. */
export async function everyRow(): Promise<Record<string, unknown[]>> {
  const tables = await db().introspection.getTables();
  const rows = await Promise.all(
    tables.map(
      async ({ name }) =>
        [
          name,
          await db()
            .selectFrom(name as 'firms')
            .selectAll()
            .execute(),
        ] as const,
    ),
  );
  return Object.fromEntries(rows);
}

/** The files in the blob store, incomplete ones included. */
export async function blobFiles(): Promise<string[]> {
  return (await Array.fromAsync(listStored()))
    .map(({ key, unfinished }) => (unfinished ? `${key} is coming in` : key))
    .toSorted();
}

export interface ReceivedMail {
  /** The envelope recipients. */
  recipients: string[];
  raw: string;
  mail: Email;
}

/** A fake SMTP server. `deliver` sends queued mails and returns them as received. */
export async function startMailServer() {
  const arrived: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onData: (stream, session, done) => {
      void text(stream)
        .then(async (raw) =>
          arrived.push({
            recipients: session.envelope.rcptTo.map(({ address }) => address),
            raw,
            mail: await PostalMime.parse(raw),
          }),
        )
        .then(() => done(), done);
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const comeBack = () => useMailServer(`smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`);
  comeBack();
  return {
    comeBack,
    /** Makes the mail server unreachable. */
    goAway: () => useMailServer('smtp://127.0.0.1:1'),
    deliver: async (): Promise<ReceivedMail[]> => {
      await runDueJobs();
      return arrived.splice(0);
    },
    /** Discards queued mails. */
    discard: async (): Promise<void> => {
      await db().deleteFrom('jobs').where('done_at', 'is', null).execute();
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
