import type { QueueUser } from '#platform/jobs/fair-queue.server.ts';
import { inSealThread } from './worker.server.ts';

/** Every font that the portal brings has these. */
const EVERYWHERE = /^[\u0020-\u007E\u00A0-\u024F\u0370-\u03FF\u0400-\u045F]*$/u;

/** The letters of some texts that none of the portal's fonts has, so that they cannot be drawn in a document; TOO_MANY. */
export async function undrawableLetters(user: QueueUser, texts: readonly string[]): Promise<string[]> {
  const unusual = texts.filter((text) => !EVERYWHERE.test(text.normalize('NFC')));
  if (unusual.length === 0) return [];
  const { letters } = await inSealThread(user, { kind: 'letters', text: unusual.join(' ').normalize('NFC') });
  return letters;
}
