import { extensionOf } from '#features/documents/folders/rules.ts';
import type { IconName } from '#ui/icons.ts';

/** The icon of each kind of file, and the endings that it has. */
const ICONS_OF: readonly (readonly [IconName, string])[] = [
  ['file-text', ' pdf doc docx odt rtf txt pages md '],
  ['file-spreadsheet', ' xls xlsx xlsm ods csv tsv numbers '],
  ['file-image', ' jpg jpeg png gif webp heic heif tif tiff bmp svg '],
  ['layers', ' zip rar 7z gz tar tgz '],
  ['mail', ' eml msg '],
];

/** What kind of file a document is, from the ending of its name: an icon, and the ending as people write it. */
export function kindOf(name: string): { icon: IconName; label: string } {
  const ending = extensionOf(name).slice(1).toLowerCase();
  const [icon] = ICONS_OF.find(([, endings]) => endings.includes(` ${ending} `)) ?? ['file' as const];
  return { icon, label: ending.toUpperCase() };
}
