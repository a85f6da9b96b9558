import { defineEvent } from '#platform/runtime/events.server.ts';
import type { Mark } from './tax-calendar.ts';

/** Announced in the transaction in which a contact or the firm says what became of a date. */
export const taxDateMarked = defineEvent<{
  companyId: string;
  clientId: string;
  taxDateId: string;
  name: string;
  mark: Mark;
  isByStaff: boolean;
}>();

/** What a reminder is about: it is done when nothing is left to do for these dates. */
export const aboutTaxDate = (taxDateId: string): string => `tax-date:${taxDateId}`;
