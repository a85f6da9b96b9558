import { z } from 'zod';
import { continueBatch } from './running.server.ts';

const payload = z.union([
  z.looseObject({ batchId: z.string() }).transform(({ batchId }) => batchId),
  z.looseObject({ importId: z.string() }).transform(({ importId }) => importId),
]);

/**
 * Continues a batch at work whose job was queued by a version in which each kind had jobs of its own, so that an update
 * stops none. To be removed with the version after 2026-11-28.
 */
export const continueEarlier = (given: unknown): Promise<void> => continueBatch(payload.parse(given));
