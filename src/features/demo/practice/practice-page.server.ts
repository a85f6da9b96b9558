import { useActions } from '#platform/forms/actions.server.ts';
import type { Destination } from '#platform/forms/forms.server.ts';
import { dropCookie, setCookie } from '#platform/http/cookies.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { formatDate } from '#platform/text/formats.ts';
import type { KeysOf } from '#platform/text/translations.server.ts';
import {
  enterPractice,
  leavePractice,
  practiceAsClient,
  practiceAsStaff,
  practiceClients,
  practiceSince,
  resetPractice,
} from './practice.server.ts';

interface Page {
  request: Request;
  locals: Pick<App.Locals, 'locale' | 'timeZone' | 'session' | 'pathTo'>;
}

const message = (key: KeysOf<'practice'>) => ({ type: 'success', namespace: 'practice', key }) as const;

/** Goes on in another session; the client that was chosen belongs to the earlier one. */
const goOn = (to: string, token: string): Destination => ({
  to,
  cookies: [setCookie('sid', token), dropCookie('client')],
});

/**
 * The page of the practice firm, in the real one and in itself: what can be done from here. The answer to what is posted
 * carries it out.
 */
export async function practicePage(page: Page) {
  const { session, pathTo, locale, timeZone } = page.locals;
  const isInside = session.practicedBy !== undefined;
  const here = pathTo('staff/practice');
  const response = await useActions(
    page,
    {
      enter: async () => goOn(pathTo('staff/'), await enterPractice(session)),
      client: async (contactId) => goOn(pathTo(), await practiceAsClient(session, contactId)),
      reset: async () => {
        const token = await resetPractice(session);
        const cookies = token === undefined ? [] : [setCookie('sid', token), dropCookie('client')];
        return { to: here, cookies, flash: message('startedOver') };
      },
    },
    ({ code }) => {
      if (code === 'TOO_MANY') return { to: here, flash: { ...message('tooMany'), type: 'warning' } };
      // a colleague was faster
      return code === 'NOT_FOUND' || code === 'EDIT_CONFLICT' ? { to: here } : undefined;
    },
  );
  if (response) return response;
  const since = isInside ? undefined : await practiceSince(session.actor);
  return {
    isInside,
    since: since === undefined ? undefined : formatDate(locale, since, timeZone),
    clients: isInside && !session.viewing ? await practiceClients(session) : [],
  };
}

/**
 * What the bar on the pages of a practice firm posts: to leave it, or to go on as oneself after having been a client. Anything
 * else leads to where one is.
 */
export async function practiceBarAction(page: Page): Promise<Response | undefined> {
  const { session, pathTo } = page.locals;
  if (session.practicedBy === undefined) throw notFound();
  return useActions(page, {
    leave: async () => ({
      ...goOn(pathTo('staff/practice'), await leavePractice(session)),
      flash: message('left'),
    }),
    staff: async () => goOn(pathTo('staff/'), await practiceAsStaff(session)),
  });
}
