import '../../../src/app.server.ts';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeAccess } from '#features/base/access/access.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { listAttempts, withdrawAttempt } from '#features/brazil/clearance-certificates/attempts.server.ts';
import { fileCertificate } from '#features/brazil/clearance-certificates/filing.server.ts';
import { followAgency, unfollowAgency } from '#features/brazil/clearance-certificates/following.server.ts';
import { revokeAllPassports, sweepPassports } from '#features/brazil/clearance-passport/ending.server.ts';
import { passportPage } from '#features/brazil/clearance-passport/passport-page.server.ts';
import {
  listPassports,
  makePassport,
  passportAddress,
  revokePassport,
} from '#features/brazil/clearance-passport/passports.server.ts';
import { countOpening, viewPassport } from '#features/brazil/clearance-passport/viewing.server.ts';
import { archiveClients, restoreClients } from '#features/clients/clients/archiving.server.ts';
import { updateClient } from '#features/clients/clients/editing.server.ts';
import { mergeClients } from '#features/documents/merging/merging.server.ts';
import { trashDocuments } from '#features/documents/trash/trash.server.ts';
import { setDomains } from '#features/sharing/sharing/domains.server.ts';
import { db } from '#platform/database/database.server.ts';
import { DAY, HOUR, now } from '#platform/runtime/clock.server.ts';
import { resetLimits } from '#platform/security/limits.server.ts';
import { apiAs, impersonating, sessionAs } from '../../support/api.ts';
import { client, lockFirm, makeCast, person, standAt, unlink } from '../../support/cast.ts';
import { exportOf, tableIn } from '../../support/exported.ts';
import { pdfOf } from '../../support/pdf.ts';

const { firmOne, clientA, clientB, tom, zoe, ...cast } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const reader = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
const reloaded = ({ contactId }: { contactId: string }) => actorOf(contactId);
const [ada, ben, cleo, sam] = [
  await reloaded(cast.ada),
  await reloaded(cast.ben),
  await reloaded(cast.cleo),
  await reloaded(cast.sam),
];

const BAKERY = '99.304.518/0001-86';
const NOON = Date.UTC(2026, 10, 27, 15);
const FOLLOWING = { renewBeforeDays: 15, notifiesClient: false };
const NOTHING = { result: '', validUntil: '', issuedOn: '', number: '', note: '', isChecked: false } as const;

/** Files a certificate of the labor courts with the bakery, and returns its PDF. */
async function fileLabor({ until = '30/04/2027', issued = '01/11/2026', number = '41907733/2026' } = {}) {
  const bytes = pdfOf(
    [
      `CERTIDAO NEGATIVA DE DEBITOS TRABALHISTAS\nCNPJ: ${BAKERY}\nCertidao no: ${number}\nExpedicao: ${issued}\nValidade: ${until}`,
    ],
    { size: 10 },
  );
  await fileCertificate(
    sam,
    { clientId: clientA, agencyId: 'labor' },
    { file: { name: 'cndt.pdf', bytes }, typed: NOTHING },
  );
  return bytes;
}

beforeAll(async () => {
  await updateClient(olga, clientA, {
    taxIds: [{ kind: 'cnpj', number: BAKERY }],
    allowDuplicate: true,
  });
  for (const agencyId of ['labor', 'state-SP'])
    await followAgency(sam, { clientId: clientA, agencyId, ...FOLLOWING });
  standAt(NOON);
  await fileLabor();
});
let minutes = 0;
beforeEach(async () => {
  standAt(NOON + (minutes += 1) * 60_000);
  await resetLimits(...[ada, cleo, sam].map(({ contactId }) => `passports:${contactId}`)); // 30 a day
});

const make = (actor: Actor, more: Partial<Parameters<typeof makePassport>[1]> = {}) =>
  makePassport(actor, {
    clientId: clientA,
    recipient: 'Banco do Vale',
    agencyIds: ['labor'],
    endsOn: '2026-12-27',
    ...more,
  });
const listed = async (passportId: string) =>
  (await listPassports(sam, { clientId: clientA, start: 0, limit: 100 })).items.find(
    ({ id }) => id === passportId,
  );
const kindOf = async (token: string) => (await viewPassport(token)).kind;
const pdfPath = (token: string, agencyId = 'labor'): string =>
  `/api/cnd/v1/passport-links/${token}/agencies/${agencyId}/document`;
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: { code?: string; details?: { field?: string } }) =>
      [error.code, error.details?.field].filter(Boolean).join(' '),
  );
const actionsOf = async (passportId: string): Promise<string[]> =>
  (
    await db().selectFrom('audit').select('action').where('target', '=', passportId).orderBy('seq').execute()
  ).map(({ action }) => action);

describe('a passport', () => {
  test('shows whoever has its address the newest certificate of each agency that was chosen', async () => {
    const { token } = await make(ada, { agencyIds: ['state-SP', 'labor'] });
    expect(await viewPassport(token)).toMatchObject({
      kind: 'open',
      client: 'Amber Bakery',
      number: 'CNPJ 99.304.518/0001-86',
      recipient: 'Banco do Vale',
      today: '2026-11-27',
      certificates: [
        {
          agencyId: 'labor',
          light: 'valid',
          result: 'negative',
          validUntil: '2027-04-30',
          number: '41907733/2026',
          documentId: expect.any(String) as string,
        },
        { agencyId: 'state-SP', light: 'missing', result: '', validUntil: '', documentId: undefined },
      ],
    });
  });

  test('shows the certificates of the day on which it is opened, not of the day on which it was made', async () => {
    const { token } = await make(ada);
    await fileLabor({ issued: '26/11/2026', until: '25/05/2027', number: '55555555/2026' });
    const shown = async () => {
      const view = await viewPassport(token);
      return view.kind === 'open' ? view.certificates[0] : undefined;
    };
    expect(await shown()).toMatchObject({ number: '55555555/2026', validUntil: '2027-05-25' });
    const { items } = await listAttempts(sam, { clientId: clientA, agencyId: 'labor', start: 0, limit: 1 });
    await withdrawAttempt(sam, items[0]?.id ?? '');
    expect(await shown()).toMatchObject({ number: '41907733/2026' });
  });

  test('says of an expired certificate that it is', async () => {
    const { token } = await make(ada, { endsOn: '2027-02-25' });
    await fileLabor({ issued: '27/11/2026', until: '01/12/2026', number: '7/2026' });
    standAt(Date.UTC(2026, 11, 2, 15));
    const view = await viewPassport(token);
    expect(view).toMatchObject({ kind: 'open', certificates: [{ light: 'expired' }] });
    const { items } = await listAttempts(sam, { clientId: clientA, agencyId: 'labor', start: 0, limit: 1 });
    await withdrawAttempt(sam, items[0]?.id ?? '');
  });

  test('shows an agency that nobody follows any more as without a certificate', async () => {
    await followAgency(sam, { clientId: clientA, agencyId: 'state-RJ', ...FOLLOWING });
    const { token } = await make(ada, { agencyIds: ['state-RJ'] });
    await unfollowAgency(sam, clientA, 'state-RJ');
    expect(await viewPassport(token)).toMatchObject({
      certificates: [{ agencyId: 'state-RJ', light: 'missing' }],
    });
  });

  test('has a PDF that is downloaded by its address, as it is today', async () => {
    const { token, passportId } = await make(sam);
    const bytes = await fileLabor({ issued: '25/11/2026', number: '8/2026' });
    const response = await apiAs(undefined)('GET', pdfPath(token));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    await apiAs(undefined)('GET', pdfPath(token));
    expect((await actionsOf(passportId)).filter((action) => action.endsWith('download'))).toHaveLength(1);
  });

  test('leads to no PDF of another agency, of none, and in the trash', async () => {
    const { token } = await make(sam, { agencyIds: ['state-SP'] });
    expect((await apiAs(undefined)('GET', pdfPath(token, 'labor'))).status).toBe(404);
    expect((await apiAs(undefined)('GET', pdfPath(token, 'state-SP'))).status).toBe(404);
    const other = await make(sam);
    await fileLabor({ issued: '26/11/2026', number: '9/2026' });
    const { items } = await listAttempts(sam, { clientId: clientA, agencyId: 'labor', start: 0, limit: 1 });
    const id = items[0]?.documentId ?? '';
    const { container_id: ContainerId } = await db()
      .selectFrom('documents')
      .select('container_id')
      .where('document_id', '=', id)
      .executeTakeFirstOrThrow();
    await trashDocuments(olga, {
      docs: [{ Id: id, ContainerId, ContainerType: 'Folder' }],
      staffUploads: [],
    });
    expect((await apiAs(undefined)('GET', pdfPath(other.token))).status).toBe(404);
    expect(await viewPassport(other.token)).toMatchObject({
      kind: 'open',
      certificates: [{ number: '9/2026', documentId: undefined }],
    });
  });
});

describe('an address', () => {
  test.each(['', 'x', 'x'.repeat(43), "' or 1=1 --", 'ã'.repeat(2000)])(
    'that was guessed leads nowhere: %s',
    async (token) => {
      expect(await viewPassport(token)).toEqual({ kind: 'unknown' });
      await countOpening(token);
      expect(
        (await apiAs(undefined)('GET', pdfPath(encodeURIComponent(token)))).status,
      ).toBeGreaterThanOrEqual(400);
    },
  );

  test('works to the end of its last day in the time zone of the firm, and never again', async () => {
    const { token, passportId } = await make(ada, { endsOn: '2026-11-27' });
    standAt(Date.UTC(2026, 10, 28, 4, 59)); // 23:59 in New York
    expect(await kindOf(token)).toBe('open');
    standAt(Date.UTC(2026, 10, 28, 5, 0));
    expect(await kindOf(token)).toBe('over');
    expect((await apiAs(undefined)('GET', pdfPath(token))).status).toBe(410);
    expect(await listed(passportId)).toMatchObject({ state: 'expired' });
    await sweepPassports();
    standAt(NOON);
    expect(await kindOf(token), 'with the clock set back').toBe('over');
    expect(await listed(passportId)).toMatchObject({ state: 'expired' });
  });

  test('leads nowhere once it is revoked, which is audited once', async () => {
    const { token, passportId } = await make(ada);
    await Promise.all([revokePassport(sam, passportId), revokePassport(ada, passportId)]);
    expect(await kindOf(token)).toBe('over');
    expect((await apiAs(undefined)('GET', pdfPath(token))).status).toBe(410);
    await countOpening(token);
    expect(await listed(passportId)).toMatchObject({ state: 'revoked', openings: 0 });
    expect(await actionsOf(passportId)).toEqual(['clearance-passport.make', 'clearance-passport.revoke']);
  });

  test('leads nowhere after a restore', async () => {
    const { token } = await make(ada);
    await revokeAllPassports();
    expect(await kindOf(token)).toBe('over');
  });

  test('leads nowhere while its client is archived or its firm is locked', async () => {
    const { token } = await make(ada);
    await archiveClients(olga, [clientA]);
    expect(await kindOf(token)).toBe('over');
    await restoreClients(olga, [clientA]);
    expect(await kindOf(token)).toBe('open');
    await lockFirm(firmOne, true);
    expect(await kindOf(token)).toBe('over');
    await lockFirm(firmOne, false);
    expect(await kindOf(token)).toBe('open');
  });

  test('leads nowhere once its maker is no contact of the client any more', async () => {
    const { token } = await make(cleo);
    await unlink(clientA, cleo);
    expect(await kindOf(token)).toBe('over');
    expect((await apiAs(undefined)('GET', pdfPath(token))).status).toBe(410);
  });

  test('is stored nowhere, and neither is the name of its recipient as text', async () => {
    const { token } = await make(ada, { recipient: 'Cooperativa Secreta' });
    const rows = JSON.stringify([
      await db().selectFrom('cnd_passports').selectAll().execute(),
      await db().selectFrom('audit').selectAll().execute(),
    ]);
    expect(rows).not.toContain(token);
    expect(rows).not.toContain('Cooperativa Secreta');
  });
});

describe('openings', () => {
  const open = (token: string, method = 'GET', actor?: Actor) =>
    passportPage(
      {
        request: new Request(`http://127.0.0.1/pt/clearance/${token}`, { method }),
        response: {},
        locals: { lang: 'pt', optionalSession: actor && sessionAs(actor) },
      },
      token,
    );

  test('are counted, those at the same time too, and audited once an hour', async () => {
    const { token, passportId } = await make(ada);
    await Promise.all(Array.from({ length: 5 }, () => open(token)));
    expect(await listed(passportId)).toMatchObject({
      openings: 5,
      lastOpenedDate: expect.stringContaining('2026-11-27T') as string,
    });
    expect(await actionsOf(passportId)).toEqual(['clearance-passport.make', 'clearance-passport.open']);
    standAt(NOON + 2 * HOUR);
    await open(token);
    expect(await actionsOf(passportId)).toHaveLength(3);
  });

  test('by the firm and its clients are not counted, nor a request for headers alone', async () => {
    const { token, passportId } = await make(ada);
    for (const actor of [ada, sam, ben]) await open(token, 'GET', actor);
    await open(token, 'HEAD');
    expect(await listed(passportId)).toMatchObject({ openings: 0, lastOpenedDate: null });
    await open(token, 'GET', zoe);
    expect(await listed(passportId), 'somebody of another firm').toMatchObject({ openings: 1 });
  });

  test('use nothing up: the page stays, however often a program opens it', async () => {
    const { token } = await make(ada);
    for (let i = 0; i < 100; i += 1) await countOpening(token);
    expect(await open(token)).toMatchObject({
      kind: 'open',
      areAllValid: true,
      state: 'Válida em 27 de nov. de 2026',
    });
  });

  test('of a page that is gone say so alike, whether it was revoked or never there', async () => {
    const { token, passportId } = await make(ada);
    await revokePassport(ada, passportId);
    expect(await open(token)).toMatchObject({ kind: 'gone', firm: { companyId: firmOne } });
    expect(await open('x'.repeat(43))).toEqual({ kind: 'gone', firm: undefined });
  });

  test('of certificates that are not all valid name those that are not', async () => {
    const { token } = await make(ada, { agencyIds: ['labor', 'state-SP'] });
    expect(await open(token)).toMatchObject({
      areAllValid: false,
      state: 'Sem validade em 27 de nov. de 2026: Fazenda estadual: São Paulo',
    });
  });
});

describe('making one', () => {
  test.each([
    ['without an agency', { agencyIds: [] }, 'INVALID agencyIds'],
    ['for an agency that is not followed', { agencyIds: ['labor', 'fgts'] }, 'INVALID agencyIds'],
    ['that has ended yesterday', { endsOn: '2026-11-26' }, 'INVALID endsOn'],
    ['for more than 90 days', { endsOn: '2027-02-26' }, 'INVALID endsOn'],
    ['for 90 days', { endsOn: '2027-02-25' }, 'done'],
    ['for today', { endsOn: '2026-11-27' }, 'done'],
  ])('%s: %o', async (_, more, code) => {
    expect(await codeOf(make(sam, more))).toBe(code);
  });

  test.each([
    ['read-only staff', () => reader, 'FORBIDDEN'],
    ['a contact of another client', () => ben, 'NOT_FOUND'],
    ['staff of another firm', () => tom, 'NOT_FOUND'],
    ['staff who view as a contact', () => ({ ...ada, viewedBy: olga.contactId }), 'FORBIDDEN'],
  ])('is refused to %s, and so is revoking', async (_, actor, code) => {
    const { passportId, token } = await make(ada);
    expect(await codeOf(make(actor()))).toBe(code);
    expect(await codeOf(revokePassport(actor(), passportId))).toBe(code);
    expect(await kindOf(token)).toBe('open');
  });

  test('is refused to a contact without the part of the portal', async () => {
    const change = (to: 'granted' | 'usual') =>
      changeAccess(olga, { contact: ada.contactId, kind: 'control', name: 'HideDashboards', to });
    await change('granted');
    expect(await codeOf(make(await reloaded(ada)))).toBe('FORBIDDEN');
    await change('usual');
  });

  test('is refused for an archived client', async () => {
    await archiveClients(olga, [clientA]);
    expect(await codeOf(make(sam))).toBe('GONE');
    await restoreClients(olga, [clientA]);
  });

  test('is refused while the firm lets links go only to certain domains', async () => {
    await setDomains(olga, 'bank.example');
    expect(await codeOf(make(sam))).toBe('DOMAIN_NOT_ALLOWED');
    await setDomains(olga, '');
    expect(await codeOf(make(sam))).toBe('done');
  });

  test('is refused beyond 30 a day', async () => {
    const dana = await person(firmOne, 'Dana Daily', 'dana@one.example');
    const other = await client(firmOne, 'Dana Foods', 'D-9', [dana]);
    await followAgency(sam, { clientId: other, agencyId: 'fgts', ...FOLLOWING });
    const again = async () => make(await reloaded(dana), { clientId: other, agencyIds: ['fgts'] });
    for (let i = 0; i < 30; i += 1) await again();
    expect(await codeOf(again())).toBe('TOO_MANY');
    standAt(now() + DAY + HOUR);
    expect(await codeOf(again())).toBe('done');
  });
});

describe('the calls', () => {
  const path = '/api/cnd/v1/passports';

  test('make one, list it with its openings, and revoke it', async () => {
    const made = await apiAs(ada)('POST', path, {
      json: { clientId: clientA, recipient: ' Banco  do Vale ', agencyIds: ['labor'], endsOn: '2026-12-01' },
    });
    expect(made.status).toBe(200);
    const { id, url } = (await made.json()) as { id: string; url: string };
    const token = url.split('/').at(-1) ?? '';
    expect(url).toBe(passportAddress('en-us', token));
    await countOpening(token);
    const list = await apiAs(ada)('GET', `${path}?clientId=${clientA}`);
    const { items } = (await list.json()) as { items: object[] };
    expect(items[0]).toEqual({
      id,
      clientId: clientA,
      recipient: 'Banco do Vale',
      agencyIds: ['labor'],
      state: 'open',
      createdDate: expect.stringContaining('2026-11-27T') as string,
      createdBy: 'Ada Amber',
      expirationDate: '2026-12-02T05:00:00.000Z',
      openings: 1,
      lastOpenedDate: expect.stringContaining('2026-11-27T') as string,
    });
    expect(JSON.stringify(items)).not.toContain(token);
    expect((await apiAs(ada)('DELETE', `${path}/${id}`)).status).toBe(200);
    expect(await kindOf(token)).toBe('over');
  });

  test('of others are not found, and staff who view as a contact change nothing', async () => {
    const { passportId } = await make(ada);
    expect((await apiAs(ben)('GET', `${path}?clientId=${clientA}`)).status).toBe(404);
    expect((await apiAs(ben)('DELETE', `${path}/${passportId}`)).status).toBe(404);
    expect((await apiAs(tom)('DELETE', `${path}/${passportId}`)).status).toBe(404);
    const session = impersonating(ada, olga);
    expect((await apiAs(session.actor, session)('DELETE', `${path}/${passportId}`)).status).toBe(403);
    expect(await listed(passportId)).toMatchObject({ state: 'open' });
  });

  test.each([
    { recipient: '' },
    { recipient: 'x'.repeat(101) },
    { recipient: 'a\u0007b' },
    { agencyIds: [] },
    { endsOn: '31/12/2026' },
    { endsOn: '2026-02-31' },
    { more: 1 },
  ])('refuse %o', async (wrong) => {
    const json = {
      clientId: clientA,
      recipient: 'Bank',
      agencyIds: ['labor'],
      endsOn: '2026-12-01',
      ...wrong,
    };
    expect((await apiAs(ada)('POST', path, { json })).status).toBe(422);
  });
});

test('an export of everything has whom links are for, and nothing that opens them', async () => {
  const { token } = await make(ada, { recipient: 'Banco da Praia' });
  const files = await exportOf(olga, clientA);
  const row = tableIn(files, 'clearance-passports.csv').find(
    (each) => each['Recipient'] === 'Banco da Praia',
  );
  expect(row).toMatchObject({ 'Times opened': '0', Name: 'Labor debts (CNDT of the TST)' });
  expect([...files.values()].some((bytes) => bytes.includes(token))).toBe(false);
});

test('after a merge a passport shows the certificates of the client that is left', async () => {
  const { token } = await make(sam);
  await mergeClients(sessionAs(olga), clientA, clientB);
  expect(await viewPassport(token)).toMatchObject({
    kind: 'open',
    client: 'Birch Boats',
    certificates: [{ agencyId: 'labor', result: 'negative' }],
  });
  expect((await listPassports(ben, { clientId: clientB, start: 0, limit: 5 })).totalItems).toBeGreaterThan(5);
});
