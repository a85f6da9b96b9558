import { expect, test } from 'vitest';
import { setFlag } from '#features/base/access/access.server.ts';
import { storeEmployees } from '#features/brazil/employees/bulk.server.ts';
import { applyPaste } from '#features/brazil/payroll-entries/pasting.server.ts';
import { listInput } from '#features/brazil/payroll-entries/payroll-entries.ts';
import { addList, publishList } from '#features/brazil/payroll-entries/publishing.server.ts';
import { listSheets } from '#features/brazil/payroll-entries/sheets.server.ts';
import { createClient } from '#features/clients/clients/editing.server.ts';
import { makeCast, person, standAt } from '../../support/cast.ts';
import { counts } from '../../support/statements.ts';
import '../../../src/app.server.ts';

const { firmOne } = await makeCast();
const olga = await person(firmOne, 'Olga Owner', 'olga@one.example', { role: 'owner' });
await setFlag(olga, 'ServiceRequest.Denied', false);
standAt(Date.UTC(2026, 10, 27, 15));

/** How many statements it takes to paste one cell for each employee of a new client. */
async function statementsFor(employees: number): Promise<number> {
  const client = await createClient(olga, { name: `With ${employees}` });
  const people = Array.from({ length: employees }, (_, index) => ({
    name: `Employee ${index}`,
    cpf: '34127023074',
    registration: `M${index}`,
    hiredOn: '2024-02-01',
  }));
  await storeEmployees(olga, client, people);
  const list = await addList(
    olga,
    listInput.parse({
      name: `List ${employees}`,
      payroll: 'monthly',
      from: '2026-11',
      dueDay: 25,
      columns: [{ key: 'night', label: 'Night', type: 'hours' }],
    }),
  );
  await publishList(olga, list);
  const [sheet] = (await listSheets(olga, client)).filter(({ listId }) => listId === list);
  const text = ['Matrícula\tNight', ...people.map(({ registration }) => `${registration}\t1:30`)].join('\n');
  const before = counts.statements;
  expect(await applyPaste(olga, sheet?.id ?? '', { text, version: sheet?.version ?? 0 })).toBe(employees);
  return counts.statements - before;
}

test('pasting for two hundred employees takes as many statements as for two', async () => {
  const few = await statementsFor(2);
  expect(few).toBeGreaterThan(0);
  expect(await statementsFor(200)).toBe(few);
});
