import { parentPort } from 'node:worker_threads';
import { readFiscal } from './fiscal.server.ts';
import { openPdfs } from './pdfium.server.ts';
import type { Answer, Job } from './worker.server.ts';

/*
 * The thread in which strangers' files are read (security.md T51). It knows no document and no person: it gets bytes and gives a drawing
 * or text. What goes wrong with WebAssembly cannot be mended, so the thread ends, and the next job begins with a new one.
 */

/** More than this much memory pdfium does not get: 512 MiB in WebAssembly's pages of 64 KiB. */
const MOST_MEMORY = 512 * 16;

const grow = WebAssembly.Memory.prototype.grow;
WebAssembly.Memory.prototype.grow = function growALittle(this: WebAssembly.Memory, pages: number) {
  if (this.buffer.byteLength / 65_536 + pages > MOST_MEMORY) throw new RangeError('a PDF asks for more memory than it may have');
  return grow.call(this, pages);
};

// What pdfium says may quote the file.
// eslint-disable-next-line no-console -- it is taken away here
for (const method of ['error', 'warn', 'log', 'info', 'debug'] as const) console[method] = () => undefined;

const pdfs = await openPdfs();

function answer(job: Job): Answer {
  if (job.kind === 'fiscal') return { sheet: readFiscal(Buffer.from(job.bytes).toString('utf8')) };
  return job.kind === 'draw' ? pdfs.draw(job) : pdfs.read(job);
}

parentPort?.on('message', (job: Job) => {
  try {
    const given = answer(job);
    parentPort?.postMessage({ ...given, open: pdfs.open() }, 'pixels' in given ? [given.pixels.buffer as ArrayBuffer] : []);
  } catch {
    process.exit(1); // the file did that, and quoting it would say what stands in it
  }
});
parentPort?.postMessage('ready');
