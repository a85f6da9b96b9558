import type { KeysOf } from '#platform/text/translations.server.ts';
import type { Chip } from '#ui/chips.ts';
import type { Intent, Status } from './invoice-manifest.ts';
import type { JustificationProblem, ManifestEvent, Problem } from './rules.ts';
import type { ManifestIntents } from './schema.server.ts';

/* The texts and looks of invoices and of what is told about them. */

type Key = KeysOf<'invoice-manifest'>;

export const STATUS_TEXTS = {
  pending: 'status_pending',
  aware: 'status_aware',
  confirmed: 'status_confirmed',
  unknown: 'status_unknown',
  notDone: 'status_notDone',
  expired: 'status_expired',
  cancelled: 'status_cancelled',
} as const satisfies Record<Status, Key>;

export const STATUS_CHIPS: Readonly<Record<Status, Chip>> = {
  pending: { tone: 'warning', icon: 'circle-dashed' },
  aware: { tone: 'info', icon: 'circle-dot' },
  confirmed: { tone: 'success', icon: 'circle-check' },
  unknown: { tone: 'danger', icon: 'ban' },
  notDone: { tone: 'danger', icon: 'undo-2' },
  expired: { tone: 'neutral', icon: 'clock' },
  cancelled: { tone: 'neutral', icon: 'ban' },
};

export const INTENT_TEXTS = {
  none: 'intent_none',
  marked: 'intent_marked',
  accepted: 'intent_accepted',
  sent: 'intent_sent',
  failed: 'intent_failed',
} as const satisfies Record<Intent, Key>;

export const EVENT_TEXTS = {
  aware: 'event_aware',
  confirmed: 'event_confirmed',
  unknown: 'event_unknown',
  notDone: 'event_notDone',
} as const satisfies Record<ManifestEvent, Key>;

/** What a person does with an invoice, in the order of the choice, and what that means. */
export const MARK_TEXTS = {
  confirmed: 'mark_confirmed',
  unknown: 'mark_unknown',
  notDone: 'mark_notDone',
  aware: 'mark_aware',
} as const satisfies Record<ManifestEvent, Key>;
export const CHOICE_TEXTS = {
  confirmed: 'choice_confirmed',
  unknown: 'choice_unknown',
  notDone: 'choice_notDone',
  aware: 'choice_aware',
} as const satisfies Record<ManifestEvent, Key>;

export const STATE_TEXTS = {
  marked: 'state_marked',
  accepted: 'state_accepted',
  sending: 'state_sending',
  rejected: 'state_rejected',
  withdrawn: 'state_withdrawn',
  superseded: 'state_superseded',
  refused: 'state_refused',
  registered: 'state_registered',
  void: 'state_void',
} as const satisfies Record<ManifestIntents['state'], Key>;

export const PROBLEM_TEXTS = {
  cancelled: 'problem_cancelled',
  expired: 'problem_expired',
  awareAlready: 'problem_awareAlready',
  awareAfterDecision: 'problem_awareAfterDecision',
  sameAlready: 'problem_sameAlready',
  twiceAlready: 'problem_twiceAlready',
} as const satisfies Record<Problem, Key>;

export const JUSTIFICATION_TEXTS = {
  missing: 'justificationMissing',
  short: 'justificationLength',
  long: 'justificationLength',
  characters: 'justificationCharacters',
  notTaken: 'justificationNotTaken',
} as const satisfies Record<JustificationProblem, Key>;
