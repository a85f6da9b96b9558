import type { TemplateInput } from '#features/tasks/questionnaires/questionnaires.ts';
import type { Item } from './build.ts';
import { kindOf, type RequestType } from './forms.ts';

/*
 * What a firm makes of the form of a kind: questions that it requires, leaves to the client, does not ask, or answers
 * itself for all clients.
 */

/** How a firm has decided about a question. */
export const DECISIONS = ['required', 'optional', 'hidden', 'locked'] as const;
export type Decision = (typeof DECISIONS)[number];

/** The decisions of a firm, by the paths of questions. */
export type Overlay = Readonly<Record<string, Decision>>;

/** A question that a firm can decide about, and what it is without a decision. */
interface Choosable {
  path: string;
  item: Item;
  decision: 'optional' | 'hidden';
  /** Whether the firm can answer it for all clients. */
  canBeLocked: boolean;
}

/** Kinds whose answers a firm can write into its settings. */
const LOCKABLE: ReadonlySet<Item['kind']> = new Set(['choice', 'yesNo', 'text', 'paragraph', 'number']);

/**
 * The questions of a kind that a firm can decide about: what the law or the event needs is required, and stays so. A
 * question that others depend on stays, too.
 */
export function choosableItems(type: RequestType): Choosable[] {
  const {
    form: { sections },
    hidden,
    legal,
  } = kindOf(type);
  const referred = new Set(
    sections
      .flatMap(({ items }) => items)
      .flatMap((item) => [item, ...(item.kind === 'group' ? item.items : [])])
      .flatMap(({ when }) => (when ? ('all' in when ? when.all : when.any) : []))
      .map(({ of }) => of.split('.').at(-1) ?? ''),
  );
  return sections.flatMap(({ key, items }) =>
    items.flatMap((item) => {
      const path = `${key}.${item.key}`;
      const isNeeded =
        item.kind === 'note' ||
        legal?.includes(path) === true ||
        (item.kind === 'group' ? (item.min ?? 0) > 0 : item.required === true) ||
        referred.has(item.key);
      const isHidden = hidden?.includes(path) === true;
      return isNeeded
        ? []
        : [
            {
              path,
              item,
              decision: isHidden ? ('hidden' as const) : ('optional' as const),
              canBeLocked: LOCKABLE.has(item.kind),
            },
          ];
    }),
  );
}

/** The form of a kind as a firm asks it. Decisions about questions that it cannot decide about are ignored. */
export function overlaid(type: RequestType, overlay: Overlay): TemplateInput {
  const { form } = kindOf(type);
  const decisions = new Map<string, Decision>(
    choosableItems(type).map(({ path, decision }) => [
      path,
      Object.hasOwn(overlay, path) ? (overlay[path] ?? decision) : decision,
    ]),
  );
  return {
    ...form,
    sections: form.sections
      .map((section) => ({
        ...section,
        items: section.items.flatMap((item) => decided(item, decisions.get(`${section.key}.${item.key}`))),
      }))
      .filter(({ items }) => items.length > 0),
  };
}

function decided(item: Item, decision: Decision | undefined): Item[] {
  if (decision === 'hidden') return [];
  if (decision !== 'required' || item.kind === 'note') return [item];
  return [item.kind === 'group' ? { ...item, min: 1 } : { ...item, required: true }];
}
