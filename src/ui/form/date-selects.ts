import { choosableParts } from '#platform/inputs/dates.ts';

/**
 * Offers only the months and days of the chosen year and month that are within the limits of the field. A chosen one that
 * is not among them is cleared, so that nobody sends a date that they did not choose.
 */
export function limitDate(field: HTMLElement): void {
  const { min = '', max = '' } = field.dataset;
  const select = (part: string) => field.querySelector<HTMLSelectElement>(`[data-part=${part}]`);
  const [year, month, day] = [select('year'), select('month'), select('day')];
  if (!year || !month || !day) return;
  offer(month, choosableParts({ year: year.value, month: '' }, { min, max }).months);
  offer(day, choosableParts({ year: year.value, month: month.value }, { min, max }).days);
}

function offer(select: HTMLSelectElement, values: readonly string[]): void {
  for (const option of select.options) {
    const isOffered = option.value === '' || values.includes(option.value);
    option.hidden = !isOffered;
    option.disabled = !isOffered;
    if (!isOffered && option.selected) select.value = '';
  }
}
