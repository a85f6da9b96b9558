import { useActions } from '#platform/forms/actions.server.ts';
import type { Lang } from '#platform/text/languages.ts';
import { translationsFor, type KeysOf } from '#platform/text/translations.server.ts';
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
export function endSessions({ request, locals: { pathTo, session } }: Page): Promise<Response | undefined> {
  const to = pathTo('profile/security');
  const done = (key: KeysOf<'security'>, vars: Record<string, number> = {}) => ({
    to,
    flash: { type: 'success', namespace: 'security', key, vars } as const,
  });
  return useActions(
    { request },
    {
      session: async (id) => {
        await endOwnSession(session, id);
        return done('endedOne');
      },
      token: async (id) => {
        await revokeApiToken(session.actor, id);
        return done('tokenEnded');
      },
      'act=end-others': async () => done('endedOthers', { count: await endOtherSessions(session) }),
    },
    ({ code }) => (code === 'NOT_FOUND' ? { to } : undefined), // it has ended meanwhile
  );
}
