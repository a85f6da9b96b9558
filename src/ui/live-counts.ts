/*
 * Hears from the portal when what is counted for the person has changed, over one stream of server-sent events for each
 * browser: the tab that holds a lock has the stream, and forwards what it says to the others. Only tabs that are looked at
 * want the lock; while none is, there is no stream.
 */

const STREAM = '/api/notifications/v1/stream';
/** How long a tab that is not looked at keeps the stream. */
const HIDDEN = 60_000;
/** The portal says something each 20 seconds. */
const QUIET = 45_000;
const LATER = 30_000;
const LATEST = 600_000;

/** What a person is told; `v` is another one after each change. */
export interface Counts {
  unread: number;
  v: string;
}

/**
 * Calls `onCounts` with what the portal says. `name` is that of the session, so that tabs of other people hear nothing of
 * it. Returns a function that says whether the stream is alive.
 */
export function followCounts(name: string, onCounts: (counts: Counts) => void): () => boolean {
  const channel = new BroadcastChannel(name);
  let heardAt = 0;
  /** What the stream said last, in the tab that has it. */
  let latest: Counts | undefined;
  let following: AbortController | undefined;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const hear = (counts: Counts): void => {
    heardAt = Date.now();
    onCounts(counts);
  };
  const begin = (): void => {
    if (following) return;
    following = new AbortController();
    const { signal } = following;
    const lead = (): Promise<void> =>
      listen(signal, (counts) => {
        latest = counts;
        channel.postMessage(counts);
        hear(counts);
      });
    if ('locks' in navigator)
      navigator.locks.request(name, { signal }, lead).catch(() => undefined); // given up
    else void lead();
  };
  const end = (): void => {
    following?.abort();
    following = undefined;
    latest = undefined;
  };
  const follow = (): void => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(end, HIDDEN);
    else begin();
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Counts | null>) => {
    if (data) hear(data);
    else if (latest) channel.postMessage(latest);
  });
  document.addEventListener('visibilitychange', follow);
  addEventListener('pagehide', end);
  addEventListener('pageshow', follow);
  follow();
  channel.postMessage(null); // asks for what changed before this tab listened
  return () => Date.now() - heardAt < QUIET;
}

/** Has the stream until `signal`. A browser comes back by itself, but not for ever, and not where it was refused. */
function listen(signal: AbortSignal, tell: (counts: Counts) => void): Promise<void> {
  return new Promise((resolve) => {
    let source: EventSource;
    let failures = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = (): void => {
      source = new EventSource(STREAM);
      source.addEventListener('counts', ({ data }: MessageEvent<string>) => {
        failures = 0;
        tell(JSON.parse(data) as Counts);
      });
      source.addEventListener('bye', () => source.close());
      source.addEventListener('error', () => {
        failures += 1;
        const isRefused = source.readyState === EventSource.CLOSED;
        if (!isRefused && failures < 3) return;
        source.close();
        timer = setTimeout(open, isRefused ? LATEST : Math.min(LATEST, LATER * 2 ** (failures - 3)));
      });
    };
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      source.close();
      resolve();
    });
    if (signal.aborted) resolve();
    else open();
  });
}
