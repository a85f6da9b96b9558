import type { Chip } from '#ui/chips.ts';
import type { Rule } from './checks.ts';
import type { Payroll, State } from './payroll-entries.ts';
import type { IgnoredReason } from './paste.ts';

/** The texts of states and findings, by their codes. */
export const STATE_TEXTS = {
  empty: 'state_empty',
  draft: 'state_draft',
  submitted: 'state_submitted',
  returned: 'state_returned',
  closed: 'state_closed',
} as const satisfies Record<State, string>;

export const STATE_CHIPS: Readonly<Record<State, Chip>> = {
  empty: { tone: 'warning', icon: 'circle-dashed' },
  draft: { tone: 'info', icon: 'circle-dot' },
  submitted: { tone: 'success', icon: 'circle-check' },
  returned: { tone: 'danger', icon: 'undo-2' },
  closed: { tone: 'neutral', icon: 'lock' },
};

export const PAYROLL_TEXTS = {
  monthly: 'payroll_monthly',
  advance: 'payroll_advance',
  '13th-1': 'payroll_13th_1',
  '13th-2': 'payroll_13th_2',
  'profit-share': 'payroll_profitShare',
  other: 'payroll_misc',
} as const satisfies Record<Payroll, string>;

export const RULE_TEXTS = {
  min: 'rule_min',
  max: 'rule_max',
  days: 'rule_days',
  notEmployed: 'rule_notEmployed',
  overtime: 'rule_overtime',
  onLeave: 'rule_onLeave',
  unusual: 'rule_unusual',
} as const satisfies Record<Rule, string>;

export const IGNORED_TEXTS = {
  row: 'ignored_row',
  column: 'ignored_column',
  value: 'ignored_value',
  negative: 'ignored_negative',
} as const satisfies Record<IgnoredReason, string>;
