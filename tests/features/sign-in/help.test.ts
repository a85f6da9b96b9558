import { expect, test } from 'vitest';
import { createFirm, firmOf } from '#features/base/firms/firms.server.ts';
import { migrate } from '#platform/database/database.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { helpToSignIn } from '#features/identity/sign-in/sign-in-page.server.ts';

await migrate();
const firmWith = async (phone: string) =>
  firmOf(await createFirm({ name: 'Maple & Hart', phone, email: 'office@one.example', language: 'en-us' }));

test.each(LANGS)(
  'who cannot sign in is advised in %s to call the firm, or to write if it has no telephone',
  async (lang) => {
    expect(helpToSignIn(lang, await firmWith('+1 312 555 0142'))).toContain('+1\u00A0312\u00A0555\u00A00142'); // on one line
    const written = helpToSignIn(lang, await firmWith(''));
    expect(written).toMatch(/Maple & Hart.*office@one\.example/);
    expect(helpToSignIn(lang, undefined)).not.toContain('Maple');
  },
);
