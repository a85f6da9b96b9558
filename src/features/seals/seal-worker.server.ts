import { parentPort } from 'node:worker_threads';
import { compose } from './internal/compose-pdf.server.ts';
import { SealRefusal } from './internal/seal-refusal.server.ts';
import { makeKey, openKey, tryTimestamp } from './internal/seal-signer.server.ts';
import { prepare } from './internal/prepare-pdf.server.ts';
import { checkSeal } from './internal/seal-check.server.ts';
import { seal } from './internal/seal-pdf.server.ts';
import type { Answer, Job, Results } from './worker.server.ts';

/*
 * The thread in which PDF files, certificates and keys are read (threat-model.md T51). It knows no documents
 * or people: it receives bytes and returns bytes or facts. An unexpected failure ends it, and the next job
 * starts a new one.
 */

// Messages of the libraries may quote the file.
// eslint-disable-next-line no-console -- the output is discarded
for (const method of ['error', 'warn', 'log', 'info', 'debug'] as const) console[method] = () => undefined;

function run(job: Job): Promise<Results[keyof Results]> {
  switch (job.kind) {
    case 'prepare':
      return prepare(job.bytes);
    case 'seal':
      return seal(job);
    case 'verify':
      return checkSeal(job.bytes);
    case 'make-key':
      return makeKey(job);
    case 'open-key':
      return openKey(job.file, job.password);
    case 'timestamp':
      return tryTimestamp(job.timestampUrl);
    case 'compose':
      return compose(job);
  }
}

async function answer(job: Job): Promise<Answer> {
  try {
    return { done: await run(job) };
  } catch (error) {
    if (error instanceof SealRefusal) return { refused: error.why };
    throw error;
  }
}

parentPort?.on('message', (job: Job) => {
  answer(job).then(
    (given) => parentPort?.postMessage(given),
    () => process.exit(1), // the file caused that, and quoting it would reveal its content
  );
});
parentPort?.postMessage('ready');
