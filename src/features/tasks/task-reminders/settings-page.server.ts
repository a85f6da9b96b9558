import type { Session } from '#features/base/people/people.ts';
import { clockLocale } from '#platform/text/clock-locale.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import { timeZoneChoices } from '#platform/text/time-zone-choices.server.ts';
import { reminderSettingsForm, WEEK } from './forms.server.ts';
import { reminderSettingsOf, saveReminderSettings } from './pauses.server.ts';
import { EARLIEST_HOUR, LATEST_HOUR } from './schedule.ts';

interface Page extends FormPage {
  locals: Pick<App.Locals, 'lang' | 'locale' | 'pathTo'> & { session: Session };
}

/** A Monday. */
const MONDAY = Date.UTC(2026, 0, 5);
const DAY = 86_400_000;

/** When a contact gets reminders, on the page of their notifications; undefined for staff, whom nobody reminds. */
export async function reminderSettingsSection(page: Page): Promise<FormView | Response | undefined> {
  const { locale, pathTo, session } = page.locals;
  if (session.actor.staff) return undefined;
  const values = await reminderSettingsOf(session.actor);
  const hour = new Intl.DateTimeFormat(clockLocale(locale), {
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
  });
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' });
  return useForm(page, reminderSettingsForm, {
    values: { ...values, sendHour: String(values.sendHour) },
    choices: {
      sendHour: Array.from({ length: LATEST_HOUR - EARLIEST_HOUR }, (_, index) => ({
        value: String(EARLIEST_HOUR + index),
        text: hour.format(Date.UTC(2026, 0, 1, EARLIEST_HOUR + index)),
      })),
      restDays: WEEK.map((day) => ({
        value: day,
        text: weekday.format(MONDAY + (Number(day) - 1) * DAY),
      })),
      timeZone: await timeZoneChoices(locale, values.timeZone),
    },
    submit: async (input) => {
      await saveReminderSettings(session.actor, input);
      return {
        to: pathTo('profile/notifications'),
        flash: { type: 'success', namespace: 'reminders', key: 'settingsSaved' },
      };
    },
  });
}
