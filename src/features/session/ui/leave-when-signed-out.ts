/** Leaves this page for the sign-in, `signIn`, as soon as another tab says that it has signed out (signed-out.ts; security.md T24). */
export function leaveWhenSignedOut(signIn: string): void {
  const leave = (): void => location.replace(`${signIn}?r=${encodeURIComponent(location.pathname + location.search)}`);
  new BroadcastChannel('session').addEventListener('message', leave);
  // A page that the browser kept whole shows what it showed before: the server says whether it still may.
  addEventListener('pageshow', ({ persisted }) => void (persisted && leave()));
}
