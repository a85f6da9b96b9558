import { formatHour } from '#platform/text/formats.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import { dailyKinds, optionalKinds } from '#platform/mail/mail-kinds.server.ts';
import type { OptionalKind } from '#platform/mail/mail-kinds.ts';
import { formOf } from '#platform/forms/form.server.ts';
import { timeZoneChoices } from '#platform/text/time-zone-choices.server.ts';
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
  const choiceOf = (kind: OptionalKind) => ({
    value: kind,
    text: notificationText(lang, kind, { isStaff: actor.staff, firm: firm?.name ?? '' }),
  });
  const hours = Array.from({ length: 24 }, (_, hour) => ({
    value: String(hour),
    text: formatHour(locale, hour),
  }));
  return useForm(page, notificationForm, {
    values: {
      ...values,
      dailyHour: String(values.dailyHour),
      from: String(values.from),
      until: String(values.until),
    },
    choices: {
      kinds: offered.map(choiceOf),
      daily: offered.filter((kind) => dailyKinds().includes(kind)).map(choiceOf),
      dailyHour: hours,
      from: hours,
      until: hours,
      timeZone: await timeZoneChoices(locale, values.timeZone),
    },
    submit: async (input) => {
      const others = optionalKinds().filter((kind) => !offered.includes(kind));
      await saveNotifications(session, { ...input, kinds: [...input.kinds, ...others] });
      return {
        to: pathTo('profile/notifications'),
        flash: { type: 'success', namespace: 'mails', key: 'notifySaved' },
      };
    },
  });
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
