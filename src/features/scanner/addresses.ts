import { CONTAINER_PATHS } from '#features/folders/addresses.ts';
import type { ContainerType } from '#features/folders/folders.ts';

/** The URL where photos are uploaded as one PDF. */
export const scanAddress = (containerType: ContainerType, containerId: string): string =>
  `/api/storage/v1/${CONTAINER_PATHS[containerType]}/${containerId}/scans`;
