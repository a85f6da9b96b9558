import { secondStepOf } from '#features/base/firms/firms.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { confirmPath } from '#platform/http/addresses.server.ts';
import { PortalError } from '#platform/runtime/errors.server.ts';
import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import { dayOf } from '#platform/text/time-zones.ts';
import { translate } from '#platform/text/texts.server.ts';
import { changeAccess, findContacts, reportAccess, requireSecondStep } from './access.server.ts';
import { decision } from './access.ts';
import { secondStepForm } from './forms.server.ts';
import { labelOf, placeOf } from './rows.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session' | 'timeZone'>;
}

/** In place of a contact: what applies to everybody. */
export const EVERYBODY = 'everybody';

/**
 * The page where staff see and change what contacts may do: the contacts that were searched for, the report on the
 * chosen one, and the form for second steps. The answer to what is posted to it changes that.
 */
export async function accessPage(page: Page) {
  const { pathTo, session } = page.locals;
  const query = page.url.searchParams;
  const search = query.get('q') ?? '';
  const chosen = query.get('contact') ?? '';
  const contactId = chosen === EVERYBODY ? '' : chosen;
  const urlFor = (contact: string): string => pathTo('staff/access', { q: search, contact });
  const form = await requirementForm(page);
  if (form instanceof Response) return form;
  const response = await useActions(page, {
    decision: async (value) => {
      const [kind, name, to] = value.split(' ');
      const parsed = decision.safeParse({ contact: contactId, kind, name, to });
      if (chosen === '' || !parsed.success) throw new PortalError('INVALID');
      await changeAccess(session.actor, parsed.data);
      const label = labelOf(parsed.data.name);
      const vars = {
        name: label ? translate(page.locals.lang, label) : parsed.data.name,
      };
      return {
        to: urlFor(chosen) + placeOf(parsed.data.name),
        flash: { type: 'success', namespace: 'portal', key: 'accessChanged', vars },
      };
    },
  });
  if (response) return response;
  return {
    form,
    search,
    chosen,
    contactId,
    urlFor,
    found: search === '' ? [] : await findContacts(session.actor, search),
    report: chosen === '' ? undefined : await reportAccess(session.actor, contactId),
  };
}

async function requirementForm(page: Page) {
  const { lang, pathTo, session, timeZone } = page.locals;
  const query = page.url.searchParams;
  const rule = await secondStepOf(session.actor.companyId);
  return useForm(page, secondStepForm, {
    // step-up authentication returns with the values that were chosen before it
    values: {
      who: query.get('who') ?? rule.who,
      from: query.get('from') ?? (rule.from === 0 ? '' : dayOf(rule.from, timeZone)),
    },
    submit: async (value) => {
      await requireSecondStep(session, value);
      return {
        to: pathTo('staff/access'),
        flash: { type: 'success', namespace: 'portal', key: 'stepSaved' },
      };
    },
    redirectRefusal: ({ code }, { who, from }) => {
      const back = pathTo('staff/access', { who: String(who), from: String(from) });
      return code === 'STEP_UP' ? { to: confirmPath(lang, back) } : undefined;
    },
  });
}
