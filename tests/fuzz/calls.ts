import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll } from 'vitest';

import { fillDemoWorld } from '#features/demo/demo/demo.server.ts';

import { createFolder } from '#features/documents/folders/folders.server.ts';

import { actorOf } from '#features/base/people/people.server.ts';
import { acceptTerms, publishTerms, termsFor } from '#features/identity/sessions/terms.server.ts';
import { issueApiToken } from '#features/identity/sessions/tokens.server.ts';
import { shareQuery } from '#features/sharing/sharing/my-shares.ts';
import { listShares } from '#features/sharing/sharing/my-shares.server.ts';
import { openShare } from '#features/sharing/sharing/recipient.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { encryptFor } from '#platform/security/encryption.server.ts';
import { ACCESS } from '../authz/features.ts';
import { apiAs, sessionAs } from '../support/api.ts';

import { uploadAs, makeCast, startMailServer, person } from '../support/cast.ts';
import {
  operationsOf,
  valid,
  wrongAnywhere,
  wrongByContract,
  type Answer,
  type Known,
  type Operation,
} from './contract.ts';
import { asHeader, cookies, hostileText, nearly, query, segment } from './hostile.ts';
import { hunt } from './hunt.ts';

/* The calls of the OpenAPI document, made-up requests of them, and people who make them. */

const cast = await makeCast();
const { ada, sam, clientA, clientB, clientTwo, projectA, projectB, projectTwo, documentTwo } = cast;
const folder = await createFolder(ada, { name: 'Folder', parentId: projectA.id, parentType: 'Project' });
const documents = [
  await uploadAs(sam, projectA, 'Tax return.pdf', 'return'),
  await uploadAs(ada, folder, 'Relevé 🥐.pdf', 'letter'),
  await uploadAs(ada, { id: clientA, containerType: 'Client' }, 'Of the client.pdf', 'c'),
];

const mailServer = await startMailServer();
afterAll(() => mailServer.close());
await mailServer.discard();

const item = (id: string) => ({
  containerType: 'Project' as const,
  containerId: projectA.id,
  documentId: id,
});
const sent = async (to: string): Promise<string> => {
  await shareDocuments(
    ada,
    {
      expirationPeriod: 'AfterOneDay',
      overrides: { subject: 'Your papers' },
      recipients: [{ emailAddress: to }],
      sharedItems: documents.map(({ id }) => item(id)),
    },
    'en-us',
  );
  const [message] = await mailServer.deliver();
  return /\/share\/([\w-]{43})\b/.exec(message?.mail.text ?? '')?.[1] ?? '';
};
const [open, over] = [await sent('x@out.example'), await sent('y@out.example')];
const visits = [
  await openShare(open, undefined, '192.0.2.7'),
  await openShare(over, undefined, '192.0.2.7'),
].join('.');
await db()
  .updateTable('shares')
  .set({ revoked_at: 1 })
  .where(
    'share_id',
    'in',
    db().selectFrom('share_recipients').select('share_id').where('email', '=', 'y@out.example'),
  )
  .execute();

await sent('z@out.example');
await sent('v@out.example');
const [extended, ended] = (await listShares(ada, shareQuery.parse({ clientId: clientA }))).shares
  .toReversed()
  .slice(2);

const mail = 'mail_1';
await db().insertInto('settings').values({ name: 'demo', value: '1' }).execute();
await db()
  .insertInto('mailbox')
  .values({
    mail_id: mail,
    received_at: 1,
    recipients: encryptFor('mailbox.recipients', mail, 'x@out.example'),
    raw: encryptFor('mailbox.raw', mail, 'Subject: Hello\r\nContent-Type: text/html\r\n\r\n<p>Hello</p>'),
  })
  .execute();
await fillDemoWorld(); // this row makes it a demo, so that the calls of the demo answer too

// Only those who manage the firm publish terms, set flags and invite people.
const olga = await person(ada.companyId, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await publishTerms(olga, { 'en-us': 'Terms' });
const terms = await termsFor(ada, 'en-us');
// due terms would block all her writes
if (terms) await acceptTerms(ada, { version: terms.version, language: terms.language, sha256: terms.sha256 });
// Other sessions than the caller's own, which end when one of the calls ends that session.
const tokenIds = await Promise.all(
  Array.from({ length: 5 }, async () => (await issueApiToken({ ...sessionAs(ada), id: 'another' })).tokenId),
);

const places = [clientA, projectA.id, folder.id, clientB, projectB.id, clientTwo, projectTwo.id];
const own = documents.map(({ id }) => id);
const papers = [...own, ...own, documentTwo.id];

const KNOWN: Known = {
  time: ['2026-11-26T01:00:00.000Z'],
  id: [...places, folder.id, folder.id, folder.id, mail],
  tokenId: tokenIds,
  prismGuid: [ada.prismGuid],
  companyId: [ada.companyId],
  contactId: [ada.contactId],
  sha256: [sha256('Terms')],
  firstName: ['Robin'],
  lastName: ['Doe'],
  language: ['en-US', 'en-us', 'pt-BR'],
  lang: ['en-us', 'pt-BR'],
  redirectUri: ['/clientcenter/en-us/documents', 'https://evil.example/'],
  parentId: places,
  containerId: places,
  documentId: papers,
  clientId: [clientA, clientB, clientTwo],
  clientIds: [clientA, clientB],
  primaryAssociationId: [clientA, clientB, clientTwo],
  customFields: [`clientId:${clientA}`],
  shareId: [extended?.shareId ?? ''],
  recipientId: [extended?.recipients[0]?.recipientId ?? ''],
  senderId: [ada.contactId, sam.contactId],
  page: ['1'],
  width: ['700', '1000'],
  parentIds: [projectA.id, `${projectA.id},${folder.id}`, `${projectTwo.id},`],
  token: [open, over],
  emailAddress: ['someone@out.example', 'ada@one.example', 'é@exämple.example'],
  r: ['/clientcenter/en-us/documents', 'https://evil.example/', '//evil.example'],
};

/** Calls for which few ids fit, by the first id in the address. */
const ONLY_HERE: Record<string, readonly string[]> = {
  'DELETE /api/storage/v2/sharing/shares/{shareId}': [ended?.shareId ?? ''],
};
for (const { fuzz } of Object.values(ACCESS)) {
  const made = await fuzz?.prepare?.({ ...cast, olga, folder, documents, known: KNOWN });
  for (const [name, values] of Object.entries(made?.known ?? {}))
    KNOWN[name] = [...(KNOWN[name] ?? []), ...values];
  Object.assign(ONLY_HERE, made?.only);
}

/** Calls that nobody can complete here, each with its reason; their effects are tested in their features. */
export const NOT_HERE: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(ACCESS).flatMap(({ fuzz }) => Object.entries(fuzz?.notHere ?? {})),
);

const CALLERS = {
  nobody: apiAs(undefined),
  contact: apiAs(await actorOf(ada.contactId)),
  staff: apiAs(await actorOf(olga.contactId)),
};

interface Request {
  caller: keyof typeof CALLERS;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
}

const TYPES = [
  'application/json; charset=utf-16',
  'application/json;charset="',
  'APPLICATION/JSON',
  'text/plain',
  'text/json',
  'application/merge-patch+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'multipart/form-data; boundary="',
  'application/octet-stream',
  '',
  'a'.repeat(1000),
];
const contentType = (usual: string) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...TYPES) },
    { weight: 1, arbitrary: hostileText.map(asHeader) },
  );

/** JSON as it is, truncated, with a prefix or suffix, compressed, or not JSON at all. */
const asSent = (json: fc.Arbitrary<unknown>): fc.Arbitrary<string | Buffer> => {
  const whole = json.map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 12, arbitrary: whole },
    {
      weight: 1,
      arbitrary: fc.tuple(whole, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1))),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(whole, fc.constantFrom('}', ']', '\0', ',', '//', '\n{}', '\u2028'))
        .map(([text, tail]) => text + tail),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          whole,
          fc.constantFrom('{"__proto__":{"polluted":true},', '{"name":1,"name":2,', '\ufeff', '"', ")]}',\n"),
        )
        .map(([text, head]) => head + text.replace(/^\{/, '')),
    },
    { weight: 1, arbitrary: whole.map((text) => gzipSync(text)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom('[', '{"a":', '[[],', '"\\u0000', '1e9', '\ud800', ' '),
          fc.constantFrom(1, 100, 20_000, 60_000),
        )
        .map(([text, times]) => text.repeat(times)),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        ' ',
        'null',
        '0',
        '"x"',
        '[]',
        '{}',
        'NaN',
        "{'a':1}",
        '{"a":1e400}',
        '"\\ud800"',
        `"${'x'.repeat(270_000)}"`,
      ),
    },
  );
};

const cookie = fc.oneof(
  { weight: 3, arbitrary: fc.constant(`visit=${visits}`) },
  { weight: 1, arbitrary: fc.constant('') },
  {
    weight: 2,
    arbitrary: cookies({
      visit: [visits, `${visits}.${'a.'.repeat(500)}`],
      sid: ['x'],
      signin: ['x'],
      theme: ['x'],
    }),
  },
);

const headers = fc
  .record(
    {
      range: fc.oneof(
        fc.constantFrom(
          'bytes=0-0',
          'bytes=-1',
          'bytes=5-',
          'bytes=99999-',
          'bytes=-0',
          'bytes=0-1,3-4',
          'bytes=2-1',
          'bytes=0-99999999999999999999',
          'lines=1-2',
        ),
        hostileText.map(asHeader),
      ),
      'if-range': hostileText.map(asHeader),
      'if-none-match': fc.constantFrom('*', '"x"', 'W/"'),
      accept: hostileText.map(asHeader),
      'accept-encoding': fc.constantFrom('gzip', 'br', '*;q=0', 'identity;q=0'),
      'accept-language': hostileText.map(asHeader),
      'content-encoding': fc.constantFrom('gzip', 'br', 'x'),
      'content-length': fc.constantFrom('0', '-1', '1e3', '99999999999', 'x', '300000'),
      'x-forwarded-for': hostileText.map(asHeader),
      'x-http-method-override': fc.constantFrom('DELETE', 'PUT'),
    },
    { requiredKeys: [] },
  )
  .chain((all) => fc.subarray(Object.entries(all), { maxLength: Math.min(3, Object.keys(all).length) }))
  .map((some) => Object.fromEntries(some));

const MULTIPART = [
  '--b\r\nContent-Disposition: form-data; name="file[]"; filename="',
  '"\r\n\r\n',
  '\r\n--b--\r\n',
] as const;
const asFiles = fc
  .tuple(
    fc.oneof(fc.constantFrom('a.pdf', 'Relevé.pdf'), hostileText),
    fc.oneof(fc.constant('%PDF-1.7\nx\n%%EOF\n'), hostileText),
    fc.boolean(),
  )
  .map(([name, bytes, whole]) =>
    Buffer.from(MULTIPART[0] + name + MULTIPART[1] + bytes + (whole ? MULTIPART[2] : '')),
  );

function requestsOf({ method, path, parameters = [], requestBody }: Operation): fc.Arbitrary<Request> {
  const inPath = path
    .split(/(\{\w+\})/)
    .map((piece, at) =>
      piece.startsWith('{')
        ? segment(
            ...((at === 1 ? ONLY_HERE[`${method} ${path}`] : undefined) ?? KNOWN[piece.slice(1, -1)] ?? []),
          )
        : fc.constant(piece),
    );
  const inQuery = Object.fromEntries(
    parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, schema }) => [name, valid(schema, KNOWN, name).map(String)]),
  );
  const [usual, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const body =
    usual === 'application/json'
      ? asSent(nearly(valid(media?.schema ?? {}, KNOWN)))
      : usual === undefined
        ? fc.constant(undefined)
        : asFiles;
  const type =
    usual === undefined
      ? fc.constant('')
      : contentType(usual === 'multipart/form-data' ? 'multipart/form-data; boundary=b' : usual);
  const methods =
    method === 'GET'
      ? fc.oneof({ weight: 9, arbitrary: fc.constant('GET') }, { weight: 1, arbitrary: fc.constant('HEAD') })
      : fc.constant(method);
  return fc.record({
    caller: fc.constantFrom('nobody', 'contact', 'contact', 'staff'),
    method: methods,
    path: fc.tuple(fc.tuple(...inPath), query(inQuery)).map(([pieces, asked]) => pieces.join('') + asked),
    headers: fc.tuple(headers, cookie, type).map(([others, crumbs, named]) => ({
      ...others,
      ...(crumbs && { cookie: crumbs }),
      ...(named && { 'content-type': named }),
    })),
    body,
  });
}

async function ask({ caller, method, path, headers: named, body }: Request): Promise<Answer> {
  // Request accepts bytes as well
  const sentBody = body === undefined || method === 'GET' ? {} : { text: body as string };
  const response = await CALLERS[caller](method, path, { headers: named, ...sentBody });
  const answer = {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    body: await response.text(),
  };
  if (/DELETE|PUT|POST/.test(method) && answer.status < 300)
    await db()
      .updateTable('documents')
      .set({ deleted_at: null, deleted_by: null })
      .where('deleted_at', 'is not', null)
      .where('purged_at', 'is', null)
      .execute(); // otherwise the hunt would soon have nothing to find
  // otherwise the rest of the hunt would find nothing else
  if (answer.status === 429) await db().deleteFrom('limits').execute();
  return answer;
}

const print = ({ caller, body, ...request }: Request): string =>
  `as ${caller}: ${JSON.stringify({ ...request, body: Buffer.isBuffer(body) ? { base64: body.toString('base64') } : body })}`;

/** An address that another operation, or none, answers: a generated id may contain a slash. */
const pattern = ({ path }: Operation) =>
  new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
const isAt = (operation: Operation, path: string): boolean =>
  pattern(operation).test(new URL(path, 'http://localhost').pathname);

export const operations = operationsOf(
  (await (await apiAs(undefined)('GET', '/api/openapi.json')).json()) as Parameters<typeof operationsOf>[0],
);

/** Makes up requests of a call, and fails at one with a wrong answer; returns how many had which status. */
export async function huntThrough(
  operation: Operation,
  requests: number,
): Promise<ReadonlyMap<number, number>> {
  const statuses = new Map<number, number>();
  await hunt({
    name: `${operation.method} ${operation.path}`,
    requests,
    arbitrary: requestsOf(operation),
    print,
    trial: async (request) => {
      const answer = await ask(request);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      return (
        wrongAnywhere(answer) ??
        (isAt(operation, request.path) ? wrongByContract(operation, answer) : undefined)
      );
    },
  });
  return statuses;
}
