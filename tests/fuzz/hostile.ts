import fc from 'fast-check';

/**
 * Texts that have broken programs before: NUL, lone surrogates, names of Object.prototype, numbers as text,
 * SQL, paths.
 */
const NASTY = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '\ufeff',
  '\u202efdp.exe',
  '\r\nX-Evil: 1',
  '\u2028',
  'İ',
  'ß',
  'ﬃ',
  'e\u0301',
  '👩‍👩‍👧‍👦',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '$where',
  'null',
  'undefined',
  'true',
  '[object Object]',
  '-1',
  '0',
  '1.5',
  '1e309',
  '-0',
  'NaN',
  'Infinity',
  '0x10',
  ' 7 ',
  '9007199254740991',
  '9007199254740993',
  '99999999999999999999',
  '2147483648',
  "' or 1=1 --",
  '%',
  '_',
  '\\',
  '%00',
  '%c0%ae',
  '../../../../etc/passwd',
  '..\\..\\x',
  'C:\\con',
  '//evil.example',
  'javascript:alert(1)',
  '<script>alert(1)</script>',
  '${7*7}',
  '{{7*7}}',
  ',',
  ',,,',
  '.',
  '..',
  '&',
  '=',
  '?',
  '#',
  ';',
  '"',
  '`',
] as const;

const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ unit: anyUnit, maxLength: 30 }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('a', 'é', '\ud83d', '%', "'", 'e\u0301', '(', '1'),
        fc.constantFrom(19, 59, 61, 201, 256, 1001, 5000, 40_000),
      )
      .map(([text, times]) => text.repeat(times)),
  },
);

const hostileNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 1, 1.5, 2 ** 31, 2 ** 53, 2 ** 53 - 1, -(2 ** 63), 1e21, 1e308, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);

const nested = (depth: number, kind: 'array' | 'object'): unknown =>
  JSON.parse(
    kind === 'array'
      ? '['.repeat(depth) + ']'.repeat(depth)
      : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
  );
const POLLUTING = [
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"__proto__":null}',
  '{"toString":1,"valueOf":2}',
  '{"toJSON":"x"}',
  '{"length":1e9}',
  '{"then":true}',
];

/** Any JSON value, usually not of the expected type. */
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: hostileText },
  { weight: 3, arbitrary: hostileNumber },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], [{}]) },
  { weight: 2, arbitrary: fc.constantFrom(...POLLUTING).map((text): unknown => JSON.parse(text)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(17, 200, 1000), fc.constantFrom('array' as const, 'object' as const))
      .map(([depth, kind]) => nested(depth, kind)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom<unknown>('', 'a', 0, null, {}), fc.constantFrom(201, 1001, 10_000))
      .map(([value, times]): unknown => new Array(times).fill(value)),
  },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

export const hostileKey = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'companyId',
    'staff',
    'actor',
    '',
    'a.b',
    'a[b]',
    '0',
    'length',
    '\0',
  ),
  hostileText,
);

interface Change {
  kind: 'replace' | 'remove' | 'add' | 'double';
  where: number;
  key: string;
  value: unknown;
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('replace', 'replace', 'remove', 'add', 'double'),
  where: fc.nat(),
  key: hostileKey,
  value: hostileValue,
});

/** The value as it is, or with up to three changes inside: nearly valid. */
export const nearly = (valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      valid,
      fc.oneof(
        { weight: 2, arbitrary: fc.constant([]) },
        { weight: 3, arbitrary: fc.array(change, { minLength: 1, maxLength: 3 }) },
      ),
    )
    .map(([value, changes]) => changes.reduce(changed, structuredClone(value)));

type Box = Record<string, unknown>;

/** Every position in a value, as its parent and key. */
function placesIn(value: unknown, holder: Box, key: string, depth = 0): [Box, string][] {
  const inside =
    typeof value === 'object' && value !== null && depth < 20
      ? Object.keys(value)
          .slice(0, 50)
          .flatMap((inner) => placesIn((value as Box)[inner], value as Box, inner, depth + 1))
      : [];
  return [[holder, key], ...inside];
}

function changed(value: unknown, { kind, where, key, value: drawn }: Change): unknown {
  const other: unknown = structuredClone(drawn); // a later change must not grow values that other requests share
  const root: Box = { value };
  const places = placesIn(value, root, 'value').slice(0, 200);
  const [holder, name] = places[where % places.length] ?? [root, 'value'];
  const target = holder[name];
  if (kind === 'remove' && holder !== root) {
    if (Array.isArray(holder)) holder.splice(Number(name), 1);
    else Reflect.deleteProperty(holder, name);
  } else if (kind === 'add' && typeof target === 'object' && target !== null) {
    if (Array.isArray(target)) target.push(other);
    else
      Object.defineProperty(target, key, {
        value: other,
        enumerable: true,
        configurable: true,
        writable: true,
      }); // also `__proto__`, as JSON.parse does
  } else if (kind === 'double' && Array.isArray(holder)) holder.push(target);
  else holder[name] = other;
  return root['value'];
}

/**
 * Percent-encodes a text byte by byte where a URL requires it, with lone surrogates as the bytes that a
 * careless program sends.
 */
export const encoded = (text: string): string =>
  [...text]
    .map((character) =>
      /[\w.~-]/.test(character)
        ? character
        : (/[\ud800-\udfff]/.test(character) && character.length === 1
            ? Buffer.from([0xed, 0xa0, 0x80])
            : Buffer.from(character)
          )
            .toString('hex')
            .replace(/../g, '%$&'),
    )
    .join('');

/** A piece of a URL that no encoder produces. */
const rawSegment = fc.constantFrom(
  '%',
  '%zz',
  '%00',
  '%c0%ae%c0%ae',
  '%ed%a0%80',
  '%2e%2e',
  '..',
  '.',
  '..%2f..%2f',
  '%2f',
  '%5c',
  '%25',
  '%f8%88',
  ';a=b',
  ':id',
  '*',
  '{id}',
  '@',
  '~',
  '$&',
  'a'.repeat(7000),
);

/** A path segment: as intended, encoded, or wrongly encoded. */
export const segment = (...meant: string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: meant.length > 0 ? fc.constantFrom(...meant) : fc.uuid() },
    { weight: 2, arbitrary: hostileText.map((text) => encoded(text.slice(0, 2000))) },
    { weight: 1, arbitrary: rawSegment },
  );

/** A query string of some of the named values, sometimes with a repeated, wrong or made-up one. */
export function query(named: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<string> {
  const names = Object.keys(named);
  const known = fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), named[name] ?? hostileText)));
  const wrong = fc.tuple(
    fc.oneof(
      { weight: 4, arbitrary: names.length > 0 ? fc.constantFrom(...names) : hostileKey },
      { weight: 1, arbitrary: hostileKey },
    ),
    hostileText,
  );
  const odd = fc.constantFrom('&', '=', '%', '%zz=1', 'a', '=b', '%00', '?', '+', ';');
  const written = ([name, value]: [string, string]): string =>
    `${encoded(name.slice(0, 200))}=${encoded(value.slice(0, 1500))}`;
  const some = known.chain((pairs) => fc.subarray(pairs.map(written)));
  const others = fc.oneof(
    { weight: 3, arbitrary: fc.constant<string[]>([]) },
    {
      weight: 2,
      arbitrary: fc.array(
        fc.oneof({ weight: 4, arbitrary: wrong.map(written) }, { weight: 1, arbitrary: odd }),
        { minLength: 1, maxLength: 3 },
      ),
    },
  );
  return fc
    .tuple(some, others)
    .map(([usual, more]) => (usual.length + more.length > 0 ? `?${[...usual, ...more].join('&')}` : ''));
}

/** A header value that can be sent: no line end, no NUL, bytes only. */
export const asHeader = (text: string): string =>
  text
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '')
    .slice(0, 4000)
    .trim();

/** Values of a Cookie header. */
export const cookies = (named: Record<string, string[]>): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        {
          weight: 6,
          arbitrary: fc
            .constantFrom('', ...Object.keys(named))
            .chain((name) =>
              fc.tuple(
                fc.constant(name),
                fc.oneof(
                  { weight: 3, arbitrary: fc.constantFrom('', ...(named[name] ?? [])) },
                  { weight: 1, arbitrary: hostileText },
                ),
              ),
            ),
        },
        { weight: 1, arbitrary: fc.tuple(hostileKey, hostileText) },
      ),
      { maxLength: 6 },
    )
    .map((pairs) =>
      asHeader(
        pairs
          .map(([name, value]) => `${name}=${/[^\x21-\x7e]/.test(value) ? encoded(value) : value}`)
          .join('; '),
      ),
    );
