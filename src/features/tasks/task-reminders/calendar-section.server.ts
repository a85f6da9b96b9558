import type { Session } from '#features/base/people/people.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { calendarForm, revokeCalendarForm } from './forms.server.ts';
import { calendarOf, makeCalendar, revokeCalendar } from './calendars.server.ts';

interface Page extends FormPage {
  locals: Pick<App.Locals, 'lang' | 'pathTo'> & { session: Session };
}

/** The contact's calendar of due dates. A new address is shown once, by the answer that makes it. */
export async function calendarSection(page: Page) {
  const { session, pathTo } = page.locals;
  const { actor } = session;
  if (actor.staff) return undefined;
  let address: string | undefined;
  const making = await useForm(page, calendarForm, {
    submit: async () => {
      address = await makeCalendar(actor);
      return undefined; // this page shows it
    },
  });
  if (making instanceof Response) return making;
  const revoking = await useForm(page, revokeCalendarForm, {
    submit: async () => {
      await revokeCalendar(actor);
      return {
        to: pathTo('profile/notifications'),
        flash: { type: 'success', namespace: 'reminders', key: 'calendarRevoked' },
      };
    },
  });
  if (revoking instanceof Response) return revoking;
  return { calendar: await calendarOf(actor), address, making, revoking };
}
