import { actorNow } from '#features/base/people/people.server.ts';
import type { Actor, Session } from '#features/base/people/people.ts';
import {
  exportRequest,
  TABLE_HEADINGS,
  tableRows,
  type ExportedRequest,
} from '#features/brazil/service-requests/request-export.server.ts';
import { documentsOfFirm } from '#features/brazil/service-requests/messages.server.ts';
import { requestRow } from '#features/brazil/service-requests/scope.server.ts';
import { filesIn, submissionOf } from '#features/brazil/service-requests/submissions.server.ts';
import { countFetched } from '#features/documents/downloads/allowance.server.ts';
import { archiveOf, noteExported } from '#features/documents/downloads/archive.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { archivePaths } from '#platform/storage/archive-paths.ts';
import { streamedZip, type GeneratedEntry, type ZipEntry } from '#platform/storage/zip.server.ts';
import { CSV_START, csvOf, csvRow } from '#platform/tabular/csv-writer.ts';
import type { Lang } from '#platform/text/languages.ts';
import { loadBatch, waitingRequests } from './batches.server.ts';
import type { ExportFormat } from './desk.ts';
import { requestTitle } from './queue-grid.server.ts';

/*
 * Many requests as one file, made while it is sent: the memory of one request. What the actor may no longer see is left out,
 * and each request is in the audit log.
 */

interface Exporting {
  batchId: string;
  format: ExportFormat;
  lang: Lang;
}

/** The requests of a batch as a file. NOT_FOUND, FORBIDDEN; STEP_UP beyond the hourly download allowance. */
export async function exportBatch(
  { actor, ...session }: Session,
  { batchId, format, lang }: Exporting,
): Promise<AsyncIterable<string | Buffer>> {
  await loadBatch(actor, batchId); // refuses before the first byte
  if (format !== 'zip') {
    const requests = exportedRequests(actor, batchId, lang);
    return format === 'json' ? asJson(requests) : asTable(requests);
  }
  await countFetched({ ...session, actor }, await sizesOfFiles(actor, batchId));
  return streamedZip(entriesOf(actor, batchId, lang), now());
}

async function* exportedRequests(
  actor: Actor,
  batchId: string,
  lang: Lang,
): AsyncGenerator<ExportedRequest, void> {
  for await (const ids of waitingRequests(actor, batchId)) {
    const current = await actorNow(actor);
    for (const id of ids) {
      const request = await unlessGone(exportRequest(current, id, lang));
      if (request) yield request;
    }
  }
}

const unlessGone = <Value>(value: Promise<Value>): Promise<Value | undefined> =>
  value.catch((error: unknown) => {
    if (refusal(error)?.code === 'NOT_FOUND') return undefined;
    throw error;
  });

async function* asJson(requests: AsyncIterable<ExportedRequest>): AsyncGenerator<string, void> {
  let before = '[\n';
  for await (const request of requests) {
    yield before + JSON.stringify(request, null, 2);
    before = ',\n';
  }
  yield before === ',\n' ? '\n]\n' : '[]\n';
}

async function* asTable(requests: AsyncIterable<ExportedRequest>): AsyncGenerator<string, void> {
  yield CSV_START + csvRow(TABLE_HEADINGS, ';');
  for await (const request of requests)
    yield tableRows(request)
      .map((row) => csvRow(row, ';'))
      .join('');
}

const INDEX_HEADINGS = ['number', 'type', 'status', 'clientCode', 'client', 'submittedAt', 'folder', 'files'];

const documentsIn = (files: readonly { document: string }[]): string[] =>
  files.map(({ document }) => document);

/** A folder for each request with its data and its files, and at the end a list of them. */
async function* entriesOf(
  actor: Actor,
  batchId: string,
  lang: Lang,
): AsyncGenerator<ZipEntry | GeneratedEntry, void> {
  const index: (string | number)[][] = [];
  for await (const request of exportedRequests(actor, batchId, lang)) {
    const current = await actorNow(actor);
    const [files, replies] = [
      await archiveOf(current, documentsIn(request.files)),
      await archiveOf(current, documentsIn(request.replyFiles)),
    ];
    await noteExported(current, batchId, [...files, ...replies]);
    const folder = [requestTitle(request, lang)];
    const [data = '', table = '', ...names] = archivePaths([
      { folder, name: 'request.json' },
      { folder, name: 'answers.csv' },
      ...files.map(({ documentName: name }) => ({ folder: [...folder, 'files'], name })),
      ...replies.map(({ documentName: name }) => ({ folder: [...folder, 'reply'], name })),
    ]);
    yield generated(data, () => JSON.stringify(request, null, 2));
    yield generated(table, () => csvOf(TABLE_HEADINGS, tableRows(request), ';'));
    for (const [at, file] of [...files, ...replies].entries())
      yield { ...file, name: names[at] ?? file.name };
    const { number, type, status, client, submission } = request;
    const path = data.slice(0, data.lastIndexOf('/'));
    index.push([
      number,
      type,
      status,
      client.code,
      client.name,
      submission.at,
      path,
      files.length + replies.length,
    ]);
  }
  yield generated('index.csv', () => csvOf(INDEX_HEADINGS, index, ';'));
}

const generated = (name: string, text: () => string): GeneratedEntry => ({
  name,
  async *content() {
    yield text();
  },
});

/** The sizes of the files that the requests of a batch have. */
async function sizesOfFiles(actor: Actor, batchId: string): Promise<number[]> {
  const sizes: number[] = [];
  for await (const ids of waitingRequests(actor, batchId)) {
    const files: string[] = [];
    for (const id of ids) {
      const row = await unlessGone(requestRow(actor, id));
      if (!row) continue;
      files.push(...filesIn((await submissionOf(id, Number(row.submission)))?.content));
      files.push(...(await documentsOfFirm(actor, id)).map((document) => document.id));
    }
    sizes.push(...(await archiveOf(actor, files)).map(({ size }) => size));
  }
  return sizes;
}
