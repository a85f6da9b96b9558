/**
 * Leaves this page for the sign-in, `signIn`, as soon as another tab says that it has signed out
 * (signed-out.ts; threat-model.md T24). Where the session ended by itself, what was typed here is kept first
 * (session-end.ts), and where files are chosen the page stays (refused-calls.ts).
 */
export function leaveWhenSignedOut(signIn: string): void {
  const leave = (): void =>
    location.replace(`${signIn}?r=${encodeURIComponent(location.pathname + location.search)}`);
  new BroadcastChannel('session').addEventListener(
    'message',
    ({ data }: MessageEvent<{ forGood: boolean }>) => {
      if (data.forGood || document.dispatchEvent(new Event('portal:session-over', { cancelable: true })))
        leave();
    },
  );
  // A page that the browser kept whole shows what it showed before: the server says whether it still may.
  addEventListener('pageshow', ({ persisted }) => void (persisted && leave()));
}
