import { sql } from 'kysely';
import { occupationEntries } from '#features/brazil/employees/occupations.server.ts';
import { contains } from '#features/base/grids/filters.server.ts';
import {
  listOf,
  type LookupContext,
  type LookupEntry,
} from '#features/tasks/questionnaires/lookups.server.ts';
import { db, fold } from '#platform/database/database.server.ts';
import { withMask } from '#platform/inputs/masks.ts';
import type { Contributions } from '#platform/runtime/feature.server.ts';
import { firmToday } from './scope.server.ts';

/* The employees and establishments of a client, and occupations, as its requests look them up. */

/** Those whose contract lasts on a day. */
const employeesIn = ({ companyId, clientId }: LookupContext, today: string) =>
  db()
    .selectFrom('employees')
    .select(['employee_id', 'name', 'registration', 'position'])
    .where('company_id', '=', companyId)
    .where('client_id', '=', clientId)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`(ended_on = '' or ended_on >= ${today})`);

const establishmentsIn = ({ clientId }: LookupContext) =>
  db()
    .selectFrom('establishments')
    .select(['establishment_id', 'name', 'cnpj'])
    .where('client_id', '=', clientId)
    .where('removed_at', 'is', null);

export const lookups: Contributions['lookups'] = {
  // their codes as they are printed, `8483-05`, are part of their texts
  occupations: listOf(occupationEntries),
  'client-employees': {
    find: async (context, words, limit) => {
      const rows = await employeesIn(context, await firmToday(context.companyId))
        .where((e) =>
          e.or([
            contains(sql.ref('name_key'), fold(words.trim())),
            e('registration_key', '=', fold(words.trim())),
          ]),
        )
        .orderBy('name_key')
        .orderBy('employee_id')
        .limit(limit)
        .execute();
      return rows.map(employeeEntry);
    },
    entry: async (context, key) => {
      const row = await employeesIn(context, await firmToday(context.companyId))
        .where('employee_id', '=', key)
        .executeTakeFirst();
      return row && employeeEntry(row);
    },
  },
  'client-establishments': {
    find: async (context, words, limit) => {
      const rows = await establishmentsIn(context)
        .orderBy('is_head_office', 'desc')
        .orderBy('cnpj')
        .execute();
      const wanted = fold(words);
      return rows
        .map(establishmentEntry)
        .filter(({ text }) => fold(text).includes(wanted))
        .slice(0, limit);
    },
    entry: async (context, key) => {
      const row = await establishmentsIn(context).where('establishment_id', '=', key).executeTakeFirst();
      return row && establishmentEntry(row);
    },
  },
};

const employeeEntry = (row: {
  employee_id: string;
  name: string;
  registration: string;
  position: string;
}): LookupEntry => {
  // tells people of the same name apart
  const note = [row.registration, row.position].filter((each) => each !== '').join(' · ');
  return { key: row.employee_id, text: row.name, ...(note !== '' && { note }) };
};

const establishmentEntry = (row: { establishment_id: string; name: string; cnpj: string }): LookupEntry => ({
  key: row.establishment_id,
  text: `${row.name} (${withMask('cnpj', row.cnpj)})`,
});
