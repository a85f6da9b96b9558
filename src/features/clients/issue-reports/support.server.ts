import { now } from '#platform/runtime/clock.server.ts';
import { clockLocale } from '#platform/text/clock-locale.ts';
import { config } from '#platform/runtime/config.server.ts';
import { LANGUAGES, type Lang } from '#platform/text/languages.ts';

/** What the operator offers besides the firm: support by email, and a live chat with its hours. */
interface Support {
  email: string | undefined;
  chat: { url: string; isOpen: boolean; hours: string } | undefined;
}

interface Reader {
  lang: Lang;
  locale: string;
  timeZone: string;
  /** The reference code of their report. */
  code: string;
}

/** Offered in the country of a language, such as `br` for pt-BR. */
export function supportFor({ lang, locale, timeZone, code }: Reader): Support {
  const language = LANGUAGES[lang];
  const country = language.split('-')[1]?.toLowerCase() ?? '';
  const url = config.chatUrl
    ?.replaceAll('{language}', encodeURIComponent(language))
    .replaceAll('{code}', encodeURIComponent(code));
  return {
    email: config.supportEmails.get(country) ?? config.supportEmails.get('*'),
    chat: url === undefined ? undefined : { url, ...hoursOf({ locale, timeZone }) },
  };
}

/** Whether the chat is open now, and its hours of today for the reader: `9:00 AM – 5:00 PM EST`. */
function hoursOf({ locale, timeZone }: Pick<Reader, 'locale' | 'timeZone'>) {
  const { days, from, to, timeZone: zone } = config.chatHours;
  const time = Temporal.Instant.fromEpochMilliseconds(now()).toZonedDateTimeISO(zone);
  const [opens, closes] = [from, to].map((clock) => time.withPlainTime(clock).epochMilliseconds) as [
    number,
    number,
  ];
  return {
    isOpen: days.includes(time.dayOfWeek) && now() >= opens && now() < closes,
    hours: new Intl.DateTimeFormat(clockLocale(locale), {
      hour: 'numeric',
      minute: '2-digit',
      timeZone,
      timeZoneName: 'short',
    }).formatRange(opens, closes),
  };
}
