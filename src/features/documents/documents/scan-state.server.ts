import { isScanningEnabled } from '#platform/storage/clamd.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import type { ScanState } from './documents.ts';

/** The initial scan status of a document; null without a scanner. */
export const scanOfNew = (): ScanState | null => (isScanningEnabled() ? 'pending' : null);

/** Throws INFECTED for a document that nobody may get. */
export function assertServable({ scan: state, name }: { scan: ScanState | null; name: string }): void {
  if (state === 'infected') throw new PortalError('INFECTED', { name });
}

/**
 * Returns why a document may not be shared by link; undefined if it may. Without a scanner only infected ones
 * are refused.
 */
export function shareDenialReason(state: ScanState | null | undefined): 'INFECTED' | 'UNSCANNED' | undefined {
  if (state === 'infected') return 'INFECTED';
  return isScanningEnabled() && (state === 'pending' || state === 'unscanned') ? 'UNSCANNED' : undefined;
}
