import { minutesToWait, refusal } from '#platform/errors.server.ts';
import type { wordsFor } from '#platform/words.server.ts';

/** What a proof that was refused says to the person; undefined for what is no refusal of a proof. `act` is the form that was sent. */
export function problemOf(error: unknown, act: string, t: ReturnType<typeof wordsFor<'security'>>): string | undefined {
  const no = refusal(error);
  if (no?.code === 'TOO_MANY') return t('tooMany', { count: minutesToWait(no) });
  if (no?.code === 'LOCKED') return t('lastOne');
  if (no?.code === 'INVALID' && no.details['password']) return t(no.details['password'] as 'tooShort');
  if (no?.code !== 'CODE_WRONG') return undefined;
  if (act === 'passkey') return t('passkeyWrong');
  if (act === 'password') return t('passwordWrong');
  return act === 'recovery-code' ? t('recoveryWrong') : t('codeWrong');
}
