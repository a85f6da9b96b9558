import { describe, expect, test } from 'vitest';
import type { Actor } from '#features/base/people/people.ts';
import { actorOf } from '#features/base/people/people.server.ts';
import { csvCell, termsBlocks } from '#features/identity/sessions/rules.ts';
import {
  acceptancesOf,
  acceptTerms,
  publishTerms,
  termsFor,
  termsVersions,
} from '#features/identity/sessions/terms.server.ts';
import { findSession, startSession } from '#features/identity/sessions/sessions.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db } from '#platform/database/database.server.ts';
import { apiAs } from '../../support/api.ts';
import { BROWSER, CANARY, makeCast, person } from '../../support/cast.ts';

const termsAreDue = async ({ contactId }: Actor): Promise<boolean> => (await actorOf(contactId)).termsDue;

const { ada, ben, sam, zoe, firmOne, firmTwo } = await makeCast();
const owner = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const ownerOfTwo = await person(firmTwo, `Otto ${CANARY}`, 'otto@two.example', { role: 'owner' });
const path = '/api/security/v1/terms';

const read = async (actor: Actor, lang: 'en-us' | 'pt' | 'fr' = 'en-us') => {
  const terms = await termsFor(actor, lang);
  if (!terms) throw new Error('There are no terms.');
  return { version: terms.version, language: terms.language, sha256: terms.sha256 };
};
const trail = (companyId: string) =>
  db()
    .selectFrom('audit')
    .select(['actor', 'action', 'target', 'details'])
    .where('company_id', '=', companyId)
    .where('action', 'like', 'terms.%')
    .orderBy('seq')
    .execute();

describe('terms of use', () => {
  test('terms are due for nobody while the firm has none', async () => {
    expect(await termsAreDue(ada)).toBe(false);
    expect(await (await apiAs(ada)('GET', path)).json()).toEqual({ due: false, terms: null });
    expect(
      (await apiAs(ada)('POST', path, { json: { version: 1, language: 'en-us', sha256: sha256('') } }))
        .status,
    ).toBe(404);
  });

  test('published terms are due for the contacts of that firm, and not for staff or another firm', async () => {
    expect(await publishTerms(owner, { 'en-us': 'Be kind.', pt: 'Seja gentil.' })).toBe(1);
    expect([
      await termsAreDue(ada),
      await termsAreDue(ben),
      await termsAreDue(sam),
      await termsAreDue(zoe),
    ]).toEqual([true, true, false, false]);
    expect((await findSession(await startSession(ada, BROWSER)))?.termsDue).toBe(true);
  });

  test('terms are shown in the language of the reader, else in that of the firm', async () => {
    expect((await termsFor(ada, 'pt'))?.text).toBe('Seja gentil.');
    expect((await termsFor(ada, 'fr'))?.language).toBe('en-us');
    expect(await (await apiAs(ada)('GET', `${path}?language=pt`)).json()).toMatchObject({
      due: true,
      terms: { version: 1, language: 'pt', sha256: sha256('Seja gentil.') },
    });
  });

  test('accepting terms records the digest of the text in the audit log, once', async () => {
    const terms = await read(ada, 'pt');
    expect((await apiAs(ada)('POST', path, { json: terms })).status).toBe(200);
    expect((await apiAs(ada)('POST', path, { json: terms })).status).toBe(200);
    expect([await termsAreDue(ada), await termsAreDue(ben)]).toEqual([false, true]);
    const entries = (await trail(firmOne)).filter(({ action }) => action === 'terms.accept');
    expect(entries).toEqual([
      {
        actor: ada.contactId,
        action: 'terms.accept',
        target: 'terms_1',
        details: JSON.stringify({ language: 'pt', sha256: sha256('Seja gentil.') }),
      },
    ]);
  });

  test('terms cannot be accepted with another text, version or firm', async () => {
    const terms = await read(ben);
    for (const wrong of [
      { ...terms, sha256: sha256('Other words') },
      { ...terms, version: 2 },
      { ...terms, language: 'fr' as const },
    ])
      expect((await apiAs(ben)('POST', path, { json: wrong })).status).toBe(404);
    await expect(acceptTerms(zoe, terms)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(acceptTerms({ ...ben, viewedBy: sam.contactId }, terms)).rejects.toMatchObject({
      code: 'EMULATION_READ_ONLY',
    });
    expect(await termsAreDue(ben)).toBe(true);
  });

  test('newer terms must be accepted again, and the older ones can no longer be accepted', async () => {
    const old = await read(ben);
    expect(await publishTerms(owner, { 'en-us': 'Be kinder.\r\nAlways.' })).toBe(2);
    expect(await termsAreDue(ada)).toBe(true);
    for (const wrong of [old, { ...old, version: 2 }])
      await expect(acceptTerms(ben, wrong)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await acceptTerms(ben, await read(ben));
    expect([await termsAreDue(ben), (await termsFor(ben, 'en-us'))?.text]).toEqual([
      false,
      'Be kinder.\nAlways.',
    ]);
  });

  test('terms are published only by staff who manage the firm, at least in the language of the firm', async () => {
    for (const actor of [ada, sam, { ...owner, viewedBy: sam.contactId }])
      await expect(publishTerms(actor, { 'en-us': 'Mine' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    for (const texts of [{}, { pt: 'Só em português' }, { 'en-us': '   ' }, { 'en-us': 'x'.repeat(100_001) }])
      await expect(publishTerms(owner, texts)).rejects.toMatchObject({
        code: 'INVALID',
        details: { language: 'en-us' },
      });
    expect((await termsVersions(owner)).map(({ version }) => version)).toEqual([2, 1]);
  });

  test('the firm sees who accepted which terms, and nothing of another firm', async () => {
    expect(await acceptancesOf(owner, 10)).toMatchObject([
      { fullName: 'Ben Birch', version: 2, language: 'en-us' },
      { fullName: 'Ada Amber', version: 1, language: 'pt' },
    ]);
    expect(await acceptancesOf(ownerOfTwo, 10)).toEqual([]);
    expect(await termsVersions(ownerOfTwo)).toEqual([]);
    expect((await termsVersions(owner)).map(({ accepted }) => accepted)).toEqual([1, 1]);
    for (const actor of [ada, sam])
      for (const show of [acceptancesOf, termsVersions])
        await expect(show(actor, 10)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test('each firm has its own terms, with their own versions, languages and counts', async () => {
    await db().updateTable('firms').set({ language: 'pt' }).where('company_id', '=', firmTwo).execute();
    expect(await publishTerms(ownerOfTwo, { pt: 'Outras palavras.' })).toBe(1);
    expect([(await termsFor(zoe, 'en-us'))?.text, (await termsFor(ben, 'pt'))?.text]).toEqual([
      'Outras palavras.',
      'Be kinder.\nAlways.',
    ]);
    await expect(
      acceptTerms(zoe, { version: 1, language: 'en-us', sha256: sha256('Be kind.') }),
      'what another firm asks to accept',
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await termsVersions(ownerOfTwo)).map(({ version, accepted }) => [version, accepted])).toEqual([
      [1, 0],
    ]);
    expect((await termsVersions(owner)).map(({ version }) => version)).toEqual([2, 1]);
  });

  test('due terms block every call of a contact except those of the session, accounts and terms', async () => {
    const session = await findSession(await startSession(ada, BROWSER));
    const as = apiAs(await actorOf(ada.contactId), session);
    const statuses = async (calls: [string, string][]) =>
      Promise.all(calls.map(async ([method, address]) => (await as(method, address)).status));
    expect(
      await statuses([
        ['GET', '/api/client-center/v1/clients/'],
        ['GET', '/api/security/v1/long-tokens'],
        ['GET', '/api/storage/v1/documents/constraints'],
      ]),
    ).toEqual([403, 403, 403]);
    expect(
      await statuses([
        ['GET', '/api/security/v1/session'],
        ['GET', path],
        ['GET', '/api/security/v1/accounts'],
        ['POST', '/api/security/v1/session/extend'],
      ]),
    ).toEqual([200, 200, 200, 200]);
  });
});

describe('the text of terms', () => {
  test('the text of terms is rendered as headings, paragraphs and lists, and contains no markup', () => {
    expect(
      termsBlocks(
        '# One\nFirst line\nsecond line\n\nNext\n## Two\n- a\n  goes on\n- <b>b</b>\n* c\n\n#not a heading',
      ),
    ).toEqual([
      { kind: 'heading', text: 'One' },
      { kind: 'paragraph', text: 'First line\nsecond line' },
      { kind: 'paragraph', text: 'Next' },
      { kind: 'subheading', text: 'Two' },
      { kind: 'list', items: ['a goes on', '<b>b</b>', 'c'] },
      { kind: 'paragraph', text: '#not a heading' },
    ]);
    expect(termsBlocks(' \n\n')).toEqual([]);
  });

  test('a name in the CSV file of acceptances is not a formula', () => {
    expect(['＝1', '＋1', '－1', '＠x'].map(csvCell)).toEqual(['"\'＝1"', '"\'＋1"', '"\'－1"', '"\'＠x"']);
    expect(['=1+1', '@x', '-2', '+3', 'Ada "A" Amber'].map(csvCell)).toEqual([
      '"\'=1+1"',
      '"\'@x"',
      '"\'-2"',
      '"\'+3"',
      '"Ada ""A"" Amber"',
    ]);
  });
});
