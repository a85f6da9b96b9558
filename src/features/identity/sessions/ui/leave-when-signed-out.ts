/**
 * Leaves this page for the sign-in, `signIn`, as soon as another tab reports that it has signed out
 * (signed-out.ts; threat-model.md T24). If the session expired, typed values are saved first
 * (typed-forms.ts), and if files are selected the page stays (refused-calls.ts).
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
  // A page from the back-forward cache shows its old content: the server decides whether it still may.
  addEventListener('pageshow', ({ persisted }) => void (persisted && leave()));
}
