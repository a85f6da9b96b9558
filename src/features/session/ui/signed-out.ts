/*
 * Every tab of a browser is one session: when one of them signs out, the others show the sign-in too (security.md T24).
 */

const CHANNEL = 'session';

/** Leaves this page for the sign-in as soon as another tab has signed out; `signIn` is its address. */
export function leaveWhenSignedOut(signIn: string): void {
  const leave = (): void => location.replace(`${signIn}?r=${encodeURIComponent(location.pathname + location.search)}`);
  new BroadcastChannel(CHANNEL).addEventListener('message', leave);
  // A page that the browser kept whole shows what it showed before: the server says whether it still may.
  addEventListener('pageshow', ({ persisted }) => void (persisted && leave()));
}

/** Tells the other tabs, and forgets what this browser kept of the session: for pages that only those who are signed out see. */
export function tellSignedOut(): void {
  for (const key of ['ccActiveClient', 'ccTheme', 'ccSessionEnds']) localStorage.removeItem(key);
  sessionStorage.clear();
  new BroadcastChannel(CHANNEL).postMessage('signed out');
}
