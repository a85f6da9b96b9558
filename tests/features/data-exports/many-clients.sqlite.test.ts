import { expect, test } from 'vitest';
import { stepsOf } from '../../support/statements.ts';
import { foreignKeys } from '#platform/database/copy.server.ts';
import { db } from '#platform/database/database.server.ts';
import '../../../src/app.server.ts';
import { columnsByTable, plantCanaries, readableValues, tablesOfClients } from '../../support/canaries.ts';
import { makeCast, person } from '../../support/cast.ts';
import { exportOf } from '../../support/exported.ts';

/** Clients with a row in every table, before and after. */
const [FEW, MANY] = [30, 150];

test('an export of the firm costs the same for each client, however many there are', async () => {
  const { ada, firmOne } = await makeCast();
  const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
  const keys = await foreignKeys({ database: db(), isPostgres: false });
  const names = new Map(
    [...(await columnsByTable())].map(([name, own]) => [name, own.map((one) => one.name)]),
  );
  const tables = tablesOfClients(names, keys);
  const existing = { firms: firmOne, contacts: ada.contactId, users: ada.prismGuid };
  const plant = async (from: number, to: number) => {
    for (let set = from; set < to; set += 1)
      await plantCanaries(tables, {
        keys,
        existing,
        values: readableValues(ada, String(set)),
        set: String(set),
      });
  };
  await plant(0, FEW);
  const few = await stepsOf(() => exportOf(olga, null));
  await plant(FEW, MANY);
  const many = await stepsOf(() => exportOf(olga, null));
  expect(many / few).toBeLessThan((MANY / FEW) * 1.05);
});
