/*
 * The load time of a page (spec 2, section 5): the moment of its last change before it stayed unchanged for two seconds,
 * which is looked at every two seconds. A number and a class of devices are sent, and nothing about the person.
 */

const UNCHANGED = 2000;
const GIVEN_UP = 60_000;

const entry = document.getElementById('load-time')?.dataset['entry'];
const [visit] = performance.getEntriesByType('navigation');
let changedAt = visit instanceof PerformanceNavigationTiming ? visit.domInteractive : 0;

const observers = [
  new MutationObserver(() => (changedAt = performance.now())),
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) changedAt = Math.max(changedAt, startTime);
  }),
] as const;

const timer = setInterval(() => {
  const isOver = document.hidden || performance.now() > GIVEN_UP;
  if (!isOver && performance.now() - changedAt < UNCHANGED) return;
  clearInterval(timer);
  for (const observer of observers) observer.disconnect();
  if (!isOver) send(Math.round(changedAt));
}, UNCHANGED);

if (document.hidden || entry === undefined) clearInterval(timer);
else {
  observers[0].observe(document, { childList: true, subtree: true });
  for (const type of ['paint', 'largest-contentful-paint']) observers[1].observe({ type, buffered: true });
}

function send(loadMs: number): void {
  const { hardwareConcurrency: cores, deviceMemory: gigabytes = 4 } = navigator as Navigator & {
    deviceMemory?: number;
  };
  const device = cores <= 2 || gigabytes <= 2 ? 'low' : cores >= 8 && gigabytes >= 8 ? 'high' : 'mid';
  const item = {
    ...(JSON.parse(entry ?? '{}') as object),
    time: new Date().toISOString(),
    data: { loadMs, device },
  };
  void fetch('/api/logging/v1/log', {
    method: 'POST',
    keepalive: true,
    headers: { 'Content-Type': 'application/json', 'X-Background': '1' },
    body: JSON.stringify({ version: 1, items: [item] }),
  }).catch(() => undefined); // without a connection there is nothing to measure
}
