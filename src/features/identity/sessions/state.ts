import { persistentAtom } from '@nanostores/persistent';
import { atom, onMount } from 'nanostores';
import type { SessionInfo } from './sessions.ts';

const KEY = 'ccSessionInfo';

/**
 * Session info, stored in session storage (spec 1, section 9). The page rendered by the server is the source:
 * it replaces the stored one.
 */
export const $sessionInfo = atom<SessionInfo | null>(null);

onMount($sessionInfo, () => {
  const stored = sessionStorage.getItem(KEY);
  if (stored !== null && $sessionInfo.get() === null) $sessionInfo.set(JSON.parse(stored) as SessionInfo);
  return $sessionInfo.listen((info) =>
    info ? sessionStorage.setItem(KEY, JSON.stringify(info)) : sessionStorage.removeItem(KEY),
  );
});

/**
 * The active client's id, stored in local storage (spec 1, section 9). The server reads its own cookie: this
 * copy is for scripts and other tabs.
 */
export const $activeClient = persistentAtom<string>('ccActiveClient', '');

/** The stylesheet of the firm's theme, stored in local storage (spec 1, section 9). */
export const $theme = persistentAtom<string>('ccTheme', '');
