import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { UPLOAD_FOLDERS } from './folders.ts';
import { titleOf } from './tree.ts';

/** The fields that determine a folder's displayed name. */
interface Named {
  name: string;
  productType: string | null;
  processingYear?: number | null;
}

/**
 * Returns the displayed name of a folder: for an upload folder its purpose in the reader's language, whatever
 * its stored name; for others their name and year.
 */
export function folderTitle(lang: Lang, isStaff: boolean, folder: Named): string {
  const t = translationsFor(lang, 'documents');
  if (folder.productType === UPLOAD_FOLDERS.uploads)
    return isStaff ? t('clientUploads') : t('defaultFolderName');
  if (folder.productType === UPLOAD_FOLDERS.firm) return t('firmFolder', { firm: folder.name });
  return titleOf(folder);
}

/** The future name of the firm's folder while it does not exist yet. */
export const firmFolderTitle = async (lang: Lang, { companyId, staff }: Actor): Promise<string> =>
  folderTitle(lang, staff, { name: (await firmOf(companyId)).name, productType: UPLOAD_FOLDERS.firm });
