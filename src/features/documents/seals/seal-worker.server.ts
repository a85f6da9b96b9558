import { parentPort } from 'node:worker_threads';
import { compose } from './internal/compose-pdf.server.ts';
import { undrawableLetters } from './internal/fonts.server.ts';
import { JobRefusal } from '#features/documents/document-preparation/refusals.server.ts';
import { makeKey, openKey, readKey, tryTimestamp } from './internal/seal-signer.server.ts';
import { prepare } from '#features/documents/document-preparation/prepare.server.ts';
import { confineThread } from '#platform/runtime/confined-thread.server.ts';
import { checkSeal } from './internal/seal-check.server.ts';
import { compareSealed, compareVersions, rehearse, seal } from './internal/seal-pdf.server.ts';
import type { Answer, Job, Results } from './worker.server.ts';

/*
 * The thread in which PDF files, certificates and keys are read (threat-model.md T51). It knows no documents
 * or people: it receives bytes and returns bytes or facts. An unexpected failure ends it, and the next job
 * starts a new one.
 */

confineThread();

async function run(job: Job): Promise<Results[keyof Results]> {
  switch (job.kind) {
    case 'prepare':
      return prepare(job.bytes);
    case 'rehearse':
      return rehearse(job);
    case 'compare':
      return compareSealed(job);
    case 'compare-versions':
      return compareVersions(job);
    case 'letters':
      return { letters: await undrawableLetters(job.text) };
    case 'seal':
      return seal(job);
    case 'verify':
      return checkSeal(job.bytes);
    case 'make-key':
      return makeKey(job);
    case 'open-key':
      return openKey(job.file, job.password);
    case 'read-key':
      return readKey(job.file, job.password);
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
    if (error instanceof JobRefusal) return { refused: error.why, details: error.details };
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
