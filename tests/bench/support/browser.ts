import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium, type BrowserContext, type CDPSession, type Page } from 'playwright';
import { findChromium } from '../../../scripts/toolchain.mjs';
import { pause } from './wait.ts';

const bytesPerSecond = (kilobits: number): number => (kilobits * 1000) / 8;

/** The phones of the design: round trip in ms, bytes per second, processor slowdown, screen. */
export const PROFILES = {
  mobile: {
    latency: 150,
    down: bytesPerSecond(1600),
    up: bytesPerSecond(750),
    slower: 4,
    viewport: { width: 412, height: 823 },
  },
  low: {
    latency: 400,
    down: bytesPerSecond(400),
    up: bytesPerSecond(400),
    slower: 6,
    viewport: { width: 360, height: 640 },
  },
} as const;
export type Profile = keyof typeof PROFILES;

export interface Visit {
  url: string;
  /** The first useful element: usable when it is visible and accepts a tap, an image when it is complete. */
  ready: string;
  cookies: { name: string; value: string }[];
}

/** Bytes on the wire with headers, times in ms from the start of navigation. */
export interface View {
  bytes: number;
  scriptBytes: number;
  requests: number;
  ready: number;
  blocked: number;
  shift: number;
  page: Page;
}

interface Noted {
  ready: number | null;
  firstPaint: number;
  shift: number;
  long: [start: number, length: number][];
}
declare global {
  interface Window {
    noted: Noted;
  }
}

const QUIET = 1500;
const LONGEST = 120_000;

/**
 * One cold visit on a fresh profile: nothing cached, no open connection. `then` continues in the same page.
 */
export async function visit<T>(
  profile: Profile,
  certificate: string,
  wanted: Visit,
  then: (view: View, session: CDPSession) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'portal-bench-profile-'));
  const context = await openBrowser(folder, profile, certificate);
  try {
    await context.addInitScript(notes, wanted.ready);
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    // By the protocol itself: Playwright adds a domain, which a __Host- cookie must not have.
    for (const cookie of wanted.cookies)
      await session.send('Network.setCookie', {
        ...cookie,
        url: wanted.url,
        path: '/',
        secure: true,
        httpOnly: true,
      });
    return await then(await look(page, session, profile, wanted), session);
  } finally {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function openBrowser(folder: string, profile: Profile, certificate: string): Promise<BrowserContext> {
  const executablePath = findChromium();
  return chromium.launchPersistentContext(folder, {
    ...(executablePath !== undefined && { executablePath }),
    viewport: PROFILES[profile].viewport,
    deviceScaleFactor: 1.75,
    isMobile: true,
    hasTouch: true,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-extensions',
      '--disable-component-update',
      '--disable-background-networking',
      '--no-first-run',
      `--ignore-certificate-errors-spki-list=${certificate}`,
    ],
  });
}

async function look(page: Page, session: CDPSession, profile: Profile, { url }: Visit): Promise<View> {
  const { latency, down, up, slower } = PROFILES[profile];
  const view = { bytes: 0, scriptBytes: 0, requests: 0 };
  const kinds = new Map<string, string>();
  const open = new Set<string>();
  let lastByte = performance.now();
  session.on('Network.requestWillBeSent', ({ requestId, type, request }) => {
    if (request.url.startsWith('data:')) return;
    kinds.set(requestId, type ?? 'Other');
    open.add(requestId);
  });
  session.on('Network.responseReceived', ({ requestId, type }) => kinds.set(requestId, type));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    open.delete(requestId);
    lastByte = performance.now();
    view.requests += 1;
    view.bytes += encodedDataLength;
    if (kinds.get(requestId) === 'Script') view.scriptBytes += encodedDataLength;
  });
  session.on('Network.loadingFailed', ({ requestId }) => open.delete(requestId));
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: down,
    uploadThroughput: up,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: slower });
  await page.goto(url, { waitUntil: 'commit' });
  const began = performance.now();
  for (;;) {
    await pause(100);
    const noted = await page.evaluate(() => ({ ...window.noted, now: performance.now() }));
    const lastLong = Math.max(0, ...noted.long.map(([start, length]) => start + length));
    const rests =
      noted.ready !== null &&
      noted.now - Math.max(noted.ready, lastLong) > QUIET &&
      open.size === 0 &&
      performance.now() - lastByte > QUIET;
    if (rests) {
      const blocked = noted.long
        .filter(([start, length]) => start + length > noted.firstPaint)
        .reduce((sum, [, length]) => sum + Math.max(0, length - 50), 0);
      return {
        ...view,
        ready: Math.max(noted.ready ?? 0, noted.firstPaint),
        blocked,
        shift: noted.shift,
        page,
      };
    }
    if (performance.now() - began > LONGEST)
      throw new Error(
        `${url} did not come to rest: its first element or its scripts have changed; see tests/bench/parts/pages.ts.`,
      );
  }
}

/** Runs in the page before its own scripts. */
function notes(ready: string): void {
  if (window !== window.top) return;
  const noted: Noted = (window.noted = { ready: null, firstPaint: 0, shift: 0, long: [] });
  const observe = (
    type: string,
    take: (entry: PerformanceEntry & { value?: number; hadRecentInput?: boolean }) => void,
  ): void =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  observe(
    'paint',
    (entry) => entry.name === 'first-contentful-paint' && (noted.firstPaint = entry.startTime),
  );
  observe('layout-shift', (entry) => !entry.hadRecentInput && (noted.shift += entry.value ?? 0));
  observe('longtask', (entry) => noted.long.push([entry.startTime, entry.duration]));
  const look = (): void => {
    const element = document.querySelector(ready);
    const box = element?.getBoundingClientRect();
    if (element && box && box.width > 0 && box.height > 0) {
      const x = Math.min(box.left + Math.min(box.width / 2, 60), innerWidth - 1);
      const y = box.top + box.height / 2;
      const isBelow = y > innerHeight; // a finger would scroll there first
      const hit = isBelow ? element : document.elementFromPoint(x, y);
      const image = element instanceof HTMLImageElement ? element : undefined;
      const target = image?.parentElement ?? element; // its text is over an image
      if (
        (!image || (image.complete && image.naturalWidth > 0)) &&
        hit &&
        (target.contains(hit) || hit.contains(target))
      ) {
        noted.ready = performance.now();
        return;
      }
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
