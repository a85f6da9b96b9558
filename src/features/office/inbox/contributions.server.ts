import type { Actor } from '#features/base/people/people.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { contributedByName } from '#platform/runtime/feature.server.ts';
import type { Source, Subscription } from '#platform/runtime/events.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { Text } from '#platform/text/texts.ts';
import type { IconName } from '#ui/icons.ts';
import type { InboxItem } from './inbox.ts';
import { addToInbox, resolveGroup, resolveInInbox, wasInInbox } from './items.server.ts';

/** Something that waits for the firm; its kind is that under which the source is declared. */
interface NewEntry {
  companyId: string;
  clientId: string | null;
  /** Entries with the same key share a row. */
  key: string;
  /** The id of the document, comment, mail … itself. */
  target: string;
  name: string;
  /** Why, where its sentence says so: {{detail}}. */
  detail?: string;
  /** The member of staff it is for, besides those responsible for the client. */
  contactId?: string | null;
  /** Does not come back after it was marked as done. */
  once?: true;
}

/** What an event means for the inbox. */
type InboxChange =
  { add: NewEntry } | { resolve: readonly string[] } | { resolveGroup: { companyId: string; key: string } };

/** What is done next about a row, as its button says (`step_…`). */
type InboxStep = 'open' | 'reply' | 'review' | 'fix' | 'answer' | 'invite' | 'remind' | 'check';

/** A kind of rows of the inbox, as the feature whose things wait declares it. */
export interface InboxKind {
  icon: IconName;
  step: InboxStep;
  /** The sentence of a row; {{count}}, {{name}}, {{detail}}. */
  text: Text | ((row: Pick<InboxItem, 'count' | 'name' | 'detail'>, lang: Lang) => string);
  /** Where the next step is. `client` is the query of the active client, empty for a row about none. */
  next: (row: { key: string; client: { client?: string } }, pathTo: PathTo) => string;
  /** What fills and empties it. */
  sources: readonly Source<InboxChange>[];
  /** Who may see it, besides the scope of clients; by default all staff. */
  isFor?: (actor: Actor) => boolean;
  /** Each of them has it among their own rows: it is about no client and for no one alone. */
  isTeamWide?: true;
}

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** Its kinds of rows in the firm's inbox. */
    inbox: Readonly<Record<string, InboxKind>>;
  }
}

const kinds = (): [string, InboxKind][] => [...contributedByName('inbox')];

export const inboxKind = (kind: string): InboxKind | undefined => contributedByName('inbox').get(kind);

/** The kinds that an actor may not see: those whose rows may be about a client, and those that are about none. */
export function hiddenKinds(actor: Actor): { ofClients: string[]; teamWide: string[] } {
  const hidden = kinds().filter(([, { isFor }]) => isFor?.(actor) === false);
  const named = (isWanted: boolean): string[] =>
    hidden.flatMap(([name, { isTeamWide = false }]) => (isTeamWide === isWanted ? [name] : []));
  return { ofClients: named(false), teamWide: named(true) };
}

/** The kinds of those that the actor may see which all who do have among their own rows. */
export const teamWideKinds = (actor: Actor): string[] =>
  kinds().flatMap(([kind, { isTeamWide, isFor }]) => (isTeamWide && isFor?.(actor) !== false ? [kind] : []));

/** What the features say about the inbox, as its subscriptions. */
export const contributedSources = (): Subscription[] =>
  kinds().flatMap(([kind, { sources }]) =>
    sources.map((source) => source.begin((change) => apply(kind, change))),
  );

async function apply(kind: string, change: InboxChange): Promise<void> {
  if ('resolve' in change) return resolveInInbox(change.resolve);
  if ('resolveGroup' in change)
    return resolveGroup(change.resolveGroup.companyId, kind, change.resolveGroup.key);
  const { once, ...entry } = change.add;
  // what is hidden of these kinds is found by that (inbox.server.ts)
  if (inboxKind(kind)?.isTeamWide && entry.clientId !== null)
    throw new Error(`Rows of ${kind} are for the whole team: they are about no client.`);
  if (once && (await wasInInbox(entry.target))) return;
  await addToInbox({ ...entry, kind });
}
