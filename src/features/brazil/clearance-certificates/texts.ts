import type { Chip } from '#ui/chips.ts';
import type { Status } from './clearance-certificates.ts';
import type { Light, Result } from './lights.ts';

/* The texts and looks of what certificates say. */

export const RESULT_TEXTS = {
  negative: 'result_negative',
  positiveWithEffect: 'result_positiveWithEffect',
  positive: 'result_positive',
} as const satisfies Record<Result, string>;

export const STATUS_TEXTS = {
  issued: 'status_issued',
  debtsFound: 'status_debtsFound',
  needsData: 'status_needsData',
  unavailable: 'status_unavailable',
  failed: 'status_failed',
} as const satisfies Record<Status, string>;

export const LIGHT_TEXTS = {
  valid: 'light_valid',
  expiring: 'light_expiring',
  missing: 'light_missing',
  expired: 'light_expired',
  positive: 'light_positive',
} as const satisfies Record<Light, string>;

export const LIGHT_CHIPS: Readonly<Record<Light, Chip>> = {
  valid: { tone: 'success', icon: 'circle-check' },
  expiring: { tone: 'warning', icon: 'clock' },
  missing: { tone: 'neutral', icon: 'circle-dashed' },
  expired: { tone: 'danger', icon: 'circle-alert' },
  positive: { tone: 'danger', icon: 'ban' },
};
