/**
 * Translations for islands, and the function that formats them there: i18next's JSON with placeholders and
 * plurals, in 0.3 kB.
 */
export type Vars = Record<string, string | number>;
export type T<K extends string> = (key: K, vars?: Vars) => string;

type Stem<K extends string> = K extends `${infer Base}_${'zero' | 'one' | 'two' | 'few' | 'many' | 'other'}`
  ? Base
  : K;

/** The keys of a flat translation file, with the plural forms of a text as one key. */
export type Keys<File> = Stem<keyof File & string>;

export interface Messages<K extends string> {
  locale: string;
  /** In the browser missing until the island is loaded, if `file` names the script that has them. */
  texts: Readonly<Record<string, string>>;
  file?: string;
  /** For the types only: the keys of these messages. */
  keys?: K;
}

export function createTranslator<K extends string>({ locale, texts }: Messages<K>): T<K> {
  let plurals: Intl.PluralRules | undefined;
  return (key, vars = {}) => {
    const form =
      typeof vars['count'] === 'number'
        ? (plurals ??= new Intl.PluralRules(locale)).select(vars['count'])
        : undefined;
    const text = (form && (texts[`${key}_${form}`] ?? texts[`${key}_other`])) ?? texts[key] ?? key;
    return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(vars[name] ?? ''));
  };
}
