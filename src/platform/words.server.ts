import fs from 'node:fs';
import path from 'node:path';
import i18next from 'i18next';
import { LANGS, LANGUAGES, type Lang } from './languages.ts';
import { ROOT } from './root.server.ts';
import type { Keys, T, Vars, Words } from './words.ts';
import type access from '../../locales/en-us/access.json';
import type auth from '../../locales/en-us/auth.json';
import type clients from '../../locales/en-us/clients.json';
import type common from '../../locales/en-us/common.json';
import type demo from '../../locales/en-us/demo.json';
import type documents from '../../locales/en-us/documents.json';
import type errors from '../../locales/en-us/errors.json';
import type kit from '../../locales/en-us/kit.json';
import type portal from '../../locales/en-us/portal.json';
import type notes from '../../locales/en-us/notes.json';
import type mail from '../../locales/en-us/mail.json';
import type session from '../../locales/en-us/session.json';
import type security from '../../locales/en-us/security.json';
import type sharing from '../../locales/en-us/sharing.json';
import type shares from '../../locales/en-us/shares.json';
import type shell from '../../locales/en-us/shell.json';
import type exports from '../../locales/en-us/exports.json';
import type receipts from '../../locales/en-us/receipts.json';
import type scan from '../../locales/en-us/scan.json';
import type staff from '../../locales/en-us/staff.json';
import type trash from '../../locales/en-us/trash.json';
import type tree from '../../locales/en-us/tree.json';
import type viewer from '../../locales/en-us/viewer.json';

/** The rooms that have words; the English (US) files are the source of the keys. */
interface Rooms {
  access: typeof access;
  auth: typeof auth;
  clients: typeof clients;
  common: typeof common;
  demo: typeof demo;
  documents: typeof documents;
  errors: typeof errors;
  kit: typeof kit;
  mail: typeof mail;
  notes: typeof notes;
  portal: typeof portal;
  session: typeof session;
  security: typeof security;
  sharing: typeof sharing;
  shares: typeof shares;
  shell: typeof shell;
  exports: typeof exports;
  receipts: typeof receipts;
  scan: typeof scan;
  staff: typeof staff;
  trash: typeof trash;
  tree: typeof tree;
  viewer: typeof viewer;
}

export type Room = keyof Rooms;
export type KeysOf<R extends Room> = Keys<Rooms[R]>;

const folder = path.join(ROOT, 'locales');
const resources = Object.fromEntries(LANGS.map((lang) => [LANGUAGES[lang], Object.fromEntries(fs.readdirSync(path.join(folder, lang)).map((file) => [path.basename(file, '.json'), JSON.parse(fs.readFileSync(path.join(folder, lang, file), 'utf8'))]))]));

// One instance, every language loaded, never changeLanguage(): two requests in two languages cannot meet.
const i18n = i18next.createInstance();
await i18n.init({ resources, fallbackLng: false, ns: Object.keys(resources['en-US'] ?? {}), initAsync: false, interpolation: { escapeValue: false }, returnNull: false });

const fixed = new Map<string, T<string>>();

/** The words of a room in a language: `wordsFor('pt', 'documents')('title')`. Plurals by `count`, placeholders as `{{name}}`. */
export function wordsFor<R extends Room>(lang: Lang, room: R): T<KeysOf<R>> {
  const id = `${lang}:${room}`;
  const known = fixed.get(id);
  if (known) return known;
  const translate = i18n.getFixedT<string>(LANGUAGES[lang], room);
  // Asked a hundred times on one page: what needs no plural is looked up once and filled by ourselves.
  const texts = new Map<string, string>();
  const text = (key: string): string => {
    const kept = texts.get(key) ?? String(translate(key, { skipInterpolation: true }));
    texts.set(key, kept);
    return kept;
  };
  const words: T<string> = (key, vars?: Vars) => (vars && 'count' in vars ? String(translate(key, vars)) : fill(text(key), vars));
  fixed.set(id, words);
  return words;
}

const fill = (text: string, vars: Vars = {}): string => text.replace(/\{\{(\w+)\}\}/g, (hole, name: string) => String(vars[name] ?? hole));

/** The part of a room's words that an island uses, as plain data for its props; a plural key brings all its forms. */
export function wordsOf<R extends Room, K extends KeysOf<R>>(lang: Lang, room: R, keys: readonly K[]): Words<K> {
  const all = (resources[LANGUAGES[lang]]?.[room] ?? {}) as Record<string, string>;
  const wanted = new Set<string>(keys);
  const texts = Object.fromEntries(Object.entries(all).filter(([key]) => wanted.has(key) || wanted.has(key.replace(/_(zero|one|two|few|many|other)$/, ''))));
  return { locale: LANGUAGES[lang], texts };
}
