import { assertTakesDocuments } from '#features/brazil/fiscal-documents/ordered.server.ts';
import { inTransaction } from '#platform/database/database.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { putBlob, type StoredBlob } from '#platform/storage/blobs.server.ts';
import type { Readable } from 'node:stream';
import { MAX_UPLOAD, type Refusal } from '../fiscal-intake.ts';
import { finishIfRead } from '../reading-archives.server.ts';
import type { Recipient } from '../recipients.server.ts';
import { commitBatch, destinationFor, prepareBatch, unlessStoredMeanwhile } from './batches.server.ts';
import { readIncoming } from './incoming.server.ts';
import { insertIntake, insertSpool } from './intake-rows.server.ts';
import { portalActor } from './portal-actor.server.ts';

/* Files that come without a person: each part of an intake is one transaction, with whatever the caller notes in it. */

/** A file that came: its bytes, or why there are none, or an archive that is stored, but has no owner yet. */
export type Arrival = { name: string } & ({ bytes: Buffer } | { refused: Refusal } | { archive: StoredBlob });

export async function readArrival(recipient: Recipient, name: string, bytes: Readable): Promise<Arrival> {
  if (!/\.(?:xml|zip|p7m)$/i.test(name)) return { name, refused: 'notRead' };
  const content = await readIncoming(bytes);
  if (!('archive' in content)) return { name, ...content };
  const group = recipient.clientId;
  return { name, archive: await putBlob(content.archive, MAX_UPLOAD, undefined, { group }) };
}

interface About {
  source: 'folder' | 'mail';
  name: string;
  /** The digest of the message with which the files came. */
  origin?: string;
  /** The files were sent for no client: each that they name gets its part. */
  isByContent?: true;
}

/** An intake to which files are added, some at a time. */
export class ArrivingIntake {
  readonly intakeId = newId('intake');
  readonly #recipient: Recipient;
  readonly #about: About;
  #count = 0;

  constructor(recipient: Recipient, about: About) {
    this.#recipient = recipient;
    this.#about = about;
  }

  /**
   * Stores some files, and in the same transaction what `within` notes of it: it gets why each file was refused, in
   * their order. FORBIDDEN or GONE where the client takes none.
   */
  async add(
    arrivals: readonly Arrival[],
    within: (refusals: readonly (string | undefined)[]) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const { companyId, clientId, language } = this.#recipient;
    const { intakeId } = this;
    const actor = portalActor(companyId, language);
    const before = this.#count;
    const numbered = arrivals.map((arrival, at) => ({ number: before + at + 1, ...arrival }));
    const files = numbered.flatMap((file) => ('archive' in file ? [] : [file]));
    const { isByContent, ...about } = this.#about;
    const destination = isByContent
      ? { clientId, intakeId }
      : destinationFor(clientId, intakeId, about.source);
    await unlessStoredMeanwhile(async () => {
      const batch = await prepareBatch(actor, destination, files);
      await inTransaction(async () => {
        await assertTakesDocuments(actor, clientId);
        if (before === 0) await insertIntake(actor, { intakeId, clientId, ...about });
        const refused = await commitBatch(batch);
        for (const file of numbered)
          if ('archive' in file) await insertSpool(actor, { intakeId, ...file, blob: file.archive });
        await finishIfRead(intakeId);
        await within(numbered.map(({ number }) => refused.get(number)));
      });
    });
    this.#count += arrivals.length;
  }
}
