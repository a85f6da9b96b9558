import { readCookie, setCookie } from '#platform/http/cookies.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { useForm } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import type { PathTo } from '#platform/http/addresses.server.ts';
import { ceremonyPage, originOf, type Ceremony, type CeremonyPage } from './ceremony-page.server.ts';
import { openLinkForm } from './forms.server.ts';
import { mailAccessCode, openLink, viewLink, type LinkView } from './links.server.ts';

/** The links opened in this browser, as many as those of shares: opening another one does not close the first. */
const MAX_VISITS = 8;
const VISIT_SECONDS = 43_200;

interface Page extends CeremonyPage {
  locals: CeremonyPage['locals'] & { pathTo: PathTo };
}

/** The page of a link: the form for its access code, or the ceremony once it is open. */
export async function linkPage(
  page: Page,
  token: string,
): Promise<Response | { view: LinkView; form: FormView; ceremony: Ceremony | undefined }> {
  const { pathTo } = page.locals;
  const visits = readCookie(page.request.headers.get('cookie'), 'visit') ?? '';
  const here = `sign/${encodeURIComponent(token)}`;
  const view = await viewLink(token, visits);
  const done = await useActions(
    page,
    {
      'action=mail-access-code': async () => {
        await mailAccessCode(token, originOf(page));
        return {
          to: pathTo(here),
          flash: { type: 'success', namespace: 'signing', key: 'linkCodeSent' },
        };
      },
    },
    ({ code }) =>
      code === 'TOO_MANY'
        ? { to: pathTo(here), flash: { type: 'danger', namespace: 'signing', key: 'linkCodeTooMany' } }
        : code === 'GONE' || code === 'NOT_POSSIBLE'
          ? { to: pathTo(here) }
          : undefined,
  );
  if (done) return done;
  const form = await useForm(page, openLinkForm, {
    submit: async ({ code }) => {
      const opened = await openLink(token, code, originOf(page));
      const all = [opened, ...visits.split('.')].slice(0, MAX_VISITS).filter(Boolean).join('.');
      return { to: pathTo(here), cookies: [setCookie('visit', all, VISIT_SECONDS)] };
    },
    redirectRefusal: ({ code }) => (code === 'GONE' ? { to: pathTo(here) } : undefined),
  });
  if (form instanceof Response) return form;
  if (view.kind !== 'open') return { view, form, ceremony: undefined };
  const { signing, signer } = view.seat;
  const ceremony = await ceremonyPage(
    page,
    view.seat,
    {
      via: 'link',
      visit: visits,
      signerId: signer.signerId,
      taskId: signing.task_id ?? '',
      origin: originOf(page),
    },
    {
      pathTo: (query) => pathTo(here, query),
      filesUrl: `/api/client-center/v3/signing/links/${encodeURIComponent(token)}`,
      securityUrl: undefined,
    },
  );
  return ceremony instanceof Response ? ceremony : { view, form, ceremony };
}
