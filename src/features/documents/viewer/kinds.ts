/** How the viewer shows a file, by its extension; all others can only be downloaded. */
const KINDS = {
  pdf: ['pdf'],
  image: ['jpg', 'jpeg', 'jfif', 'png', 'gif', 'webp', 'avif', 'tif', 'tiff'],
  text: ['txt', 'log', 'md', 'rem', 'ret', 'ofx', 'qif'],
  table: ['csv', 'tsv'],
  xml: ['xml'],
} as const;

type Kind = keyof typeof KINDS;

const BY_EXTENSION = new Map<string, Kind>(
  (Object.entries(KINDS) as [Kind, readonly string[]][]).flatMap(([kind, extensions]) =>
    extensions.map((extension) => [extension, kind] as const),
  ),
);

export const kindOf = (name: string): Kind | undefined =>
  BY_EXTENSION.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase());

/** Tells whether the pages of a file can be drawn as images. */
export const hasPageImages = (name: string): boolean => ['pdf', 'image'].includes(kindOf(name) ?? '');

/** Tells whether a file is a photo in the format of iPhones, which is not shown (decisions/0081). */
export const isHeic = (name: string): boolean => /\.hei[cf]$/i.test(name);
