import { parentPort } from 'node:worker_threads';
import { decodeText } from '#platform/tabular/decode-text.server.ts';
import { delimiterOf } from '#platform/tabular/delimiter.ts';
import { readFiscal } from './fiscal.server.ts';
import { openPdfs } from './pdfium.server.ts';
import { readTable, type TableLimits } from './table.server.ts';
import type { Table } from './viewer.ts';
import type { Given, Job } from './worker.server.ts';

/*
 * The thread in which untrusted files are read (threat-model.md T51). It knows no documents or people: it
 * receives bytes and returns an image or text. A failure in WebAssembly cannot be repaired, so the thread
 * ends, and the next job starts a new one.
 */

/** The memory limit of pdfium: 512 MiB in WebAssembly's pages of 64 KiB. */
const MAX_MEMORY = 512 * 16;

const grow = WebAssembly.Memory.prototype.grow;
WebAssembly.Memory.prototype.grow = function growALittle(this: WebAssembly.Memory, pages: number) {
  if (this.buffer.byteLength / 65_536 + pages > MAX_MEMORY)
    throw new RangeError('a PDF asks for more memory than it may have');
  return grow.call(this, pages);
};

// Messages of pdfium may quote the file.
// eslint-disable-next-line no-console -- the output is discarded
for (const method of ['error', 'warn', 'log', 'info', 'debug'] as const) console[method] = () => undefined;

const pdfs = await openPdfs();

/** The limits of a shown table, whose page stays below some megabytes. */
const MAX_TABLE: TableLimits = { rows: 1000, columns: 200, cells: 20_000, characters: 1000 };

const tableIn = (text: string): Table => readTable(text, { delimiter: delimiterOf(text), max: MAX_TABLE });

function answer(job: Job): Given {
  if (job.kind === 'table') return { table: tableIn(decodeText(job.bytes)) };
  if (job.kind === 'fiscal') return { sheet: readFiscal(Buffer.from(job.bytes).toString('utf8')) };
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
