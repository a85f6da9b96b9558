import type { ServerResponse } from 'node:http';
import { canAccessPortal, type Session } from '#features/base/people/people.ts';
import { findSession } from '#features/identity/sessions/sessions.server.ts';
import { MINUTE, now, SECOND } from '#platform/runtime/clock.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { db, inBatches, subscribeToNodes } from '#platform/database/database.server.ts';
import { refusal } from '#platform/runtime/errors.server.ts';
import { log } from '#platform/monitoring/log.server.ts';
import { observeStreams } from '#platform/monitoring/metrics.server.ts';
import { announceChanges, apart, loadVersions } from './attention.server.ts';
import { loadCounts } from './counts.server.ts';
import { throttled } from './throttled.server.ts';

/*
 * Streams of server-sent events: each tells a browser the counts of its person as soon as they change, on whichever node
 * that happens. Only numbers travel; what they count, a page asks for like any other (docs/decisions/0127).
 */

export const MAX_OF_SESSION = 2;
export const MAX_OF_PERSON = 5;
export const MAX_OPENED_A_MINUTE = 30;

/** Proxies and this server close connections on which nothing is sent for longer. */
const REPEATED_EVERY = 20 * SECOND;
/** How often the rights of a session are looked at again; whether it exists, each second. */
const CHECKED_EVERY = MINUTE;
/** A lost notification of another node is made good after so long. */
const LOOKED_EVERY = 30 * SECOND;
const LOOKS_AT_MOST_EVERY = 500;
const LASTS = 15 * MINUTE;
/** How many of those whose streams this node ends at once come back in a second. */
const COME_BACK = 66;
/** A client that does not read is left. */
const MAX_UNREAD = 16 * 1024;

interface Stream {
  response: ServerResponse;
  /** The cookie. */
  token: string;
  session: Session;
  /** The versions of what its person is shown, as far as it was told. */
  seen: string;
  told: string;
  /** When it was opened, last told something, and last checked (epoch ms). */
  openedAt: number;
  toldAt: number;
  checkedAt: number;
}

const streams = new Set<Stream>();
/** When each person has opened streams, within the last minute. */
const openings = new Map<string, number[]>();
let isEnding = false;
let lookedAt = 0;
let ticking: NodeJS.Timeout | undefined;
let unsubscribe: (() => Promise<void>) | undefined;

/** How many streams are open on this node. */
export const openStreams = (): number => streams.size;

/** Takes turns in telling what changed; called at startup, outside of any request. */
export function startStreams(): void {
  isEnding = false;
  announceChanges(look);
  unsubscribe = subscribeToNodes('attention', look);
  ticking = setInterval(() => void tick().catch(logFailure), SECOND).unref();
}

/**
 * Ends all streams. Their browsers come back one after the other, to another node or to this one once it has started
 * again.
 */
export async function endStreams(): Promise<void> {
  isEnding = true;
  clearInterval(ticking);
  const spread = Math.max(6 * SECOND, (streams.size / COME_BACK) * SECOND);
  const all = [...streams];
  for (const [place, stream] of all.entries()) {
    forget(stream);
    comeBack(stream.response, 2 * SECOND + (place * spread) / all.length);
  }
  await unsubscribe?.();
}

function forget(stream: Stream): void {
  streams.delete(stream);
  observeStreams(streams.size);
}

/** Ends a stream; its browser opens another one after so many ms. */
function comeBack(response: ServerResponse, after = 2 * SECOND + Math.random() * 6 * SECOND): void {
  response.end(`retry: ${Math.round(after)}\n\n`);
}

/**
 * Answers with a stream of counts. With 204, after which a browser does not ask again, if there are too many of them, or
 * a program asks, or somebody who views as another person.
 */
export async function openStream(
  response: ServerResponse,
  session: Session,
  token: string | undefined,
): Promise<void> {
  const { byToken, viewing } = session;
  if (!isEnding && (token === undefined || byToken !== undefined || viewing || isTooMany(session)))
    return void response.writeHead(204).end();
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
  });
  if (isEnding) return comeBack(response);
  const instant = now();
  const stream: Stream = {
    response,
    token: token ?? '',
    session,
    seen: '',
    told: '',
    openedAt: instant,
    toldAt: instant,
    checkedAt: instant,
  };
  streams.add(stream);
  observeStreams(streams.size);
  response.once('close', () => forget(stream));
  response.on('error', () => undefined); // its browser has left
  response.write(`retry: ${5 * SECOND + Math.round(Math.random() * 2 * SECOND)}\n\n`);
  await apart(() => tell([stream]));
}

function isTooMany(session: Session): boolean {
  const person = session.actor.contactId;
  const own = [...streams].filter((stream) => stream.session.actor.contactId === person);
  const recent = (openings.get(person) ?? []).filter((at) => at > now() - MINUTE);
  const isOver =
    streams.size >= config.liveStreams ||
    own.length >= MAX_OF_PERSON ||
    own.filter((stream) => stream.session.id === session.id).length >= MAX_OF_SESSION ||
    recent.length >= MAX_OPENED_A_MINUTE;
  openings.set(person, isOver ? recent : [...recent, now()]);
  return isOver;
}

const subjectsOf = ({ session: { actor } }: Stream): string[] =>
  actor.staff ? [actor.contactId, actor.companyId] : [actor.contactId];

const seenBy = (stream: Stream, versions: ReadonlyMap<string, string>): string =>
  subjectsOf(stream)
    .map((subject) => versions.get(subject) ?? '')
    .join(' ');

const look = throttled(() => void apart(lookOnce), LOOKS_AT_MOST_EVERY);
let isLooking = false;
let isAskedFor = false;

/** Tells those whose counts have changed. One look at a time: while the database is slow, they would pile up. */
async function lookOnce(): Promise<void> {
  isAskedFor = true;
  if (isLooking) return;
  isLooking = true;
  try {
    while (isAskedFor) {
      isAskedFor = false;
      await lookAtAll();
    }
  } catch (error) {
    logFailure(error);
  } finally {
    isLooking = false;
  }
}

async function lookAtAll(): Promise<void> {
  lookedAt = now();
  const all = [...streams];
  if (all.length === 0) return;
  const versions = await loadVersions(all.flatMap(subjectsOf));
  const changed = all.filter((stream) => stream.seen !== seenBy(stream, versions));
  if (changed.length > 0) await tell(changed, versions);
}

/** Sends streams their counts, unless they were told the same. */
async function tell(some: readonly Stream[], known?: ReadonlyMap<string, string>): Promise<void> {
  const versions = known ?? (await loadVersions(some.flatMap(subjectsOf)));
  const actors = new Map(some.map(({ session: { actor } }) => [actor.contactId, actor]));
  const counts = await loadCounts([...actors.values()]);
  const byId = new Map([...actors.keys()].map((id, place) => [id, counts[place]]));
  for (const stream of some) {
    stream.seen = seenBy(stream, versions);
    const told = JSON.stringify({ ...byId.get(stream.session.actor.contactId), v: stream.seen });
    if (told !== stream.told && streams.has(stream)) send(stream, told);
  }
}

function send(stream: Stream, told: string): void {
  const { response } = stream;
  stream.told = told;
  stream.toldAt = now();
  if (response.writableLength > MAX_UNREAD) response.destroy();
  else response.write(`event: counts\ndata: ${told}\n\n`);
}

/** Says goodbye: the browser does not come back by itself. */
function dismiss(stream: Stream): void {
  forget(stream);
  stream.response.end('event: bye\ndata: {}\n\n');
}

let isTicking = false;

/** What is due, each second: one at a time. */
export async function tick(): Promise<void> {
  if (isTicking) return;
  isTicking = true;
  try {
    const instant = now();
    if (instant - lookedAt > LOOKED_EVERY) look();
    for (const [person, times] of openings)
      if ((times.at(-1) ?? 0) < instant - MINUTE) openings.delete(person);
    if (streams.size === 0) return;
    await dismissEnded();
    for (const stream of streams) {
      if (instant - stream.openedAt > LASTS) {
        forget(stream);
        comeBack(stream.response);
      } else if (instant - stream.toldAt >= REPEATED_EVERY) send(stream, stream.told);
    }
    await checkAgain([...streams].filter((stream) => instant - stream.checkedAt >= CHECKED_EVERY));
  } finally {
    isTicking = false;
  }
}

/** Ends the streams of sessions that were ended, here or on all devices. Those opened during the lookup are left alone. */
async function dismissEnded(): Promise<void> {
  const asked = [...streams];
  const open = new Set<string>();
  for (const some of inBatches([...new Set(asked.map(({ session }) => session.id))])) {
    const rows = await db()
      .selectFrom('sessions')
      .select('session_hash')
      .where('session_hash', 'in', some)
      .execute();
    for (const row of rows) open.add(row.session_hash);
  }
  for (const stream of asked) if (!open.has(stream.session.id)) dismiss(stream);
}

/** Ends the streams of sessions that have no right to them any more, and counts anew for the others. */
async function checkAgain(due: readonly Stream[]): Promise<void> {
  const going: Stream[] = [];
  for (const stream of due) {
    stream.checkedAt = now();
    const session = await findSession(stream.token, { inBackground: true });
    if (!session || session.termsDue || !canAccessPortal(session.actor)) dismiss(stream);
    else {
      stream.session = session;
      going.push(stream);
    }
  }
  if (going.length > 0) await tell(going);
}

/** Without a database nobody is told anything, and others say so already. */
function logFailure(error: unknown): void {
  if (refusal(error)?.code !== 'UNAVAILABLE') log.warn({ event: 'live.failed', err: error });
}
