import { MINUTE } from '#platform/runtime/clock.server.ts';
import { consumeForNetwork } from '#platform/security/limits.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import type { LogRequest } from './logging.ts';

const REQUESTS_PER_MINUTE = 10;

/**
 * Logs uncaught errors of a page, a line each, with what the contract lets through. Anybody may send them, so
 * each network has a limit. Returns how many were logged.
 */
export async function logExceptions(network: string, { items }: LogRequest): Promise<number> {
  await consumeForNetwork('page-error', network, REQUESTS_PER_MINUTE, MINUTE);
  for (const { source, data } of items)
    log.warn({ event: 'page.error', page: source, kind: data.message, at: data.stack.split('\n') });
  return items.length;
}
