import type { Session } from '#features/base/people/people.ts';
import { contributed } from '#platform/runtime/feature.server.ts';
import { translate } from '#platform/text/texts.server.ts';
import type { Text } from '#platform/text/texts.ts';
import type { IconName } from '#ui/icons.ts';

type Locals = Pick<App.Locals, 'lang' | 'locale' | 'session' | 'client' | 'openings' | 'mayOpen' | 'pathTo'>;

/**
 * Where a link of the frame stands: among the areas of clients or of the firm, in the account menu, or in the menu of
 * what the firm can begin.
 */
export type Side = 'client' | 'staff' | 'account' | 'new';

/** What can be begun is for a client, or in the firm. */
const NEW_GROUPS = ['client', 'firm'] as const;

/** What is written on the small mark beside a link, and what a screen reader says instead. */
interface Badge {
  text: string;
  label: string;
}

/** A link of the frame to a page, as the feature whose page it is declares it. */
interface NavigationItem {
  side: Side;
  /** The page in `src/pages/[base]/[lang]`, without parameters; its guard decides who may follow the link. */
  page: string;
  /** Of its address. */
  query?: Readonly<Record<string, string>>;
  /** Of what can be begun. */
  group?: (typeof NEW_GROUPS)[number];
  /** The second key of the shortcut that opens an area of the firm, after `g`. */
  key?: string;
  /** Links are in the order of these numbers. */
  order: number;
  label: Text;
  /** Beside the label of an area. */
  icon?: IconName;
  /** To whom of those who may open the page it is offered. */
  isFor?: (session: Session) => boolean;
  /** True for a link that stands beside the areas of clients but is no part of the portal that a firm may turn off. */
  isBesideAreas?: boolean;
  /** The id of the dialog that shows the page where scripts run. */
  dialog?: string;
  badge?: (locals: Locals) => Promise<Badge | undefined>;
}

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** Its links in the frame of the pages. */
    navigation: readonly NavigationItem[];
  }
}

/** A link of the frame that the session is offered. */
export interface NavigationLink extends Pick<
  NavigationItem,
  'page' | 'icon' | 'dialog' | 'badge' | 'group' | 'key'
> {
  href: string;
  label: string;
  isBesideAreas: boolean;
}

/** The links of a place in the frame that the session may follow. */
export const navigationOf = (side: Side, { session, lang, mayOpen, pathTo }: Locals): NavigationLink[] =>
  contributed('navigation')
    .flat()
    .filter((item) => item.side === side && mayOpen(item.page) && (item.isFor?.(session) ?? true))
    .toSorted((a, b) => a.order - b.order)
    .map(({ label, isBesideAreas = false, ...item }) => ({
      ...item,
      isBesideAreas,
      href: pathTo(item.page, item.query),
      label: translate(lang, label),
    }));

/** What the session may begin on the firm's side, by group; groups without anything are left out. */
export const newThings = (locals: Locals) => {
  const links = navigationOf('new', locals);
  return NEW_GROUPS.map((group) => ({ group, links: links.filter((link) => link.group === group) })).filter(
    (group) => group.links.length > 0,
  );
};

/**
 * The areas of the clients' side (spec 1 section 2, tabs), and whether narrow screens have them in a side menu. The spec
 * has no side menu on the tasks page with the new task list; there they remain tabs, so that people can navigate.
 */
export function clientAreas(locals: Locals, current: string) {
  const links = navigationOf('client', locals);
  const areas = links.filter(({ isBesideAreas }) => !isBesideAreas);
  const { controls } = locals.session.actor.access;
  return {
    areas,
    besideAreas: links.filter(({ isBesideAreas }) => isBesideAreas),
    hasSideMenu: areas.length > 1 && !(current === 'tasks' && controls.has('ShowClientCenterNewTaskList')),
  };
}
