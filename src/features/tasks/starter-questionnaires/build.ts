import type { TemplateInput, Text } from '#features/tasks/questionnaires/questionnaires.ts';

/* Short forms for writing a template by hand. */

type Section = TemplateInput['sections'][number];
type Item = Section['items'][number];
type Question = Exclude<Item, { kind: 'group' }>;
type Kind = Question['kind'];
type When = NonNullable<Section['when']>;
type Test = Extract<When, { all: unknown }>['all'][number];
type Of<K extends Kind> = Extract<Question, { kind: K }>;
type Rest<K extends Kind> = Omit<Of<K>, 'kind' | 'key' | 'label'>;

/** A kind of question whose other properties may all be left out. */
const optional =
  <K extends Kind>(kind: K) =>
  (key: string, label: Text, rest: Partial<Rest<K>> = {}): Of<K> =>
    ({ kind, key, label, ...rest }) as Of<K>;

/** A kind of question that has a required property. */
const complete =
  <K extends Kind>(kind: K) =>
  (key: string, label: Text, rest: Rest<K>): Of<K> =>
    ({ kind, key, label, ...rest }) as Of<K>;

export const text = optional('text');
export const paragraph = optional('paragraph');
export const yesNo = optional('yesNo');
export const number = optional('number');
export const date = optional('date');
export const phone = optional('phone');
export const address = optional('address');
export const files = optional('files');
export const note = optional('note');
export const choice = complete('choice');
export const choices = complete('choices');
export const identifier = complete('identifier');

/** Questions for amounts of a currency. */
export const moneyIn =
  (currency: string) =>
  (key: string, label: Text, rest: Partial<Rest<'money'>> = {}): Of<'money'> => ({
    kind: 'money',
    key,
    label,
    currency,
    ...rest,
  });

type GroupInput = Extract<Item, { kind: 'group' }>;

export const group = (
  key: string,
  label: Text,
  rest: Omit<GroupInput, 'kind' | 'key' | 'label'>,
): GroupInput => ({ kind: 'group', key, label, ...rest });

export const section = (
  key: string,
  label: Text,
  items: Section['items'],
  rest: Pick<Section, 'lead' | 'when'> = {},
): Section => ({ key, label, items, ...rest });

/**
 * The section with export codes for all questions: the name of what they are about, or the key of their group, and their
 * keys. Questions of official forms have the names of those instead.
 */
export const tagged = (about: string, { items, ...rest }: Section): Section => ({
  ...rest,
  items: items.map((item) =>
    item.kind === 'group'
      ? { ...item, items: item.items.map((question) => withTag(item.key, question)) }
      : withTag(about, item),
  ),
});

const withTag = (about: string, question: Question): Question =>
  question.kind === 'note' ? question : { tag: `${about}.${question.key}`, ...question };

export const required = { required: true } as const;

/** Shown if every test holds. */
export const when = (...tests: [Test, ...Test[]]) => ({ when: { all: tests } });
/** Shown if any test holds. */
export const whenAny = (...tests: [Test, ...Test[]]) => ({ when: { any: tests } });

export const is = (of: string, value: string | number | boolean = true): Test => ({ op: 'is', of, value });
export const includes = (of: string, value: string): Test => ({ op: 'includes', of, value });
export const atLeast = (of: string, value: number): Test => ({ op: 'atLeast', of, value });
export const atMost = (of: string, value: number): Test => ({ op: 'atMost', of, value });
