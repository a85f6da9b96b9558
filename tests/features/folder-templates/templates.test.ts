import { expect, test } from 'vitest';
import { pathsOf } from '#features/documents/folder-templates/folder-templates.ts';
import {
  applyTemplate,
  deleteTemplate,
  listTemplates,
  saveTemplate,
} from '#features/documents/folder-templates/templates.server.ts';
import { listContainers } from '#features/documents/folders/tree.server.ts';
import { makeCast, person } from '../../support/cast.ts';

const { ada, sam, tom, firmOne, clientA, clientTwo } = await makeCast();
const reader = await person(firmOne, 'Rita Reader', 'rita@one.example', { role: 'reader' });
const input = {
  name: 'Business',
  clientKind: 'business' as const,
  folders: 'Tax {year}\n  Payroll\n  - 1099\nLetters',
};

test.each([
  [
    'Tax {year}\n  Payroll\n    Q1\nLetters',
    [['Tax 2026'], ['Tax 2026', 'Payroll'], ['Tax 2026', 'Payroll', 'Q1'], ['Letters']],
  ],
  ['A\n\n\tB\r\n- C', [['A'], ['A', 'B'], ['C']]],
  ['A\nB/C', { line: 2 }],
  ['', []],
])('an indented list is read as a tree: %j', (folders, paths) => {
  expect(pathsOf(folders, 2026)).toEqual(paths);
});

test('applying a template twice keeps the folders that are there', async () => {
  await saveTemplate(sam, input);
  const [template] = await listTemplates(sam);
  const apply = () => applyTemplate(sam, { templateId: template?.id ?? '', clientId: clientA, year: 2026 });
  expect([await apply(), await apply()]).toEqual([4, 0]);
  const all = await listContainers(sam, clientA);
  const tax = all.find(({ name }) => name === 'Tax 2026');
  expect(all.filter(({ parentId }) => parentId === tax?.id).map(({ name }) => name)).toEqual([
    '1099',
    'Payroll',
  ]);
});

test('templates belong to a firm, and only staff who may publish change or apply them', async () => {
  const [template] = await listTemplates(sam);
  const templateId = template?.id ?? '';
  expect(await listTemplates(tom)).toEqual([]);
  await expect(listTemplates(ada)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(saveTemplate(reader, input)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await expect(saveTemplate(tom, { ...input, id: templateId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(saveTemplate(sam, input)).rejects.toMatchObject({ code: 'NAME_CONFLICT' });
  await expect(saveTemplate(sam, { ...input, name: 'x', folders: 'a:b' })).rejects.toMatchObject({
    code: 'INVALID',
    details: { line: 1 },
  });
  await expect(applyTemplate(tom, { templateId, clientId: clientTwo, year: 2026 })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(applyTemplate(sam, { templateId, clientId: clientTwo, year: 2026 })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await deleteTemplate(sam, templateId);
  expect(await listTemplates(sam)).toEqual([]);
});
