import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '#features/base/people/people.ts';
import { domainsOf, setDomains } from '#features/sharing/sharing/domains.server.ts';
import { listShares, sendAgain } from '#features/sharing/sharing/my-shares.server.ts';
import { shareDocuments } from '#features/sharing/sharing/sending.server.ts';
import { db } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { apiAs } from '../../support/api.ts';
import { uploadAs, makeCast, startMailServer, person } from '../../support/cast.ts';

const { ada, sam, tom, zoe, firmOne, firmTwo, clientA, projectA, documentTwo } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
const letter = await uploadAs(ada, projectA, 'Bank letter.pdf', 'letter');
const mailServer = await startMailServer();
afterAll(() => mailServer.close());
beforeEach(async () => {
  await setDomains(olga, '');
  await mailServer.discard();
});

const requestTo = (to: readonly string[], { id, parent } = letter) => ({
  expirationPeriod: 'AfterOneDay' as const,
  overrides: { subject: 'S' },
  recipients: to.map((emailAddress) => ({ emailAddress })),
  sharedItems: [{ containerType: 'Project' as const, containerId: parent.id, documentId: id }],
});
const share = (actor: Actor, ...to: string[]) => shareDocuments(actor, requestTo(to), 'en-us');
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'OK',
    (error: unknown) => refusal(error)?.code,
  );
const mailsWait = async () =>
  (await db().selectFrom('jobs').select('job_id').where('done_at', 'is', null).execute()).length;

describe('a firm that restricts the domains of recipients', () => {
  test('a share to a disallowed domain is refused for every sender and spelling, names the allowed domains, and sends nothing', async () => {
    await setDomains(olga, 'Partner.example, *.bank.example');
    const answer = await apiAs(ada)('POST', '/api/storage/v2/sharing/share', {
      json: requestTo(['x@partner.example', 'y@out.example']),
    });
    expect([answer.status, await answer.json()]).toEqual([
      422,
      {
        errors: [
          {
            code: 'DOMAIN_NOT_ALLOWED',
            reason: 'DOMAIN_NOT_ALLOWED',
            domains: ['*.bank.example', 'partner.example'],
          },
        ],
      },
    ]);
    expect(await mailsWait()).toBe(0);
    const refused = [
      'x@notpartner.example',
      'x@partner.example.evil.example',
      'x@sub.partner.example',
      'x@bank.example',
      'x@evilbank.example',
      'partner.example@evil.example',
    ];
    for (const address of refused)
      expect([address, await codeOf(share(ada, address))]).toEqual([address, 'DOMAIN_NOT_ALLOWED']);
    expect(await codeOf(share(sam, 'x@out.example'))).toBe('DOMAIN_NOT_ALLOWED');
    for (const address of [
      'x@partner.example',
      'x@PARTNER.Example',
      'x@a.bank.example',
      'x@a.b.bank.example',
    ])
      expect([address, await codeOf(share(ada, address))]).toEqual([address, 'OK']);
  });

  test('people can still send themselves a copy when domains are restricted', async () => {
    await setDomains(olga, 'partner.example');
    expect([
      await codeOf(share(ada, 'x@partner.example', ada.emailAddress.toUpperCase())),
      await codeOf(share(ada, 'x@partner.example', sam.emailAddress)),
    ]).toEqual(['OK', 'DOMAIN_NOT_ALLOWED']);
  });

  test('restricting domains affects only the firm that does', async () => {
    const otto = await person(firmTwo, 'Otto Owner', 'otto@two.example', { role: 'owner' });
    await setDomains(olga, 'partner.example');
    await setDomains(otto, 'other.example');
    expect([await domainsOf(firmOne), await domainsOf(firmTwo)]).toEqual([
      ['partner.example'],
      ['other.example'],
    ]);
    await setDomains(otto, '');
    expect([await domainsOf(firmOne), await domainsOf(firmTwo)]).toEqual([['partner.example'], []]);
  });

  test('restricted domains also apply to sending again, and the old link keeps working', async () => {
    const { shareId } = await share(ada, 'x@out.example');
    await setDomains(olga, 'partner.example');
    const find = async () =>
      (await listShares(ada, { clientId: clientA, pageNum: 1, pageSize: 25 })).shares.find(
        (one) => one.shareId === shareId,
      )?.recipients[0];
    const recipient = await find();
    expect(await codeOf(sendAgain(ada, shareId, recipient?.recipientId ?? '', 'AfterOneDay'))).toBe(
      'DOMAIN_NOT_ALLOWED',
    );
    expect(await find()).toEqual(recipient);
  });

  test('a domain is recognized in every spelling', async () => {
    expect(
      await setDomains(olga, ' BÜCHER.example \n@one.example;*.Éclair.example.  xn--bcher-kva.example '),
    ).toEqual(['*.xn--clair-9ra.example', 'one.example', 'xn--bcher-kva.example']);
    expect([
      await codeOf(share(ada, 'x@xn--bcher-kva.example')),
      await codeOf(share(ada, 'x@shop.xn--clair-9ra.example')),
      await codeOf(share(ada, 'x@bucher.example')),
    ]).toEqual(['OK', 'OK', 'DOMAIN_NOT_ALLOWED']);
  });

  test.each([
    'localhost',
    '*',
    '*.',
    '*.*.example',
    'a@b@c.example',
    'https://x.example/',
    'x..example',
    '-x.example',
    '10.0.0.1',
    'x.example/y',
    'x.example:80',
    'x.example?',
    '%00.example',
  ])('a list with %s instead of a domain is refused, and the old list is kept', async (wrong) => {
    await setDomains(olga, 'partner.example');
    const error = await setDomains(olga, `fine.example ${wrong}`).catch((thrown: unknown) => refusal(thrown));
    expect(error).toMatchObject({ code: 'INVALID', details: { wrong: [wrong] } });
    expect(await domainsOf(firmOne)).toEqual(['partner.example']);
  });

  test('only those who manage the firm restrict its domains, and not those of another firm', async () => {
    await setDomains(olga, 'partner.example');
    expect(await codeOf(shareDocuments(zoe, requestTo(['x@out.example'], documentTwo), 'en-us'))).toBe('OK');
    expect(await domainsOf(firmTwo)).toEqual([]);
    for (const nobody of [
      ada,
      { ...ada, access: olga.access },
      sam,
      tom,
      { ...olga, viewedBy: sam.contactId },
    ])
      expect(await codeOf(setDomains(nobody, ''))).toBe('FORBIDDEN');
    const trail = await db()
      .selectFrom('audit')
      .select(['actor', 'details'])
      .where('action', '=', 'share.domains')
      .orderBy('seq', 'desc')
      .executeTakeFirst();
    expect([trail?.actor, JSON.parse(trail?.details ?? '{}')]).toEqual([
      olga.contactId,
      { domains: 'partner.example' },
    ]);
  });
});
