import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '#features/clients/clients/editing.server.ts';
import { createFirm } from '#features/base/firms/firms.server.ts';
import { isDocument } from '#features/documents/fiscal-xml/fiscal-xml.ts';
import { fieldLabel } from '#features/office/imports/field-labels.server.ts';
import { importOf, listRows, setMapping } from '#features/office/imports/imports.server.ts';
import { rowQuery } from '#features/office/imports/imports.ts';
import { proposedMapping } from '#features/office/imports/mapping.server.ts';
import { problemSentences } from '#features/office/imports/problem-sentences.server.ts';
import { fileProblemKey, fileProblemText } from '#features/office/imports/problem-texts.ts';
import { startImport } from '#features/office/imports/uploading.server.ts';
import { matchFile } from '#features/documents/publishing/matching.ts';
import { preparePdf } from '#features/documents/seals/preparing.server.ts';
import { sealPdf, type Stamp } from '#features/documents/seals/sealing.server.ts';
import { EMPTY_SHARE, shareProblems } from '#features/sharing/sharing/rules.ts';
import { fieldNames, uploadProblem } from '#features/signing/signing-requests/forms.server.ts';
import { answerIn, codeOf, reasonFor } from '#features/documents/uploads/refusals.ts';
import { viewDocument } from '#features/documents/viewer/viewer.server.ts';
import type { View, ViewRefusal } from '#features/documents/viewer/viewer.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { isDate } from '#platform/inputs/dates.ts';
import { dateFromText } from '#platform/inputs/typed-dates.ts';
import { readTabular } from '#platform/tabular/read-tabular.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import '../src/app.server.ts';
import { ASPECTS, CASES, type Aspect, type Case } from './cases/list.ts';
import { apiAs, filesForm, sessionAs } from './support/api.ts';
import { makeCast, person } from './support/cast.ts';
import { firmOf } from './support/firm-clients.ts';
import { runDueJobs } from './support/jobs.ts';
import { differenceOf, inkIn, pictureOf, popplerPicture, type Picture } from './support/poppler-picture.ts';
import { popplerDifference, popplerInk, popplerPages, type PageArea } from './support/poppler.ts';
import { faultsOf, pdfsigOf } from './support/sealing.ts';
import { drawnWithoutFonts } from './support/without-fonts.ts';

/* Each file of tests/cases, and what the list beside them asks for. */

const folder = path.join(import.meta.dirname, 'cases');
const files = readdirSync(folder).filter((name) => name !== 'list.ts');
const bytesOf = (name: string): Buffer => readFileSync(path.join(folder, name));

const { ada, firmOne, projectA } = await makeCast();
const office = await createFirm({ name: 'Office', phone: '1', email: 'o@office.example', language: 'en-us' });
const owner = await person(office, 'Olga Owner', 'olga@office.example', { role: 'owner' });
beforeAll(async () => {
  await createClient(owner, { name: 'Mercado Sete ME', code: '7' });
  await createClient(owner, { name: 'Padaria Souza Filial', code: '45' });
  const taxIds = [{ kind: 'cnpj' as const, number: '01222333000128' }];
  await createClient(owner, { name: 'Zero Esquerda Ltda', code: '46', taxIds });
});

/** What a person gets: a file that is stored, or a sentence. */
type Uploaded = { id: string; name: string } | { refused: string };

async function upload(name: string, bytes: Buffer): Promise<Uploaded> {
  const address = `/api/storage/v1/projects/${projectA.id}/documents`;
  const response = await apiAs(ada)('POST', address, { form: filesForm([name, bytes]) });
  const { data, errors } = answerIn<{ id: string; name: string }[]>(await response.text());
  if (data?.[0]) return data[0];
  const suggestion = errors?.[0]?.suggestion;
  if (suggestion !== undefined) return upload(suggestion, bytes); // as the page does
  const code = codeOf(response.status, errors?.[0]);
  return { refused: reasonFor(translationsFor('en-us', 'documents'), 'en-US', code) };
}

const uploads = new Map<string, Promise<Uploaded>>();
/** Uploads a file of the folder once. */
function uploadOf(name: string): Promise<Uploaded> {
  const uploaded = uploads.get(name) ?? upload(name, bytesOf(name));
  uploads.set(name, uploaded);
  return uploaded;
}

async function stored(name: string): Promise<string> {
  const uploaded = await uploadOf(name);
  if ('refused' in uploaded) throw new Error(`${name} was refused: ${uploaded.refused}`);
  return uploaded.id;
}

const TRIES: { [A in Aspect]: (name: string, asked: NonNullable<Case[A]>) => Promise<void> } = {
  async upload(name, asked) {
    const uploaded = await uploadOf(name);
    if (typeof asked === 'object' && 'refused' in asked)
      expect(uploaded).toEqual({ refused: expect.stringContaining(asked.refused) as string });
    else expect(uploaded).toMatchObject({ name: asked === 'stored' ? name : asked.as });
  },

  async view(name, asked) {
    const view = await viewDocument(sessionAs(ada), await stored(name), { page: 1 });
    if ('says' in asked) expect(sentenceOf(view)).toContain(asked.says);
    else if ('xml' in asked) expect(view).toMatchObject({ kind: 'text', xml: asked.xml });
    else if ('rows' in asked) expect(view).toMatchObject({ kind: 'table', rows: asked.rows });
    else if ('entries' in asked) {
      expect(view).toMatchObject({ kind: 'fiscal', file: { entries: asked.entries } });
      const [first] = view.kind === 'fiscal' ? view.file.entries : [];
      if (asked.parties)
        expect(first && isDocument(first) && first.parties.map(({ name }) => name)).toEqual(asked.parties);
    } else if ('text' in asked && !('pages' in asked))
      expect(view).toMatchObject({ kind: 'text', text: asked.text });
    else expectPages(view, asked);
  },

  async picture(name, asked) {
    const image = await apiAs(ada)(
      'GET',
      `/api/storage/v1/documents/${await stored(name)}/pages/1?width=700`,
    );
    if (typeof asked === 'object' && 'refused' in asked) {
      expect(answerIn(await image.text()).errors?.[0]?.code).toBe(asked.refused);
      return;
    }
    expect(image.status).toBe(200);
    const picture = await pictureOf(sharp(Buffer.from(await image.arrayBuffer())));
    if (asked === 'blank') expect(inkIn(picture)).toBe(0);
    else if (asked === 'as poppler') await expectAsPoppler(picture, bytesOf(name));
    else expectStripe(picture, asked.stripe);
  },

  async sign(name, asked) {
    if ('refused' in asked) {
      expect(await preparePdf(bytesOf(name)).then(() => 'prepared', signingSentence)).toContain(
        asked.refused,
      );
      return;
    }
    const prepared = await preparePdf(bytesOf(name));
    const { pages, signatures, differences } = prepared;
    expect(pages.map(({ width, height }) => [width, height])).toEqual(asked.pages);
    expect(signatures.map((signature) => signature.name)).toEqual(asked.signatures ?? []);
    expect(differences).toEqual([]);
    const longest = Math.max(...asked.pages.flat());
    await expectSealed(bytesOf(name), prepared.bytes, asked.shows, Math.min(54, 100_000 / longest));
  },

  async import(name, asked) {
    const result = await dryRun(name);
    if ('refused' in asked) {
      expect(result).toEqual({ refused: expect.stringContaining(asked.refused) as string });
      return;
    }
    const rows = 'rows' in result ? result.rows : [];
    expect(result).toEqual({ rows: rows.map(({ does }) => ({ does, says: expect.any(String) as string })) });
    expect(rows.map(({ does }) => does)).toEqual(asked.rows.map(([does]) => does));
    for (const [at, [, says = '']] of asked.rows.entries()) expect(rows[at]?.says).toContain(says);
    if (asked.cells) {
      const read = await readTabular(bytesOf(name), { person: 'cases', firm: 'cases' });
      expect('rows' in read && read.rows.map(({ cells }) => cells)).toEqual(asked.cells);
    }
  },
};

/** Why a document is not shown, as the page says it. */
function sentenceOf(view: View): string {
  if (view.kind !== 'none') return `It is shown: ${view.kind}`;
  const key = `why${view.because.charAt(0).toUpperCase()}${view.because.slice(1)}` as `why${Capitalize<
    Exclude<ViewRefusal, 'infected'>
  >}`;
  return translationsFor('en-us', 'viewer')(key);
}

function expectPages(view: View, asked: Extract<Case['view'], { pages: unknown }>): void {
  const pages = view.kind === 'pages' ? view.pages : [];
  expect(pages.map(({ width, height }) => [width, height])).toEqual(asked.pages);
  if (asked.text) expect(pages.flatMap(({ runs }) => runs.map(({ text }) => text))).toEqual(asked.text);
  if (asked.lacksLetters) expect(pages[0]?.lacksLetters).toBe(true);
}

async function expectAsPoppler(picture: Picture, bytes: Buffer): Promise<void> {
  const poppler = await popplerPicture(bytes, picture);
  expect(inkIn(picture)).toBeGreaterThan(0);
  expect(differenceOf(picture, poppler)).toBeLessThan(0.002);
}

function expectStripe({ width, height, pixels }: Picture, stripe: readonly number[]): void {
  const at = (x: number, y: number): number[] => [
    ...pixels.subarray((y * width + x) * 3, (y * width + x) * 3 + 3),
  ];
  for (const x of [20, width - 20]) {
    for (const [channel, value] of at(x, 20).entries())
      expect(Math.abs(value - (stripe[channel] ?? 0))).toBeLessThan(12);
    expect(Math.min(...at(x, height - 20))).toBeGreaterThan(243);
  }
}

/** Why a document cannot be signed, as the page says it. */
function signingSentence(error: unknown): string {
  const problem = refusal(error);
  const key = problem && uploadProblem(problem);
  if (!problem || !key) throw error;
  return translationsFor('en-us', 'signing')(key, fieldNames(problem.details));
}

const STAMPED: PageArea = { x: 0.1, y: 0.88, width: 0.4, height: 0.06 };
const stamp: Stamp = {
  page: 0,
  x: 10_000,
  y: 88_000,
  width: 40_000,
  height: 6000,
  kind: 'text',
  text: 'SIGNED',
};

/** Seals a prepared document, of which poppler shows what it shows of its source, and a stamp. */
async function expectSealed(
  source: Uint8Array,
  prepared: Uint8Array,
  shows: readonly string[],
  resolution: number,
): Promise<void> {
  const certificate = { title: 'Record', lead: '', sections: [], footer: 'Footer' };
  const { bytes } = await sealPdf({
    companyId: firmOne,
    prepared,
    stamps: [stamp],
    certificate,
    signedAt: now(),
  });
  expect(await pdfsigOf(bytes)).toMatchObject({ isValid: true, isTotal: true });
  expect(await faultsOf(bytes)).toBe('');
  const [before, between, after] = await Promise.all(
    [source, prepared, bytes].map((each) => popplerPages(each, 100, resolution)),
  );
  for (const [at, page] of (between ?? []).entries()) {
    const [first, last] = [before?.[at], after?.[at]];
    if (!first || !last) throw new Error(`page ${at + 1} is missing`);
    expect(popplerDifference(page, last, at === 0 ? [STAMPED] : [])).toBe(0);
    if (at === 0) expect(popplerInk(last, STAMPED) - popplerInk(first, STAMPED)).toBeGreaterThan(0.02);
  }
  const text = (after ?? []).map((page) => page.text).join('\n');
  for (const line of shows) expect(text).toContain(line);
}

/** Reads a file as clients and checks its rows, with the columns as they are proposed. */
async function dryRun(
  name: string,
): Promise<{ rows: { does: string; says: string }[] } | { refused: string }> {
  const lang = 'en-us';
  const t = translationsFor(lang, 'imports');
  try {
    const id = await startImport(owner, { kind: 'clients', name, bytes: Readable.from([bytesOf(name)]) });
    await setMapping(owner, id, await proposedMapping(owner, await importOf(owner, id)));
    await runDueJobs();
    const { rows } = await listRows(owner, id, rowQuery.parse({}));
    return {
      rows: rows
        .toSorted((a, b) => a.number - b.number)
        .map((row) => ({ does: `${row.action} ${row.label}`, says: problemSentences(lang, row) })),
    };
  } catch (error) {
    const { details } = refusal(error) ?? {};
    if (!details) throw error;
    const { fields } = details;
    if (Array.isArray(fields))
      return {
        refused: t('fieldsMissing', {
          fields: fields.map((field) => fieldLabel(lang, String(field))).join(', '),
        }),
      };
    const { key, vars } = fileProblemText(details);
    return { refused: t(fileProblemKey(key), vars) };
  }
}

const CLIENTS = firmOf({
  '7': { code: '7', name: 'Mercado Sete ME' },
  '11': { code: '11', name: 'Oficina Onze Ltda' },
  '45': { code: '45', name: 'Padaria Souza Filial' },
  '46': { code: '46', name: 'Zero Esquerda Ltda', taxId: ['cnpj', '01222333000128'] },
  '47': { code: '47', name: 'Letras Novas SA', taxId: ['cnpj', '12ABC34501DE35'] },
  '2026': { code: '2026', name: 'Eventos Vinte e Seis' },
});
const PAPER = bytesOf('pdf-rotate-180.pdf');

const linesOf = (name: string): string[] => bytesOf(name).toString().trimEnd().split('\n');
let drawnNames: ReturnType<typeof drawnWithoutFonts> | undefined;

/** What becomes of a line. */
const READERS: Record<NonNullable<Case['lines']>['as'], (line: string) => Promise<string>> = {
  'file of a client': async (name) => {
    const { clientId = '', problem = 'sure' } = await matchFile(CLIENTS, { name, text: undefined });
    return `${problem} ${clientId}`.trim();
  },
  recipients: async (to) => (shareProblems({ ...EMPTY_SHARE, to }).to === undefined ? 'accepted' : 'refused'),
  'due date': async (line) => {
    const date = dateFromText(line);
    return isDate(date) ? date : 'refused';
  },
  'upload name': async (line) => {
    const uploaded = await upload(JSON.parse(line) as string, PAPER);
    return 'name' in uploaded ? uploaded.name : uploaded.refused;
  },
  signature: async (name) => {
    drawnNames ??= drawnWithoutFonts(linesOf('signature-names.txt'));
    const letters = (await drawnNames).find(({ text }) => text === name)?.letters;
    return letters?.length === 0 ? 'drawn' : `lacks ${letters?.join(' ')}`;
  },
};

test('every file has a line in the list, and every line a file', () => {
  expect(Object.keys(CASES).toSorted()).toEqual(files.toSorted());
});

/** A test that must fail as long as the list says why it does. */
const testUnless = (todo: string | undefined) => (todo === undefined ? test : test.fails);

describe.each(Object.entries(CASES))('%s', (name, asked: Case) => {
  const { is, todo = {}, lines } = asked;
  const tried = <A extends Aspect>(aspect: A): void => {
    const outcome = asked[aspect];
    if (outcome === undefined) return;
    testUnless(todo[aspect])(`${is}: ${aspect}`, () => TRIES[aspect](name, outcome));
  };
  for (const aspect of ASPECTS) tried(aspect);
  if (!lines) return;
  const texts = linesOf(name);
  test('every line has an outcome', () => expect(texts).toHaveLength(lines.become.length));
  for (const [at, outcome] of lines.become.entries()) {
    const { becomes, todo: reason } =
      typeof outcome === 'string' ? { becomes: outcome, todo: undefined } : outcome;
    testUnless(reason)(`${is}, line ${at + 1}: ${becomes.slice(0, 40)}`, async () => {
      expect(await READERS[lines.as](texts[at] ?? '')).toBe(becomes);
    });
  }
});
