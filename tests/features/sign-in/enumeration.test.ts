import { createHook } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { signInWithPassword } from '#features/identity/sign-in/sign-in.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { makeCast } from '../../support/cast.ts';

const { ada } = await makeCast();

/**
 * Counts the argon2id calls while wrong passwords are tried, each from its own network, and returns the
 * answers with them.
 */
async function costOf(email: string, net: string): Promise<{ hashes: number; answers: string[] }> {
  let hashes = 0;
  const hook = createHook({ init: (_, type) => void (type === 'ARGON2REQUEST' && (hashes += 1)) }).enable();
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, i) =>
      signInWithPassword({
        email,
        password: 'wrong',
        network: `${net}.${i}`,
        lang: 'en-us',
        returnTo: '/',
      }).then(
        () => 'in',
        (error: unknown) => refusal(error)?.code ?? 'fault',
      ),
    ),
  );
  hook.disable();
  return { hashes, answers };
}

test('a sign-in hashes as much for an unknown address as for a known one, so that its duration reveals nothing', async () => {
  // The duration of both is measured by `npm run bench -- enumeration` (threat-model.md T33).
  const known = await costOf(ada.emailAddress, '198.51.100');
  expect(known).toEqual({ hashes: 5, answers: Array.from({ length: 5 }, () => 'SIGN_IN_FAILED') });
  expect(await costOf('nobody@one.example', '203.0.113')).toEqual(known);
});
