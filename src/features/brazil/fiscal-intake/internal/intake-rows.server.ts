import type { Actor } from '#features/base/people/people.ts';
import { audit } from '#platform/security/audit.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { db } from '#platform/database/database.server.ts';
import { commitBlob, type StoredBlob } from '#platform/storage/blobs.server.ts';
import { isUnattended, type Source } from '../fiscal-intake.ts';
import { enqueueReading } from '../reading-archives.server.ts';

/* The rows of an intake and of its archives. */

const MAX_NAME = 300;

interface NewIntake {
  intakeId: string;
  clientId: string;
  source: Source;
  name: string;
  origin?: string;
}

/** Inserts an intake that begins, in the open transaction. */
export async function insertIntake(
  actor: Actor,
  { intakeId, clientId, source, name, origin }: NewIntake,
): Promise<void> {
  const { companyId, contactId } = actor;
  await db()
    .insertInto('fiscal_intakes')
    .values({
      intake_id: intakeId,
      company_id: companyId,
      client_id: clientId,
      source,
      name: name.slice(0, MAX_NAME),
      state: 'reading',
      started_by: contactId,
      created_at: now(),
      finished_at: null,
      origin: origin ?? null,
    })
    .execute();
  const action = isUnattended(source) ? 'fiscal.arrive' : 'fiscal.intake';
  await audit({ companyId, actor: contactId, action, target: intakeId, clientId });
}

interface NewSpool {
  intakeId: string;
  number: number;
  name: string;
  blob: StoredBlob;
}

/** Keeps an archive, which a job reads, in the open transaction. */
export async function insertSpool(
  { companyId, contactId }: Actor,
  { intakeId, number, name, blob }: NewSpool,
): Promise<void> {
  await commitBlob(blob);
  await db()
    .insertInto('fiscal_spools')
    .values({
      intake_id: intakeId,
      number,
      name: name.slice(0, MAX_NAME),
      blob_key: blob.key,
      size: blob.size,
      position: 0,
    })
    .execute();
  await enqueueReading(companyId, { intakeId, by: contactId });
}
