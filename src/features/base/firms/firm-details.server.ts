import { z } from 'zod';
import { audit } from '#platform/security/audit.server.ts';
import { newId } from '#platform/security/crypto.server.ts';
import { db, inTransaction } from '#platform/database/database.server.ts';
import { notFound, PortalError } from '#platform/runtime/errors.server.ts';
import { emailAddress } from '#platform/inputs/line-schemas.ts';
import { address, date, textOfLength } from '#platform/inputs/schemas.server.ts';
import { LANGS } from '#platform/text/languages.ts';
import { firmById, type FirmRow } from './internal/store.server.ts';
import { detailsIn } from './internal/details.server.ts';
import { assertManages, type Decorator } from './theme-settings.server.ts';

/** What a firm tells its clients about itself, as its staff enters it. */
export const firmDetails = z.object({
  name: z.string().trim().min(1).max(120),
  contactPerson: textOfLength({ max: 120 }),
  phone: z
    .string()
    .trim()
    .regex(/^(?:\+?[\d\s().-]{5,40})?$/),
  email: emailAddress,
  address: address(),
  language: z.enum(LANGS),
  openingHours: textOfLength({ max: 500 }),
  holidays: z
    .array(z.object({ date: date(), name: textOfLength({ max: 80 }) }))
    .max(30)
    .transform((days) =>
      days.filter((day) => day.date !== '').toSorted((a, b) => a.date.localeCompare(b.date)),
    ),
});

/** Returns the data that the firm's staff can change, with the version that a change must name. */
export async function savedDetailsOf(actor: Decorator) {
  assertManages(actor);
  const row = await firmById(actor.companyId);
  if (!row) throw notFound();
  const { name, phone, email, language } = row;
  return { values: { name, phone, email, language, ...detailsIn(row) }, version: row.details_version };
}

/** Changes the data of the actor's firm. FORBIDDEN without the permission; STALE if it was changed meanwhile. */
export async function saveDetails(
  actor: Decorator,
  input: z.output<typeof firmDetails>,
  version: string,
): Promise<void> {
  assertManages(actor);
  const columns = columnsOf(input);
  const { companyId } = actor;
  await inTransaction(async () => {
    const row = await firmById(companyId);
    if (!row) throw notFound();
    const { numUpdatedRows } = await db()
      .updateTable('firms')
      .set({ ...columns, details_version: newId('version') })
      .where('company_id', '=', companyId)
      .where('details_version', '=', version)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new PortalError('STALE');
    const changed = (Object.keys(columns) as (keyof typeof columns)[]).filter(
      (name) => columns[name] !== row[name],
    );
    await audit({
      companyId,
      actor: actor.contactId,
      action: 'firm.change',
      target: companyId,
      details: { changed: changed.join(' ') },
    });
  });
}

function columnsOf({ name, phone, email, language, ...input }: z.output<typeof firmDetails>) {
  return {
    name,
    phone,
    email,
    language,
    contact_person: input.contactPerson,
    address: input.address.country === '' ? null : JSON.stringify(input.address),
    opening_hours: input.openingHours,
    holidays: JSON.stringify(input.holidays),
  } satisfies Partial<FirmRow>;
}
