import { bytesOf } from '#features/documents/documents/bytes.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { changedPages, lostPages } from '#features/documents/seals/sealing.server.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { preparedBytes } from './drafting.server.ts';
import { brokenEvidence } from './evidence.server.ts';
import { notCarried, signingRow, type SigningRow } from './internal/rows.server.ts';
import { stampsOf } from './sealing.server.ts';
import { buffer } from 'node:stream/consumers';

/** Checks that the evidence of each request is complete and unchanged. */
export async function verifySigning(): Promise<string[]> {
  const rows = await db().selectFrom('sign_documents').select('signing_id').orderBy('signing_id').execute();
  const faults: string[] = [];
  for (const { signing_id: id } of rows) {
    const broken = await brokenEvidence(id);
    if (broken !== undefined) faults.push(`The evidence of ${id} is broken at entry ${broken}.`);
  }
  return faults;
}

/** What the pages of a sealed document show, compared with those before. */
export interface SealedContent {
  signingId: string;
  taskId: string | null;
  companyId: string;
  title: string;
  sealedAt: number;
  /** Pages, from 1, that the sealed document shows differently than the one that was signed, or without a stamp. */
  sealing: number[];
  /** Pages that the document that was signed shows differently than the original, without the sender being told. */
  preparing: number[];
  /** What cannot be compared, because it is gone or cannot be read. */
  missing: ('sealed' | 'original')[];
}

/** Compares every sealed document with what was signed, and that with the original, in the order of their sealing. */
export async function* sealedContents(): AsyncGenerator<SealedContent> {
  const rows = await db()
    .selectFrom('sign_documents')
    .select('signing_id')
    .where('state', '=', 'sealed')
    .orderBy('sealed_at')
    .orderBy('signing_id')
    .execute();
  for (const { signing_id: id } of rows) yield contentOf(await signingRow(id));
}

async function contentOf(signing: SigningRow): Promise<SealedContent> {
  const user = { person: signing.sender, firm: signing.company_id };
  const prepared = await preparedBytes(signing);
  const stamps = await stampsOf(signing);
  const sealed = await fileOf(signing, signing.sealed_document, signing.sealed_sha256);
  const original = await fileOf(signing, signing.document_id, signing.source_sha256);
  const told = new Set(notCarried(signing).differences.map(({ page }) => page));
  const sealing = sealed && (await unlessUnreadable(lostPages(user, { prepared, sealed, stamps })));
  const preparing =
    original && (await unlessUnreadable(changedPages(user, { before: original, after: prepared })));
  return {
    signingId: signing.signing_id,
    taskId: signing.task_id,
    companyId: signing.company_id,
    title: signing.title,
    sealedAt: signing.sealed_at ?? 0,
    sealing: sealing ?? [],
    preparing: (preparing ?? []).filter((page) => !told.has(page)),
    missing: [...(sealing ? [] : (['sealed'] as const)), ...(preparing ? [] : (['original'] as const))],
  };
}

/** The bytes of a document; undefined if it is gone or is another one by now. */
async function fileOf(
  { sender }: SigningRow,
  documentId: string | null,
  sha256: string | null,
): Promise<Buffer | undefined> {
  if (documentId === null) return undefined;
  const filer = { ...(await actorOf(sender)), hasAllClients: true };
  try {
    const [document] = await bytesOf(filer, [documentId]);
    return document?.sha256 === sha256 ? await buffer(document.open()) : undefined;
  } catch (error) {
    if (refusal(error)) return undefined;
    throw error;
  }
}

const unlessUnreadable = (work: Promise<number[]>): Promise<number[] | undefined> =>
  work.catch((error: unknown) => {
    if (refusal(error)?.code === 'NOT_POSSIBLE') return undefined;
    throw error;
  });
