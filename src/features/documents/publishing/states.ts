import type { BatchState, FileProblem, MatchedBy } from './publishing.ts';

/** The message keys of states, ways of matching and problems. */
export const STATES = {
  open: 'stateOpen',
  matching: 'stateMatching',
  publishing: 'statePublishing',
  published: 'statePublished',
  stopped: 'stateStopped',
  undone: 'stateUndone',
} as const satisfies Record<BatchState, string>;

export const MATCHED = {
  number: 'by_number',
  taxId: 'by_taxId',
  name: 'by_name',
  list: 'by_list',
  hand: 'by_hand',
} as const satisfies Record<MatchedBy, string>;

export const PROBLEMS = {
  CHECK: 'problem_CHECK',
  NO_MATCH: 'problem_NO_MATCH',
  SEVERAL: 'problem_SEVERAL',
  OTHER: 'problem_OTHER',
  DUPLICATE: 'problem_DUPLICATE',
  ARCHIVED: 'problem_ARCHIVED',
  FOLDER: 'problem_FOLDER',
  FORBIDDEN: 'problem_FORBIDDEN',
} as const satisfies Record<FileProblem, string>;
