import { isRecentlyAuthenticated } from '#features/base/people/people.server.ts';
import { confirmPath } from '#platform/http/addresses.server.ts';
import type { PortalError } from '#platform/runtime/errors.server.ts';
import type { Destination, Page as FormPage } from '#platform/forms/forms.server.ts';
import { redirectTo } from '#platform/http/redirect.server.ts';

export interface PersonPage extends FormPage {
  url: URL;
  params: Record<string, string | undefined>;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** Redirects to step-up authentication unless the person authenticated lately; it leads back to the page. */
export function stepUpFirst({ request, url, locals }: PersonPage): Response | undefined {
  if (request.method === 'POST' || isRecentlyAuthenticated(locals.session)) return undefined;
  return redirectTo(confirmPath(locals.lang, url.pathname + url.search));
}

/** The same for a form that was sent too late. */
export const stepUpOn =
  ({ url, locals }: PersonPage) =>
  ({ code }: PortalError): Destination | undefined =>
    code === 'STEP_UP' ? { to: confirmPath(locals.lang, url.pathname + url.search) } : undefined;
