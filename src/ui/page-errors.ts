/*
 * Reports uncaught errors of the page's scripts to the portal's log (spec 1, section 7), each once. Loaded by
 * kit.ts with the first error. What an error says stays here, because it may quote what somebody typed, and
 * so does the address of the page but for the words in it, because it may contain a token.
 */

const MAX_REPORTS = 5;
const FRAME = /\/_astro\/([\w.-]+\.js):\d+:\d+/g;
const reported = new Set<string>();

for (const type of ['error', 'unhandledrejection']) addEventListener(type, report);

/** Ignores errors without a place in a script of the portal, such as those of browser extensions. */
export function report(event: Event): void {
  const error: unknown = event instanceof ErrorEvent ? event.error : 'reason' in event && event.reason;
  if (!(error instanceof Error)) return;
  const frames = [...(error.stack ?? '').matchAll(FRAME)].slice(0, 12);
  const stack = frames.map(([frame]) => frame).join('\n');
  if (stack === '' || reported.has(stack) || reported.size >= MAX_REPORTS) return;
  reported.add(stack);
  const data = {
    module: frames[0]?.[1],
    message: /^[A-Z]\w{0,49}$/.test(error.name) ? error.name : 'Error',
    stack,
  };
  const entry = {
    specversion: '1.0',
    type: 'exception',
    source: pageAddress(),
    id: `${randomPart()}-${randomPart()}`,
    time: new Date().toISOString(),
    contenttype: 'application/json',
    data,
  };
  keep(`${data.message} ${frames[0]?.[0] ?? ''}`);
  void fetch('/api/logging/v1/log', {
    method: 'POST',
    keepalive: true,
    headers: { 'Content-Type': 'application/json', 'X-Background': '1' },
    body: JSON.stringify({ version: 1, items: [entry] }),
  }).catch(() => undefined); // without a connection nothing can be reported, and reporting that would never end
}

/** Keeps it for a report of the problem in words, which this tab may send later. */
function keep(line: string): void {
  try {
    const kept = JSON.parse(sessionStorage.getItem('page-errors') ?? '[]') as string[];
    sessionStorage.setItem('page-errors', JSON.stringify([...kept, line].slice(-20)));
  } catch {
    // storage is turned off or full
  }
}

const pageAddress = (): string =>
  location.pathname
    .split('/')
    .slice(0, 13)
    .map((part) => (/^[a-z-]{0,24}$/.test(part) ? part : '*'))
    .join('/');

const randomPart = (): string => Math.random().toString(36).slice(2, 7).padEnd(5, '0');
