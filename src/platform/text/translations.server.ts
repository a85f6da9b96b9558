import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import i18next from 'i18next';
import { isLang, LANGUAGES, type Lang } from './languages.ts';
import { ROOT } from '../runtime/root.server.ts';
import type { Keys, T, Vars, Messages } from './messages.ts';
import type auth from '../../../locales/en-us/auth.json';
import type common from '../../../locales/en-us/common.json';
import type errors from '../../../locales/en-us/errors.json';
import type exportColumns from '../../../locales/en-us/export-columns.json';
import type inputs from '../../../locales/en-us/inputs.json';
import type kit from '../../../locales/en-us/kit.json';
import type portal from '../../../locales/en-us/portal.json';
import type mail from '../../../locales/en-us/mail.json';
import type security from '../../../locales/en-us/security.json';
import type shares from '../../../locales/en-us/shares.json';
import type shell from '../../../locales/en-us/shell.json';

/**
 * The translation namespaces; the English (US) files define the keys. Features add theirs in feature.server.ts.
 *
 * @public
 */
export interface Namespaces {
  auth: typeof auth;
  common: typeof common;
  errors: typeof errors;
  'export-columns': typeof exportColumns;
  inputs: typeof inputs;
  kit: typeof kit;
  mail: typeof mail;
  portal: typeof portal;
  security: typeof security;
  shares: typeof shares;
  shell: typeof shell;
}

export type Namespace = keyof Namespaces;
export type KeysOf<R extends Namespace> = Keys<Namespaces[R]>;

const folder = path.join(ROOT, 'locales');
const namespaces = fs.readdirSync(path.join(folder, 'en-us')).map((file) => path.basename(file, '.json'));

// One instance for every language. Never call changeLanguage(): concurrent requests use different languages.
const i18n = i18next.createInstance();
await i18n.init({
  resources: {},
  fallbackLng: false,
  ns: namespaces,
  initAsync: false,
  interpolation: { escapeValue: false },
  returnNull: false,
});

export const isNamespace = (name: string): name is Namespace => namespaces.includes(name);

type Texts = Readonly<Record<string, string>>;
const languages = new Map<Lang, ReadonlyMap<string, Texts>>();

/** The texts of a language, read when it is first used: a command, and most tests, use one of seven. */
function textsIn(lang: Lang): ReadonlyMap<string, Texts> {
  const known = languages.get(lang);
  if (known) return known;
  const texts = new Map<string, Texts>();
  for (const namespace of namespaces) {
    const file = fs.readFileSync(path.join(folder, lang, `${namespace}.json`), 'utf8');
    const read = { ...(JSON.parse(file) as Texts), ...added.get(namespace)?.get(lang) };
    texts.set(namespace, read);
    i18n.addResourceBundle(LANGUAGES[lang], namespace, read);
  }
  languages.set(lang, texts);
  return texts;
}

/** Texts that are data of features, such as the names of kinds, by namespace and language. */
const added = new Map<string, Map<Lang, Texts>>();

/** Adds a text that no file has to a namespace. The features add theirs when the portal starts. */
export function addText(namespace: Namespace, key: string, text: Partial<Record<Lang, string>>): void {
  const byLanguage = added.get(namespace) ?? new Map<Lang, Texts>();
  added.set(namespace, byLanguage);
  for (const lang of Object.keys(text).filter(isLang))
    byLanguage.set(lang, { ...byLanguage.get(lang), [key]: text[lang] ?? '' });
  languages.clear();
  fixed.clear();
}

const fixed = new Map<string, T<string>>();

/**
 * The translations of a namespace: `translationsFor('pt', 'documents')('title')`. Plurals by `count`,
 * placeholders as `{{name}}`.
 */
export function translationsFor<R extends Namespace>(lang: Lang, namespace: R): T<KeysOf<R>> {
  const id = `${lang}:${namespace}`;
  const known = fixed.get(id);
  if (known) return known;
  const all = textsOf(lang, namespace);
  const translate = i18n.getFixedT<string>(LANGUAGES[lang], namespace);
  // Called a hundred times per page: a text is looked up once, then its plural and placeholders are filled here.
  const texts = new Map<string, string>();
  const text = (key: string): string => {
    const template = texts.get(key) ?? String(translate(key, { skipInterpolation: true }));
    texts.set(key, template);
    return template;
  };
  const plural = (key: string, count: number): string =>
    [`${key}_${pluralRules(lang).select(count)}`, `${key}_other`].find((form) => form in all) ?? key;
  const translator: T<string> = (key, vars?: Vars) =>
    fill(lang, text(typeof vars?.['count'] === 'number' ? plural(key, vars['count']) : key), vars);
  fixed.set(id, translator);
  return translator;
}

const textsOf = (lang: Lang, namespace: Namespace): Texts => textsIn(lang).get(namespace) ?? {};

const rules = new Map<Lang, Intl.PluralRules>();

function pluralRules(lang: Lang): Intl.PluralRules {
  const known = rules.get(lang) ?? new Intl.PluralRules(LANGUAGES[lang]);
  rules.set(lang, known);
  return known;
}

/** Fills in the placeholders. French elides before a vowel: "les documents d’Érable", "ce qu’Ana a envoyé". */
const fill = (lang: Lang, text: string, vars: Vars = {}): string =>
  text.replace(
    /(?:\b(d|qu)(e ))?\{\{(\w+)\}\}/gi,
    (placeholder, start: string = '', end: string = '', name: string) => {
      const value = vars[name];
      if (value === undefined) return placeholder;
      const elides = lang === 'fr' && end !== '' && /^[aeiouàâéèêëîïôöûüœ]/i.test(String(value));
      return `${start}${elides ? '’' : end}${value}`;
    },
  );

/** The keys of islands whose texts are files of their own, by the name of the island. */
export type IslandMessages = Readonly<Record<string, readonly [Namespace, readonly string[]]>>;

const declared = new Map<string, IslandMessages[string]>();

/** Makes the texts of these islands files. Called by src/app.server.ts with what the features declare. */
export function declareIslandMessages(islands: IslandMessages): void {
  for (const [island, messages] of Object.entries(islands)) declared.set(island, messages);
}

/** What {@link messagesOf} has returned, by the list of keys, which an island names once. */
const messages = new WeakMap<readonly string[], Map<string, Messages<never>>>();

/**
 * The translations that an island uses, as plain data for its props; a plural key includes all its forms. The
 * same list of keys gets the same object, which is frozen. Where a feature declares the list in `islandMessages`, the
 * page names a file instead of carrying the texts.
 */
export function messagesOf<R extends Namespace, K extends KeysOf<R>>(
  lang: Lang,
  namespace: R,
  keys: readonly K[],
): Messages<K> {
  return messagesFor(lang, namespace, keys);
}

function messagesFor(lang: Lang, namespace: Namespace, keys: readonly string[]): Messages<never> {
  const id = `${lang}:${namespace}`;
  const byLanguage = messages.get(keys) ?? new Map<string, Messages<never>>();
  messages.set(keys, byLanguage);
  const known = byLanguage.get(id);
  if (known) return known;
  const texts = Object.freeze(chosenTexts(lang, namespace, keys));
  const [island] = [...declared].find(([, [, list]]) => list === keys) ?? [];
  const locale = LANGUAGES[lang];
  const found: Messages<never> = Object.freeze(
    island === undefined
      ? { locale, texts }
      : // The server renders with the texts; Astro writes only enumerable properties into the page.
        Object.defineProperty({ locale, texts, file: messagesFile(island, lang, texts) }, 'texts', {
          enumerable: false,
        }),
  );
  byLanguage.set(id, found);
  return found;
}

const chosenTexts = (lang: Lang, namespace: Namespace, keys: readonly string[]): Texts => {
  const wanted = new Set(keys);
  return Object.fromEntries(
    Object.entries(textsOf(lang, namespace)).filter(
      ([key]) => wanted.has(key) || wanted.has(key.replace(/_(zero|one|two|few|many|other)$/, '')),
    ),
  );
};

const scriptOf = (texts: Texts): string => `export default ${JSON.stringify(texts)}\n`;

/** The address of the texts of an island, which changes with them. */
const messagesFile = (island: string, lang: Lang, texts: Texts): string =>
  `/messages/${island}/${lang}/${createHash('sha256').update(scriptOf(texts)).digest('base64url').slice(0, 12)}.js`;

/**
 * The script at an address under `/messages/`, the texts of an island as its default export; undefined if there is no
 * such island or language. An address of another version gets the texts of this one, which no cache may keep.
 */
export function messagesScript(address: string): { script: string; isCurrent: boolean } | undefined {
  const [, , island = '', lang] = address.split('/');
  const [namespace, keys] = declared.get(island) ?? [];
  if (!namespace || !keys || !isLang(lang)) return undefined;
  const { texts, file } = messagesFor(lang, namespace, keys);
  return { script: scriptOf(texts), isCurrent: file === address };
}
