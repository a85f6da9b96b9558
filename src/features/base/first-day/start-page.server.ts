import { useActions } from '#platform/forms/actions.server.ts';
import type { Page as FormPage } from '#platform/forms/forms.server.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { checklistOf, closeChecklist, sendTestMail, STEPS } from './checklist.server.ts';

interface Page extends FormPage {
  locals: Pick<App.Locals, 'lang' | 'mayOpen' | 'pathTo' | 'session'>;
}

/** The pages on which each step is done; the first one that exists and may be opened. */
const PAGES = {
  firm: ['staff/firm'],
  theme: ['staff/theme'],
  mail: [],
  owner: ['staff/people/new'],
  staff: ['staff/people/new'],
  clients: ['staff/clients/new', 'staff/clients', 'staff/imports'],
  invite: ['staff/people/invite'],
} as const;

const TEXTS = {
  firm: ['firmTitle', 'firmText'],
  theme: ['themeTitle', 'themeText'],
  mail: ['mailTitle', 'mailText'],
  owner: ['ownerTitle', 'ownerText'],
  staff: ['staffTitle', 'staffText'],
  clients: ['clientsTitle', 'clientsText'],
  invite: ['inviteTitle', 'inviteText'],
} as const;

/** The checklist of the first day with the address of each step, and the answers to its buttons. */
export async function startPage(page: Page) {
  const { lang, mayOpen, pathTo, session } = page.locals;
  const { actor } = session;
  const t = translationsFor(lang, 'first-day');
  const response = await useActions(page, {
    'act=mail': async () => {
      await sendTestMail(actor);
      const flash = {
        type: 'success',
        namespace: 'first-day',
        key: 'mailSent',
        vars: { email: actor.emailAddress },
      } as const;
      return { to: pathTo('staff/start'), flash };
    },
    'act=close': async () => {
      await closeChecklist(actor);
      return { to: pathTo('staff') };
    },
  });
  if (response) return response;
  const { done, invited, mail } = await checklistOf(actor);
  const steps = STEPS.map((step) => {
    const [title, text] = TEXTS[step];
    const target = PAGES[step].find((name) => mayOpen(name));
    return {
      step,
      isDone: done[step],
      title: t(title),
      text: t(invited.includes(step) ? 'invitedText' : text),
      href: target && pathTo(target),
    };
  });
  return { steps, mail, left: steps.filter(({ isDone }) => !isDone).length };
}
