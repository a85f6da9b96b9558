/**
 * Notifies the other tabs (leave-when-signed-out.ts) and clears the session's data in this browser: for pages
 * that only signed-out people see. People who sign in again find in this tab what they had typed
 * (typed-forms.ts, share-draft.ts); signing out deletes it.
 */
export function tellSignedOut({ forGood }: { forGood: boolean }): void {
  for (const key of ['ccActiveClient', 'ccTheme', 'ccSessionEnds']) localStorage.removeItem(key);
  const typed = forGood
    ? []
    : ['ccTyped', 'ccShareDraft', 'ccTaskAnswers'].map((key) => [key, sessionStorage.getItem(key)] as const);
  sessionStorage.clear();
  for (const [key, text] of typed) if (text !== null) sessionStorage.setItem(key, text);
  new BroadcastChannel('session').postMessage({ forGood });
}
