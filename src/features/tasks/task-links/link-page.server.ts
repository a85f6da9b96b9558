import { newId } from '#platform/security/crypto.server.ts';
import { readCookie, setCookie } from '#platform/http/cookies.server.ts';
import { useForm } from '#platform/forms/forms.server.ts';
import type { FieldView } from '#platform/forms/forms.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor } from '#platform/text/translations.server.ts';
import { openLinkForm } from './forms.server.ts';
import { linkFields, openTaskLink, viewTaskLink } from './recipient.server.ts';
import { withVisit } from './visits.ts';

interface Page {
  request: Request;
  response: { status?: number };
  locals: { lang: Lang; network: string; pathTo: PathTo };
}

/** What the page of a link shows; the form of its code opens it. */
export async function linkPage(page: Page, token: string) {
  const { lang, network, pathTo } = page.locals;
  const t = translationsFor(lang, 'task-links');
  const here = pathTo(`task-link/${encodeURIComponent(token)}`);
  const visits = readCookie(page.request.headers.get('cookie'), 'task-visit') ?? '';
  const view = await viewTaskLink(token, visits, lang);
  const form = await useForm(page, openLinkForm, {
    submit: async ({ code }) => {
      const visit = await openTaskLink(token, code, network);
      return { to: here, cookies: [setCookie('task-visit', withVisit(visits, visit), 43_200)] };
    },
    redirectRefusal: ({ code }) => (['GONE', 'NOT_FOUND'].includes(code) ? { to: here } : undefined),
  });
  if (form instanceof Response) return form;
  if (view.kind === 'unknown') page.response.status = 404;
  if (view.kind === 'over') page.response.status = 410;
  const titles = {
    unknown: 'unknownTitle',
    over: 'overTitle',
    sent: 'sentTitle',
    closed: 'closedTitle',
    open: 'recipientTitle',
    phone: 'phoneSend',
  } as const;
  const answers: { fields: FieldView[]; lead: string } | undefined =
    view.kind === 'open' ? await linkFields(token, visits, lang) : undefined;
  return {
    view,
    form,
    answers,
    path: view.kind === 'phone' ? view.path : '',
    action: `/api/client-center/v3/task-links/${encodeURIComponent(token)}?upload=${newId('form')}`,
    title: t(titles[view.kind], { sender: view.kind === 'open' ? view.maker : '' }),
    firm: view.kind === 'unknown' ? undefined : view.firm,
  };
}
