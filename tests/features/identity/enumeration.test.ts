import { expect, test } from 'vitest';
import { signInWithPassword } from '#features/identity/identity.server.ts';
import { refusal } from '#platform/errors.server.ts';
import { makeCast } from '../../kit/cast.ts';

const { ada } = await makeCast();

/** What becomes of so many wrong passwords at the same moment, each from a network of its own. */
async function outcomes(email: string, times: number, net: string): Promise<Record<string, number>> {
  const codes = await Promise.all(Array.from({ length: times }, (_, i) => signInWithPassword({ email, password: 'wrong', network: `${net}.${i}`, lang: 'en-us', returnTo: '/' }).then(() => 'in', (error: unknown) => refusal(error)?.code ?? 'fault')));
  return Object.fromEntries([...new Set(codes)].toSorted().map((code) => [code, codes.filter((one) => one === code).length]));
}

test('a sign-in hashes as much for an address that nobody has as for one that somebody has, so that its time tells nothing', { timeout: 60_000 }, async () => {
  // Two hashes run and 64 wait: of 70 tries at once, four find no place, exactly when each try hashes once (security.md T33).
  const known = await outcomes(ada.emailAddress, 70, '198.51.100');
  expect(known).toEqual({ SIGN_IN_FAILED: 66, UNAVAILABLE: 4 });
  expect(await outcomes('nobody@one.example', 70, '203.0.113')).toEqual(known);
});
