import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indexClients } from '#features/documents/publishing/client-index.ts';
import { matchFile, type FirmClients } from '#features/documents/publishing/matching.ts';
import { cpuTimeOf } from '../../support/cpu-time.ts';
import { makeFile, makeFirm, randomFrom, type MadeClient } from '../../support/payroll-files.ts';
import { WHOLE } from '../../support/whole.ts';

const firmOf = (clients: readonly MadeClient[]): FirmClients => {
  const byTaxId = Map.groupBy(clients, ({ cnpj }) => `cnpj ${cnpj}`);
  return {
    index: indexClients(clients),
    states: new Map(clients.map((client) => [client.id, client])),
    taxIdKinds: new Map(clients.map(({ id, cnpj }) => [id, new Set(cnpj === '' ? [] : ['cnpj' as const])])),
    withTaxId: async (kind, number) => (byTaxId.get(`${kind} ${number}`) ?? []).map(({ id }) => id),
  };
};

const FILES = WHOLE ? 20_000 : 2000;
const PER_FIRM = 100;

test(`of ${FILES} made-up names of payroll programs none is surely wrong, and 95 % of the clear ones are sure`, async () => {
  const random = randomFrom(20261127);
  const wrong: string[] = [];
  const missed: string[] = [];
  const counts = { sure: 0, clear: 0, clearAndSure: 0 };
  for (let made = 0; made < FILES; made += PER_FIRM) {
    const clients = makeFirm(random);
    const firm = firmOf(clients);
    for (let index = 0; index < PER_FIRM; index += 1) {
      const { name, client, isClear } = makeFile(random, clients);
      const { clientId, problem } = await matchFile(firm, { name });
      const isSure = clientId !== undefined && problem === undefined;
      if (isSure && clientId !== client.id)
        wrong.push(`${name}: ${clients.find(({ id }) => id === clientId)?.name} instead of ${client.name}`);
      counts.sure += isSure ? 1 : 0;
      counts.clear += isClear ? 1 : 0;
      counts.clearAndSure += isClear && isSure ? 1 : 0;
      if (isClear && !isSure) missed.push(`${name}: ${problem} (${client.code} ${client.name})`);
    }
  }
  const share = (counts.clearAndSure / counts.clear) * 100;

  console.info(
    `${FILES} files: ${counts.sure} sure, ${wrong.length} of them wrong; ${counts.clear} clear, ${share.toFixed(1)} % of them sure`,
  );
  expect(wrong).toEqual([]);
  expect(counts.clear).toBeGreaterThan(FILES / 5);
  expect(share, missed.slice(0, 20).join('\n')).toBeGreaterThanOrEqual(95);
});

const WORDS = ['amber', 'birch', 'copper', 'bakery', 'dental', 'são', 'silva', 'payroll', 'smith', '&', 'e'];
const LEGAL_FORMS = ['', 'Ltda', 'ME', 'LLC', 'S.A.'];
const NOISE = [
  ...WORDS,
  '7',
  '2026',
  '11-2026',
  '(2)',
  'Ltda',
  'folha',
  '7001',
  'JB-1042',
  'parcela 3 de 12',
];
const clientName = fc
  .tuple(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }), fc.constantFrom(...LEGAL_FORMS))
  .map(([words, form]) => ({ words: words.map((word) => (word === 'e' ? '&' : word)), form }));

test('a file whose name has the whole name of a client is never surely for another client', async () => {
  const firm = fc.array(
    fc.record({
      name: clientName,
      code: fc.constantFrom('', '7', '11', '2026', '7001', 'JB-1042', '0007001'),
      isOwn: fc.boolean(),
      isArchived: fc.boolean(),
    }),
    { minLength: 2, maxLength: 12 },
  );
  const noise = fc.array(fc.constantFrom(...NOISE), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      firm,
      noise,
      noise,
      fc.constantFrom(' ', '_', '-', '.', '+'),
      async (made, before, after, glue) => {
        const clients = made.map(({ name, ...client }, index): MadeClient => ({
          ...client,
          id: String(index),
          name: [...name.words, name.form].join(' ').trim(),
          tradeName: '',
          cnpj: '',
          mergedInto: null,
        }));
        const [named] = clients;
        const fileName = `${[...before, ...(named?.name ?? '').split(' '), ...after].join(glue).toUpperCase()}.pdf`;
        const { clientId, problem } = await matchFile(firmOf(clients), { name: fileName });
        if (clientId === undefined || problem !== undefined || clientId === named?.id) return;
        const [longer, whole] = [made[Number(clientId)]?.name, made[0]?.name];
        // somebody whose own name contains it is named completely, too
        expect(` ${longer?.words.join(' ')} `).toContain(` ${whole?.words.join(' ')} `);
      },
    ),
    { numRuns: WHOLE ? 20_000 : 2000 },
  );
});

test('5,000 files are matched to 10,000 clients within four seconds of processor time', async () => {
  const random = randomFrom(1);
  const clients = Array.from({ length: 84 }, () => makeFirm(random)).flat();
  const all = clients.slice(0, 10_000).map((client, index) => ({ ...client, id: String(index) }));
  const files = Array.from({ length: 5000 }, () => makeFile(random, all.slice(0, 200)).name);
  const time = await cpuTimeOf(async () => {
    const firm = firmOf(all);
    for (const name of files) await matchFile(firm, { name });
  });

  console.info(`5,000 files, ${all.length} clients: ${Math.round(time)} ms`);
  expect(time).toBeLessThan(4000);
});
