import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LANGS, LANGUAGES, type Lang } from '#platform/text/languages.ts';
import {
  type Namespace,
  declareIslandMessages,
  messagesOf,
  messagesScript,
  translationsFor,
} from '#platform/text/translations.server.ts';
import { type T, createTranslator } from '#platform/text/messages.ts';

/** A French template with the elisions that its values ask for. */
const elided = (template: string, vars: Readonly<Record<string, string | number>>): string =>
  template.replace(
    /\b([Dd]|[Qq]u)e (\{\{(\w+)\}\})/g,
    (all, start: string, placeholder: string, name: string) =>
      /^[aeiouàâéèêëîïôöûüœ]/i.test(String(vars[name])) ? `${start}’${placeholder}` : all,
  );

const COUNTS = [0, 1, 2, 5, 1_000_000];
const folder = path.join(import.meta.dirname, '../../locales');
const textsOf = (lang: Lang, namespace: string): Record<string, string> =>
  JSON.parse(fs.readFileSync(path.join(folder, lang, `${namespace}.json`), 'utf8')) as Record<string, string>;
const namespaces = fs
  .readdirSync(path.join(folder, 'en-us'))
  .map((file) => path.basename(file, '.json')) as Namespace[];
const stem = (key: string): string => key.replace(/_(zero|one|two|few|many|other)$/, '');

const every = LANGS.flatMap((lang) =>
  namespaces.flatMap((namespace) => {
    const texts = textsOf(lang, namespace);
    const keys = [...new Set(Object.keys(texts).map(stem))];
    const names = [
      ...new Set(
        Object.values(texts).flatMap((text) =>
          [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name),
        ),
      ),
    ];
    return keys.map((key) => ({
      lang,
      namespace,
      key,
      names,
      isPlural: !(key in texts),
      server: translationsFor(lang, namespace) as T<string>,
      island: createTranslator(messagesOf(lang, namespace, [key as never])) as T<string>,
    }));
  }),
);

/** Names of people and files, and names that an attacker would choose. */
const value = fc.oneof(
  fc.constantFrom(
    '{{count}}',
    '{{name}}',
    '$t(title)',
    '$t(common:close)',
    '{{- name}}',
    "$&$1$`$'",
    '$',
    '<b>&amp;</b>',
    '"',
    "'",
    '\\',
    'Müller & Söhne',
    '__proto__',
    '',
    '{{',
    '}}',
  ),
  fc.string(),
);

describe.each(LANGS)('in %s', (lang) => {
  const own = every.filter((one) => one.lang === lang);

  test.each(COUNTS)('islands and pages show the same text for %i items', (count) => {
    for (const { namespace, key, names, isPlural, server, island } of own) {
      const vars = {
        ...Object.fromEntries(names.map((name) => [name, `<${name}>`])),
        ...((isPlural || names.includes('count')) && { count }),
      };
      expect(island(key, vars), `${namespace}:${key}`).toBe(server(key, vars));
      if (isPlural) {
        const form = new Intl.PluralRules(LANGUAGES[lang]).select(count);
        const text = textsOf(lang, namespace)[`${key}_${form}`];
        expect(island(key, vars), `${namespace}:${key}`).toBe(
          text?.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(vars[name as keyof typeof vars])),
        );
      }
    }
  });

  test('islands and pages show the same text without placeholders', () => {
    for (const { namespace, key, names, isPlural, server, island } of own)
      if (!isPlural && names.length === 0) expect(island(key), `${namespace}:${key}`).toBe(server(key));
  });

  test('a name is inserted unchanged on islands and pages, which elide before it in French, whatever characters it contains', () => {
    const withNames = own.filter(({ names }) => names.length > 0);
    fc.assert(
      fc.property(
        fc.constantFrom(...withNames),
        fc.array(value, { minLength: 8, maxLength: 8 }),
        fc.constantFrom(...COUNTS),
        ({ lang: at, namespace, key, names, isPlural, server, island }, values, count) => {
          const vars: Record<string, string | number> = Object.fromEntries(
            names.map((name, i) => [name, values[i] ?? '']),
          );
          if (isPlural || names.includes('count')) vars['count'] = count;
          const texts = textsOf(at, namespace);
          const text = isPlural
            ? (texts[`${key}_${new Intl.PluralRules(LANGUAGES[at]).select(count)}`] ?? '')
            : (texts[key] ?? '');
          const filled = (template: string): string =>
            template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(vars[name]));
          expect(island(key, vars)).toBe(filled(text));
          expect(server(key, vars)).toBe(filled(at === 'fr' ? elided(text, vars) : text));
        },
      ),
      { numRuns: 400 },
    );
  });
});

test('an island gets exactly the translations that it requests', () => {
  expect(messagesOf('en-us', 'documents', ['title', 'selection'])).toEqual({
    locale: 'en-US',
    texts: {
      title: 'Documents',
      selection_one: '{{count}} document selected',
      selection_other: '{{count}} documents selected',
    },
  });
});

test('every language has a plural form for every number, from none to millions', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...every.filter(({ isPlural }) => isPlural)),
      fc.nat(10_000_000),
      ({ key, names, server, island }, count) => {
        const vars = { ...Object.fromEntries(names.map((name) => [name, 'x'])), count };
        for (const t of [server, island]) expect(t(key, vars)).not.toBe(key);
        expect(island(key, vars)).toBe(server(key, vars));
      },
    ),
  );
});

test('the translations of an island are built once per language and are immutable', () => {
  const keys = ['title', 'selection'] as const;
  const words = messagesOf('pt', 'documents', keys);
  expect(messagesOf('pt', 'documents', keys)).toBe(words);
  expect(messagesOf('es', 'documents', keys)).not.toEqual(words);
  expect(() => Object.assign(words.texts, { title: 'x' })).toThrow(TypeError);
});

describe('the texts of an island that a feature declares', () => {
  const keys = ['title', 'selection'] as const;
  declareIslandMessages({ example: ['documents', keys] });

  test('are rendered by the server, but the page only names their file', () => {
    const words = messagesOf('fr', 'documents', keys);
    expect(createTranslator(words)('title')).toBe('Documents');
    expect(JSON.parse(JSON.stringify(words))).toEqual({
      locale: 'fr-CA',
      file: expect.stringMatching(/^\/messages\/example\/fr\/[\w-]{12}\.js$/) as string,
    });
  });

  test('are the default export of the file, for each language at another address', async () => {
    const files = LANGS.map((lang) => messagesOf(lang, 'documents', keys).file ?? '');
    expect(new Set(files).size).toBe(LANGS.length);
    for (const [i, lang] of LANGS.entries()) {
      const found = messagesScript(files[i] ?? '');
      const script = `data:text/javascript,${encodeURIComponent(found?.script ?? '')}`;
      const { default: texts } = (await import(script)) as { default: object };
      expect(texts).toEqual(messagesOf(lang, 'documents', keys).texts);
      expect(found?.isCurrent).toBe(true);
    }
  });

  test('of another version are those of this one, and not cached', () => {
    const current = messagesScript(messagesOf('pt', 'documents', keys).file ?? '');
    expect(messagesScript('/messages/example/pt/123456789abc.js')).toEqual({ ...current, isCurrent: false });
  });

  test.each([
    '/messages/',
    '/messages/other/pt/1.js',
    '/messages/example/xx/1.js',
    '/messages/example/constructor/1.js',
  ])('are not found at %s', (address) => {
    expect(messagesScript(address)).toBeUndefined();
  });
});

test('French elides before a name that begins with a vowel', () => {
  const note = translationsFor('fr', 'notes');
  expect(note('uploadsTitle', { count: 1, firm: 'Érable inc.' })).toContain('document d’Érable inc.');
  expect(note('uploadsTitle', { count: 1, firm: 'Paul Roy' })).toContain('document de Paul Roy');
  const mail = translationsFor('fr', 'mail');
  expect(mail('shareReason', { sender: 'Ana', email: 'a@b.example' })).toContain(
    'parce qu’Ana (a@b.example)',
  );
  expect(translationsFor('pt', 'documents')('homeTitle', { firm: 'Aurora' })).toContain('Aurora');
});
