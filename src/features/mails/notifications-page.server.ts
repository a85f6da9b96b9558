import { clockLocale } from '#platform/clock-locale.ts';
import { useForm, type Page as FormPage } from '#platform/forms.server.ts';
import type { FormView } from '#platform/forms.ts';
import { OPTIONAL_KINDS, type OptionalKind } from '#platform/mail-kinds.ts';
import { formOf } from '#platform/form.server.ts';
import { TIME_ZONES } from '#platform/time-zones.ts';
import { notificationForm, unsubscribeForm } from './forms.server.ts';
import { notificationsOf, saveNotifications, unsubscribe, unsubscribingOf } from './notifications.server.ts';
import { kindsFor, notificationText } from './texts.server.ts';

interface Page extends FormPage {
  locals: Pick<App.Locals, 'lang' | 'locale' | 'pathTo' | 'session' | 'timeZone' | 'firm'>;
}

/** The page on which people choose which emails they get, and when. */
export async function notificationsPage(page: Page): Promise<FormView | Response> {
  const { lang, locale, pathTo, session, timeZone, firm } = page.locals;
  const { actor } = session;
  const offered = kindsFor(actor.staff);
  const values = await notificationsOf(actor, timeZone);
  const hours = Array.from({ length: 24 }, (_, hour) => ({
    value: String(hour),
    text: hourText(locale, hour),
  }));
  // includes the saved zone, in case a later Node no longer has its name
  const zones = [...new Set([...TIME_ZONES, values.timeZone])];
  return useForm(page, notificationForm, {
    values: { ...values, from: String(values.from), until: String(values.until) },
    choices: {
      kinds: offered.map((kind) => ({
        value: kind,
        text: notificationText(lang, kind, { isStaff: actor.staff, firm: firm?.name ?? '' }),
      })),
      from: hours,
      until: hours,
      timeZone: zones.map((name) => ({ value: name, text: name.replaceAll('_', ' ') })),
    },
    submit: async (input) => {
      const others = OPTIONAL_KINDS.filter((kind) => !offered.includes(kind));
      await saveNotifications(session, { ...input, kinds: [...input.kinds, ...others] });
      return {
        to: pathTo('profile/notifications'),
        flash: { type: 'success', namespace: 'mails', key: 'notifySaved' },
      };
    },
  });
}

function hourText(locale: string, hour: number): string {
  const format = new Intl.DateTimeFormat(clockLocale(locale), {
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
  });
  return format.format(Date.UTC(2026, 0, 1, hour));
}

interface PublicPage extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'network'>;
}

export interface UnsubscribeView {
  companyId: string;
  kind: OptionalKind;
  isStaff: boolean;
  /** Absent when the emails are turned off. */
  form: FormView | undefined;
}

/**
 * The page of the link in optional emails: a GET asks, because mail scanners follow links, and a POST turns the
 * emails off; that of a mail provider (RFC 8058) is answered without a page or redirect. Undefined for a link that
 * the portal did not make.
 */
export async function unsubscribePage(
  page: PublicPage,
  token: string,
): Promise<UnsubscribeView | Response | undefined> {
  const { network } = page.locals;
  const found = await unsubscribingOf(token);
  if (!found) return undefined;
  if (
    page.request.method === 'POST' &&
    (await formOf(page.request)).get('List-Unsubscribe') === 'One-Click'
  ) {
    await unsubscribe(token, network);
    return new Response('OK\n', { headers: { 'Content-Type': 'text/plain; charset=utf-8' } });
  }
  const { person, kind, isTurnedOff } = found;
  const form = isTurnedOff
    ? undefined
    : await useForm(page, unsubscribeForm, {
        submit: async () => {
          await unsubscribe(token, network);
          return { to: page.url.pathname };
        },
      });
  if (form instanceof Response) return form;
  return { companyId: person.companyId, kind, isStaff: person.staff, form };
}
