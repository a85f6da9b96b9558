import { isScanningEnabled } from '#platform/clamd.server.ts';
import { PortalError } from '#platform/errors.server.ts';
import type { ScanState } from './documents.ts';

/** What a document is when it comes in; null where nothing scans. */
export const scanOfNew = (): ScanState | null => (isScanningEnabled() ? 'pending' : null);

/** INFECTED for what may be given to nobody. */
export function assertServable({ scan: state, name }: { scan: ScanState | null; name: string }): void {
  if (state === 'infected') throw new PortalError('INFECTED', { name });
}

/**
 * Why a document may not go out by a link; undefined when it may. Without a scanner only what was found
 * infected stays in.
 */
export function shareDenialReason(state: ScanState | null | undefined): 'INFECTED' | 'UNSCANNED' | undefined {
  if (state === 'infected') return 'INFECTED';
  return isScanningEnabled() && (state === 'pending' || state === 'unscanned') ? 'UNSCANNED' : undefined;
}
