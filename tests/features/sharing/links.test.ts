import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import type { Actor } from '#features/base/people/people.ts';
import { askAgain, openShare, sharedBytes, viewShare } from '#features/sharing/sharing/recipient.server.ts';
import { revokeAllShares, sweepShares } from '#features/sharing/sharing/ending.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import type { ShareRequest } from '#features/sharing/sharing/sharing.ts';
import { at, HOUR, MINUTE, now } from '#platform/runtime/clock.server.ts';
import { newId, newToken, sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { apiAs, seen } from '../../support/api.ts';
import {
  CANARY,
  client,
  everyRow,
  uploadAs,
  lockFirm,
  makeCast,
  startMailServer,
  pdf,
  person,
  readAll,
  standAt,
  unlink,
} from '../../support/cast.ts';

const { ada, ben, cleo, sam, firmOne, clientA, projectA, projectB, documentTwo } = await makeCast();
const first = await uploadAs(sam, projectA, 'Tax return.pdf', 'return');
const second = await uploadAs(ada, projectA, 'Relevé 🥐.pdf', 'letter');
const bens = await uploadAs(ben, projectB, 'Of Ben.pdf', 'ben');
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

const CODE = 'maple-7-secret';
let callers = 0;
/** The network of a visitor without earlier requests. */
const elsewhere = () => `198.51.100.${(callers += 1)}`;
const item = ({ id }: { id: string }) => ({
  containerType: 'Project' as const,
  containerId: projectA.id,
  documentId: id,
});

/** Shares documents and returns the tokens from the mails, in the order of the recipients. */
async function shared(
  changed: Partial<ShareRequest> = {},
  sender: Actor = ada,
  to = ['x@out.example'],
): Promise<string[]> {
  await mailServer.discard();
  await shareDocuments(
    sender,
    {
      expirationPeriod: 'AfterThreeDays',
      overrides: { subject: 'Your papers', body: 'Hello' },
      recipients: to.map((emailAddress) => ({ emailAddress })),
      sharedItems: [item(first), item(second)],
      ...changed,
    },
    'en-us',
  );
  const mails = await mailServer.deliver();
  return to.map(
    (address) =>
      /\/share\/([\w-]{43})\b/.exec(
        mails.find(({ recipients }) => recipients[0] === address)?.mail.text ?? '',
      )?.[1] ?? '',
  );
}
const link = async (changed?: Partial<ShareRequest>, sender?: Actor): Promise<string> =>
  (await shared(changed, sender))[0] ?? '';
const open = (token: string, code?: string) => openShare(token, code, elsewhere());
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'OK',
    (error: unknown) => (error as { code: string }).code,
  );
const opensOf = async () =>
  (await everyRow())['share_recipients']?.map((row) => (row as { opens: number }).opens) ?? [];
const rowsBut = async (...tables: string[]) =>
  Object.fromEntries(Object.entries(await everyRow()).filter(([name]) => !tables.includes(name)));
const links = (token: string) => `/api/storage/v2/sharing/links/${token}`;
const get = (url: string, visit?: string, method = 'GET') =>
  apiAs(undefined)(method, url, { headers: visit === undefined ? {} : { cookie: `visit=${visit}` } });

describe('viewing a link', () => {
  test('a link shows who sent what, its expiry, and that no code is required', async () => {
    const view = await viewShare(await link(), undefined);
    expect(view).toMatchObject({
      kind: 'closed',
      sender: { name: 'Ada Amber', firmName: 'Maple & Hart' },
      message: 'Hello',
      needsCode: false,
      fileCount: 2,
      totalSize: first.originalItemSize + second.originalItemSize,
    });
    expect(view.kind === 'closed' && view.files?.map(({ name }) => name).sort()).toEqual([
      'Relevé 🥐.pdf',
      'Tax return.pdf',
    ]);
    expect(JSON.stringify(view)).not.toContain(CANARY);
  });

  test('a link hides names and message until the code was entered', async () => {
    const token = await link({ authorizationCode: CODE });
    const closed = await viewShare(token, undefined);
    expect(closed).toMatchObject({
      kind: 'closed',
      needsCode: true,
      message: '',
      files: undefined,
      fileCount: 2,
    });
    expect(JSON.stringify(closed)).not.toMatch(/Tax return|Hello/);
    expect(await viewShare(token, await open(token, CODE))).toMatchObject({
      kind: 'open',
      message: 'Hello',
      files: [{ name: expect.any(String) as string }, {}],
    });
  });

  test('viewing a link changes nothing, however often a mail scanner does', async () => {
    const [free, coded] = [await link(), await link({ authorizationCode: CODE })];
    const before = await everyRow();
    for (let i = 0; i < 50; i += 1) {
      await viewShare(free, undefined);
      await viewShare(coded, newToken());
      for (const method of ['GET', 'HEAD']) {
        expect((await get(`${links(free)}/documents.zip`, undefined, method)).status).toBe(404);
        expect((await get(`${links(coded)}/documents/${first.id}`, newToken(), method)).status).toBe(404);
      }
    }
    expect(await everyRow()).toEqual(before);
    await open(free);
    await open(coded, CODE);
  });

  test('an unknown link token is reported as unknown', async () => {
    expect(await viewShare(newToken(), undefined)).toEqual({ kind: 'unknown' });
    expect(await viewShare('', undefined)).toEqual({ kind: 'unknown' });
    expect(await codeOf(open(newToken()))).toBe('NOT_FOUND');
    expect(await codeOf(askAgain(newToken(), elsewhere()))).toBe('NOT_FOUND');
  });
});

describe('opening a link', () => {
  test('opening a link counts once for each press of the button, for that recipient only', async () => {
    const [x = '', y = ''] = await shared({}, ada, ['x@out.example', 'y@out.example']);
    const before = await opensOf();
    await open(x);
    await open(x);
    const after = await opensOf();
    expect(after.reduce((a, b) => a + b, 0) - before.reduce((a, b) => a + b, 0)).toBe(2);
    expect(await viewShare(y, undefined)).toMatchObject({ kind: 'closed' });
  });

  test('neither the token of a link nor that of a visit is stored in readable form', async () => {
    const token = await link({ authorizationCode: CODE });
    const visit = await open(token, ` ${CODE} `);
    expect(visit).toMatch(/^[\w-]{43}$/);
    const rows = JSON.stringify(await everyRow());
    expect([rows.includes(token), rows.includes(visit), rows.includes(CODE)]).toEqual([false, false, false]);
  });

  test('a visit is valid for its own link only, for twelve hours', async () => {
    const [x = '', y = ''] = await shared({}, ada, ['x@out.example', 'y@out.example']);
    const visit = await open(x);
    expect((await viewShare(x, visit)).kind).toBe('open');
    expect((await viewShare(y, visit)).kind).toBe('closed');
    const opened = now();
    standAt(opened + 12 * HOUR - 5000);
    expect((await viewShare(x, visit)).kind).toBe('open');
    standAt(opened + 12 * HOUR + 1000);
    expect((await viewShare(x, visit)).kind).toBe('closed');
    expect(await codeOf(sharedBytes(x, visit))).toBe('NOT_FOUND');
    await sweepShares();
    expect(
      (await everyRow())['share_visits']?.filter((row) => (row as { expires_at: number }).expires_at < now()),
    ).toEqual([]);
  });

  test('opening links is limited per network', async () => {
    const token = await link();
    const tries = await Promise.all(
      Array.from({ length: 35 }, () => codeOf(openShare(token, undefined, '203.0.113.9'))),
    );
    expect(tries.filter((code) => code === 'OK')).toHaveLength(30);
    expect(tries.filter((code) => code === 'TOO_MANY')).toHaveLength(5);
  });
});

describe('the code of a link', () => {
  test('a link with a code does not open without it, with a wrong one or with different case', async () => {
    const token = await link({ authorizationCode: CODE });
    for (const wrong of [undefined, '', CODE.toUpperCase(), `${CODE}x`])
      expect(await codeOf(open(token, wrong))).toBe('CODE_WRONG');
    expect(await codeOf(open(token, CODE))).toBe('OK');
  });

  test('the code of a link matches regardless of how its accents are encoded', async () => {
    const token = await link({ authorizationCode: 'Caf\u00e9-Bar-7' });
    expect(await codeOf(open(token, 'Cafe\u0301-Bar-7'))).toBe('OK');
  });

  test('after five wrong codes a link pauses for fifteen minutes, for the right code too', async () => {
    const token = await link({ authorizationCode: CODE });
    for (const triesLeft of [4, 3, 2, 1, 0])
      await expect(open(token, 'wrong')).rejects.toMatchObject({
        code: 'CODE_WRONG',
        details: { triesLeft },
      });
    const paused = now();
    await expect(open(token, CODE)).rejects.toMatchObject({
      code: 'TOO_MANY',
      details: { asleep: false, minutes: 15 },
    });
    standAt(paused + 15 * MINUTE - 5000);
    await expect(open(token, CODE)).rejects.toMatchObject({ code: 'TOO_MANY', details: { minutes: 1 } });
    standAt(paused + 15 * MINUTE + 1000);
    expect(await codeOf(open(token, CODE))).toBe('OK');
  });

  test('a code refused during the pause is in the audit log once, and everybody sees the same wait', async () => {
    const token = await link({ authorizationCode: CODE });
    const refusals = async () =>
      (await db().selectFrom('audit').select('seq').where('action', '=', 'share.refuse').execute()).length;
    const before = await refusals();
    const waits = await Promise.all(
      Array.from({ length: 12 }, () =>
        open(token, 'wrong').then(
          () => 0,
          (error: unknown) => refusal(error)?.details['minutes'],
        ),
      ),
    );
    expect(waits.filter((minutes) => minutes !== undefined)).toEqual(Array.from({ length: 7 }, () => 15));
    expect((await refusals()) - before).toBe(6);
  });

  test('after ten wrong codes a link is disabled permanently', async () => {
    const token = await link({ authorizationCode: CODE, expirationPeriod: 'AfterTwoWeeks' });
    for (let i = 0; i < 5; i += 1) expect(await codeOf(open(token, 'wrong'))).toBe('CODE_WRONG');
    standAt(now() + 16 * MINUTE);
    for (let i = 0; i < 5; i += 1) expect(await codeOf(open(token, 'wrong'))).toBe('CODE_WRONG');
    standAt(now() + 24 * HOUR);
    await expect(open(token, CODE)).rejects.toMatchObject({ code: 'TOO_MANY', details: { asleep: true } });
  });

  test('the sender gets an email after ten wrong codes', async () => {
    const token = await link({ authorizationCode: CODE });
    for (let i = 0; i < 10; i += 1) {
      if (i === 5) standAt(now() + 16 * MINUTE);
      await codeOf(open(token, 'wrong'));
    }
    expect((await mailServer.deliver()).map(({ recipients }) => recipients.join())).toEqual([
      ada.emailAddress,
    ]);
  });

  test('the right code resets the number of tries', async () => {
    const token = await link({ authorizationCode: CODE });
    for (let round = 0; round < 4; round += 1) {
      for (let i = 0; i < 4; i += 1) expect(await codeOf(open(token, 'wrong'))).toBe('CODE_WRONG');
      expect(await codeOf(open(token, CODE))).toBe('OK');
    }
  });

  test('of fifty concurrent codes at most five are checked', async () => {
    const token = await link({ authorizationCode: CODE });
    const tries = await Promise.all(Array.from({ length: 50 }, () => codeOf(open(token, 'wrong'))));
    expect(tries.filter((code) => code === 'CODE_WRONG')).toHaveLength(5);
    expect(tries.filter((code) => code === 'TOO_MANY')).toHaveLength(45);
    expect(await codeOf(open(token, CODE))).toBe('TOO_MANY');
  });

  test('wrong codes of one recipient do not affect the link of another', async () => {
    const [x = '', y = ''] = await shared({ authorizationCode: CODE }, ada, [
      'x@out.example',
      'y@out.example',
    ]);
    for (let i = 0; i < 6; i += 1) await codeOf(open(x, 'wrong'));
    expect(await codeOf(open(y, CODE))).toBe('OK');
  });
});

describe('the end of a link', () => {
  test.each([
    ['AfterOneDay', 1],
    ['AfterThreeDays', 3],
    ['AfterOneWeek', 7],
    ['AfterTwoWeeks', 14],
  ] as const)('a link ends after %s, to the second', async (expirationPeriod, days) => {
    const sent = now();
    const token = await link({ expirationPeriod });
    const done = now();
    const view = await viewShare(token, undefined);
    const expiresAt = view.kind === 'closed' ? view.expiresAt : 0;
    expect(expiresAt).toBeGreaterThanOrEqual(sent + days * 24 * HOUR);
    expect(expiresAt).toBeLessThanOrEqual(done + days * 24 * HOUR);
    standAt(expiresAt - 1000);
    const visit = await open(token);
    expect((await viewShare(token, visit)).kind).toBe('open');
    expect(await sharedBytes(token, visit)).toHaveLength(2);
    standAt(expiresAt + 1000);
    expect((await viewShare(token, visit)).kind).toBe('over');
    expect(await codeOf(open(token))).toBe('GONE');
    expect(await codeOf(sharedBytes(token, visit))).toBe('GONE');
    expect((await get(`${links(token)}/documents/${first.id}`, visit)).status).toBe(410);
  });

  test('a revoked link ends, also for visitors who have opened it', async () => {
    const token = await link();
    const visit = await open(token);
    const view = await viewShare(token, visit);
    expect(view.kind).toBe('open');
    await db().updateTable('shares').set({ revoked_at: now() }).execute();
    expect((await viewShare(token, visit)).kind).toBe('over');
    expect([await codeOf(open(token)), await codeOf(sharedBytes(token, visit))]).toEqual(['GONE', 'GONE']);
    await db().updateTable('shares').set({ revoked_at: null }).execute();
  });

  test('a link ends when its sender loses the client, also for visitors who have opened it', async () => {
    const guest = await person(firmOne, 'Gus Guest', 'gus@one.example');
    const clientId = await client(firmOne, 'Short visit', 'SV', [guest]);
    const paper = await uploadAs(guest, { id: clientId, containerType: 'Client' }, 'paper.pdf', 'p');
    const token = await link({ sharedItems: [item(paper)] }, guest);
    const visit = await open(token);
    expect(await sharedBytes(token, visit)).toHaveLength(1);
    await unlink(clientId, guest);
    expect(await viewShare(token, visit)).toMatchObject({ kind: 'over' });
    expect(JSON.stringify(await viewShare(token, visit))).not.toContain('paper.pdf');
    expect(await codeOf(open(token))).toBe('GONE');
    expect(await codeOf(sharedBytes(token, visit))).toBe('GONE');
  });

  test('a link to documents of two clients ends completely when its sender loses one of them', async () => {
    const guest = await person(firmOne, 'Gia Guest', 'gia@one.example');
    const [one, two] = [
      await client(firmOne, 'One', 'G1', [guest]),
      await client(firmOne, 'Two', 'G2', [guest]),
    ];
    const [a, b] = [
      await uploadAs(guest, { id: one, containerType: 'Client' }, 'a.pdf', 'a'),
      await uploadAs(guest, { id: two, containerType: 'Client' }, 'b.pdf', 'b'),
    ];
    const token = await link({ sharedItems: [item(a), item(b)] }, guest);
    const visit = await open(token);
    await unlink(two, guest);
    expect((await viewShare(token, visit)).kind).toBe('over');
    expect(await codeOf(sharedBytes(token, visit, a.id))).toBe('GONE');
  });

  test('a link ends when the firm is locked, also for visitors who have opened it', async () => {
    const token = await link();
    const visit = await open(token);
    await lockFirm(firmOne, true);
    try {
      expect([
        (await viewShare(token, visit)).kind,
        await codeOf(open(token)),
        await codeOf(sharedBytes(token, visit)),
      ]).toEqual(['over', 'GONE', 'GONE']);
    } finally {
      await lockFirm(firmOne, false);
    }
  });

  test('a link ends when one of its documents is in the trash', async () => {
    const paper = await uploadAs(ada, projectA, 'soon gone.pdf', 'p');
    const token = await link({ sharedItems: [item(paper)] });
    const visit = await open(token);
    await db()
      .updateTable('documents')
      .set({ deleted_at: now() })
      .where('document_id', '=', paper.id)
      .execute();
    expect((await viewShare(token, visit)).kind).toBe('over');
    expect(await codeOf(sharedBytes(token, visit))).toBe('GONE');
  });
});

describe('requesting a new link', () => {
  test('requesting a new link mails the sender once, in their language, without a link to the documents', async () => {
    const roy = await person(firmOne, 'Roy Rouge', 'roy@one.example', { language: 'fr-CA', role: 'member' });
    const token = await link(
      { expirationPeriod: 'AfterOneDay', overrides: { subject: 'Papers\r\nBcc: eve@evil.example' } },
      roy,
    );
    standAt(now() + 25 * HOUR);
    expect(await viewShare(token, undefined)).toMatchObject({ kind: 'over', askedAgain: false });
    await Promise.all([
      askAgain(token, elsewhere()),
      askAgain(token, elsewhere()),
      askAgain(token, elsewhere()),
    ]);
    await askAgain(token, elsewhere());
    expect(await viewShare(token, undefined)).toMatchObject({ kind: 'over', askedAgain: true });
    const mails = await mailServer.deliver();
    expect(mails.map(({ recipients }) => recipients)).toEqual([['roy@one.example']]);
    expect(mails[0]?.raw).toMatch(/^Content-Language: fr-CA/m);
    expect(mails[0]?.mail.text).toContain('x@out.example');
    expect(mails[0]?.raw).not.toContain(token);
  });

  test('requesting a new link does nothing while the link works', async () => {
    const token = await link();
    await askAgain(token, elsewhere()).catch(() => undefined);
    expect((await mailServer.deliver()).map(({ recipients }) => recipients)).toEqual([]);
    expect(await viewShare(token, undefined)).toMatchObject({ kind: 'closed' });
    standAt(now() + 73 * HOUR);
    expect(await viewShare(token, undefined)).toMatchObject({ kind: 'over', askedAgain: false });
  });

  test('requesting a new link changes nothing but the request itself', async () => {
    const token = await link({ expirationPeriod: 'AfterOneDay' });
    standAt(now() + 25 * HOUR);
    const followUp = [
      'share_recipients',
      'jobs',
      'mails',
      'mail_links',
      'limits',
      'attention',
      'inbox_items',
      'inbox_targets',
      'notifications',
      'notification_targets',
      'notification_mails',
    ];
    const before = await rowsBut(...followUp);
    await askAgain(token, elsewhere());
    expect(await rowsBut(...followUp)).toEqual(before);
    await mailServer.discard();
  });
});

describe('downloads through a link', () => {
  test('files downloaded through an opened link are exactly as uploaded', async () => {
    const token = await link();
    const answer = await get(`${links(token)}/documents/${first.id}`, await open(token));
    expect([
      answer.status,
      answer.headers.get('content-type'),
      answer.headers.get('content-disposition'),
    ]).toEqual([200, 'application/pdf', 'attachment; filename="Tax return.pdf"']);
    expect(Buffer.from(await answer.arrayBuffer()).equals(pdf('return'))).toBe(true);
  });

  test('files can be downloaded through a link in ranges, and answer HEAD requests', async () => {
    const token = await link();
    const visit = await open(token);
    const part = await apiAs(undefined)('GET', `${links(token)}/documents/${first.id}`, {
      headers: { cookie: `visit=${visit}`, range: 'bytes=1-3' },
    });
    expect([part.status, await part.text()]).toEqual([206, 'PDF']);
    const head = await get(`${links(token)}/documents.zip`, visit, 'HEAD');
    const zip = await get(`${links(token)}/documents.zip`, visit);
    expect(head.headers.get('content-length')).toBe(String((await zip.arrayBuffer()).byteLength));
  });

  test.each([
    ['Pacific/Kiritimati', 'documents-2031-05-11.zip'],
    ['Pacific/Pago_Pago', 'documents-2031-05-10.zip'],
  ])(
    "the archive of a link is named by date, in the time zone of the sender's firm, in %s",
    async (timeZone, name) => {
      const zoneIs = (zone: string) =>
        db().updateTable('firms').set({ time_zone: zone }).where('company_id', '=', firmOne).execute();
      await zoneIs(timeZone);
      const answer = await at(Date.parse('2031-05-10T23:30:00Z'), async () => {
        const token = await link();
        return get(`${links(token)}/documents.zip`, await open(token), 'HEAD');
      });
      expect(answer.headers.get('content-disposition')).toBe(`attachment; filename=${name}`);
      await zoneIs('America/New_York');
    },
  );

  test('the archive of a link is a valid zip with every file', async () => {
    const twin = await uploadAs(cleo, { id: clientA, containerType: 'Client' }, 'Tax return.pdf', 'twin');
    const token = await link({ sharedItems: [item(first), item(second), item(twin)] });
    const answer = await get(`${links(token)}/documents.zip`, await open(token));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip']);
    const folder = await mkdtemp(path.join(tmpdir(), 'share-zip-'));
    await writeFile(path.join(folder, 'all.zip'), Buffer.from(await answer.arrayBuffer()));
    const python =
      'import sys,zipfile,json; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2]); print(json.dumps(sorted(z.namelist())))';
    const { stdout } = await promisify(execFile)('python3', [
      '-c',
      python,
      path.join(folder, 'all.zip'),
      folder,
    ]);
    expect(JSON.parse(stdout)).toEqual(['Relevé 🥐.pdf', 'Tax return (1).pdf', 'Tax return.pdf']);
    expect((await readFile(path.join(folder, 'Relevé 🥐.pdf'))).equals(pdf('letter'))).toBe(true);
  });

  test('files are not found without a visit, with the visit of another link, or for a document of another share', async () => {
    const [one, other] = [
      await link({ sharedItems: [item(first)] }),
      await link({ sharedItems: [item(second)] }),
    ];
    const [visit, otherVisit] = [await open(one), await open(other)];
    const unknown = await seen(await get(`${links(newToken())}/documents/${first.id}`, visit));
    expect(unknown.status).toBe(404);
    for (const [token, document, cookie] of [
      [one, first.id, undefined],
      [one, first.id, otherVisit],
      [one, first.id, newToken()],
      [one, second.id, visit],
      [one, bens.id, visit],
      [one, documentTwo.id, visit],
      [one, newId('doc'), visit],
      [other, first.id, visit],
    ] as const) {
      expect(await seen(await get(`${links(token)}/documents/${document}`, cookie))).toEqual(unknown);
    }
    for (const [token, cookie] of [
      [one, undefined],
      [one, otherVisit],
      [newToken(), visit],
    ] as const)
      expect(await codeOf(sharedBytes(token, cookie))).toBe('NOT_FOUND');
  });

  test("downloads through a link mark nothing read, and only the recipient's count, the audit log and receipts record them", async () => {
    const token = await link();
    const visit = await open(token);
    const rows = async () => {
      const {
        audit,
        audit_heads: _heads,
        mails: _mails,
        mail_targets: _targets,
        receipts,
        share_recipients: recipients = [],
        ...others
      } = await everyRow();
      return {
        others: {
          ...others,
          recipients: recipients
            .map((row) => JSON.stringify({ ...(row as object), downloads: 0 }))
            .toSorted(),
        },
        receipts: (
          receipts as { number: number; hash: string; kind: string; actor: string; sha256: string }[]
        ).toSorted((a, b) => a.number - b.number),
        downloads: recipients.reduce<number>((sum, row) => sum + (row as { downloads: number }).downloads, 0),
        entries: new Map(
          (audit as { company_id: string; seq: number; action: string; client_id: string | null }[]).map(
            ({ company_id: company, seq, action, client_id: client }) => [
              `${company} ${seq}`,
              `${action} ${client ?? '-'}`,
            ],
          ),
        ),
      };
    };
    const before = await rows();
    for (const file of await sharedBytes(token, visit)) await readAll(file.open());
    await (await get(`${links(token)}/documents.zip`, visit)).arrayBuffer();
    const after = await rows();
    expect(after.others).toEqual(before.others);
    const issued = after.receipts.filter(({ hash }) => !before.receipts.some((one) => one.hash === hash));
    expect(issued.map(({ kind, actor, sha256 }) => [kind, actor.split('_', 1)[0], sha256])).toEqual(
      [second, first, second, first].map(({ sha256 }) => ['download', 'recipient', sha256]),
    );
    expect(after.downloads - before.downloads).toBe(2);
    expect(
      [...after.entries].filter(([entry]) => !before.entries.has(entry)).map(([, told]) => told),
    ).toEqual([`share.download ${clientA}`, `share.download ${clientA}`]);
  });
});

test('the sweep marks expired links and no others, and keeps the time of revocation', async () => {
  const [over, revoked, live] = [await link(), await link(), await link()];
  const visit = await open(live);
  const markOf = async (token: string) =>
    db()
      .selectFrom('shares')
      .innerJoin('share_recipients', 'share_recipients.share_id', 'shares.share_id')
      .select(['shares.share_id', 'shares.revoked_at', 'expires_at'])
      .where('token_hash', '=', sha256(token))
      .executeTakeFirstOrThrow();
  const expired = now() - MINUTE;
  await db()
    .updateTable('shares')
    .set({ expires_at: expired })
    .where('share_id', '=', (await markOf(over)).share_id)
    .execute();
  await db()
    .updateTable('shares')
    .set({ expires_at: expired, revoked_at: expired - MINUTE })
    .where('share_id', '=', (await markOf(revoked)).share_id)
    .execute();
  await sweepShares();
  expect([
    (await markOf(over)).revoked_at,
    (await markOf(revoked)).revoked_at,
    (await markOf(live)).revoked_at,
  ]).toEqual([expired, expired - MINUTE, null]);
  expect((await viewShare(live, visit)).kind).toBe('open');
});

test('ending all links neither counts nor marks those that had ended before', async () => {
  const unmarked = async () =>
    (await db().selectFrom('shares').select('share_id').where('revoked_at', 'is', null).execute()).length;
  await revokeAllShares();
  const before = await unmarked();
  const expired = await link();
  await db()
    .updateTable('shares')
    .set({ expires_at: now() - MINUTE })
    .where('revoked_at', 'is', null)
    .execute();
  const live = [await link(), await link()];
  const visits = await Promise.all(live.map((token) => open(token)));
  expect(await revokeAllShares()).toBe(2);
  expect(await unmarked()).toBe(before + 1);
  for (const [i, token] of [...live.entries(), [0, expired] as const])
    expect((await viewShare(token, visits[i])).kind).toBe('over');
});
