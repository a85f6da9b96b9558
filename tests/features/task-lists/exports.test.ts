import { expect, test } from 'vitest';
import { createTask } from '#features/tasks/tasks/creating.server.ts';
import { promiseTask } from '#features/tasks/task-reminders/promises.server.ts';
import { readXlsx } from '#platform/tabular/xlsx-reader.server.ts';
import { DAY, now } from '#platform/runtime/clock.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { apiAs } from '../../support/api.ts';
import { makeCast } from '../../support/cast.ts';
import { unzip } from '../../support/workbook.ts';
import '../../../src/app.server.ts';

const { ada, sam, clientA } = await makeCast();
const EXPORT = '/api/staff/v1/grids/tasks/export';

test('the due date and the planned date of tasks are dates for spreadsheets, in every language', async () => {
  const { taskId } = await createTask(sam, {
    clientId: clientA,
    type: 'misc',
    label: 'Hours',
    dueDate: '2030-02-28',
  });
  const planned = dayOf(now() + 5 * DAY, 'UTC');
  await promiseTask(ada, taskId, planned);
  const serial = Date.parse(planned) / DAY - Date.parse('1899-12-30') / DAY;
  for (const lang of ['en-us', 'pt']) {
    const xlsx = Buffer.from(await (await apiAs(sam)('GET', `${EXPORT}?lang=${lang}`)).arrayBuffer());
    const sheet = unzip(xlsx).get('xl/worksheets/sheet1.xml') ?? '';
    // days since 30 December 1899, in the format of dates
    expect(sheet).toMatch(/s="3"><v>47542<\/v>/);
    expect(sheet).toContain(`s="3"><v>${serial}</v>`);
    const read = await readXlsx(xlsx);
    expect('rows' in read && read.rows.flatMap(({ cells }) => cells)).toContain('2030-02-28');
  }
  const csv = await (await apiAs(sam)('GET', `${EXPORT}?format=csv`)).text();
  expect(csv).toContain('2030-02-28');
});
