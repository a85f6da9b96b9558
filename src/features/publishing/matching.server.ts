import { taxIdKey } from '#features/clients/tax-id-index.server.ts';
import { clientIdsOf } from '#features/people/people.server.ts';
import type { Actor } from '#features/people/people.ts';
import { db, fold, inBatches } from '#platform/database.server.ts';
import { isTaxId, TAX_ID_KINDS } from '#platform/inputs/tax-ids.ts';
import { phraseOf, phrasesIn, taxIdsIn } from './matching.ts';
import type { MatchedBy } from './publishing.ts';

/** What a file's name says: one client, or the number of clients that it may mean. */
export type Match = { clientId: string; by: MatchedBy } | { candidates: number };

/**
 * Matches names of files to the actor's current clients: by number and tax id, else by name. Two that contradict each
 * other, or two clients of one name, are several candidates: nothing is guessed.
 */
export async function matchNames(actor: Actor, names: readonly string[]): Promise<Match[]> {
  const clients = await clientIdsOf(actor)
    .select(['clients.code_key', 'clients.name_key', 'clients.doing_business_as'])
    .where('clients.archived_at', 'is', null)
    .execute();
  const byNumber = new Map<string, Set<string>>();
  const byName = new Map<string, Set<string>>();
  const note = (index: typeof byName, phrase: string, id: string): void => {
    if (phrase !== '') index.set(phrase, (index.get(phrase) ?? new Set()).add(id));
  };
  for (const { client_id: id, code_key: code, name_key: name, doing_business_as: trade } of clients) {
    note(byNumber, phraseOf(code), id);
    note(byName, phraseOf(name), id);
    note(byName, phraseOf(fold(trade ?? '')), id);
  }
  const ownIds = new Set(clients.map((row) => row.client_id));
  const files = names.map((name) => phrasesIn(fold(name.normalize('NFC'))));
  const byTaxId = await clientsByTaxId(files.flatMap(taxIdsIn), ownIds);
  return files.map((phrases) => {
    const numbered = found(byNumber, phrases);
    const taxed = found(byTaxId, taxIdsIn(phrases));
    const sure = new Set([...numbered, ...taxed]);
    const all = sure.size > 0 ? sure : longest(byName, phrases);
    const [clientId] = all;
    if (clientId === undefined || all.size > 1) return { candidates: all.size };
    return { clientId, by: sure.size === 0 ? 'name' : numbered.size > 0 ? 'number' : 'taxId' };
  });
}

const found = (index: ReadonlyMap<string, Set<string>>, keys: readonly string[]): Set<string> =>
  new Set(keys.flatMap((key) => [...(index.get(key) ?? [])]));

/** The clients of the longest names that occur: "Amber Bakery North" does not mean "Amber Bakery". */
function longest(index: ReadonlyMap<string, Set<string>>, phrases: readonly string[]): Set<string> {
  const named = phrases.filter((phrase) => index.has(phrase));
  const kept = named.filter((phrase) => !named.some((other) => other !== phrase && other.includes(phrase)));
  return found(index, kept);
}

async function clientsByTaxId(
  texts: readonly string[],
  ownIds: ReadonlySet<string>,
): Promise<Map<string, Set<string>>> {
  const textOf = new Map<string, string>();
  for (const text of new Set(texts))
    for (const kind of TAX_ID_KINDS) if (isTaxId(kind, text)) textOf.set(await taxIdKey(kind, text), text);
  const index = new Map<string, Set<string>>();
  for (const keys of inBatches([...textOf.keys()])) {
    const rows = await db()
      .selectFrom('client_tax_ids')
      .select(['client_id', 'value_key'])
      .where('value_key', 'in', keys)
      .execute();
    for (const { client_id: id, value_key: key } of rows) {
      const text = textOf.get(key) ?? '';
      if (ownIds.has(id)) index.set(text, (index.get(text) ?? new Set()).add(id));
    }
  }
  return index;
}
