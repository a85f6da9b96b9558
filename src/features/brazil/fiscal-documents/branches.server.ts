import { sql } from 'kysely';
import {
  keepsEstablishments,
  seesEstablishments,
} from '#features/brazil/establishments/establishments.server.ts';
import type { Actor } from '#features/base/people/people.ts';
import { db, inBatches } from '#platform/database/database.server.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { withMask } from '#platform/inputs/masks.ts';
import type { Storage } from './fiscal-documents.ts';

/** An establishment of a client, by which it has part in documents. */
export interface Branch {
  cnpj: string;
  /** Its CNPJ with punctuation, and its name if it is known. */
  text: string;
  /** Nobody has added it to the client. */
  isUnknown: boolean;
  /** Where it can be added, for who may. */
  addHref: string | undefined;
}

/** Maximum number of establishments that are offered. */
const MAX_BRANCHES = 200;

/** The establishments with documents in an archive of a client; each is one step in the index. */
export async function branchesWithDocuments(
  { session: { actor }, pathTo }: { session: { actor: Actor }; pathTo: PathTo },
  clientId: string,
  storage: Storage,
): Promise<Branch[]> {
  const cnpjs = await cnpjsIn(clientId, storage);
  const known = await namesOf(clientId, cnpjs);
  return cnpjs.map((cnpj) => {
    const name = known.get(cnpj);
    const isUnknown = name === undefined;
    const place = `staff/clients/${clientId}/establishments`;
    return {
      cnpj,
      text: [withMask('cnpj', cnpj), seesEstablishments(actor) ? name : ''].filter(Boolean).join(' · '),
      isUnknown,
      addHref: isUnknown && keepsEstablishments(actor) ? pathTo(place, { cnpj }) : undefined,
    };
  });
}

async function cnpjsIn(clientId: string, storage: Storage): Promise<string[]> {
  const after = (limit: ReturnType<typeof sql>) =>
    sql`(select min(own_id) from fiscal_documents where client_id = ${clientId} and storage = ${storage} and own_id > ${limit})`;
  const { rows } = await sql<{ cnpj: string }>`
    with recursive branches(cnpj) as (
      select ${after(sql`''`)} union all
      select ${after(sql`branches.cnpj`)} from branches where branches.cnpj is not null)
    select cnpj from branches where cnpj is not null limit ${sql.lit(MAX_BRANCHES)}`.execute(db());
  return rows.map(({ cnpj }) => cnpj);
}

async function namesOf(clientId: string, cnpjs: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const some of inBatches(cnpjs)) {
    const rows = await db()
      .selectFrom('establishments')
      .select(['cnpj', 'name'])
      .where('client_id', '=', clientId)
      .where('cnpj', 'in', some)
      .where('removed_at', 'is', null)
      .execute();
    for (const { cnpj, name } of rows) found.set(cnpj, name);
  }
  return found;
}
