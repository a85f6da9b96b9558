import type { BatchProblem, Invitation } from '#features/identity/invitations/invitations.ts';
import type { StaffRole } from '#features/base/people/people.ts';
import type { PersonState } from './directory.ts';

/** The names of roles and states, as keys of the feature's texts. */
export const ROLE_NAMES = {
  owner: 'roleOwner',
  manager: 'roleManager',
  member: 'roleMember',
  reader: 'roleReader',
} as const satisfies Record<StaffRole, string>;

export const STATE_NAMES = {
  prepared: 'statePrepared',
  invited: 'stateInvited',
  expired: 'stateExpired',
  new: 'stateNew',
  active: 'stateActive',
  suspended: 'stateSuspended',
} as const satisfies Record<PersonState, string>;

export const PROBLEM_NAMES = {
  name: 'problemName',
  email: 'problemEmail',
  client: 'problemClient',
  noClient: 'problemNoClient',
  taken: 'problemTaken',
  twice: 'problemTwice',
} as const satisfies Record<BatchProblem['code'], string>;

const INVITED = {
  prepared: 'statePrepared',
  open: 'stateInvited',
  expired: 'stateExpired',
  accepted: 'stateActive',
  revoked: 'stateRevoked',
} as const satisfies Record<Invitation['state'], string>;

/** The state of an invitation, and whether its mail was refused. */
export const invitedState = ({ state, mail }: Pick<Invitation, 'state' | 'mail'>) =>
  state === 'open' && mail === 'failed' ? 'stateUndelivered' : INVITED[state];
