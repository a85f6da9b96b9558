import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAnswer } from '#features/tasks/questionnaires/answer-values.ts';
import { checkTemplate } from '#features/tasks/questionnaires/checks.server.ts';
import type { Answers, Question, Template, When } from '#features/tasks/questionnaires/questionnaires.ts';
import {
  freeze,
  isGroup,
  problemsOf,
  progressOf,
  visibleSections,
} from '#features/tasks/questionnaires/rules.ts';
import {
  en,
  OTHER_ROW,
  published,
  ROW,
  sectionOf,
  templateOf,
  type ItemInput,
  type SectionInput,
} from './support.ts';
import '../../../src/app.server.ts';

/*
 * The engine goes through a template once. Here it is compared with an evaluation that decides every question on its own,
 * by asking whether each question that it depends on is shown.
 */

/** Whether the question at a path is shown, from the definition alone. */
function naive(template: Template, answers: Answers) {
  const own = (path: string): unknown => (Object.hasOwn(answers, path) ? answers[path] : undefined);

  const holds = (
    when: When | undefined,
    locate: (of: string) => { question: Question; path: string; isShown: boolean } | undefined,
  ): boolean => {
    if (when === undefined) return true;
    const results = ('all' in when ? when.all : when.any).map((each) => {
      const target = each.of === 'taxYear' ? undefined : locate(each.of);
      const reading =
        each.of === 'taxYear'
          ? ({ state: 'value', value: template.taxYear } as const)
          : target?.isShown
            ? readAnswer(target.question, own(target.path))
            : ({ state: 'empty' } as const);
      const isGiven = !['empty', 'wrong'].includes(reading.state);
      const value: unknown = 'value' in reading ? reading.value : undefined;
      const wanted: unknown = 'value' in each ? each.value : undefined;
      if (each.op === 'notAnswered') return !isGiven;
      if (!isGiven) return false;
      if (each.op === 'answered') return true;
      if (each.op === 'includes') return (value as unknown[] | undefined)?.includes(wanted) ?? false;
      if (each.op === 'is' || each.op === 'isNot') return (value === wanted) === (each.op === 'is');
      if (value === undefined) return false;
      return each.op === 'atLeast' ? Number(value) >= Number(wanted) : Number(value) <= Number(wanted);
    });
    return 'all' in when ? !results.includes(false) : results.includes(true);
  };

  const sectionIsShown = (key: string): boolean => {
    const at = template.sections.findIndex((each) => each.key === key);
    const section = template.sections[at];
    return section !== undefined && holds(section.when, (of) => locateIn(of, at, 0));
  };

  /** A question outside groups, before the item `itemAt` of the section `sectionAt`. */
  const locateIn = (of: string, sectionAt: number, itemAt: number) => {
    const [first = '', second] = of.split('.');
    const sectionKey = second === undefined ? (template.sections[sectionAt]?.key ?? '') : first;
    const target = template.sections.findIndex((each) => each.key === sectionKey);
    const index = template.sections[target]?.items.findIndex((each) => each.key === (second ?? first)) ?? -1;
    const question = template.sections[target]?.items[index];
    const isEarlier = target < sectionAt || (target === sectionAt && index < itemAt);
    if (!question || question.kind === 'group' || !isEarlier) return undefined;
    return { question, path: `${sectionKey}.${question.key}`, isShown: itemIsShown(target, index) };
  };

  const itemIsShown = (sectionAt: number, itemAt: number): boolean => {
    const section = template.sections[sectionAt];
    return (
      section !== undefined &&
      sectionIsShown(section.key) &&
      holds(section.items[itemAt]?.when, (of) => locateIn(of, sectionAt, itemAt))
    );
  };

  const rowItemIsShown = (at: [section: number, item: number, inner: number], row: string): boolean => {
    const [sectionAt, itemAt, innerAt] = at;
    const section = template.sections[sectionAt];
    const group = section?.items[itemAt];
    if (!section || group?.kind !== 'group' || !itemIsShown(sectionAt, itemAt)) return false;
    return holds(group.items[innerAt]?.when, (of) => {
      const index = group.items.slice(0, innerAt).findIndex((each) => each.key === of);
      const question = group.items[index];
      if (!question) return locateIn(of, sectionAt, itemAt);
      const path = `${section.key}.${group.key}.${row}.${question.key}`;
      return { question, path, isShown: rowItemIsShown([sectionAt, itemAt, index], row) };
    });
  };

  return template.sections.flatMap((section, sectionAt) =>
    section.items.flatMap((item, itemAt) => {
      if (item.kind !== 'group') return itemIsShown(sectionAt, itemAt) ? [`${section.key}.${item.key}`] : [];
      const order = own(`${section.key}.${item.key}#order`);
      return (Array.isArray(order) ? (order as string[]) : []).flatMap((row) =>
        item.items.flatMap((inner, innerAt) =>
          rowItemIsShown([sectionAt, itemAt, innerAt], row)
            ? [`${section.key}.${item.key}.${row}.${inner.key}`]
            : [],
        ),
      );
    }),
  );
}

const shownPaths = (template: Template, answers: Answers): string[] =>
  visibleSections(template, answers).flatMap(({ items }) =>
    items.flatMap((item) =>
      isGroup(item) ? item.rows.flatMap(({ questions }) => questions.map(({ path }) => path)) : [item.path],
    ),
  );

const KEYS = ['a', 'b', 'c', 'd'];
const choices = ['x', 'y'].map((key) => ({ key, label: en(key) }));

const tests = fc.oneof(
  fc.record({
    op: fc.constantFrom('answered', 'notAnswered'),
    of: fc.constantFrom(...KEYS, ...KEYS.flatMap((key) => [`s0.${key}`, `s1.${key}`])),
  }),
  fc.record({
    op: fc.constantFrom('is', 'isNot', 'atLeast', 'atMost', 'includes'),
    of: fc.constantFrom('taxYear', ...KEYS, ...KEYS.flatMap((key) => [`s0.${key}`, `s1.${key}`])),
    value: fc.constantFrom(true, false, 1, 2, 2026, 'x', 'y'),
  }),
);
const conditions = fc.option(
  fc.oneof(
    fc.record({ all: fc.array(tests, { minLength: 1, maxLength: 2 }) }),
    fc.record({ any: fc.array(tests, { minLength: 1, maxLength: 3 }) }),
  ),
  { nil: undefined },
);
const bodies = fc.constantFrom<object>(
  { kind: 'text', none: true },
  { kind: 'yesNo', unsure: true },
  { kind: 'number' },
  { kind: 'choice', choices },
  { kind: 'choices', choices },
  { kind: 'note' },
);

const built = (key: string, body: object, when: object | undefined): ItemInput =>
  ({ ...body, key, label: en(key), ...(when && { when }) }) as ItemInput;
const questions = fc.tuple(bodies, conditions);
const groups = fc.tuple(fc.array(questions, { minLength: 1, maxLength: 4 }), conditions);
const sections = fc.array(
  fc.tuple(
    fc.array(fc.oneof({ weight: 3, arbitrary: questions }, groups), { minLength: 1, maxLength: 4 }),
    conditions,
  ),
  { minLength: 1, maxLength: 3 },
);

/** Random templates, without the conditions that a publication refuses. */
const templates = sections.map((all): Template => {
  const made = all.map(([items, when], at): SectionInput =>
    sectionOf(
      `s${at}`,
      items.map(([body, condition], index) => {
        const key = KEYS[index] ?? 'z';
        if (!Array.isArray(body)) return built(key, body, condition);
        const inner = (body as readonly [object, object | undefined][]).map(([each, own], place) =>
          built(KEYS[place] ?? 'z', each, own),
        );
        return built(
          key,
          { kind: 'group', one: en('one'), addLabel: en('add'), max: 2, items: inner },
          condition,
        );
      }),
      when ? { when } : {},
    ),
  );
  return withoutRefused(templateOf(made));
});

function withoutRefused(input: ReturnType<typeof templateOf>): Template {
  const checked = checkTemplate(input);
  if ('template' in checked) return checked.template;
  const copy = structuredClone(input) as unknown as Record<string, unknown>;
  for (const { path } of checked.problems) {
    const steps = path.split('.');
    let at = copy;
    for (const step of steps.slice(0, steps.indexOf('when'))) at = at[step] as Record<string, unknown>;
    delete at['when'];
  }
  return withoutRefused(copy as never);
}

const values = fc.constantFrom<unknown>(
  true,
  false,
  1,
  2,
  'x',
  'y',
  ['x'],
  ['x', 'y'],
  '',
  null,
  'twelve',
  { none: true },
  { unsure: true },
  { same: true, of: true },
  { same: true, of: 'x' },
  JSON.parse('{"__proto__":{"none":true}}'),
);
const paths = [
  ...['s0', 's1', 's2'].flatMap((section) =>
    KEYS.flatMap((key) => [
      `${section}.${key}`,
      ...[ROW, OTHER_ROW].flatMap((row) => KEYS.map((inner) => `${section}.${key}.${row}.${inner}`)),
    ]),
  ),
];
const orders = ['s0', 's1', 's2'].flatMap((section) => KEYS.map((key) => `${section}.${key}#order`));
const answerSets = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...paths), values, { minKeys: 5, maxKeys: 80 }),
    fc.dictionary(fc.constantFrom(...orders), fc.constantFrom([ROW], [ROW, OTHER_ROW], [])),
  )
  .map(([given, rows]) => ({ ...given, ...rows }) as Answers);

test('the engine shows what an evaluation of each question on its own shows', () => {
  fc.assert(
    fc.property(templates, answerSets, (template, answers) => {
      expect(shownPaths(template, answers)).toEqual(naive(template, answers));
    }),
    { numRuns: 2000 },
  );
});

test('a submission contains only answers that are shown, and all of them', () => {
  fc.assert(
    fc.property(templates, answerSets, (template, answers) => {
      const shown = naive(template, answers);
      const wrong = new Set(problemsOf(template, answers, 'typing').map(({ path }) => path));
      const submitted = freeze(template, answers).map(({ path }) => path);
      const given = shown.filter(
        (path) =>
          Object.hasOwn(answers, path) && ![null, ''].includes(answers[path] as never) && !wrong.has(path),
      );
      const notes = visibleSections(template, answers).flatMap(({ items }) =>
        items.flatMap((item) =>
          (isGroup(item) ? item.rows.flatMap((row) => row.questions) : [item]).flatMap(
            ({ path, question }) => (question.kind === 'note' ? [path] : []),
          ),
        ),
      );
      expect(submitted).toEqual(given.filter((path) => !notes.includes(path)));
    }),
    { numRuns: 1000 },
  );
});

test('answers that are not shown change nothing in a submission', () => {
  fc.assert(
    fc.property(templates, answerSets, (template, answers) => {
      const shown = new Set(naive(template, answers));
      const without = Object.fromEntries(
        Object.entries(answers).filter(([path]) => shown.has(path) || path.endsWith('#order')),
      );
      expect(freeze(template, without)).toEqual(freeze(template, answers));
      expect(problemsOf(template, without, 'submit')).toEqual(problemsOf(template, answers, 'submit'));
    }),
    { numRuns: 500 },
  );
});

test('no answers make the engine throw', () => {
  const hostile = fc.oneof(
    fc.dictionary(
      fc.constantFrom(...paths, ...orders, '__proto__', 'constructor', 'toString'),
      fc.anything({ maxDepth: 3 }),
    ),
    fc.constantFrom(
      JSON.parse('{"__proto__":{"s0.a":true},"constructor":1}') as object,
      Object.fromEntries(
        orders.map((order) => [
          order,
          Array.from({ length: 10_000 }, (_, at) => String(at).padStart(12, '0')),
        ]),
      ),
      Object.create(null) as object,
    ),
  );
  fc.assert(
    fc.property(templates, hostile, (template, answers) => {
      for (const at of ['typing', 'submit'] as const) problemsOf(template, answers as Answers, at);
      freeze(template, answers as Answers);
      progressOf(template, answers as Answers);
    }),
    { numRuns: 500 },
  );
  expect(({} as Record<string, unknown>)['s0.a']).toBeUndefined();
});

test('an inherited property is not an answer', () => {
  const template = published(templateOf([sectionOf('s', [built('a', { kind: 'text' }, undefined)])]));
  expect(freeze(template, Object.create({ 's.a': 'inherited' }) as Answers)).toEqual([]);
});

test('each answer of the largest template is read once, however long its conditions are', () => {
  const yesNo = (key: string, of?: string) =>
    built(
      key,
      { kind: 'yesNo', required: true },
      of === undefined ? undefined : { all: [{ op: 'is', of, value: true }] },
    );
  const template = published(
    templateOf(
      Array.from({ length: 30 }, (_, at) =>
        sectionOf(
          `s${at}`,
          Array.from({ length: 50 }, (__, index) =>
            yesNo(`q${index}`, index > 0 ? `q${index - 1}` : at > 0 ? `s${at - 1}.q49` : undefined),
          ),
        ),
      ),
    ),
  );
  const stored = Object.fromEntries(shownPathsOf(template).map((path) => [path, true]));
  let reads = 0;
  const counted = new Proxy(stored, {
    get: (target, path: string) => {
      reads += 1;
      return target[path];
    },
  });
  expect(problemsOf(template, counted, 'submit')).toEqual([]);
  expect(reads).toBe(1500);
});

const shownPathsOf = ({ sections: all }: Template): string[] =>
  all.flatMap((section) => section.items.map((item) => `${section.key}.${item.key}`));
