import { placeAddress } from '#features/documents/folders/addresses.ts';
import type { Document } from './documents.ts';

/** The URL where a document is downloaded and deleted. */
export const documentAddress = ({
  id,
  parent,
}: {
  id: string;
  parent: Pick<Document['parent'], 'id' | 'containerType'>;
}): string => `${placeAddress(parent.containerType, parent.id)}/${id}`;

/** Where a document opens: in the viewer where it can be viewed, else its file. */
export const openingAddress = (
  document: Pick<Document, 'id' | 'isViewable' | 'scan'> & Parameters<typeof documentAddress>[0],
  viewUrl: ((id: string) => string) | undefined,
): string =>
  (document.isViewable && document.scan !== 'infected' ? viewUrl?.(document.id) : undefined) ??
  documentAddress(document);
