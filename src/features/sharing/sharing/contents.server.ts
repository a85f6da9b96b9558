import { documentsByIds } from '#features/documents/documents/documents.server.ts';
import { documentsUnder } from '#features/documents/documents/descendants.server.ts';
import { shareDenialReason } from '#features/documents/documents/scan-state.server.ts';
import type { ContainerType } from '#features/documents/folders/folders.ts';
import type { Actor } from '#features/base/people/people.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { MAX_FILES } from './rules.ts';
import type { SharedFile } from './sharing.ts';

/** The contents of a share: documents, and projects or folders that stand for all their contents. */
export interface Named {
  documentIds: readonly string[];
  containers: readonly { containerId: string; containerType: ContainerType }[];
}

export interface Contents {
  files: SharedFile[];
  folders: { containerId: string; name: string; count: number }[];
  /** The clients of the folders; those of single documents are found by their ids. */
  clientIds: string[];
  /** True if there are more documents than a link can have. */
  isCut: boolean;
  /**
   * Why a single document may not be shared by link; it is then omitted, and documents of a folder are until
   * they may be shared.
   */
  withheld: 'INFECTED' | 'UNSCANNED' | undefined;
}

/**
 * Resolves the contents of a share that the sender may see now: each document once, single ones first.
 * NOT_FOUND unless they may see everything it names.
 */
export async function contentsOf(sender: Actor, { documentIds, containers }: Named): Promise<Contents> {
  const named = await documentsByIds(sender, documentIds);
  const single = named
    .filter(({ scan }) => !shareDenialReason(scan))
    .map((document): SharedFile => ({
      documentId: document.id,
      name: document.name,
      size: document.originalItemSize,
      folder: [],
    }));
  const found = await Promise.all(
    containers.map(({ containerType, containerId }) =>
      documentsUnder(sender, containerType, containerId, MAX_FILES + 1),
    ),
  );
  const under = found.map((one) => ({
    ...one,
    documents: one.documents
      .filter(({ scan }) => !shareDenialReason(scan))
      .map(({ scan: _, ...file }): SharedFile => file),
  }));
  const all = [
    ...new Map(
      [...single, ...under.flatMap(({ documents }) => documents)]
        .toReversed()
        .map((file) => [file.documentId, file]),
    ).values(),
  ].toReversed();
  return {
    files: all.slice(0, MAX_FILES),
    folders: under.map(({ id, name, documents }) => ({ containerId: id, name, count: documents.length })),
    clientIds: [...new Set(under.map(({ clientId }) => clientId))],
    isCut: all.length > MAX_FILES,
    withheld: named.map(({ scan }) => shareDenialReason(scan)).find((code) => code !== undefined),
  };
}

/**
 * Throws INFECTED or UNSCANNED for a document that may not be shared, EMPTY if there is nothing to send,
 * TOO_LARGE beyond the limit of a link.
 */
export function assertSendable({ files, isCut, withheld }: Contents): void {
  if (withheld) throw new PortalError(withheld);
  if (files.length === 0) throw new PortalError('EMPTY');
  if (isCut) throw new PortalError('TOO_LARGE', { mostDocuments: MAX_FILES });
}
