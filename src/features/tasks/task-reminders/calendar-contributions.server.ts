import type { Actor } from '#features/base/people/people.ts';
import { contributed } from '#platform/runtime/feature.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import type { CalendarEvent } from './calendar-format.ts';

interface CalendarContext {
  lang: Lang;
  /** The host of the portal, for ids of events. */
  host: string;
  /** No more than these are shown. */
  limit: number;
  /** The address of a page about a client. */
  link: (page: string, clientId: string) => string;
}

/** Finds events for the calendar of a contact, the next ones first. */
type EventsOf = (reader: Actor, context: CalendarContext) => Promise<CalendarEvent[]>;

declare module '#platform/runtime/feature.server.ts' {
  interface Contributions {
    /** Its events in the calendars that contacts subscribe to. */
    calendarEvents: EventsOf;
  }
}

/** What other features have for the calendar of a contact, up to a number of events. */
export async function contributedEvents(reader: Actor, context: CalendarContext): Promise<CalendarEvent[]> {
  const events: CalendarEvent[] = [];
  for (const eventsOf of contributed('calendarEvents')) {
    const limit = context.limit - events.length;
    if (limit > 0) events.push(...(await eventsOf(reader, { ...context, limit })));
  }
  return events;
}
