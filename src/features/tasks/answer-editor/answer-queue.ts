import { atom, map } from 'nanostores';
import { followRefusal } from '#platform/http/refused-calls.ts';
import type { ControlValues } from '#features/tasks/questionnaires/editor.ts';
import type { AnswerValue } from '#features/tasks/questionnaires/questionnaires.ts';
import { MAX_CHANGES } from './rules.ts';
import type { AnswerChanges, ChangeResult } from './answer-editor.ts';

/*
 * What a person has typed and the portal does not have yet. It is sent in order, one call at a time, a moment
 * after the last key. It stays in the session storage of its tab until it is saved: a lost connection, an ended session
 * and a closed page lose nothing. Sensitive answers are only in memory (docs/decisions/0062).
 */

export type SavingState =
  | 'idle'
  | 'saving'
  | 'saved'
  /** Kept, and sent when there is a connection. */
  | 'waiting'
  /** Refused for the reason in `$refusal`, and sent again when the person goes on. */
  | 'refused'
  /** What asks is complete, expired or deleted: what was typed stays on the page. */
  | 'closed'
  /** Somebody has typed who only views as the person: nothing is kept or sent. */
  | 'read-only';

/** Two answers to one question. `version` is that of the stored one, on which a decision is based. */
export interface Conflict extends NonNullable<ChangeResult['conflict']> {
  version: number;
}

/** What a person has entered for a question. */
export interface Entry {
  value: AnswerValue | null;
  /** What its controls contain, by their names, to show it again. */
  typed: ControlValues;
  isSensitive: boolean;
}

interface Unsaved extends Entry {
  path: string;
  base: number;
  tab: string;
  sequence: number;
  known?: readonly string[];
}

export type Sent =
  | { kind: 'results'; results: readonly ChangeResult[] }
  /** No answer, or none that says what became of the changes. */
  | { kind: 'failed' }
  /** The session has ended. */
  | { kind: 'signed-out' }
  /** To send the same again would be refused again. The code says why. */
  | { kind: 'refused'; code: string };

/** Refused for now: the time is up, the connection is needed again, or there were too many calls. */
const RETRIED = [408, 425, 429];

interface Call<Body> {
  call: (options: RequestInit) => Promise<Response>;
  /** The results of the changes, if the answer has them. */
  readResults: (answer: Body) => readonly ChangeResult[] | undefined;
  /** The code of a refusal. */
  readCode: (status: number, answer: Body | undefined) => string;
}

/** Makes a call that saves changes. Never repeats it: the queue sends again what it has no answer to. */
export async function sendOnce<Body>({ call, readResults, readCode }: Call<Body>): Promise<Sent> {
  const response = await call({ signal: AbortSignal.timeout(30_000) }).catch(() => undefined);
  if (!response) return { kind: 'failed' };
  const { status } = response;
  await followRefusal(response.url, status);
  if (status === 401) return { kind: 'signed-out' };
  const answer = (await response.json().catch(() => undefined)) as Body | undefined;
  const results = answer && readResults(answer);
  if (results) return { kind: 'results', results };
  const isFinal = status >= 400 && status < 500 && !RETRIED.includes(status);
  return isFinal ? { kind: 'refused', code: readCode(status, answer) } : { kind: 'failed' };
}

interface Options {
  /** What asks, such as a task, by its id. */
  ownerId: string;
  language: AnswerChanges['language'];
  /** The versions that the page shows, and the rows of groups, by the path of their order. */
  versions: Readonly<Record<string, number>>;
  rows: Readonly<Record<string, readonly string[]>>;
  send: (body: AnswerChanges) => Promise<Sent>;
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /** The person, whose unsaved answers nobody else is shown. */
  who: string;
  /** Whether somebody else is viewing as the person. */
  isReadOnly?: boolean;
}

/** The codes of answers that can no longer be changed. */
const CLOSING = ['CLOSED', 'EXPIRED', 'NOT_FOUND'];

/** The pause after the last key (spec 2 section 9), and the one before the next attempt without a connection. */
const PAUSE = 200;
const RETRY = 5000;

/**
 * The unsaved answers of a person, by what asks; kept until its owner signs in again (signed-out.ts). The names are from
 * when only tasks asked: what a tab has stored outlives an update of the portal.
 */
export const STORAGE_KEY = 'ccTaskAnswers';

interface Stored {
  who: string;
  tasks: Record<string, Unsaved[]>;
}

export type AnswerQueue = ReturnType<typeof createAnswerQueue>;

/** A queue for a page with answers. */
export function createAnswerQueue({
  ownerId,
  language,
  versions,
  rows,
  send,
  storage,
  who,
  isReadOnly = false,
}: Options) {
  const $state = atom<SavingState>('idle');
  /** The code of the last refusal. */
  const $refusal = atom('');
  const $conflicts = map<Record<string, Conflict>>({});
  /** What the portal says about answers, by the path of the question. */
  const $findings = map<Record<string, ChangeResult['problem']>>({});
  /** The entries of lists that were named, by the path of the question. */
  const $entries = map<Record<string, AnswerValue | undefined>>({});
  const known = new Map(Object.entries(versions));
  const knownRows = new Map(Object.entries(rows));
  /** The last value of each path: a control tells twice that it was changed, while typing and when it is left. */
  const taken = new Map<string, string>();
  const tab = newTab();
  let sequence = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;
  let unsaved: readonly Unsaved[] = isReadOnly ? [] : (storedAnswers()[ownerId] ?? []);

  function storedAnswers(): Stored['tasks'] {
    const found = JSON.parse(storage.getItem(STORAGE_KEY) ?? 'null') as Stored | null;
    return found?.who === who ? found.tasks : {};
  }

  function store(): void {
    const { [ownerId]: _before, ...others } = storedAnswers();
    const open = unsaved.filter(({ isSensitive }) => !isSensitive);
    const tasks = open.length > 0 ? { ...others, [ownerId]: open } : others;
    if (Object.keys(tasks).length === 0) storage.removeItem(STORAGE_KEY);
    else storage.setItem(STORAGE_KEY, JSON.stringify({ who, tasks } satisfies Stored));
  }

  const baseOf = (path: string): number => known.get(path) ?? 0;

  /** Takes a change, and sends it after a pause, or at once. */
  function change(what: Entry & { path: string }): void {
    const value = JSON.stringify(what.value);
    if (isReadOnly) return $state.set('read-only');
    if (taken.get(what.path) === value) return;
    taken.set(what.path, value);
    $entries.setKey(what.path, undefined);
    sequence += 1;
    const before = unsaved.find(({ path }) => path === what.path);
    const isRows = what.path.endsWith('#order');
    unsaved = [
      ...unsaved.filter(({ path }) => path !== what.path),
      {
        ...what,
        base: before?.base ?? baseOf(what.path),
        tab,
        sequence,
        ...(isRows && { known: before?.known ?? knownRows.get(what.path) ?? [] }),
      },
    ];
    store();
    if ($state.get() !== 'closed') $state.set('saving');
    schedule(PAUSE);
  }

  function schedule(pause: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), pause);
  }

  /** Sends all that is unsaved now; resolves when it is saved, or cannot be. */
  async function flush(): Promise<void> {
    clearTimeout(timer);
    while (sending) await sending;
    if (unsaved.length === 0 || $state.get() === 'closed') return;
    sending = sendNext().finally(() => (sending = undefined));
    await sending;
    if ($state.get() === 'saving') await flush();
  }

  /** The next changes of one tab: those of an earlier page keep its id, so that repeated ones are recognized. */
  function nextBatch(): readonly Unsaved[] {
    const [first] = unsaved;
    return unsaved.filter((each) => each.tab === first?.tab).slice(0, MAX_CHANGES);
  }

  const bodyOf = (batch: readonly Unsaved[]): AnswerChanges => ({
    tab: batch[0]?.tab ?? tab,
    language,
    changes: batch.map(({ path, value, base, sequence: number, known: seen }) => ({
      path,
      value,
      base,
      sequence: number,
      ...(seen && { known: [...seen] }),
    })),
  });

  async function sendNext(): Promise<void> {
    const batch = nextBatch();
    $state.set('saving');
    const sent = await send(bodyOf(batch));
    if (sent.kind === 'results') {
      for (const [at, result] of sent.results.entries()) settle(batch[at], result);
      store();
      $state.set(unsaved.length > 0 ? 'saving' : 'saved');
    } else if (sent.kind === 'refused') {
      $refusal.set(sent.code);
      $state.set(CLOSING.includes(sent.code) ? 'closed' : 'refused');
    } else {
      $state.set('waiting');
      if (sent.kind !== 'signed-out') schedule(RETRY);
    }
  }

  function settle(sent: Unsaved | undefined, result: ChangeResult): void {
    if (!sent) return;
    const { path } = sent;
    const newer = unsaved.find((each) => each.path === path && each !== sent);
    unsaved = unsaved.filter((each) => each !== sent);
    if (result.result === 'saved') {
      known.set(path, result.version);
      if (Array.isArray(sent.value)) knownRows.set(path, sent.value);
    }
    // what was typed meanwhile is based on what has just been saved
    if (newer && result.result === 'saved')
      unsaved = unsaved.map((each) => (each === newer ? { ...each, base: result.version } : each));
    $findings.setKey(path, result.problem);
    if (!newer) $entries.setKey(path, result.entry);
    if (result.conflict) $conflicts.setKey(path, { ...result.conflict, version: result.version });
    else if (result.result === 'saved' && !newer) removeConflict(path);
  }

  function removeConflict(path: string): void {
    const { [path]: _decided, ...others } = $conflicts.get();
    $conflicts.set(others);
  }

  /** Keeps the stored answer or one's own, which the next change is then based on. */
  function decide(path: string, what: Entry): void {
    const conflict = $conflicts.get()[path];
    if (!conflict) return;
    known.set(path, conflict.version);
    unsaved = unsaved.filter((each) => each.path !== path);
    taken.delete(path);
    change({ path, ...what });
    void flush();
  }

  /** Sends what is unsaved while the page is left. The browser finishes such a call, up to 64 kB. */
  function leave(post: (body: AnswerChanges) => void): void {
    clearTimeout(timer);
    const batch = nextBatch();
    if (batch.length > 0 && $state.get() !== 'closed') post(bodyOf(batch));
  }

  return {
    $state,
    $refusal,
    $conflicts,
    $findings,
    $entries,
    change,
    flush,
    decide,
    leave,
    /** The versions of what the page shows now. */
    versions: (): Readonly<Record<string, number>> => Object.fromEntries(known),
    /** What an earlier page of this tab could not save. */
    restored: (): ControlValues => unsaved.flatMap(({ typed }) => typed),
    unsavedAt: (path: string): boolean => unsaved.some((each) => each.path === path),
    hasUnsaved: (): boolean => unsaved.length > 0,
    /** Whether leaving the page would lose something: what the session storage may not have. */
    hasSensitive: (): boolean => unsaved.some(({ isSensitive }) => isSensitive),
    unsavedRows: (path: string): readonly string[] | undefined => {
      const value = unsaved.find((each) => each.path === path)?.value;
      return Array.isArray(value) ? value : undefined;
    },
  };
}

/** An id that no other tab has, not even one that was duplicated from this one. */
const newTab = (): string =>
  [...crypto.getRandomValues(new Uint8Array(9))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
