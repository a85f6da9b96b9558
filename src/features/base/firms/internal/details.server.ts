import { z } from 'zod';
import { addressIn } from '#platform/inputs/address.ts';
import type { Firm } from '../firms.ts';
import type { FirmRow } from './store.server.ts';

const holidays = z.array(z.object({ date: z.string(), name: z.string() }));

/** What a firm tells its clients about itself. */
export const detailsIn = (
  row: FirmRow,
): Pick<Firm, 'contactPerson' | 'address' | 'openingHours' | 'holidays'> => ({
  contactPerson: row.contact_person,
  address: row.address === null ? null : addressIn(JSON.parse(row.address)),
  openingHours: row.opening_hours,
  holidays: holidays.parse(JSON.parse(row.holidays)),
});
