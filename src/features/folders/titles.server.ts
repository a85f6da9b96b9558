import { firmOf } from '#features/firms/firms.server.ts';
import type { Actor } from '#features/people/people.ts';
import type { Lang } from '#platform/languages.ts';
import { translationsFor } from '#platform/translations.server.ts';
import { UPLOAD_FOLDERS } from './folders.ts';
import { titleOf } from './tree.ts';

/** What a folder is known by. */
interface Named {
  name: string;
  productType: string | null;
  processingYear?: number | null;
}

/**
 * What a folder is called on a page: a folder of uploads by what it is for, in the reader's language,
 * whatever it is stored as; every other by its name and year.
 */
export function folderTitle(lang: Lang, isStaff: boolean, folder: Named): string {
  const t = translationsFor(lang, 'documents');
  if (folder.productType === UPLOAD_FOLDERS.uploads)
    return isStaff ? t('clientUploads') : t('defaultFolderName');
  if (folder.productType === UPLOAD_FOLDERS.firm) return t('firmFolder', { firm: folder.name });
  return titleOf(folder);
}

/** What the folder of the actor's firm will be called that is not there yet. */
export const firmFolderTitle = async (lang: Lang, { companyId, staff }: Actor): Promise<string> =>
  folderTitle(lang, staff, { name: (await firmOf(companyId)).name, productType: UPLOAD_FOLDERS.firm });
