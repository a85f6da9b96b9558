import { setImmediate } from 'node:timers/promises';
import { TIME_ZONES } from './time-zones.ts';

interface ZoneChoice {
  value: string;
  text: string;
}

/** By locale: the same for everyone, and slow to build. */
const worded = new Map<string, readonly ZoneChoice[]>();

/** As many names as take a few milliseconds; other requests come in between. */
const AT_ONCE = 20;

/**
 * The time zones to choose from, by the name of the city: “Chicago (Central Time)” in English. `current` is among them, in
 * case a later Node no longer has its name.
 */
export async function timeZoneChoices(locale: string, current: string): Promise<ZoneChoice[]> {
  const choices = worded.get(locale) ?? (await choicesIn(locale));
  worded.set(locale, choices);
  return choices.some(({ value }) => value === current)
    ? [...choices]
    : [{ value: current, text: current.replaceAll('_', ' ') }, ...choices];
}

async function choicesIn(locale: string): Promise<ZoneChoice[]> {
  const choices: ZoneChoice[] = [];
  for (const [index, value] of TIME_ZONES.entries()) {
    if (index % AT_ONCE === 0) await setImmediate();
    choices.push({ value, text: labelOf(locale, value) });
  }
  return choices.toSorted((a, b) => a.text.localeCompare(b.text, locale));
}

function labelOf(locale: string, timeZone: string): string {
  const city = (timeZone.split('/').at(-1) ?? timeZone).replaceAll('_', ' ');
  const name = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'longGeneric' })
    .formatToParts()
    .find(({ type }) => type === 'timeZoneName')?.value;
  return name === undefined || name.startsWith(city) ? (name ?? city) : `${city} (${name})`;
}
