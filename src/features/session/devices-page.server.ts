import type { Session } from '#features/people/people.ts';
import { refusal } from '#platform/errors.server.ts';
import { flashCookie } from '#platform/flash.server.ts';
import { formOf } from '#platform/form.server.ts';
import type { Lang } from '#platform/languages.ts';
import { redirectTo } from '#platform/redirect.server.ts';
import { translationsFor, type KeysOf } from '#platform/translations.server.ts';
import { endOtherSessions, endOwnSession } from './devices.server.ts';
import { revokeApiToken } from './tokens.server.ts';

interface Page {
  request: Request;
  locals: Pick<App.Locals, 'pathTo' | 'session'>;
}

/** A browser and a system as one text. */
export function deviceName(lang: Lang, { browser, system }: { browser: string; system: string }): string {
  const t = translationsFor(lang, 'security');
  return t('device', { browser: browser || t('unknownBrowser'), system: system || t('unknownSystem') });
}

/** Ends the session or API token whose button was pressed; nothing when it was no such button. */
export async function endSessions({ request, locals }: Page): Promise<Response | undefined> {
  if (request.method !== 'POST') return undefined;
  const posted = await formOf(request);
  const here = locals.pathTo('profile/security');
  try {
    const ended = await end(locals.session, posted);
    if (!ended) return undefined;
    const { key, count } = ended;
    return redirectTo(here, [
      flashCookie({
        type: 'success',
        namespace: 'security',
        key,
        vars: count === undefined ? {} : { count },
      }),
    ]);
  } catch (error) {
    if (refusal(error)?.code === 'NOT_FOUND') return redirectTo(here); // it has ended meanwhile
    throw error;
  }
}

async function end(
  session: Session,
  posted: FormData,
): Promise<{ key: KeysOf<'security'>; count?: number } | undefined> {
  const value = (name: string): string => String(posted.get(name) ?? '');
  switch (value('act')) {
    case 'end-one':
      await endOwnSession(session, value('session'));
      return { key: 'endedOne' };
    case 'end-token':
      await revokeApiToken(session.actor, value('token'));
      return { key: 'tokenEnded' };
    case 'end-others':
      return { key: 'endedOthers', count: await endOtherSessions(session) };
    default:
      return undefined;
  }
}
