import { addDays } from '#platform/text/time-zones.ts';

/*
 * Calendars in the format of RFC 5545. Pure.
 */

/** An event of one whole day. */
export interface CalendarEvent {
  /** Stays the same for a task, so that calendars recognize it. */
  uid: string;
  sequence: number;
  /** Epoch ms. */
  changedAt: number;
  /** `2026-02-28`. */
  on: string;
  title: string;
  url: string;
}

/** The longest line in bytes, without its end (section 3.1). */
const MAX_LINE = 75;

/** A calendar with events; lines end with CRLF. */
export function calendarText({
  name,
  lang,
  events,
}: {
  name: string;
  lang: string;
  events: readonly CalendarEvent[];
}): string {
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Client portal//Tasks//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME;LANGUAGE=${lang}:${escaped(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT6H',
    'X-PUBLISHED-TTL:PT6H',
    ...events.flatMap(eventLines),
    'END:VCALENDAR',
  ]
    .map((line) => `${folded(line)}\r\n`)
    .join('');
}

/** The end of a whole day is the day after it (section 3.6.1). Without an alarm: reminders are mails. */
const eventLines = ({ uid, sequence, changedAt, on, title, url }: CalendarEvent): string[] => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  `DTSTAMP:${instant(changedAt)}`,
  `LAST-MODIFIED:${instant(changedAt)}`,
  `SEQUENCE:${sequence}`,
  `DTSTART;VALUE=DATE:${date(on)}`,
  `DTEND;VALUE=DATE:${date(addDays(on, 1))}`,
  `SUMMARY:${escaped(title)}`,
  `URL:${url}`,
  'TRANSP:TRANSPARENT',
  'CLASS:PRIVATE',
  'END:VEVENT',
];

const date = (day: string): string => day.replaceAll('-', '');

const instant = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');

/** Text with the characters escaped that separate values (section 3.3.11), and without control characters. */
const escaped = (text: string): string =>
  text
    .replaceAll(/\r\n|\r/g, '\n')
    .replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f]/g, ' ')
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`);

/** Breaks a line after 75 bytes at most, never within a character. */
function folded(line: string): string {
  const encoder = new TextEncoder();
  let result = '';
  let length = 0;
  for (const character of line) {
    const bytes = encoder.encode(character).length;
    if (length + bytes > MAX_LINE) {
      result += '\r\n ';
      length = 1;
    }
    result += character;
    length += bytes;
  }
  return result;
}
