import { shortMoment, wholeMoment } from '#platform/text/short-moment.ts';

/* The short moments of a page in the reader's own time zone. */

const { lang, dataset } = document.documentElement;
const locale = dataset['clock'] ?? lang;
for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-short]')) {
  const at = new Date(time.dateTime).getTime();
  time.textContent = shortMoment(locale, at, { now: Date.now() });
  time.title = wholeMoment(locale, at);
}
