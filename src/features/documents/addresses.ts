import { placeAddress } from '#features/folders/addresses.ts';
import type { Document } from './documents.ts';

/** The URL where a document is downloaded and deleted. */
export const documentAddress = ({
  id,
  parent,
}: {
  id: string;
  parent: Pick<Document['parent'], 'id' | 'containerType'>;
}): string => `${placeAddress(parent.containerType, parent.id)}/${id}`;
