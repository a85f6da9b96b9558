/**
 * Tells the other tabs (leave-when-signed-out.ts) and forgets what this browser kept of the session: for pages that only those who are
 * signed out see. Whoever signs in anew finds in this tab what they had typed (session-end.ts); whoever signs out leaves nothing.
 */
export function tellSignedOut({ forGood }: { forGood: boolean }): void {
  for (const key of ['ccActiveClient', 'ccTheme', 'ccSessionEnds']) localStorage.removeItem(key);
  const typed = sessionStorage.getItem('ccTyped');
  sessionStorage.clear();
  if (typed !== null && !forGood) sessionStorage.setItem('ccTyped', typed);
  new BroadcastChannel('session').postMessage('signed out');
}
