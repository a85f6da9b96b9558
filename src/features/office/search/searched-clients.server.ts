import { findClients, type FoundClient } from '#features/clients/clients/client-search.server.ts';
import { choiceOf } from '#features/clients/clients/clients.server.ts';
import type { Client } from '#features/clients/clients/clients.ts';
import type { Actor } from '#features/base/people/people.ts';
import { fold, wordsOf } from '#platform/database/database.server.ts';
import type { SearchedClient } from './contributions.server.ts';

/** Of more clients than these, the text does not say which is meant. */
const MAX_NAMED = 5;
/** Words of a text that may be the name of a client; each is one search. */
const MAX_WORDS_OF_NAME = 3;
/** Clients of a contact whose documents are looked for, one after the other. */
const MAX_OWN = 10;

/**
 * The clients whose own things are looked for: a contact's, the active one first; for staff those that the beginning of the
 * text names, as in "silva payslip", with the words that are left.
 */
export async function searchedClients(
  actor: Actor,
  text: string,
  active: Client | undefined,
): Promise<SearchedClient[]> {
  const named = actor.staff || actor.hasManyClients ? await clientsNamedIn(actor, text) : [];
  if (actor.staff || active === undefined) return named;
  const choice = await choiceOf(actor, active.id);
  const own = [active, ...(choice.kind === 'few' ? choice.others : [])].slice(0, MAX_OWN);
  return [...own.map(({ id, displayAs }) => ({ id, name: displayAs, text })), ...named];
}

/** The few clients that the first words name, fewer words first. */
async function clientsNamedIn(actor: Actor, text: string): Promise<SearchedClient[]> {
  const words = text.split(/\s+/u);
  for (let count = 1; count < words.length && count <= MAX_WORDS_OF_NAME; count += 1) {
    const found = await findClients(actor, words.slice(0, count).join(' '), MAX_NAMED + 1);
    if (found.length === 0) return [];
    if (found.length > MAX_NAMED) continue;
    return found.flatMap((client) => {
      const rest = withoutNameOf(client, words.slice(count));
      return rest.length === 0 ? [] : [{ id: client.id, name: client.name, text: rest.join(' ') }];
    });
  }
  return [];
}

/** The words after those that belong to the name of the client, too: "Juniper Street Bakery payslip". */
function withoutNameOf({ name }: FoundClient, words: readonly string[]): string[] {
  const ofName = new Set(wordsOf(fold(name)));
  const first = words.findIndex((word) => !wordsOf(fold(word)).every((part) => ofName.has(part)));
  return first === -1 ? [] : words.slice(first);
}
