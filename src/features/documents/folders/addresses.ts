import type { ContainerType, containerTypes, UploadFolder } from './folders.ts';

/** The plural container types of URLs. */
export const CONTAINER_PATHS = {
  Client: 'clients',
  Project: 'projects',
  Folder: 'folders',
} as const satisfies Record<ContainerType, string>;

export const TYPE_IN_PATH: Record<(typeof containerTypes)[number], ContainerType> = {
  clients: 'Client',
  projects: 'Project',
  folders: 'Folder',
};

/** The URL where the documents of a container are listed and uploaded. */
export const placeAddress = (containerType: ContainerType, containerId: string): string =>
  `/api/storage/v1/${CONTAINER_PATHS[containerType]}/${containerId}/documents`;

/** The URL for uploads to an upload folder that may not exist yet. */
export const uploadsAddress = (clientId: string, into: UploadFolder): string =>
  `${placeAddress('Client', clientId)}?into=${into}`;

/** Parses a URL made by {@link placeAddress} or {@link uploadsAddress}. */
export function placeIn(address: string): {
  containerType: ContainerType;
  containerId: string;
  into?: UploadFolder;
} {
  const [, , , , type = '', containerId = ''] = address.split(/[/?]/);
  const into = (['uploads', 'firm'] as const).find((each) => address.endsWith(`?into=${each}`));
  return {
    containerType: TYPE_IN_PATH[type as keyof typeof TYPE_IN_PATH],
    containerId,
    ...(into && { into }),
  };
}
