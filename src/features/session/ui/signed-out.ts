/**
 * Tells the other tabs (leave-when-signed-out.ts) and forgets what this browser kept of the session: for
 * pages that only those who are signed out see. Whoever signs in anew finds in this tab what they had typed
 * (session-end.ts, share-draft.ts); whoever signs out leaves nothing.
 */
export function tellSignedOut({ forGood }: { forGood: boolean }): void {
  for (const key of ['ccActiveClient', 'ccTheme', 'ccSessionEnds']) localStorage.removeItem(key);
  const typed = forGood
    ? []
    : ['ccTyped', 'ccShareDraft'].map((key) => [key, sessionStorage.getItem(key)] as const);
  sessionStorage.clear();
  for (const [key, text] of typed) if (text !== null) sessionStorage.setItem(key, text);
  new BroadcastChannel('session').postMessage({ forGood });
}
