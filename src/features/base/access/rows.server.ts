import { hasArea, type Access, type Flag } from '#features/base/people/people.ts';
import type { Text } from '#platform/text/texts.ts';
import { text } from '#platform/text/texts.server.ts';
import type { AccessEntry, AccessReport, Decision } from './access.ts';
import { enforcedSettings, type AccessGroup, type AccessRow } from './contributions.server.ts';

/* How the page of permissions shows the controls, permissions and flags of the features. */

const TITLES: Readonly<Record<AccessGroup, Text>> = {
  areas: text('portal', 'groupAreas'),
  documents: text('portal', 'groupDocuments'),
  tasks: text('portal', 'tabTasks'),
  actions: text('portal', 'tabActions'),
  account: text('portal', 'groupAccount'),
  team: text('portal', 'groupTeam'),
  support: text('portal', 'groupSupport'),
};

type StateWord = 'shown' | 'hidden' | 'on' | 'off';

export interface RowView {
  entry: AccessEntry;
  label: Text;
  isSecond: boolean;
  word: StateWord;
  /** What can be chosen instead, each with the state that it leads to; `usual` has none. */
  choices: { to: Decision['to']; word?: StateWord }[];
}

const rowOf = (setting: string): AccessRow | undefined =>
  enforcedSettings().find(({ name }) => name === setting)?.row;

/** The label of a setting; undefined for those that the page does not list. */
export const labelOf = (name: string): Text | undefined => rowOf(name)?.label;

/** The id of a group in the page. */
export const groupId = (group: AccessGroup): string => `access-${group}`;

/** Where the page shows a setting. */
export function placeOf(name: string): string {
  const row = rowOf(name);
  return row ? `#${groupId(row.group)}` : '';
}

/** The groups of the page with the rows that apply to this person; a group without rows is left out. */
export function groupsOf(report: AccessReport): { group: AccessGroup; title: Text; rows: RowView[] }[] {
  const entryOf = new Map(report.entries.map((entry) => [entry.name, entry]));
  const flags = Object.fromEntries(
    report.entries.flatMap(({ kind, name, value }) => (kind === 'flag' ? [[name, value]] : [])),
  ) as Record<Flag, boolean>;
  const listed = enforcedSettings()
    .flatMap(({ name, row }) => (row ? [{ name, row }] : []))
    .toSorted((one, other) => one.row.order - other.row.order);
  return (Object.keys(TITLES) as AccessGroup[])
    .map((group) => ({
      group,
      title: TITLES[group],
      rows: listed.flatMap(({ name, row }) => {
        const entry = entryOf.get(name);
        return row.group === group && entry && isListed(row, entry, { report, flags })
          ? [viewOf(row, entry, report)]
          : [];
      }),
    }))
    .filter(({ rows }) => rows.length > 0);
}

const isListed = (
  { isForTeam, secondWhen, needs }: AccessRow,
  { effect, from, value }: AccessEntry,
  { report, flags }: { report: AccessReport; flags: Access['flags'] },
): boolean =>
  effect === 'now' &&
  (isForTeam === undefined || isForTeam === (report.contact?.staff ?? false)) &&
  (secondWhen === undefined || value === secondWhen || from === 'contact') &&
  (needs === undefined || hasArea({ flags }, needs) || from !== 'usual');

function viewOf(row: AccessRow, entry: AccessEntry, { contact }: AccessReport): RowView {
  const wordOf = (value: boolean): StateWord =>
    value === (row.isInverted ?? false) ? (row.isShown ? 'hidden' : 'off') : row.isShown ? 'shown' : 'on';
  const isSetHere = entry.from === (contact ? 'contact' : 'everybody');
  const choices: RowView['choices'] = entry.mayChange
    ? [
        { to: entry.value ? 'refused' : 'granted', word: wordOf(!entry.value) },
        ...(isSetHere ? [{ to: 'usual' } as const] : []),
      ]
    : [];
  return {
    entry,
    label: row.label,
    isSecond: row.secondWhen !== undefined,
    word: wordOf(entry.value),
    choices,
  };
}
