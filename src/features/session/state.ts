import { atom, onMount } from 'nanostores';
import type { SessionInfo } from './session.ts';

const KEY = 'ccSessionInfo';

/** Session info, kept in session storage (spec 1, section 9). The page that the server rendered is the source: it wins over what was kept. */
export const $sessionInfo = atom<SessionInfo | null>(null);

onMount($sessionInfo, () => {
  const kept = sessionStorage.getItem(KEY);
  if (kept !== null && $sessionInfo.get() === null) $sessionInfo.set(JSON.parse(kept) as SessionInfo);
  return $sessionInfo.listen((info) => (info ? sessionStorage.setItem(KEY, JSON.stringify(info)) : sessionStorage.removeItem(KEY)));
});
