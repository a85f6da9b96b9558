import { z } from 'zod';
import { defineForm, useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { mayKeepPages, offlineChoice, offlineCookie } from './offline.server.ts';

const offlineForm = defineForm('offline', () => ({
  id: 'offline',
  title: 'title',
  problemTitle: 'problem',
  submit: 'save',
  busy: 'saving',
  schema: z.strictObject({ isKept: z.boolean() }),
  fields: { isKept: { kind: 'checkbox', label: 'keep', hint: 'keepHint' } },
}));

interface Page extends FormPage {
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** The page on which contacts choose whether this device keeps their last pages. FORBIDDEN for others who post. */
export async function offlineSettingsPage(page: Page): Promise<FormView | Response> {
  const { pathTo, session } = page.locals;
  const { contactId } = session.actor;
  return useForm(page, offlineForm, {
    values: { isKept: offlineChoice(contactId, page.request.headers.get('cookie')) ?? false },
    submit: ({ isKept }) => {
      if (!mayKeepPages(session)) throw new PortalError('FORBIDDEN');
      return Promise.resolve({
        to: pathTo('profile/offline'),
        flash: { type: 'success', namespace: 'offline', key: isKept ? 'savedKept' : 'savedOff' },
        cookies: [offlineCookie(contactId, isKept)],
      });
    },
  });
}
