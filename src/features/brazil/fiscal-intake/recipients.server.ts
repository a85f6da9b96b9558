import { namesIn } from '#features/brazil/fiscal-documents/names.server.ts';
import { computeTaxIdKeys } from '#features/brazil/fiscal-documents/owners.server.ts';
import { db, fold } from '#platform/database/database.server.ts';
import { languageOf, DEFAULT_LANG, type Lang } from '#platform/text/languages.ts';

/* For whom the portal takes files that come without a person. */

/** A client whose firm stores fiscal documents. */
export interface Recipient {
  companyId: string;
  clientId: string;
  /** The language of the firm. */
  language: Lang;
}

/** The client that a folder is named after, by its number or CNPJ; why not, if it is none or one of several. */
export async function recipientNamed(name: string): Promise<Recipient | 'unknown' | 'ambiguous'> {
  const taxId = name.replaceAll(/[^\dA-Za-z]/g, '').toUpperCase();
  const keys = await computeTaxIdKeys(taxId);
  const [own, headOffice] = [await recipientsNamed(name, keys.slice(0, 1)), keys.slice(1)];
  // the folder of a branch is that of the client which has it, else of its head office
  const found = own.length > 0 || headOffice.length === 0 ? own : await recipientsNamed(name, headOffice);
  const [row, another] = found;
  if (!row) return 'unknown';
  return another ? 'ambiguous' : recipientOf(row);
}

const recipientsNamed = (name: string, keys: readonly string[]) =>
  recipients()
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('clients.code_key', '=', fold(name.trim())),
        ...(keys.length === 0
          ? []
          : [
              exists(
                selectFrom('client_tax_ids')
                  .select('client_tax_ids.kind')
                  .whereRef('client_tax_ids.client_id', '=', 'clients.client_id')
                  .where('value_key', 'in', keys),
              ),
            ]),
      ]),
    )
    .limit(2)
    .execute();

/**
 * The client for which a file is taken that was sent for none: one that it names, or that has the document of its events.
 * Others of the same firm get their part, too; one of another firm must not.
 */
export async function recipientIn(bytes: Buffer): Promise<Recipient | 'noClient' | 'severalFirms'> {
  const { taxIdKeys, accessKeys } = await namesIn(bytes);
  if (taxIdKeys.length + accessKeys.length === 0) return 'noClient';
  const rows = await recipients()
    .where(({ or, exists, selectFrom }) =>
      or([
        ...(taxIdKeys.length === 0
          ? []
          : [
              exists(
                selectFrom('client_tax_ids')
                  .select('client_tax_ids.kind')
                  .whereRef('client_tax_ids.client_id', '=', 'clients.client_id')
                  .where('value_key', 'in', taxIdKeys),
              ),
            ]),
        ...(accessKeys.length === 0
          ? []
          : [
              exists(
                selectFrom('fiscal_documents')
                  .select('fiscal_documents.document_id')
                  .whereRef('fiscal_documents.client_id', '=', 'clients.client_id')
                  .where('access_key', 'in', accessKeys),
              ),
            ]),
      ]),
    )
    .orderBy('clients.client_id')
    .execute();
  const [row] = rows;
  if (!row) return 'noClient';
  return rows.some((each) => each.company_id !== row.company_id) ? 'severalFirms' : recipientOf(row);
}

/** The language of the firms that store documents, for what is said about a file of none of their clients. */
export async function languageOfFirms(): Promise<Lang> {
  const row = await recipients().orderBy('clients.client_id').limit(1).executeTakeFirst();
  return row ? recipientOf(row).language : DEFAULT_LANG;
}

/** The clients with these keys of addresses. */
export async function recipientsAt(tokenKeys: readonly string[]): Promise<Recipient[]> {
  const rows = await recipients()
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('fiscal_mail_addresses')
          .select('token_key')
          .whereRef('fiscal_mail_addresses.client_id', '=', 'clients.client_id')
          .where('token_key', 'in', tokenKeys),
      ),
    )
    .orderBy('clients.client_id')
    .execute();
  return rows.map(recipientOf);
}

const recipientOf = (row: { company_id: string; client_id: string; language: string }): Recipient => ({
  companyId: row.company_id,
  clientId: row.client_id,
  language: languageOf(row.language) ?? DEFAULT_LANG,
});

/** The clients that take files now: neither archived nor switched off, of firms that store them and are not locked. */
const recipients = () =>
  db()
    .selectFrom('clients')
    .innerJoin('firms', 'firms.company_id', 'clients.company_id')
    .innerJoin('fiscal_settings', 'fiscal_settings.company_id', 'clients.company_id')
    .leftJoin('fiscal_clients', 'fiscal_clients.client_id', 'clients.client_id')
    .select(['clients.company_id', 'clients.client_id', 'firms.language'])
    .where('clients.archived_at', 'is', null)
    .where('firms.locked', '=', 0)
    .where('fiscal_settings.is_ordered', '=', 1)
    .where(({ or, eb }) => or([eb('is_enabled', 'is', null), eb('is_enabled', '=', 1)]));
