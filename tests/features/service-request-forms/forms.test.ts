import { describe, expect, test } from 'vitest';
import { kindOf, REQUEST_TYPES } from '#features/brazil/service-request-forms/forms.ts';
import { choosableItems, overlaid } from '#features/brazil/service-request-forms/overlay.ts';
import { checkTemplate } from '#features/tasks/questionnaires/checks.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import '../../../src/app.server.ts';

describe.each(REQUEST_TYPES)('the form for %s', (type) => {
  test('is a questionnaire that can be published, in every language', () => {
    const checked = checkTemplate(kindOf(type).form);
    expect('problems' in checked ? checked.problems : []).toEqual([]);
    expect(kindOf(type).form.languages).toHaveLength(LANGS.length);
  });

  test('stays one whatever a firm decides about the questions that it can decide about', () => {
    for (const decision of ['required', 'hidden'] as const) {
      const overlay = Object.fromEntries(choosableItems(type).map(({ path }) => [path, decision]));
      const checked = checkTemplate(overlaid(type, overlay));
      expect('problems' in checked ? checked.problems : [], decision).toEqual([]);
    }
  });
});

test('a firm cannot hide what the law needs, nor what another question depends on', () => {
  const asked = (paths: readonly string[]) =>
    overlaid(
      'employeeRegistration',
      Object.fromEntries(paths.map((path) => [path, 'hidden'] as const)),
    ).sections.flatMap(({ key, items }) => items.map((item) => `${key}.${item.key}`));
  expect(asked(['request.cpf', 'request.start', 'hours.week', 'pay.pay-by'])).toEqual(
    expect.arrayContaining(['request.cpf', 'request.start', 'hours.week', 'pay.pay-by']),
  );
  expect(asked(['person.marital', 'dependents.dependents'])).not.toEqual(
    expect.arrayContaining(['person.marital']),
  );
  expect(asked(['dependents.dependents'])).not.toContain('dependents.dependents');
});
