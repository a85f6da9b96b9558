import { KEPT_MONTHS } from './fiscal-documents.ts';

/** The last day until which a document is kept at least: so many months after it was authorized, in UTC. */
export function addMonths(instant: number, months = KEPT_MONTHS): number {
  const date = new Date(instant);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
}
