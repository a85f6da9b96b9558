import type { TaxIdKind } from '#platform/inputs/tax-ids.ts';
import { db, inBatches, inTransaction } from '#platform/database/database.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { decryptFrom } from '#platform/security/encryption.server.ts';
import { establishmentsUnited } from './events.server.ts';
import { updateRow, type EstablishmentRow, type NewRow } from './internal/rows.server.ts';

/* The head office of a client is the establishment with the client's CNPJ. It follows the client, never the other way. */

interface ClientWithTaxIds {
  clientId: string;
  taxIds: readonly { kind: TaxIdKind; number: string }[];
}

/** Makes the establishment with the CNPJ of each client its head office, and adds it where it is missing. */
export async function followTaxIds(clients: readonly ClientWithTaxIds[]): Promise<void> {
  const rows = await rowsOf(clients.map(({ clientId }) => clientId));
  const missing = new Map<string, string>();
  for (const { clientId, taxIds } of clients) {
    const cnpj = taxIds.find(({ kind }) => kind === 'cnpj')?.number;
    const own = rows.get(clientId) ?? [];
    const head = own.find((row) => row.is_head_office === 1);
    const same = own.find((row) => row.cnpj === cnpj);
    if (cnpj !== undefined && !head && !same) missing.set(clientId, cnpj);
    else if (cnpj === undefined || same) await moveHeadOffice(head, same);
    else if (head) await updateRow(head, { cnpj, modified_at: now() }); // the number was corrected
  }
  await addHeadOffices(missing);
}

async function moveHeadOffice(
  from: EstablishmentRow | undefined,
  to: EstablishmentRow | undefined,
): Promise<void> {
  if (from === to) return;
  if (from) await updateRow(from, { is_head_office: 0, modified_at: now() });
  if (to) await updateRow(to, { is_head_office: 1, modified_at: now() });
}

async function rowsOf(clientIds: readonly string[]): Promise<Map<string, EstablishmentRow[]>> {
  const rows: EstablishmentRow[] = [];
  for (const some of inBatches(clientIds))
    rows.push(
      ...(await db()
        .selectFrom('establishments')
        .selectAll()
        .where('client_id', 'in', some)
        .where('removed_at', 'is', null)
        .execute()),
    );
  return Map.groupBy(rows, (row) => row.client_id);
}

async function addHeadOffices(cnpjs: ReadonlyMap<string, string>): Promise<void> {
  const instant = now();
  for (const some of inBatches([...cnpjs.keys()])) {
    const clients = await db()
      .selectFrom('clients')
      .select(['client_id', 'company_id', 'name'])
      .where('client_id', 'in', some)
      .execute();
    const rows = clients.map((client): NewRow => ({
      ...client,
      establishment_id: newId('establishment'),
      cnpj: cnpjs.get(client.client_id) ?? '',
      state_registration: '',
      city: '',
      rest_days: '7',
      is_head_office: 1,
      version: 1,
      created_at: instant,
      modified_at: instant,
      removed_at: null,
    }));
    await db().insertInto('establishments').values(rows).execute();
  }
}

const FOUND_AT_ONCE = 500;

/** Adds the head offices of clients that had their CNPJ before there were establishments. */
export async function addMissingHeadOffices(signal: AbortSignal): Promise<void> {
  for (let found = FOUND_AT_ONCE; found === FOUND_AT_ONCE && !signal.aborted;)
    found = await inTransaction(async () => {
      const rows = await db()
        .selectFrom('client_tax_ids')
        .select(['client_id', 'value'])
        .where('kind', '=', 'cnpj')
        .where('client_id', 'not in', (e) =>
          e.selectFrom('establishments').select('client_id').where('is_head_office', '=', 1),
        )
        .orderBy('client_id')
        .limit(FOUND_AT_ONCE)
        .execute();
      await followTaxIds(
        rows.map(({ client_id: clientId, value }) => ({
          clientId,
          taxIds: [{ kind: 'cnpj', number: decryptFrom('client_tax_ids.value', `${clientId}/cnpj`, value) }],
        })),
      );
      return rows.length;
    });
}

/** The establishments of a merged client become branches of the other one; what both had is one, with what either knew. */
export async function uniteEstablishments({ from, into }: { from: string; into: string }): Promise<void> {
  const rows = await rowsOf([from, into]);
  for (const row of rows.get(from) ?? []) {
    const twin = rows.get(into)?.find(({ cnpj }) => cnpj === row.cnpj);
    const moved = { client_id: into, is_head_office: 0, modified_at: now() } as const;
    await updateRow(row, { ...moved, removed_at: twin ? now() : null });
    if (!twin) continue;
    if (twin.city === '')
      await updateRow(twin, {
        city: row.city,
        state_registration: row.state_registration,
        rest_days: row.rest_days,
      });
    await establishmentsUnited.announce({ removed: row.establishment_id, kept: twin.establishment_id });
  }
  await db().updateTable('establishments').set({ client_id: into }).where('client_id', '=', from).execute();
}

/** Deletes the head office that was added with a client. Branches stay, and keep the client. */
export async function removeHeadOffice({ clientId }: { clientId: string }): Promise<void> {
  await db()
    .deleteFrom('establishments')
    .where('client_id', '=', clientId)
    .where('is_head_office', '=', 1)
    .execute();
}
