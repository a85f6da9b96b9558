import type { Lang } from '../text/languages.ts';
import { translationsFor } from '../text/translations.server.ts';

/** What a field for one file or several says until something is chosen. */
export interface FileFieldWords {
  choose: string;
  /** What follows where files can be dropped. */
  drop: string;
}

export function fileFieldWords(lang: Lang, takesMany = false): FileFieldWords {
  const t = translationsFor(lang, 'common');
  return takesMany
    ? { choose: t('chooseFiles'), drop: t('dropFiles') }
    : { choose: t('chooseFile'), drop: t('dropFile') };
}
