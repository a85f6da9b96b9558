import type { ContainerType, containerTypes, UploadFolder } from './folders.ts';

/** Containers as they stand in an address. */
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

/** Where the documents of a container are listed and handed in. */
export const placeAddress = (containerType: ContainerType, containerId: string): string =>
  `/api/storage/v1/${CONTAINER_PATHS[containerType]}/${containerId}/documents`;

/** Where documents are uploaded to a folder of uploads that may not be there yet. */
export const uploadsAddress = (clientId: string, into: UploadFolder): string =>
  `${placeAddress('Client', clientId)}?into=${into}`;

/** What {@link placeAddress} or {@link uploadsAddress} was made of. */
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
