import { firmOf } from '#features/base/firms/firms.server.ts';
import type { Actor, Permission } from '#features/base/people/people.ts';
import { contributed } from '#platform/runtime/feature.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translate } from '#platform/text/texts.server.ts';
import type { Text } from '#platform/text/texts.ts';
import type { IconName } from '#ui/icons.ts';

type Locals = Pick<App.Locals, 'lang' | 'locale' | 'timeZone' | 'session'>;

/** The groups of the page of settings, in its order. */
const GROUPS = ['firm', 'files', 'people', 'records'] as const;
type SettingsGroup = (typeof GROUPS)[number];

/** An area of the settings, as the feature whose page it is declares it. */
interface SettingsRow {
  page: string;
  group: SettingsGroup;
  icon: IconName;
  /** Rows of a group are in the order of these numbers; rows with the same one in the order of the features. */
  order: number;
  title: Text;
  /** What it is for; {{firm}}. */
  text: Text;
  /** Needed to open the page, as its guard in src/routes.ts asks for; without one all staff may. */
  permission?: Permission;
  /** Who of these may open it; a test compares both with the guard. */
  isFor?: (actor: Actor) => boolean;
  /** Its present state in a few words. */
  state?: (locals: Locals) => Promise<string>;
}

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** Its rows on the page of settings. */
    settings: readonly SettingsRow[];
  }
}

/** The areas of the settings that the actor may open, each with its state. */
export async function settingsAreas(locals: Locals) {
  const { lang, session } = locals;
  const areas = await offeredAreas(lang, session.actor);
  return Promise.all(areas.map(async ({ state, ...area }) => ({ ...area, state: await state?.(locals) })));
}

/** The same without their states. */
export async function offeredAreas(lang: Lang, actor: Actor) {
  const { name: firm } = await firmOf(actor.companyId);
  return contributed('settings')
    .flat()
    .filter(({ permission }) => permission === undefined || actor.access.permissions.has(permission))
    .filter(({ isFor }) => isFor?.(actor) ?? true)
    .toSorted((a, b) => a.order - b.order)
    .map(({ page, group, icon, title, text, state }) => ({
      page,
      group,
      icon,
      title: translate(lang, title),
      text: translate(lang, text, { firm }),
      state,
    }));
}

/** The same in their groups, of which none is empty. */
export async function settingsGroups(locals: Locals) {
  const areas = await settingsAreas(locals);
  return GROUPS.map((group) => ({ group, areas: areas.filter((area) => area.group === group) })).filter(
    ({ areas: own }) => own.length > 0,
  );
}
