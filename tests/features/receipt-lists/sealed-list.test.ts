import '../../../src/app.server.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { actorOf } from '#features/base/people/people.server.ts';
import { listReceipts } from '#features/base/receipts/receipts.server.ts';
import { receiptFilter } from '#features/base/receipts/filter.server.ts';
import { sealedList } from '#features/documents/receipt-lists/sealed-list.server.ts';
import { verifySealedPdf } from '#features/documents/seals/verifying.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { apiAs, seen } from '../../support/api.ts';
import { makeCast, standAt, uploadAs } from '../../support/cast.ts';
import { popplerPages } from '../../support/poppler.ts';

const { clientA, projectA, ...cast } = await makeCast();
const [ada, ben] = [await actorOf(cast.ada.contactId), await actorOf(cast.ben.contactId)];
const all = receiptFilter.parse({});
const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10);
const start = now();

beforeAll(async () => {
  standAt(start - 40 * DAY);
  await uploadAs(ada, projectA, 'october.pdf', 'a');
  standAt(start);
  await uploadAs(ada, projectA, 'today.pdf', 'b');
});

const listOf = (filter = all) => sealedList(ada, { clientId: clientA, filter, lang: 'en-us' });
const textOf = async (bytes: Uint8Array): Promise<string> =>
  (await popplerPages(bytes)).map(({ text }) => text).join('\n');

describe('a list of receipts', () => {
  test('has number, code and digest of each, and is known as sealed until a byte changes', async () => {
    const { name, bytes } = await listOf();
    expect(name).toBe('Confirmations of Amber Bakery.pdf');
    const text = await textOf(bytes);
    const { receipts } = await listReceipts(ada, clientA);
    expect(receipts.length).toBeGreaterThan(1);
    for (const { code, sha256 } of receipts)
      for (const part of [code, ...(sha256.match(/.{16}/g) ?? [])]) expect(text).toContain(part);
    expect(await verifySealedPdf(bytes)).toMatchObject({ verdict: 'unchanged' });
    const changed = Uint8Array.from(bytes);
    changed[Math.floor(bytes.length / 2)] = (changed[Math.floor(bytes.length / 2)] ?? 0) ^ 1;
    expect((await verifySealedPdf(changed)).verdict).not.toBe('unchanged');
  });

  test('has those of the chosen days alone', async () => {
    const since = dayOf(start - 2 * DAY);
    const text = await textOf((await listOf({ ...all, since })).bytes);
    expect(text).toContain('today.pdf');
    expect(text).not.toContain('october.pdf');
    const until = dayOf(start - 2 * DAY);
    expect(await textOf((await listOf({ ...all, until })).bytes)).toContain('october.pdf');
  });

  test('is not made without a receipt, nor for a client of others', async () => {
    await expect(listOf({ ...all, kind: 'payment' })).rejects.toMatchObject({ code: 'EMPTY' });
    const other = sealedList(ben, { clientId: clientA, filter: all, lang: 'pt' });
    await expect(other).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('comes by call, and a form is led back with the reason', async () => {
    const path = `/api/client-center/v1/receipts/list?clientId=${clientA}&lang=pt`;
    const call = apiAs(ada);
    const listed = await call('POST', path);
    expect(listed.headers.get('content-disposition')).toContain('Protocolos');
    const back = encodeURIComponent('/clientcenter/pt/receipts');
    const refused = await call('POST', `${path}&kind=payment&r=${back}`);
    expect(refused.status).toBe(303);
    expect(refused.headers.get('location')).toBe('/clientcenter/pt/receipts');
    expect(await seen(await call('POST', `${path}&kind=payment`))).toMatchObject({ status: 422 });
  });
});
