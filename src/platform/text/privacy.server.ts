import { config } from '../runtime/config.server.ts';
import { LANGUAGES, type Lang } from './languages.ts';

/** Languages of the privacy statement (spec 1, section 9), besides English. */
const TRANSLATED: Readonly<Record<string, string>> = { 'es-AR': 'es-ar', 'pt-BR': 'pt-br', 'fr-CA': 'fr-ca' };

/**
 * The URL of the privacy statement in the reader's language; in Dutch for a Dutch browser on an English page.
 * Undefined when none is configured.
 */
export function privacyUrl(
  lang: Lang,
  acceptLanguage: string | undefined,
  template = config.privacyUrl,
): string | undefined {
  const isDutch = /^nl\b/i.test(acceptLanguage ?? '') && lang.startsWith('en');
  return template?.replaceAll(
    /\{language\}|%7Blanguage%7D/gi,
    isDutch ? 'nl-nl' : (TRANSLATED[LANGUAGES[lang]] ?? 'en'),
  );
}
