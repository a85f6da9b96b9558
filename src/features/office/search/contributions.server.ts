import type { Actor } from '#features/base/people/people.ts';
import type { Text } from '#platform/text/texts.ts';
import type { IconName } from '#ui/icons.ts';

/** What is searched for, and by whom. */
export interface SearchContext extends Pick<
  App.Locals,
  'lang' | 'locale' | 'timeZone' | 'session' | 'pathTo' | 'mayOpen'
> {
  actor: Actor;
  /** What was typed, without spaces around it: two letters at least. */
  text: string;
  /** So many hits are shown; with one more there is a link to all of them. */
  limit: number;
  /**
   * The clients whose own things are looked for, such as documents, which are indexed by client: for contacts their clients,
   * for staff those that the beginning of the text names. `text` is what is left of it.
   */
  clients: readonly SearchedClient[];
}

export interface SearchedClient {
  id: string;
  name: string;
  text: string;
}

/** A result, which is one link. */
export interface Hit {
  /** What a field that chooses one of these sends. */
  id?: string;
  title: string;
  href: string;
  /** What tells it from others with this title: a number, an email address, the client. */
  note?: string;
  icon?: IconName;
}

/** What is found of a kind: the best first, one more than shown if there are more. */
export interface Found {
  hits: readonly Hit[];
  /** The list of all of them. */
  all?: string;
  /** Instead of hits: what to type so that something can be found. */
  hint?: string;
}

/** A kind of things that are found, as the feature of these declares it. */
export interface SearchKind {
  /** Its name in the address of the results and in the log. */
  kind: string;
  /** Kinds are in the order of these numbers. */
  order: number;
  label: Text;
  icon: IconName;
  /** The page, without parameters, whose guard decides who finds these; undefined where each hit has its own. */
  page?: string;
  /** Who of these finds them. */
  isFor?: (context: Pick<SearchContext, 'session'>) => boolean;
  /**
   * Looks within what the actor may see, by an index: what they may not see must show neither in counts nor in time. It
   * changes nothing.
   */
  find: (context: SearchContext) => Promise<Found>;
}

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** The kinds of its things that the search of everything finds. */
    search: readonly SearchKind[];
  }
}
