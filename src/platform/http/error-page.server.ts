import { isOutcomeUnknown, isStorageUnavailable, refusal } from '../runtime/errors.server.ts';
import { LANGUAGES, type Lang } from '../text/languages.ts';
import { translationsFor } from '../text/translations.server.ts';

/** An error page that needs neither database nor build: what happened, and what to do. */
export function errorPage(lang: Lang, error: unknown): string {
  const { title, text } = errorMessage(lang, error);
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`;
  return `<!doctype html><html lang="${LANGUAGES[lang]}">${head}<h1>${title}</h1><p>${text}</p></html>`;
}

/** Title and text for people: what happened, and what to do. */
export function errorMessage(lang: Lang, error: unknown): { title: string; text: string } {
  const t = translationsFor(lang, 'errors');
  if (isOutcomeUnknown(error)) return { title: t('unknownTitle'), text: t('unknownText') };
  if (isStorageUnavailable(error)) return { title: t('notStoredTitle'), text: t('notStoredText') };
  if (refusal(error)?.code === 'DAMAGED') return { title: t('damagedTitle'), text: t('damagedText') };
  if (refusal(error)?.code === 'TOO_MANY') return { title: t('tooManyTitle'), text: t('tooManyText') };
  return { title: t('faultTitle'), text: t('faultText') };
}
