import { expect, test } from 'vitest';
import { suggestedArticles } from '#features/content/help/suggestions.server.ts';
import { accessFrom } from '#features/base/people/access-settings.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { PAGES } from '../../../src/routes.ts';

const session = (given: Partial<Actor> = {}): { actor: Actor } => ({
  actor: { staff: false, access: accessFrom(undefined, []), ...given } as Actor,
});
const owner = session({ staff: true, access: accessFrom('owner', []) });
const suggested = (page: string, of = session()): string[] =>
  suggestedArticles('en-us', `/[base]/[lang]/${page}`, of).map(({ id }) => id);

test('a page suggests its articles, the closest first', () => {
  expect(suggested('documents/trash')[0]).toBe('trash');
  expect(suggested('tasks/clients/[clientId]/task/[taskId]/ask')[0]).toBe('ask-someone');
  expect(suggested('tasks')).toContain('tasks');
});

test('no page suggests more than five articles', () => {
  for (const pattern of Object.keys(PAGES))
    expect(suggestedArticles('en-us', pattern, owner).length, pattern).toBeLessThanOrEqual(5);
});

test('an article is suggested only to those for whom it is', () => {
  expect(suggested('staff/clients')).toEqual([]);
  expect(suggested('staff/clients', owner)).toEqual(['staff-clients']);
  expect(suggested('documents/scan')).toContain('scan');
  const withoutCamera = accessFrom(undefined, [
    { kind: 'control', name: 'HideScanFromDevice', granted: true },
  ]);
  expect(suggested('documents/scan', session({ access: withoutCamera }))).not.toContain('scan');
  const withoutTasks = accessFrom(undefined, [{ kind: 'control', name: 'HideTasks', granted: true }]);
  expect(suggested('home', session({ access: withoutTasks }))).not.toContain('tasks');
  const readOnly = session({ staff: true, access: accessFrom('reader', []) });
  expect(suggested('staff/publish', readOnly)).toEqual([]);
  expect(suggested('staff/publish', owner)).toEqual(['staff-publish']);
});

test('a page without an article suggests none', () => {
  expect(suggested('language')).toEqual([]);
});
