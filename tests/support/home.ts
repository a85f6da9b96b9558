import { activeClient } from '#features/clients/clients/clients.server.ts';
import { firmOf } from '#features/base/firms/firms.server.ts';
import { homeOf, type Home } from '#features/office/home/widgets.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { addressBuilder } from '#platform/http/addresses.server.ts';
import { denialReason, PAGES } from '../../src/routes.ts';
import { sessionAs } from './api.ts';

/** What a page is told about who opens it in English. */
export const localsOf = (actor: Actor) => {
  const session = sessionAs(actor);
  return {
    lang: 'en-us' as const,
    locale: 'en-US',
    timeZone: 'UTC',
    session,
    pathTo: addressBuilder(() => 'en-us', undefined),
    mayOpen: (page: string) => {
      const rule = PAGES[`/[base]/[lang]/${page}`];
      return rule !== undefined && !denialReason(rule, session, { method: 'GET', isDemo: false });
    },
  };
};

/** The home page of a contact with a client. */
export async function homeFor(actor: Actor, only?: string): Promise<Home> {
  const client = await activeClient(actor, undefined);
  if (!client) throw new Error('The contact has no client.');
  return homeOf(localsOf(actor), { firm: await firmOf(actor.companyId), client, only });
}

/** The rows of a widget on somebody's home page, with the texts of their notes; undefined if it is not there. */
export async function rowsOf(
  actor: Actor,
  id: string,
): Promise<[title: string, ...notes: string[]][] | undefined> {
  const { main, beside } = await homeFor(actor);
  const widget = [...main, ...beside].find((one) => one.id === id);
  if (!widget) return undefined;
  if (typeof widget.view === 'string') throw new Error(`The widget ${id} is ${widget.view}.`);
  return widget.view.rows.map(({ title, notes = [] }) => [title, ...notes.map(({ text }) => text)]);
}
