/**
 * The languages of the portal: address segment (product.md, Addresses) and BCP 47 tag (spec 1, section 1).
 */
export const LANGUAGES = {
  'en-us': 'en-US',
  'en-gb': 'en-GB',
  'en-au': 'en-AU',
  'en-ca': 'en-CA',
  es: 'es-AR',
  pt: 'pt-BR',
  fr: 'fr-CA',
} as const;

export type Lang = keyof typeof LANGUAGES;
export const LANGS = Object.keys(LANGUAGES) as Lang[];
export const DEFAULT_LANG: Lang = 'en-us';

export function isLang(segment: string | undefined): segment is Lang {
  return segment !== undefined && Object.hasOwn(LANGUAGES, segment);
}

/** A well-formed language code: two letters, optionally a dash and two letters (spec 1, section 5). */
export const LANGUAGE_CODE = /^[a-z]{2}(-[a-z]{2})?$/i;

const ALIASES = new Map<string, Lang>([
  ['en', 'en-us'],
  ['es-ar', 'es'],
  ['pt-br', 'pt'],
  ['fr-ca', 'fr'],
]);

/**
 * The language for a code, or undefined when it is not supported: `en` → `en-us`, `pt-BR` → `pt`, `fr` →
 * `fr`.
 */
export function languageOf(code: string): Lang | undefined {
  const lower = code.toLowerCase();
  return isLang(lower) ? lower : ALIASES.get(lower);
}

/**
 * The best supported language for an `Accept-Language` header: browser families en, es, fr, pt (spec 1,
 * section 9), else en-US.
 */
export function preferredLanguage(header: string | undefined): Lang {
  const wanted = (header ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', q] = part.trim().split(/;\s*q=/);
      return { tag: tag.toLowerCase(), weight: q === undefined ? 1 : Number(q) || 0 };
    })
    .filter(({ tag, weight }) => tag !== '' && weight > 0)
    .sort((a, b) => b.weight - a.weight);
  for (const { tag } of wanted) {
    const found = languageOf(tag) ?? languageOf(tag.slice(0, 2));
    if (found) return found;
  }
  return DEFAULT_LANG;
}
