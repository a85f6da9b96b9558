import { MINUTE } from '#platform/runtime/clock.server.ts';
import { consumeForNetwork } from '#platform/security/limits.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { countPageError, observePageLoad } from '#platform/monitoring/metrics.server.ts';
import type { LogRequest } from './logging.ts';
import { pageNameOf } from './page-names.server.ts';

/** Requests with errors, and with load times, which an office sends for all its people. */
const PER_MINUTE = { 'page-error': 10, 'page-load': 120 } as const;

/**
 * Takes what a page reports of itself, with what the contract lets through: its uncaught errors are logged, a line each,
 * and its load time is only counted. Anybody may send them, so each network has a limit. Returns how many were taken.
 */
export async function takeReports(network: string, { items }: LogRequest): Promise<number> {
  const kinds = new Set(items.map(({ type }) => (type === 'exception' ? 'page-error' : 'page-load')));
  for (const kind of kinds) await consumeForNetwork(kind, network, PER_MINUTE[kind], MINUTE);
  for (const item of items) {
    const route = pageNameOf(item.source);
    if (item.type === 'timing') {
      observePageLoad({ route, device: item.data.device }, item.data.loadMs / 1000);
      continue;
    }
    const { message: kind, stack } = item.data;
    log.warn({ event: 'page.error', page: item.source, kind, at: stack.split('\n') });
    countPageError(route);
  }
  return items.length;
}
