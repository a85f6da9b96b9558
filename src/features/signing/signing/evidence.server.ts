import { now } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { decryptFrom, encryptFor } from '#platform/security/encryption.server.ts';

/** What evidence records. Each says only what happened, never what it may mean. */
export type EvidenceKind =
  | 'sent'
  | 'invited'
  | 'link-renewed'
  | 'opened'
  | 'access-code-mailed'
  | 'code-entered'
  | 'agreed'
  | 'page-shown'
  | 'code-mailed'
  | 'factor-used'
  | 'signed'
  | 'declined'
  | 'disowned'
  | 'seal-failed'
  | 'sealed';

type EvidenceData = Record<string, string | number | null | readonly string[] | readonly number[]>;

/** From where somebody acted, as their browser and connection report it. */
export interface Origin {
  /** The network address. */
  address: string;
  browser: string;
  language: string;
}

export const FIRST = '0'.repeat(64);

/** Adds an entry to the evidence of a request, within the open transaction, and returns the head of the chain. */
export async function addEvidence(
  signingId: string,
  kind: EvidenceKind,
  { signerId = null, data = {} }: { signerId?: string | null; data?: EvidenceData } = {},
): Promise<string> {
  return inTransaction(async () => {
    // updating the count locks the row until the transaction ends, which serializes the entries of a request
    const head = await db()
      .updateTable('sign_documents')
      .set((e) => ({ evidence_count: e('evidence_count', '+', 1) }))
      .where('signing_id', '=', signingId)
      .returning(['evidence_count', 'evidence_hash'])
      .executeTakeFirstOrThrow();
    const entry = {
      signingId,
      sequence: head.evidence_count,
      signerId,
      at: now(),
      kind,
      data: JSON.stringify(data),
    };
    const hash = chained(head.evidence_hash, entry);
    await db()
      .insertInto('sign_evidence')
      .values({
        signing_id: signingId,
        sequence: entry.sequence,
        signer_id: signerId,
        at: entry.at,
        kind,
        data: encryptFor('sign_evidence.data', `${signingId}/${entry.sequence}`, entry.data),
        previous_hash: head.evidence_hash,
        hash,
      })
      .execute();
    await db()
      .updateTable('sign_documents')
      .set({ evidence_hash: hash })
      .where('signing_id', '=', signingId)
      .execute();
    return hash;
  });
}

interface Entry {
  signingId: string;
  sequence: number;
  signerId: string | null;
  at: number;
  kind: string;
  /** JSON. */
  data: string;
}

const chained = (previous: string, { signingId, sequence, signerId, at, kind, data }: Entry): string =>
  sha256(JSON.stringify([previous, signingId, sequence, at, signerId, kind, data]));

/** The evidence of a request, in order. */
export async function evidenceOf(signingId: string) {
  const rows = await db()
    .selectFrom('sign_evidence')
    .selectAll()
    .where('signing_id', '=', signingId)
    .orderBy('sequence')
    .execute();
  return rows.map((row) => ({
    sequence: row.sequence,
    signerId: row.signer_id,
    at: row.at,
    kind: row.kind as EvidenceKind,
    data: JSON.parse(
      decryptFrom('sign_evidence.data', `${signingId}/${row.sequence}`, row.data),
    ) as EvidenceData,
    previousHash: row.previous_hash,
    hash: row.hash,
  }));
}

export type Evidence = Awaited<ReturnType<typeof evidenceOf>>[number];

/** Returns the sequence of the first entry that is missing or was changed; undefined if the chain is whole. */
export async function brokenEvidence(signingId: string): Promise<number | undefined> {
  const head = await db()
    .selectFrom('sign_documents')
    .select(['evidence_count', 'evidence_hash'])
    .where('signing_id', '=', signingId)
    .executeTakeFirstOrThrow();
  let previous = FIRST;
  let expected = 1;
  for (const { sequence, signerId, at, kind, data, previousHash, hash } of await evidenceOf(signingId)) {
    const entry = { signingId, sequence, signerId, at, kind, data: JSON.stringify(data) };
    if (sequence !== expected || previousHash !== previous || hash !== chained(previous, entry))
      return expected;
    [previous, expected] = [hash, expected + 1];
  }
  return expected - 1 === head.evidence_count && previous === head.evidence_hash ? undefined : expected;
}
