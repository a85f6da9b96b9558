import { minutesUntilRetry } from '#platform/runtime/errors.server.ts';
import type { PasswordProblem } from './rules.ts';

export type Details = Record<string, unknown>;

export const emailField = {
  kind: 'text',
  type: 'email',
  label: 'email',
  wrong: 'emailMissing',
  autocomplete: 'username',
} as const;
export const newPasswordField = {
  kind: 'password',
  label: 'newPassword',
  hint: 'passwordHint',
  autocomplete: 'new-password',
} as const;
/** What is wrong with a new password is said in words of the same names. */
export const passwordProblem = ({ password }: Details) => password as PasswordProblem | undefined;
export const tooMany = {
  text: 'tooMany',
  vars: (details: Details) => ({ count: minutesUntilRetry({ details }) }),
} as const;
/** The messages for a rejected new password. */
export const newPasswordRefusals = {
  INVALID: { field: 'password', text: passwordProblem },
  TOO_MANY: { field: 'password', ...tooMany },
  UNAVAILABLE: { field: 'password', text: 'busy' },
} as const;
