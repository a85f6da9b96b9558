import { parentPort } from 'node:worker_threads';
import { readFiscalXml } from '#features/documents/fiscal-xml/read.server.ts';
import { confineThread } from '#platform/runtime/confined-thread.server.ts';
import { decodeText } from '#platform/tabular/decode-text.server.ts';
import { delimiterOf } from '#platform/tabular/delimiter.ts';
import { openPdfs } from './pdfium.server.ts';
import { readTable, type TableLimits } from './table.server.ts';
import type { Table } from './viewer.ts';
import type { Given, Job } from './worker.server.ts';

/*
 * The thread in which untrusted files are read (threat-model.md T51). It knows no documents or people: it
 * receives bytes and returns an image or text. A failure in WebAssembly cannot be repaired, so the thread
 * ends, and the next job starts a new one.
 */

confineThread();

const pdfs = await openPdfs();

/** The limits of a shown table, whose page stays below some megabytes. */
const MAX_TABLE: TableLimits = { rows: 1000, columns: 200, cells: 20_000, characters: 1000 };

const tableIn = (text: string): Table => readTable(text, { delimiter: delimiterOf(text), max: MAX_TABLE });

function answer(job: Job): Given {
  if (job.kind === 'table') return { table: tableIn(decodeText(job.bytes)) };
  if (job.kind === 'fiscal') return { file: readFiscalXml(job.bytes) };
  if (job.kind === 'text') return pdfs.text(job);
  return job.kind === 'draw' ? pdfs.draw(job) : pdfs.read(job);
}

parentPort?.on('message', (job: Job) => {
  try {
    const begun = process.threadCpuUsage();
    const given = answer(job);
    const { user, system } = process.threadCpuUsage(begun);
    const cpu = (user + system) / 1000;
    parentPort?.postMessage(
      { ...given, open: pdfs.open(), cpu },
      'pixels' in given ? [given.pixels.buffer as ArrayBuffer] : [],
    );
  } catch {
    process.exit(1); // the file caused that, and quoting it would reveal its content
  }
});
parentPort?.postMessage('ready');
