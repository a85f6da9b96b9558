import fc from 'fast-check';
import { asHeader, cookies, encoded, hostileKey, hostileText, query, segment } from './hostile.ts';
import { written, type Exchange, type WireRequest } from './wire.ts';

/** The facts about the running portal that a hunt over the wire uses. */
export interface World {
  host: string;
  origin: string;
  /** Cookie headers of signed-in people; '' is a visitor. */
  sessions: string[];
  /** Paths of pages, with `[base]`, `[lang]` and the like to be filled in. */
  pages: string[];
  ids: string[];
}

/** A request to send, and the target whose answer it gets; `asExchange` prints and encodes it. */
export interface Drawn {
  request: WireRequest;
  exchange: Exchange;
}

const QUERY = {
  r: fc.constantFrom(
    '/clientcenter/en-us/documents',
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
  ),
  state: fc.constantFrom('x', ''),
  code: fc.constantFrom('x', ''),
  error: fc.constantFrom('access_denied'),
  iss: fc.constantFrom('x'),
  client: fc.constantFrom('x'),
  folder: fc.constantFrom('x'),
  from: fc.constantFrom('0', '100', '-1', '1e9', '10000000'),
  orderBy: fc.constantFrom('name', 'createdDate'),
  orderDir: fc.constantFrom('asc', 'desc'),
  pageNum: fc.constantFrom('1', '2', '9007199254740991', '99999999999999999999'),
  pageSize: fc.constantFrom('1', '1000'),
  searchTerm: fc.constantFrom('a', '%', '_', '\\', 'é'),
  id: fc.constantFrom('x', 'y'),
};

const FORM = [
  'email',
  'password',
  'code',
  'again',
  'client',
  'id',
  'to',
  'subject',
  'message',
  'expirationPeriod',
  'requireCode',
  'sendMeACopy',
];
const FLASHES = [
  '{"type":"success","room":"sharing","key":"sendDocsSuccessMsg","vars":{"count":1},"items":[]}',
  '{"type":"danger","room":"documents","key":"__proto__","vars":{"__proto__":1,"count":"x"},"items":[{"name":"<b>","codes":["x","__proto__"]}]}',
  '{"type":"info","room":"documents","key":"constructor"}',
  '[]',
  '{',
  'null',
];

const urlencoded = (ids: string[]): fc.Arbitrary<string> =>
  fc
    .array(
      fc.tuple(
        fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...FORM) }, { weight: 1, arbitrary: hostileKey }),
        fc.oneof(
          fc.constantFrom('x', 'someone@out.example', 'AfterOneDay', 'Your papers', ...ids),
          hostileText.map((text) => text.slice(0, 5000)),
        ),
      ),
      { maxLength: 8 },
    )
    .map((pairs) => pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&'));

const multipart = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...FORM), hostileKey), hostileText, fc.boolean()), {
    maxLength: 5,
  })
  .map(
    (parts) =>
      `${parts.map(([name, value, isFile]) => `--b\r\nContent-Disposition: form-data; name="${name}"${isFile ? '; filename="a.pdf"' : ''}\r\n\r\n${value}\r\n`).join('')}--b--\r\n`,
  );

interface Body {
  type: string;
  body: string;
}

const bodies = (ids: string[]): fc.Arbitrary<Body> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: urlencoded(ids).map((body) => ({ type: 'application/x-www-form-urlencoded', body })),
    },
    { weight: 3, arbitrary: multipart.map((body) => ({ type: 'multipart/form-data; boundary=b', body })) },
    {
      weight: 1,
      arbitrary: multipart.map((body) => ({
        type: 'multipart/form-data; boundary=b',
        body: body.slice(0, body.length / 2),
      })),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.oneof(
          fc.constantFrom(
            '',
            'text/plain',
            'application/json',
            'multipart/form-data',
            'multipart/form-data; boundary=',
            'multipart/form-data; boundary="',
            'multipart/mixed; boundary=b',
            'application/x-www-form-urlencoded; charset=utf-7',
            ',',
            'a/b/c',
          ),
          hostileText.map(asHeader),
        ),
        body: fc.oneof(
          hostileText,
          fc.constantFrom('', '{"email":"x"}', '%', '&&&===', 'a'.repeat(1_100_000)),
        ),
      }),
    },
  );

/** Headers that a client may make up. */
const HEADERS: Record<string, string[]> = {
  'X-Forwarded-For': [
    '127.0.0.1',
    '10.0.0.1, 192.0.2.9',
    'unknown',
    '::1',
    '_hidden',
    'a,'.repeat(500),
    '\u00ff',
  ],
  'X-Forwarded-Host': ['evil.example', 'evil.example:80, 127.0.0.1'],
  'X-Forwarded-Proto': ['https', 'javascript', 'https,http'],
  'X-Forwarded-Port': ['443', 'x'],
  Forwarded: ['for=192.0.2.1;host=evil.example', 'for="'],
  'X-Original-URL': ['/api/openapi.json'],
  'X-HTTP-Method-Override': ['DELETE'],
  Range: ['bytes=0-0', 'bytes=5-', 'bytes=-0', 'x'],
  'If-None-Match': ['*', '"x"', 'W/"'],
  'If-Modified-Since': ['x', 'Sat, 01 Jan 2000 00:00:00 GMT'],
  Accept: ['*/*', 'application/json', ';q=', 'a'.repeat(3000)],
  'Accept-Encoding': ['gzip', 'br', 'identity;q=0', '*;q=0', 'gzip;q=x', 'zstd, deflate'],
  'Accept-Language': [
    'en',
    'pt-BR,pt;q=0.9',
    '*',
    'en;q=2',
    '__proto__',
    'xx-'.repeat(300),
    '\u00e9',
    ';',
    ',,,',
  ],
  Authorization: ['Basic x', 'Basic Og==', 'Bearer x', 'Bearer', ''],
  Origin: ['null', 'https://evil.example', 'x'],
  Referer: ['x', 'https://evil.example/'],
  'Sec-Fetch-Site': ['same-origin', 'cross-site', 'none', 'x'],
  'Sec-Fetch-Mode': ['navigate', 'cors', 'x'],
  Expect: ['100-continue', 'x'],
  Upgrade: ['websocket', 'h2c'],
  Connection: ['close', 'keep-alive', 'Upgrade', 'Upgrade, HTTP2-Settings', 'x'],
  TE: ['trailers'],
  'Content-Encoding': ['gzip', 'x'],
  'HX-Request': ['true'],
};
const extraHeader = fc
  .constantFrom(...Object.keys(HEADERS))
  .chain((name) =>
    fc.tuple(
      fc.constant(name),
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...(HEADERS[name] ?? [])) },
        { weight: 1, arbitrary: hostileText.map(asHeader) },
      ),
    ),
  );

const crumbs = (world: World): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...world.sessions) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom(...world.sessions),
          cookies({
            flash: FLASHES.map((text) => Buffer.from(text).toString('base64url')),
            client: world.ids,
            theme: world.ids,
            visit: ['x', 'x.'.repeat(1000)],
            signin: ['x'],
            sid: ['x'],
          }),
        )
        .map((pair) => pair.filter(Boolean).join('; ')),
    },
  );

const bodyHeaders = ({ type, body }: Body): [string, string][] => [
  ...(type ? [['Content-Type', type] as [string, string]] : []),
  ['Content-Length', String(written({ method: '', target: '', version: '', headers: [], body }).length - 5)],
];

/**
 * Well-formed requests to pages, by everybody, with made-up parameters, queries, forms, cookies and headers.
 */
export function pageRequests(world: World, page: string): fc.Arbitrary<Drawn> {
  const pieces = page.split(/(\[\w+\])/).map((piece) => {
    if (piece === '[base]')
      return fc.oneof(
        { weight: 30, arbitrary: fc.constant('clientcenter') },
        { weight: 1, arbitrary: segment('clientcenter') },
      );
    if (piece === '[lang]')
      return fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom('en-us', 'en-gb', 'fr', 'pt', 'es') },
        { weight: 1, arbitrary: segment('EN-US', 'en', 'en/us', 'de', '__proto__', 'x'.repeat(60)) },
      );
    return piece.startsWith('[') ? segment(...world.ids) : fc.constant(piece);
  });
  const asked = fc
    .tuple(fc.tuple(...pieces), query(QUERY))
    .map(([parts, search]) => (parts.join('') + search).slice(0, 9000));
  const method = fc.oneof(
    { weight: 5, arbitrary: fc.constant('GET') },
    { weight: 4, arbitrary: fc.constant('POST') },
    { weight: 1, arbitrary: fc.constantFrom('HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND') },
  );
  return fc
    .record({
      target: asked,
      method,
      cookie: crumbs(world),
      extra: fc.array(extraHeader, { maxLength: 3 }),
      body: bodies(world.ids),
    })
    .map(({ target, method: verb, cookie, extra, body }) => {
      const reads = ['GET', 'HEAD', 'OPTIONS'].includes(verb);
      const origin: [string, string][] =
        reads || extra.some(([name]) => ['Origin', 'Sec-Fetch-Site'].includes(name))
          ? []
          : [['Origin', world.origin]];
      const request = {
        method: verb,
        target,
        version: 'HTTP/1.1',
        headers: [
          ['Host', world.host],
          ...(cookie ? [['Cookie', cookie] as [string, string]] : []),
          ...origin,
          ...extra,
          ...(reads ? [] : bodyHeaders(body)),
        ] as [string, string][],
        body: reads ? '' : body.body,
      };
      return { request, exchange: { pieces: [written(request)], end: 'wait' as const } };
    });
}

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'BREW',
  'get',
  'G ET',
  '',
  'PRI',
  'GET\0',
  'M-SEARCH',
  'QUERY',
  'A'.repeat(200),
];
const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  '',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/1.2',
  'HTTP/9.9',
  'http/1.1',
  'HTTP/1.1 ',
  'HTTP/1',
  'ICE/1.0',
  'RTSP/1.0',
  'HTTP/11.1',
];

/** Request targets in every form of RFC 9112, and in none. */
const targets = ({ host, pages }: World): fc.Arbitrary<string> => {
  const paths = [
    '/',
    '/healthz',
    '/readyz',
    '/api/openapi.json',
    '/api/docs',
    '/api/security/v1/session',
    '/api/client-center/v1/clients/',
    '/api/storage/v2/sharing/share',
    '/api/storage/v1/folders',
    '/oidc/auth',
    '/oidc/token',
    '/oidc/jwks',
    '/oidc/.well-known/openid-configuration',
    '/oidc/interaction/x',
    '/oidc/session/end',
    '/oidc/me',
    '/oidc/',
    '/theme/x/1/theme.css',
    '/theme/x/1/logo',
    '/theme/',
    '/messages/uploader/en-us/1.js',
    '/messages/',
    '/icons.svg',
    '/favicon.svg',
    '/_astro/',
    '/_astro/x.js',
    '/_image?href=x',
    '/_server-islands/x',
    '/_actions/x',
    ...pages.map((page) => page.replace('[base]', 'clientcenter').replace('[lang]', 'en-us')),
  ];
  const odd = [
    '*',
    '',
    '//',
    '///',
    '//evil.example/',
    '/\\evil.example',
    `http://${host}/`,
    `http://${host}/api/openapi.json`,
    'http://evil.example/',
    'https://evil.example:99999/',
    'http://',
    'http://[',
    host,
    'evil.example:443',
    '?',
    '#',
    '/?',
    '/#x',
    '/%',
    '/%00',
    '/%zz',
    '/%c0%ae',
    '/%ff',
    '/%ed%a0%80',
    '/..',
    '/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/..%2f..%2fpackage.json',
    '/_astro/..%2f..%2f..%2fpackage.json',
    '/_astro/%00',
    '/_astro/%',
    '/icons.svg/',
    '/icons.svg%00',
    '/clientcenter/%00',
    '/clientcenter/en-us/%',
    '/clientcenter/en-us/%c0%ae/',
    '/clientcenter//en-us//documents',
    '/clientcenter/en-us/documents/../auth',
    '/clientcenter/en-us/share/%00',
    '/oidc/auth?client_id=%00&redirect_uri=%',
    '/oidc/auth?client_id=portal&client_id=portal',
    '/oidc/%',
    '/oidc/%2e%2e/api',
    '/api',
    '/api/%',
    '/api/storage/v1/clients/%/documents/%',
    '/theme/%00/1/theme.css',
    '/theme/%/1/logo',
    '/404',
    '/500',
    'x',
    'javascript:alert(1)',
    '/\u00ff\u00fe',
    '/\u0001',
    '/a b',
    '/\t',
    `/${'a'.repeat(8190)}`,
    `/${'a'.repeat(20_000)}`,
    `/?${'a=1&'.repeat(2000)}`,
    `/clientcenter/en-us/${'../'.repeat(500)}`,
    `/${'%2e%2e%2f'.repeat(300)}`,
  ];
  return fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...paths) },
    { weight: 5, arbitrary: fc.constantFrom(...odd) },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.constantFrom(...paths), query(QUERY)).map(([path, search]) => path + search),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.constantFrom(...paths), segment()).map(([path, more]) => `${path}/${more}`),
    },
    { weight: 1, arbitrary: hostileText.map((text) => `/${text.replace(/[\r\n ]/g, '')}`) },
  );
};

/** Header lines that are invalid or ambiguous. */
const brokenLine = (host: string) =>
  fc.constantFrom(
    'Content-Length: 5',
    'Content-Length: 0',
    'Content-Length: -1',
    'Content-Length: +5',
    'Content-Length: 5, 5',
    'Content-Length: 5, 6',
    'Content-Length: 0x5',
    'Content-Length: 99999999999999999999',
    'Content-Length:',
    'Content-Length : 5',
    'Content-Length: 1e1',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: identity',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding : chunked',
    'Transfer-Encoding:\tchunked',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: x',
    'Transfer-Encoding: "chunked"',
    'Transfer_Encoding: chunked',
    'Transfer-Encoding:\x0bchunked',
    ' Transfer-Encoding: chunked',
    `Host: ${host}`,
    'Host: evil.example',
    'Host:',
    'Host: a, b',
    'Host: [::1',
    `Host: ${host}@evil.example`,
    `Host: ${host}/x`,
    'Host: 127.0.0.1:99999',
    'Host: LOCALHOST',
    'Host: \u00ff',
    'X: \0',
    'X\0: y',
    ': x',
    'X',
    'X : y',
    'X: a\r\n b',
    'X: a\nY: b',
    'X: a\rY: b',
    `X: ${'a'.repeat(20_000)}`,
    `${'X'.repeat(20_000)}: a`,
    'a: b\r\n'.repeat(3000).trim(),
    'a: b\r\n'.repeat(500).trim(),
    'Cookie: ' + 'a=b; '.repeat(2000),
    'Cookie: =',
    'Cookie: %',
    'Cookie: sid=%',
    'Cookie: sid=%00; sid=a; sid',
    'Cookie: __proto__=1; constructor=2',
    'Cookie: \u00ff=\u00fe',
    'Expect: 100-continue',
    'Expect: 200-ok',
    'Upgrade: websocket\r\nConnection: Upgrade',
    'Connection: close, keep-alive',
    'Trailer: Content-Length',
    'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  );

const CHUNKS = [
  '0\r\n\r\n',
  '5\r\nhello\r\n0\r\n\r\n',
  '5;a=b\r\nhello\r\n0\r\n\r\n',
  '5\r\nhello0\r\n\r\n',
  '5\nhello\n0\n\n',
  'x\r\n',
  '-1\r\n\r\n',
  'ffffffffffffffff\r\nx',
  '10000000000000000\r\nx',
  '0x5\r\nhello\r\n0\r\n\r\n',
  ' 5\r\nhello\r\n0\r\n\r\n',
  '5\r\nhel',
  '0\r\nContent-Length: 5\r\n\r\n',
  '0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
  `5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
  '1\r\na\r\n'.repeat(2000) + '0\r\n\r\n',
  `4\r\nnull\r\n0\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
];

interface Wound {
  kind: 'flip' | 'cut' | 'insert' | 'line end' | 'double';
  at: number;
  byte: number;
}
const wound: fc.Arbitrary<Wound> = fc.record({
  kind: fc.constantFrom('flip', 'cut', 'insert', 'line end', 'double'),
  at: fc.nat(),
  byte: fc.integer({ min: 0, max: 255 }),
});

function wounded(bytes: Buffer, { kind, at, byte }: Wound): Buffer {
  const place = at % (bytes.length + 1);
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
  if (kind === 'cut') return before;
  if (kind === 'insert') return Buffer.concat([before, Buffer.from([byte]), after]);
  if (kind === 'flip')
    return Buffer.concat([before, Buffer.from(after.length > 0 ? [byte] : []), after.subarray(1)]);
  if (kind === 'double') return Buffer.concat([bytes, bytes]);
  return Buffer.from(bytes.toString('latin1').replaceAll('\r\n', byte % 2 === 0 ? '\n' : '\r'), 'latin1');
}

/**
 * Bytes that are HTTP, nearly HTTP, or not at all: each part may be wrong, then random corruption is added.
 */
export function brokenRequests(world: World): fc.Arbitrary<Drawn> {
  const chunked = fc
    .constantFrom(...CHUNKS)
    .map((body) => ({ headers: [['Transfer-Encoding', 'chunked']] as [string, string][], body }));
  const plain = bodies(world.ids).map((body) => ({
    headers: bodyHeaders(body),
    body: body.body.slice(0, 60_000),
  }));
  const none = fc.constant({ headers: [] as [string, string][], body: '' });
  return fc
    .record({
      method: fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom('GET', 'POST') },
        { weight: 2, arbitrary: fc.constantFrom(...METHODS) },
      ),
      target: targets(world),
      version: fc.oneof(
        { weight: 4, arbitrary: fc.constant('HTTP/1.1') },
        { weight: 1, arbitrary: fc.constantFrom(...VERSIONS) },
      ),
      host: fc.oneof(
        { weight: 8, arbitrary: fc.constant<[string, string][]>([['Host', world.host]]) },
        { weight: 1, arbitrary: fc.constant<[string, string][]>([]) },
      ),
      cookie: crumbs(world),
      extra: fc.array(extraHeader, { maxLength: 2 }),
      broken: fc.array(brokenLine(world.host), { maxLength: 2 }),
      sent: fc.oneof(
        { weight: 4, arbitrary: none },
        { weight: 2, arbitrary: plain },
        { weight: 2, arbitrary: chunked },
      ),
      wounds: fc.oneof(
        { weight: 3, arbitrary: fc.constant<Wound[]>([]) },
        { weight: 2, arbitrary: fc.array(wound, { minLength: 1, maxLength: 3 }) },
      ),
      split: fc.array(fc.nat(), { maxLength: 2 }),
      end: fc.constantFrom('wait', 'wait', 'wait', 'wait', 'half-close', 'disconnect') as fc.Arbitrary<
        Exchange['end']
      >,
    })
    .map(({ method, target, version, host, cookie, extra, broken, sent, wounds, split, end }) => {
      const lines = broken.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
      const request: WireRequest = {
        method,
        target,
        version,
        headers: [
          ...host,
          ...(cookie ? [['Cookie', cookie] as [string, string]] : []),
          ...extra,
          ...sent.headers,
          ...lines,
        ],
        body: sent.body,
      };
      const bytes = wounds.reduce(wounded, written(request));
      const cuts = [0, ...split.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
      return {
        request,
        exchange: { pieces: cuts.slice(1).map((to, i) => bytes.subarray(cuts[i], to)), end },
      };
    });
}
