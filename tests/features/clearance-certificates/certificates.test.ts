import '../../../src/app.server.ts';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setFlag } from '#features/base/access/access.server.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import {
  listAttempts,
  noteAttempt,
  withdrawAttempt,
} from '#features/brazil/clearance-certificates/attempts.server.ts';
import { fileCertificate, fileCertificates } from '#features/brazil/clearance-certificates/filing.server.ts';
import {
  changeFollowing,
  followAgency,
  followedOf,
  listFollowed,
  unfollowAgency,
} from '#features/brazil/clearance-certificates/following.server.ts';
import { certificateGrid } from '#features/brazil/clearance-certificates/grid.server.ts';
import { noticeLapses } from '#features/brazil/clearance-certificates/notices.server.ts';
import { archiveClients } from '#features/clients/clients/archiving.server.ts';
import { createClient, updateClient } from '#features/clients/clients/editing.server.ts';
import { listDocuments } from '#features/documents/documents/documents.server.ts';
import { documentQuery } from '#features/documents/documents/documents.ts';
import { mergeClients } from '#features/documents/merging/merging.server.ts';
import { trashDocuments } from '#features/documents/trash/trash.server.ts';
import { listInbox } from '#features/office/inbox/inbox.server.ts';
import { gridQueryOf } from '#features/base/grids/define.server.ts';
import { readGrid } from '#features/base/grids/reading.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs, filesForm, impersonating, sessionAs } from '../../support/api.ts';
import { makeCast, person, standAt } from '../../support/cast.ts';
import { exportOf, tableIn } from '../../support/exported.ts';
import { datesIn } from '../../support/workbook-dates.ts';
import { rowsOf } from '../../support/home.ts';
import { pdfOf } from '../../support/pdf.ts';

const { firmOne, clientA, clientB, clientTwo, tom, ...cast } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const reader = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
const reloaded = ({ contactId }: { contactId: string }) => actorOf(contactId);
const [ada, ben, sam] = [await reloaded(cast.ada), await reloaded(cast.ben), await reloaded(cast.sam)];

const BAKERY = '99.304.518/0001-86';
const BRANCH = '99.304.518/0002-67';
const BOATS = '48.217.306/0001-20';
const NOON = Date.UTC(2026, 10, 27, 15);

beforeAll(async () => {
  for (const [id, number] of [
    [clientA, BAKERY],
    [clientB, BOATS],
  ] as const)
    await updateClient(olga, id, { taxIds: [{ kind: 'cnpj', number }], allowDuplicate: true });
});
let minutes = 0;
/** Each a minute after the one before, so that what is newer is known. */
beforeEach(() => standAt(NOON + (minutes += 1) * 60_000));

const FOLLOWING = { renewBeforeDays: 15, notifiesClient: false };
const NOTHING = { result: '', validUntil: '', issuedOn: '', number: '', note: '', isChecked: false } as const;
let copies = 0;

/** A certificate of the labor courts, a different file each time. */
const labor = (
  cnpj: string,
  { until = '30/04/2027', issued = '01/11/2026', title = 'NEGATIVA' } = {},
): Buffer =>
  pdfOf(
    [
      `CERTIDAO ${title} DE DEBITOS TRABALHISTAS\nCNPJ: ${cnpj}\nCertidao no: 41907733/2026\nExpedicao: ${issued}\nValidade: ${until}\nCopia ${(copies += 1)}`,
    ],
    { size: 10 },
  );
const file = (bytes: Buffer, name = 'certidao.pdf') => ({ name, bytes });
const fileLabor = (actor: Actor, clientId: string, bytes: Buffer, typed: object = {}) =>
  fileCertificate(
    actor,
    { clientId, agencyId: 'labor' },
    { file: file(bytes), typed: { ...NOTHING, ...typed } },
  );
const problemOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'filed',
    (error: { code?: string; details?: { problem?: string } }) => error.details?.problem ?? error.code,
  );
const historyOf = async (actor: Actor, clientId: string, agencyId = 'labor') =>
  (await listAttempts(actor, { clientId, agencyId, start: 0, limit: 10 })).items;

describe('a certificate', () => {
  test('is filed with what its PDF says, as a document of the client', async () => {
    await followAgency(sam, { clientId: clientA, agencyId: 'labor', ...FOLLOWING });
    expect(await fileLabor(sam, clientA, labor(BAKERY))).toBe(true);
    expect(await followedOf(ada, clientA, 'labor')).toMatchObject({
      light: 'valid',
      result: 'negative',
      validUntil: '2027-04-30',
    });
    const [attempt] = await historyOf(ada, clientA);
    expect(attempt).toMatchObject({
      status: 'issued',
      number: '41907733/2026',
      cnpj: '99304518000186',
      issuedOn: '2026-11-01',
      hasDocument: true,
    });
    const { items } = await listDocuments(ada, clientA, documentQuery.parse({}));
    expect(items.map(({ id, name }) => ({ id, name }))).toContainEqual({
      id: attempt?.documentId,
      name: 'CNDT 2026-11-01.pdf',
    });
  });

  test('that was filed is not filed again, also when both come at the same time', async () => {
    const bytes = labor(BAKERY);
    const before = (await historyOf(sam, clientA)).length;
    const filed = await Promise.all([fileLabor(sam, clientA, bytes), fileLabor(sam, clientA, bytes)]);
    expect(filed.toSorted()).toEqual([false, true]);
    expect(await fileLabor(sam, clientA, bytes)).toBe(false);
    expect(await historyOf(sam, clientA)).toHaveLength(before + 1);
  });

  test.each([
    ['of another client', () => labor(BOATS), {}, 'otherClient'],
    ['of a company that is no client', () => labor('31.550.824/0001-69'), {}, 'otherClient'],
    [
      'of a company that is no client, whatever is ticked',
      () => labor('31.550.824/0001-69'),
      { isChecked: true },
      'otherClient',
    ],
    ['of two clients', () => labor(`${BAKERY} ${BOATS}`), {}, 'severalClients'],
    ['that is a scan', () => pdfOf(['']), {}, 'unchecked'],
    [
      'of another agency',
      () => pdfOf([`Certificado de Regularidade do FGTS\n${BAKERY}`], { size: 10 }),
      {},
      'otherAgency',
    ],
    ['with a last day that does not exist', () => labor(BAKERY, { until: '31/02/2027' }), {}, 'noValidity'],
    ['that ends before it begins', () => labor(BAKERY, { until: '01/10/2026' }), {}, 'validityWrong'],
    ['that was issued tomorrow', () => labor(BAKERY, { issued: '28/11/2026' }), {}, 'notIssuedYet'],
    [
      'without a result',
      () => pdfOf([`Consulta\nCNPJ: ${BAKERY}\nValidade: 30/04/2027`], { size: 10 }),
      {},
      'noResult',
    ],
    ['that is a web page', () => Buffer.from(`<html>${BAKERY}</html>`), {}, 'TYPE_NOT_ALLOWED'],
    ['that is cut off', () => labor(BAKERY).subarray(0, 60), {}, 'unchecked'],
  ])('%s is refused, and nothing is stored', async (_, bytes, typed, problem) => {
    const before = await historyOf(sam, clientA);
    expect(await problemOf(fileLabor(sam, clientA, bytes(), typed))).toBe(problem);
    expect(await historyOf(sam, clientA)).toEqual(before);
  });

  test('of the same company counts for the client, whose branch it names', async () => {
    expect(await fileLabor(sam, clientA, labor(BRANCH))).toBe(true);
    expect((await historyOf(sam, clientA))[0]?.cnpj).toBe('99304518000267');
  });

  test('that is a scan is filed by what somebody typed who has looked', async () => {
    const typed = { result: 'positiveWithEffect', validUntil: '2027-05-01', isChecked: true, number: 'A-1' };
    expect(await fileLabor(sam, clientA, pdfOf(['']), typed)).toBe(true);
    expect((await historyOf(ada, clientA))[0]).toMatchObject({
      result: 'positiveWithEffect',
      validUntil: '2027-05-01',
      issuedOn: '2026-11-27',
      number: 'A-1',
      cnpj: '',
    });
  });

  test('that is older changes nothing, and a withdrawn one does not count', async () => {
    await followAgency(sam, { clientId: clientB, agencyId: 'labor', ...FOLLOWING });
    await fileLabor(sam, clientB, labor(BOATS));
    await fileLabor(sam, clientB, labor(BOATS, { issued: '01/05/2026', until: '28/10/2026' }));
    expect((await followedOf(sam, clientB, 'labor')).light).toBe('valid');
    const newest = (await historyOf(sam, clientB)).find(({ issuedOn }) => issuedOn === '2026-11-01');
    await withdrawAttempt(sam, newest?.id ?? '');
    expect((await followedOf(sam, clientB, 'labor')).light).toBe('expired');
    expect(await historyOf(ben, clientB)).toHaveLength(1);
  });

  test('with debts has no last day', async () => {
    await followAgency(sam, { clientId: clientB, agencyId: 'federal', ...FOLLOWING });
    const bytes = pdfOf(
      [`CERTIDAO POSITIVA DE DEBITOS\nTributos federais e a divida ativa da uniao\nCNPJ: ${BOATS}`],
      { size: 10 },
    );
    await fileCertificate(
      sam,
      { clientId: clientB, agencyId: 'federal' },
      { file: file(bytes), typed: NOTHING },
    );
    expect(await followedOf(ben, clientB, 'federal')).toMatchObject({ light: 'positive', validUntil: '' });
  });

  test('in the trash is known, without its PDF', async () => {
    await fileLabor(sam, clientB, labor(BOATS, { issued: '20/11/2026' }));
    const [attempt] = await historyOf(sam, clientB);
    const { container_id: ContainerId } = await db()
      .selectFrom('documents')
      .select('container_id')
      .where('document_id', '=', attempt?.documentId ?? '')
      .executeTakeFirstOrThrow();
    const doc = { Id: attempt?.documentId ?? '', ContainerId, ContainerType: 'Folder' as const };
    await trashDocuments(olga, { docs: [doc], staffUploads: [] });
    expect((await historyOf(ben, clientB))[0]).toMatchObject({ id: attempt?.id, hasDocument: false });
    expect((await followedOf(ben, clientB, 'labor')).light).toBe('valid');
    const { status } = await apiAs(ben)('GET', `/api/cnd/v1/crawler-history/${attempt?.id}/document`);
    expect(status).toBe(404);
  });
});

describe('several certificates', () => {
  test('are filed each with its client, and each has its result', async () => {
    const known = labor(BOATS, { issued: '25/11/2026' });
    const fgts = (cnpj: string): Buffer =>
      pdfOf(
        [`Certificado de Regularidade do FGTS - CRF\nInscricao: ${cnpj}\nValidade: 05/11/2026 a 04/12/2026`],
        { size: 10 },
      );
    const outcomes = await fileCertificates(sam, [
      file(fgts(BAKERY), 'a.pdf'),
      file(known, 'b.pdf'),
      file(known, 'c.pdf'),
      file(fgts('31.550.824/0001-69'), 'd.pdf'),
      file(pdfOf([`Prefeitura\nCNPJ: ${BAKERY}`], { size: 10 }), 'e.pdf'),
      file(Buffer.from('<html></html>'), 'f.pdf'),
      file(labor(`${BAKERY} ${BOATS}`), 'g.pdf'),
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      'filed',
      'filed',
      'known',
      'clientUnknown',
      'agencyUnknown',
      'notPdf',
      'severalClients',
    ]);
    expect((await followedOf(ada, clientA, 'fgts')).light).toBe('expiring');
  });

  test('are not filed with clients that the member of staff does not see', async () => {
    const some = await person(firmOne, 'Sid Some', 'sid@one.example', {
      role: 'member',
      hasAllClients: false,
    });
    expect(await fileCertificates(some, [file(labor(BAKERY))])).toEqual([
      { name: 'certidao.pdf', outcome: 'clientUnknown' },
    ]);
  });
});

describe('an agency', () => {
  test('is followed once, and again after nobody did, with what was known', async () => {
    const target = { clientId: clientA, agencyId: 'state-SP' };
    await followAgency(sam, { ...target, ...FOLLOWING });
    await expect(followAgency(sam, { ...target, ...FOLLOWING })).rejects.toMatchObject({
      code: 'NAME_CONFLICT',
    });
    await noteAttempt(sam, { ...target, status: 'needsData', note: 'Inscrição estadual' });
    await unfollowAgency(sam, clientA, 'state-SP');
    await expect(followedOf(ada, clientA, 'state-SP')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await followAgency(sam, { ...target, ...FOLLOWING });
    expect(await historyOf(ada, clientA, 'state-SP')).toMatchObject([
      { status: 'needsData', note: 'Inscrição estadual' },
    ]);
    expect((await followedOf(ada, clientA, 'state-SP')).light).toBe('missing');
  });

  test('that does not exist, and one of an archived client, are not followed', async () => {
    const target = { clientId: clientA, agencyId: 'city-0000000' };
    await expect(followAgency(sam, { ...target, ...FOLLOWING })).rejects.toMatchObject({ code: 'INVALID' });
    const id = await createClient(olga, { name: 'Old Mill' });
    await archiveClients(olga, [id]);
    await expect(
      followAgency(olga, { clientId: id, agencyId: 'federal', ...FOLLOWING }),
    ).rejects.toMatchObject({ code: 'GONE' });
  });

  test.each([
    ['contacts', () => ada],
    ['read-only staff', () => reader],
  ])('is not changed by %s', async (_, actor) => {
    const target = { clientId: clientA, agencyId: 'labor' };
    const refused = { code: 'FORBIDDEN' };
    await expect(followAgency(actor(), { ...target, ...FOLLOWING })).rejects.toMatchObject(refused);
    await expect(changeFollowing(actor(), { ...target, ...FOLLOWING })).rejects.toMatchObject(refused);
    await expect(unfollowAgency(actor(), clientA, 'labor')).rejects.toMatchObject(refused);
    await expect(fileLabor(actor(), clientA, labor(BAKERY))).rejects.toMatchObject(refused);
    await expect(noteAttempt(actor(), { ...target, status: 'failed', note: '' })).rejects.toMatchObject(
      refused,
    );
    await expect(fileCertificates(actor(), [])).rejects.toMatchObject(refused);
    const [attempt] = await historyOf(sam, clientA);
    await expect(withdrawAttempt(actor(), attempt?.id ?? '')).rejects.toMatchObject(refused);
  });

  test('of another client is not found', async () => {
    const missing = { code: 'NOT_FOUND' };
    await expect(listFollowed(ben, clientA)).rejects.toMatchObject(missing);
    await expect(listFollowed(tom, clientA)).rejects.toMatchObject(missing);
    await expect(historyOf(ben, clientA)).rejects.toMatchObject(missing);
    await expect(fileLabor(tom, clientA, labor(BAKERY))).rejects.toMatchObject(missing);
    const [attempt] = await historyOf(sam, clientA);
    await expect(withdrawAttempt(tom, attempt?.id ?? '')).rejects.toMatchObject(missing);
    expect(clientTwo).not.toBe(clientA);
  });
});

describe('the calls', () => {
  const filter = (values: Readonly<Record<string, string>>): string =>
    encodeURIComponent(
      JSON.stringify({
        groups: [{ items: Object.entries(values).map(([by, value]) => ({ by, op: 'EQ', value })) }],
      }),
    );
  const path = '/api/cnd/v1';
  const NO_CLIENT = 'Client id can not be undefined';
  const NO_AGENCY = 'Agency id and client id can not be undefined';

  test('file PDFs by their CNPJ, each with its status, and take them from staff who publish only', async () => {
    const known = labor(BOATS, { until: '20/04/2027', issued: '20/11/2026' });
    const send = (actor: Actor) =>
      apiAs(actor)('POST', `${path}/certificates`, {
        form: filesForm(
          ['barcos.pdf', known],
          ['barcos-de-novo.pdf', known],
          ['alheia.pdf', labor('11.222.333/0001-81')],
          ['pagina.pdf', '<html></html>'],
        ),
      });
    const answer = await send(olga);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      items: [
        { name: 'barcos.pdf', status: 201, outcome: 'filed' },
        { name: 'barcos-de-novo.pdf', status: 200, outcome: 'known' },
        { name: 'alheia.pdf', status: 422, outcome: 'clientUnknown' },
        { name: 'pagina.pdf', status: 422, outcome: 'notPdf' },
      ],
    });
    const history = await listAttempts(olga, { clientId: clientB, agencyId: 'labor', start: 0, limit: 10 });
    expect(history.items).toContainEqual(expect.objectContaining({ validUntil: '2027-04-20' }));
    for (const other of [ada, reader]) expect((await send(other)).status).toBe(403);
    const body = { headers: { 'content-type': 'text/plain' }, body: 'x' };
    expect((await apiAs(olga)('POST', `${path}/certificates`, body)).status).toBe(415);
  });

  test('list what is followed, with the newest certificate', async () => {
    const response = await apiAs(ada)(
      'GET',
      `${path}/client-agencies?filter=${filter({ clientId: clientA })}`,
    );
    const { items, totalItems } = (await response.json()) as { items: object[]; totalItems: number };
    expect(totalItems).toBe(items.length);
    expect(items).toContainEqual(
      expect.objectContaining({
        agencyId: 'fgts',
        clientId: clientA,
        agency: 'FGTS (CRF of Caixa)',
        light: 'expiring',
        certificate: expect.objectContaining({ result: 'negative', validUntil: '2026-12-04' }) as object,
      }),
    );
    const page = await apiAs(ada)(
      'GET',
      `${path}/client-agencies?filter=${filter({ clientId: clientA })}&startIndex=1&itemsPerPage=1`,
    );
    expect(await page.json()).toMatchObject({ items: [{}], totalItems });
  });

  test('list the history with its agency, and lead to the PDF', async () => {
    const of = filter({ agencyId: 'labor', clientId: clientA });
    const response = await apiAs(ada)(
      'GET',
      `${path}/crawler-history?filter=${of}&expand=clientAgencyExpanded`,
    );
    const { items } = (await response.json()) as { items: { id: string; clientAgencyExpanded: object }[] };
    expect(items[0]?.clientAgencyExpanded).toMatchObject({ agencyId: 'labor', light: 'valid' });
    expect(JSON.stringify(items)).not.toContain('documentId');
    const answer = await apiAs(ada)('GET', `${path}/crawler-history/${items[0]?.id}/document`);
    const { downloadUrl } = (await answer.json()) as { downloadUrl: string };
    const pdf = await apiAs(ada)('GET', downloadUrl);
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
    expect((await apiAs(ben)('GET', downloadUrl)).status).toBe(404);
    expect((await apiAs(ben)('GET', `${path}/crawler-history/${items[0]?.id}/document`)).status).toBe(404);
  });

  test.each([
    ['client-agencies', 'without a filter', '', NO_CLIENT],
    ['client-agencies', 'for another name', `?filter=${filter({ agencyId: 'labor' })}`, NO_CLIENT],
    ['client-agencies', 'with what is no filter', '?filter=x', NO_CLIENT],
    ['crawler-history', 'without an agency', `?filter=${filter({ clientId: clientA })}`, NO_AGENCY],
    ['crawler-history', 'without a filter', '', NO_AGENCY],
  ])('refuse %s %s in the words of the specification', async (call, _, query, message) => {
    const response = await apiAs(ada)('GET', `${path}/${call}${query}`);
    expect(response.status).toBe(422);
    expect(await response.text()).toContain(message);
  });

  test('answer staff who view as a contact', async () => {
    const call = apiAs(ada, impersonating(ada, sam));
    const { status } = await call('GET', `${path}/client-agencies?filter=${filter({ clientId: clientA })}`);
    expect(status).toBe(200);
  });
});

describe('the list of all clients', () => {
  const listed = async (actor: Actor, fields: Readonly<Record<string, string>> = {}) => {
    const parameters = certificateGrid.parameters.parse(fields);
    const { rows } = await readGrid(certificateGrid, actor, gridQueryOf(certificateGrid, parameters), 50);
    return rows.map(({ clientId, agencyId, light }) => [clientId, agencyId, light]);
  };

  test('begins with what needs a renewal, and is narrowed by state and agency', async () => {
    const all = await listed(sam);
    expect(all.length).toBeGreaterThan(4);
    expect(all[0]?.[2]).toMatch(/missing|positive/);
    for (const light of ['valid', 'expiring', 'expired', 'missing', 'positive'])
      expect(await listed(sam, { light })).toEqual(all.filter((row) => row[2] === light));
    expect((await listed(sam, { light: 'due' })).length).toBe(all.filter((row) => row[2] !== 'valid').length);
    expect(await listed(sam, { agency: 'state' })).toEqual([[clientA, 'state-SP', 'missing']]);
    expect((await listed(sam, { searchTerm: 'boats' })).every(([id]) => id === clientB)).toBe(true);
  });

  test('has the last days as dates in a spreadsheet', async () => {
    const call = apiAs(sam);
    const dates = await datesIn(await call('GET', '/api/cnd/v1/grids/client-agencies/export?format=xlsx'));
    const days = await db()
      .selectFrom('cnd_client_agencies')
      .select('valid_until')
      .where('valid_until', '!=', '')
      .execute();
    expect(dates.toSorted()).toEqual(days.map((row) => row.valid_until).toSorted());
    expect(dates.length).toBeGreaterThan(0);
  });

  test('has no clients of others, and none for contacts', async () => {
    expect(await listed(tom)).toEqual([]);
    await expect(listed(ada)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('before a certificate expires', () => {
  const told = async (): Promise<string[]> => {
    await noticeLapses(new AbortController().signal);
    await noticeLapses(new AbortController().signal); // another node
    const rows = await db().selectFrom('mails').select('mail_id').where('kind', '=', 'clearance').execute();
    return rows.map((row) => row.mail_id);
  };
  const inboxOf = async (): Promise<string[]> =>
    (await listInbox(sam, { of: 'all', kind: '', after: '' })).items.flatMap(({ kind, name }) =>
      kind === 'clearance' ? [name] : [],
    );

  test('the firm and, if it says so, the client are told at three stages, each once', async () => {
    await changeFollowing(sam, { clientId: clientA, agencyId: 'fgts', ...FOLLOWING, notifiesClient: true });
    expect(await told()).toHaveLength(2); // Ada and Cleo
    expect(await inboxOf()).not.toEqual([]);
    standAt(Date.UTC(2026, 11, 1, 15));
    expect(await told()).toHaveLength(4);
    standAt(Date.UTC(2026, 11, 4, 15));
    expect(await told()).toHaveLength(4);
    standAt(Date.UTC(2026, 11, 5, 15));
    expect(await told()).toHaveLength(6);
    standAt(Date.UTC(2027, 0, 5, 15));
    expect(await told()).toHaveLength(6);
  });

  test('a newer certificate settles what waits in the inbox', async () => {
    const bytes = pdfOf(
      [`Certificado de Regularidade do FGTS - CRF\nInscricao: ${BAKERY}\nValidade: 25/11/2026 a 24/12/2027`],
      { size: 10 },
    );
    await fileCertificate(
      sam,
      { clientId: clientA, agencyId: 'fgts' },
      { file: file(bytes), typed: NOTHING },
    );
    const waiting = await db()
      .selectFrom('cnd_client_agencies')
      .select(['agency_id', 'next_notice_on'])
      .where('client_id', '=', clientA)
      .where('agency_id', '=', 'fgts')
      .execute();
    expect(waiting).toEqual([{ agency_id: 'fgts', next_notice_on: '2027-12-09' }]);
  });
});

test('the home page of a contact shows the certificates of the company, those with a problem first', async () => {
  expect(await rowsOf(ben, 'cnd'), 'a firm without the areas for Brazil').toBeUndefined();
  await setFlag(olga, 'BoxE', true);
  const rows = await rowsOf(await actorOf(ben.contactId), 'cnd');
  expect(rows?.[0]).toEqual([
    'Federal taxes (Receita Federal and PGFN)',
    'There are debts. Ask Maple & Hart.',
  ]);
  expect(rows?.at(-1)?.[1]).toMatch(/^Valid until/);
});

test('notes and numbers are stored encrypted', async () => {
  const rows = JSON.stringify(await db().selectFrom('cnd_attempts').selectAll().execute());
  expect(rows).not.toContain('41907733/2026');
  expect(rows).not.toContain('Inscrição estadual');
});

test('an export of everything has what is followed and each certificate with the path of its PDF', async () => {
  const files = await exportOf(olga, clientB);
  expect(tableIn(files, 'clearance-agencies.csv').map((row) => row['Name'])).toContain(
    'Federal taxes (Receita Federal and PGFN)',
  );
  const [certificate] = tableIn(files, 'clearance-certificates.csv').filter(
    (row) => row['Number'] === '41907733/2026' && row['Path in this export'] !== '',
  );
  expect(certificate?.['Path in this export']).toMatch(/CNDT 2026-.*\.pdf$/);
});

test('a merge unites what both clients had, with all certificates', async () => {
  const before = (await historyOf(sam, clientB)).length + (await historyOf(sam, clientA)).length;
  await mergeClients(sessionAs(olga), clientB, clientA);
  const followed = await listFollowed(sam, clientA);
  expect(followed.map(({ agencyId }) => agencyId).toSorted()).toEqual([
    'federal',
    'fgts',
    'labor',
    'state-SP',
  ]);
  const { totalItems } = await listAttempts(sam, {
    clientId: clientA,
    agencyId: 'labor',
    start: 0,
    limit: 1,
  });
  expect(totalItems).toBe(before);
});

describe('a certificate of a person', () => {
  const [FARMER, DOCTOR] = ['529.982.247-25', '111.444.777-35'];
  const personal = (cpf: string, more = '') =>
    pdfOf(
      [
        `CERTIDAO NEGATIVA DE DEBITOS TRABALHISTAS\nCPF: ${cpf}\n${more}\nExpedicao: 01/11/2026\nValidade: 30/04/2027\nCopia ${(copies += 1)}`,
      ],
      { size: 10 },
    );
  const made = (name: string, number: string) =>
    createClient(olga, { name, taxIds: [{ kind: 'cpf', number }] }, { allowDuplicate: true });
  let [farmer, doctor] = ['', ''];
  beforeAll(async () => {
    farmer = await made('Joana Farmer', FARMER);
    doctor = await made('Bia Doctor', DOCTOR);
  });

  test('is filed with the client who has the CPF, alone and among others, without the CPF in its row', async () => {
    expect(await fileLabor(olga, farmer, personal(FARMER))).toBe(true);
    const outcomes = await fileCertificates(olga, [
      file(personal(DOCTOR)),
      file(personal('390.533.447-05')),
      file(labor(BAKERY)),
      // of a company that is no client, signed for by a person who is
      file(personal(FARMER, 'CNPJ: 31.550.824/0001-69')),
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      'filed',
      'clientUnknown',
      'filed',
      'clientUnknown',
    ]);
    for (const id of [farmer, doctor])
      expect(await historyOf(olga, id)).toMatchObject([{ cnpj: '', validUntil: '2027-04-30' }]);
    const rows = await db().selectFrom('cnd_attempts').selectAll().execute();
    expect(JSON.stringify(rows)).not.toMatch(/52998224725|529\.982\.247-25/);
  });

  test('of another person or company is refused, and says whose it is without all of the CPF', async () => {
    const refused = await fileLabor(olga, farmer, personal(DOCTOR)).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      details: { problem: 'otherClient', number: 'CPF ***.444.777-**', own: 'CPF ***.982.247-**' },
    });
    expect(await problemOf(fileLabor(olga, farmer, labor(BOATS)))).toBe('otherClient');
    expect(await problemOf(fileLabor(olga, farmer, personal(`${FARMER} ${DOCTOR}`)))).toBe('severalClients');
    expect(await problemOf(fileLabor(olga, farmer, pdfOf([''])))).toBe('unchecked');
  });

  test('is taken where the agency prints its own number beside it', async () => {
    const printed = personal(FARMER, 'Prefeitura, CNPJ 31.550.824/0001-69');
    expect(await fileLabor(olga, farmer, printed)).toBe(true);
  });
});
