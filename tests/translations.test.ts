import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULT_LANG, LANGS, LANGUAGES, type Lang } from '#platform/text/languages.ts';
import { expressionsNotUsed } from './support/wording.ts';

const root = path.join(import.meta.dirname, '..');
const FORM = /_(zero|one|two|few|many|other)$/;
const stem = (key: string): string => key.replace(FORM, '');
const formOf = (key: string): string | undefined => FORM.exec(key)?.[1];

type Texts = Record<string, string>;
const filesOf = (lang: string): string[] => fs.readdirSync(path.join(root, 'locales', lang)).toSorted();
const read = (lang: string, file: string): Texts =>
  JSON.parse(fs.readFileSync(path.join(root, 'locales', lang, file), 'utf8')) as Texts;
const namespaces = filesOf(DEFAULT_LANG);
const words = (lang: Lang): Map<string, Texts> => new Map(namespaces.map((file) => [file, read(lang, file)]));
const english = words(DEFAULT_LANG);

/** A key without a form of its own but with plural forms. */
const pluralStems = (texts: Texts): Set<string> =>
  new Set(
    Object.keys(texts)
      .filter((key) => formOf(key) === 'other')
      .map(stem),
  );
const formsOf = (lang: Lang): string[] =>
  new Intl.PluralRules(LANGUAGES[lang]).resolvedOptions().pluralCategories;
const placeholders = (text = ''): string[] => [...new Set(text.match(/\{\{\w+\}\}/g))].toSorted();

/**
 * Placeholders that are never a number, or never 1: limits, and times that are formatted. Any other one before a plural
 * noun may be 1.
 */
const NOT_COUNTED =
  /^(?:most|max|min|length|rows|columns|page|date|moment|time|when|day|name|names|firm|client|clientName|company|sender|person|contact|title|subject|kind|kinds|host|hosts|email|phone|code|field|fields|line|lines|label|value|text|action|version|first|second|authority)$/;
/** A plural noun, perhaps after an adjective or a preposition; verbs such as “is” and “has” are none. */
const PLURAL =
  /\{\{(\w+)\}\} (?:(?!is|has|was|does|needs|asks|sees)(?:(?:new|other|open|more|de|of) (?:\{\{\w+\}\} )?)?(?!is|has|was|does|needs|asks|this|plus)(?<noun>\p{L}{3,}s)(?!\p{L}))/gu;
const countsPlural = (text: string): boolean =>
  [...text.matchAll(PLURAL)].some(([, name = '']) => !NOT_COUNTED.test(name));

/** The position of a text, for the failure message. */
const place = (lang: string, file: string, key: string): string => `locales/${lang}/${file}: ${key}`;

test('every language has a folder of translations with a file for every namespace', () => {
  expect(
    fs.readdirSync(path.join(root, 'locales')).toSorted(),
    'A language is a row of LANGUAGES (src/platform/text/languages.ts) and a folder of locales/: add what is missing, remove what is left over.',
  ).toEqual(LANGS.toSorted());
  for (const lang of LANGS)
    expect(
      filesOf(lang),
      `locales/${lang} must have the files of locales/${DEFAULT_LANG}: copy the missing one from there and translate it.`,
    ).toEqual(namespaces);
});

describe.each(LANGS)('the translations in %s', (lang) => {
  const own = words(lang);
  const texts = [...own].flatMap(([file, namespace]) =>
    Object.entries(namespace).map(([key, text]) => ({ file, key, text })),
  );

  test.each(namespaces)(`the translations of %s in ${lang} are complete, and none is unused`, (file) => {
    const source = english.get(file) ?? {};
    const plurals = pluralStems(source);
    const wanted = Object.keys(source).flatMap((key) =>
      plurals.has(stem(key)) && formOf(key) ? formsOf(lang).map((form) => `${stem(key)}_${form}`) : [key],
    );
    const given = Object.keys(own.get(file) ?? {});
    const list = (keys: string[]): string[] =>
      [...new Set(keys)].map((key) => place(lang, file, key)).toSorted();
    expect(
      list(wanted.filter((key) => !given.includes(key))),
      `Translate these from locales/${DEFAULT_LANG}/${file} (plural forms of ${LANGUAGES[lang]}: ${formsOf(lang).join(', ')}).`,
    ).toEqual([]);
    expect(
      list(given.filter((key) => !wanted.includes(key))),
      `Remove these: locales/${DEFAULT_LANG}/${file} does not have them, or ${LANGUAGES[lang]} has no such plural form.`,
    ).toEqual([]);
  });

  test(`the translations in ${lang} are non-empty and have no surrounding spaces`, () => {
    const wrong = texts.filter(
      ({ text }) => typeof text !== 'string' || text.trim() === '' || text !== text.trim(),
    );
    expect(
      wrong.map(({ file, key }) => place(lang, file, key)),
      'Write the text of these keys, without a blank at its beginning or end.',
    ).toEqual([]);
  });

  test(`the translations in ${lang} have the placeholders of the original`, () => {
    const wrong = texts.filter(({ file, key, text }) => {
      const source = english.get(file) ?? {};
      const form = formOf(key);
      const plural = form !== undefined && pluralStems(source).has(stem(key));
      // "one document" may be written without its number.
      const counted = (all: string[]): string[] =>
        plural && form === 'one' ? all.filter((name) => name !== '{{count}}') : all;
      const model = plural ? source[`${stem(key)}_${form === 'one' ? 'one' : 'other'}`] : source[key];
      return String(counted(placeholders(text))) !== String(counted(placeholders(model)));
    });
    expect(
      wrong.map(({ file, key, text }) => `${place(lang, file, key)}: ${text}`),
      `Use the same {{placeholders}} as locales/${DEFAULT_LANG}.`,
    ).toEqual([]);
  });

  test(`the translations in ${lang} decline what is counted`, () => {
    const wrong = texts.filter(({ key, text }) => formOf(key) === undefined && countsPlural(text));
    expect(
      wrong.map(({ file, key, text }) => `${place(lang, file, key)}: ${text}`),
      'A number can be 1: give the text the forms _one and _other with {{count}}, or words that need none (“Clients: 1”).',
    ).toEqual([]);
  });

  test(`the translations in ${lang} have no broken placeholder, markup or nesting`, () => {
    const wrong = texts.filter(({ text }) =>
      /\{\{|\}\}|\$t\(|<\/?[a-z]/i.test(text.replace(/\{\{\w+\}\}/g, '')),
    );
    expect(
      wrong.map(({ file, key, text }) => `${place(lang, file, key)}: ${text}`),
      'Write placeholders as {{name}}, no markup and no $t( ) in a text.',
    ).toEqual([]);
  });
});

const NAMESPACES_OF_ALL = namespaces.map((file) => path.basename(file, '.json'));
/** The files whose texts are revised, by the first part of the language. */
const REVISED: Readonly<Record<string, readonly string[]>> = {
  en: NAMESPACES_OF_ALL,
  es: NAMESPACES_OF_ALL,
  pt: NAMESPACES_OF_ALL,
  fr: NAMESPACES_OF_ALL,
};
/** Texts that have such an expression for a reason: exact wordings of the specification and of legal texts. */
const ALLOWED: readonly string[] = [
  'grids.opNotBetween',
  'grids.opNotBlank',
  'grids.opNotEquals',
  'signing.certificateFooter',
];

describe.each(LANGS)('the wording in %s', (lang) => {
  const revised = REVISED[lang.split('-')[0] ?? ''] ?? [];
  test(`the translations in ${lang} use the terms of the glossary`, () => {
    const expressions = expressionsNotUsed(lang);
    const found = revised.flatMap((namespace) =>
      Object.entries(read(lang, `${namespace}.json`))
        .filter(([key]) => !ALLOWED.includes(`${namespace}.${key}`))
        .flatMap(([key, text]) =>
          expressions
            .map((expression) => expression.exec(text.replace(/\{\{\w+\}\}/g, '{}'))?.[0])
            .filter((hit) => hit !== undefined)
            .map((hit) => `${place(lang, `${namespace}.json`, key)}: “${hit}”`),
        ),
    );
    expect(
      found,
      'These expressions read as translated, or the glossary has another term: see docs/glossary.md.',
    ).toEqual([]);
  });
});

/** Faults of sentences that readers found and no other check knows: where, what, and one that was found. */
const FOUND: readonly (readonly [langs: RegExp, fault: RegExp, found: string])[] = [
  // a contraction made by replacing “it is” by a program
  [
    /^en/,
    /\b(?:in|of|for|with|from|by|on|at|about|to|into|under|over)\s(?:it|they|you|we)’(?:s|re|ve|ll)\b/i,
    'Hidden: nothing in it’s turned on',
  ],
  [/^en/, /\p{L} it’s (?:up to|turned)\b/u, 'whether you trust it’s up to you'],
  // that the firm has said what the client says now
  [
    /^en/,
    /your firm has (?:already )?(?:stated|said|indicated) that/i,
    'Your firm has already stated that it does not apply',
  ],
  [/^pt/, /escritório já \p{L}+ que/iu, 'Seu escritório já indicou que “…” não se aplica'],
  [/^es/, /estudio ya \p{L}+ que/iu, 'Su estudio ya indicó que “…” no corresponde'],
  [/^fr/, /cabinet a déjà \p{L}+ que/iu, 'Votre cabinet a déjà indiqué que « … » ne s’applique pas'],
];

describe.each(LANGS)('what readers found in %s', (lang) => {
  const faults = FOUND.filter(([langs]) => langs.test(lang));
  const help = path.join(root, 'help', lang.split('-')[0] ?? '');
  const articles = fs
    .readdirSync(help)
    .map((file): [string, string] => [`help/${file}`, fs.readFileSync(path.join(help, file), 'utf8')]);
  const texts = namespaces.flatMap((file) =>
    Object.entries(read(lang, file)).map(([key, text]): [string, string] => [place(lang, file, key), text]),
  );

  test(`sentences in ${lang} do not have the faults that readers found`, () => {
    for (const [, fault, found] of faults) expect(found).toMatch(fault);
    const found = [...texts, ...articles].flatMap(([where, text]) =>
      faults.flatMap(([, fault]) => {
        const hit = fault.exec(text)?.[0];
        return hit === undefined ? [] : [`${where}: “${hit}”`];
      }),
    );
    expect(found).toEqual([]);
  });

  test(`the state of an email in ${lang} shares no word with its kind or with the state of its task`, () => {
    const labels = (file: string, key: RegExp): string[] =>
      Object.entries(read(lang, file)).flatMap(([name, text]) => (key.test(name) ? [text] : []));
    const wordsIn = (text: string): Set<string> => new Set(text.toLowerCase().match(/\p{L}{4,}/gu));
    const states = labels('mails.json', /^state[A-Z]/);
    const others = [...labels('mails.json', /^kind[A-Z]/), ...labels('tasks.json', /^status_/)];
    expect([states.length, others.length].map((count) => count > 5)).toEqual([true, true]);
    const shared = states.flatMap((state) =>
      others
        .filter((other) => !wordsIn(state).isDisjointFrom(wordsIn(other)))
        .map((other) => `${other} · ${state}`),
    );
    expect(shared, 'In a list they stand beside each other: use another word.').toEqual([]);
  });
});

/*
 * The keys that the code uses. A key is a literal in single quotes in a file that names its translation file,
 * or in one that such a file imports or is imported by (attributes of markup are in double quotes), or a
 * template in a call, such as t(`${reason}Title`), whose placeholders are such literals. A literal elsewhere,
 * such as another file's `title`, does not count.
 */
const sources = fs
  .readdirSync(path.join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.(ts|tsx|astro)$/.test(entry.name))
  .map((entry) => path.join(entry.parentPath, entry.name))
  .map((file) => ({
    file: path.relative(root, file),
    code: fs.readFileSync(file, 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, ''),
  }));
const codeOf = new Map(sources.map(({ file, code }) => [file, code]));

/** The project file of an import; undefined for packages. */
function importedFrom(file: string, named: string): string | undefined {
  const target = named.startsWith('#')
    ? path.join('src', named.slice(1))
    : path.join(path.dirname(file), named);
  return codeOf.has(target) ? target : undefined;
}
const importsOf = new Map(
  sources.map(({ file, code }) => [
    file,
    [...code.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, named = '']) =>
      importedFrom(file, named),
    ),
  ]),
);

/**
 * Translations that are looked up by values not spelled in nearby files: there a literal anywhere in src
 * counts.
 */
const BY_VALUE: Readonly<Record<string, readonly string[]>> = {
  // error codes
  errors: Object.keys(english.get('errors.json') ?? {}).filter((key) => /^[A-Z_]+$/.test(key)),
  // states and kinds of rows, in exports of all data
  'export-columns': Object.keys(english.get('export-columns.json') ?? {}).filter((key) => /^word_/.test(key)),
  // reasons for refusing a password
  access: ['personal', 'tooShort', 'tooLong'],
  security: ['personal', 'same', 'tooShort', 'tooLong'],
  shell: ['plain', 'stripes'], // backgrounds of a firm's sign-in page
  staff: ['didRestore'], // an action of the platform, which the search for keys of features does not reach
};

const CALLER = String.raw`\b(?:[a-z]|translationsFor\([^()]*\))\(\s*`;
const FORMS = ['', '_zero', '_one', '_two', '_few', '_many', '_other'];

interface Asked {
  literals: ReadonlySet<string>;
  templates: readonly RegExp[];
}

function askedIn(code: string): Asked {
  const templates = [...code.matchAll(new RegExp(`${CALLER}\`((?:\\w|\\$\\{[^{}\`]*\\})+)\``, 'g'))];
  return {
    literals: new Set([...code.matchAll(/'(\w+)'/g)].map(([, literal = '']) => literal)),
    templates: templates.map(
      ([, template = '']) => new RegExp(`^${template.replace(/\$\{[^}]*\}/g, '(\\w+)')}$`),
    ),
  };
}

/** The keys used in the files around a translation file. */
function askedAround(file: string): Asked {
  const naming = sources
    .filter(({ code }) => code.includes(`'${path.basename(file, '.json')}'`))
    .map((source) => source.file);
  const imported = naming.flatMap((one) => importsOf.get(one) ?? []);
  const importing = [...importsOf]
    .filter(([, imports]) => imports.some((one) => one !== undefined && naming.includes(one)))
    .map(([one]) => one);
  return askedIn(
    [...new Set([...naming, ...imported, ...importing])].map((one) => codeOf.get(one ?? '') ?? '').join('\n'),
  );
}

const isAsked = (key: string, { literals, templates }: Asked): boolean =>
  FORMS.some((form) => literals.has(key + form)) ||
  templates.some((template) =>
    template
      .exec(key)
      ?.slice(1)
      .every((hole) => literals.has(hole)),
  );
const anywhere = askedIn(sources.map(({ code }) => code).join('\n'));
const around = new Map(namespaces.map((file) => [file, askedAround(file)]));
const isUsed = (file: string, key: string): boolean => {
  const isByValue = BY_VALUE[path.basename(file, '.json')]?.includes(key) ?? false;
  return isAsked(key, (isByValue ? undefined : around.get(file)) ?? anywhere);
};

test('every translation is used', () => {
  const unused = [...english].flatMap(([file, texts]) =>
    [...new Set(Object.keys(texts).map((key) => (pluralStems(texts).has(stem(key)) ? stem(key) : key)))]
      .filter((key) => !isUsed(file, key))
      .map((key) => place('*', file, key)),
  );
  expect(unused, 'Nothing in src asks for these. Remove them from every language, or use them.').toEqual([]);
});

test('every translation key used in the code exists', () => {
  const keysOf = (namespace: string): Set<string> => {
    const texts = english.get(`${namespace}.json`) ?? {};
    return new Set([...Object.keys(texts), ...pluralStems(texts)]);
  };
  const all = new Set(namespaces.flatMap((file) => [...keysOf(path.basename(file, '.json'))]));
  const missing = sources.flatMap(({ file, code }) => {
    const callers = new Map<string, Set<string>>();
    for (const [, name = '', namespace = ''] of code.matchAll(
      /\b(\w+) = translationsFor\([^()]*, '(\w+)'\)/g,
    ))
      callers.set(name, keysOf(namespace));
    for (const [, name = ''] of code.matchAll(/\b(\w+) = useMemo\(\(\) => createTranslator\(/g))
      callers.set(name, all);
    const asked = [...callers].flatMap(([name, keys]) =>
      [
        ...code.matchAll(new RegExp(String.raw`\b${name}\((?:[^()']*\?\s*)?'(\w+)'(?:\s*:\s*'(\w+)')?`, 'g')),
      ].flatMap(([, first, second]) =>
        [first, second].filter((key) => key !== undefined).map((key) => ({ key, keys })),
      ),
    );
    const direct = [...code.matchAll(/translationsFor\([^()]*, '(\w+)'\)\('(\w+)'/g)].map(
      ([, namespace = '', key = '']) => ({ key, keys: keysOf(namespace) }),
    );
    return [...asked, ...direct]
      .filter(({ key, keys }) => !keys.has(key))
      .map(({ key }) => `${file}: ${key}`);
  });
  expect(
    missing,
    'Add these keys to the words of their namespace in every language, or correct their spelling in the code.',
  ).toEqual([]);
});

test('the two searches above find what they should find', () => {
  expect(anywhere.templates.map(String)).toContain(String(/^(\w+)Title$/));
  expect(['signedOutTitle', 'noSuchWordTitle', 'noSuchWord'].map((key) => isUsed('auth.json', key))).toEqual([
    true,
    false,
    false,
  ]);
  expect(isUsed('receipts.json', 'domainsTitle'), 'a literal that another translation file answers').toBe(
    false,
  );
  expect(sources.length).toBeGreaterThan(60);
});
