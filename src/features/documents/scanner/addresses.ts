import { CONTAINER_PATHS } from '#features/documents/folders/addresses.ts';
import type { ContainerType } from '#features/documents/folders/folders.ts';

/** The URL where photos are uploaded as one PDF. */
export const scanAddress = (containerType: ContainerType, containerId: string): string =>
  `/api/storage/v1/${CONTAINER_PATHS[containerType]}/${containerId}/scans`;
