import { now, HOUR, MINUTE, SECOND } from './clock.server.ts';
import { newId } from './crypto.server.ts';
import { announce, db, hear, outsideTransaction, passingOverTaken } from './database.server.ts';
import { log } from './log.server.ts';
import { sealFor, unsealFrom } from './sealed.server.ts';

/*
 * Work that must happen, as rows: whoever enqueues in a transaction gets the job exactly when the transaction commits. A claim moves
 * `run_at` forward as a lease, which is renewed while the work goes on, so a job whose worker died is taken again. A payload names people
 * and carries links: it is sealed, and gone when the job is. A node does one job after the other in each of two lanes, so that no mail
 * waits for slow work.
 */

type Handler = (payload: unknown) => Promise<void>;

const handlers = new Map<string, Handler>();
/** Kinds that may take minutes. */
const slow = new Set<string>();
const LEASE = 2 * MINUTE;
const POLL = 5 * SECOND;
const MOST_ATTEMPTS = 80; // about three days

/** Names the function that does jobs of one kind. It may be called again for the same job: it must allow for that. What may take minutes says so. */
export function handle(kind: string, handler: Handler, { isSlow = false } = {}): void {
  handlers.set(kind, handler);
  if (isSlow) slow.add(kind);
}

/** Adds a job that is done at once, or from `runAt` on; with a `uniqueKey` that is known already, nothing. A job of a firm waits while that firm is locked. */
export async function enqueue(kind: string, payload: unknown, uniqueKey: string | null = null, companyId: string | null = null, runAt = now()): Promise<void> {
  const jobId = newId('job');
  const row = { job_id: jobId, kind, payload: sealFor('jobs.payload', jobId, JSON.stringify(payload)), unique_key: uniqueKey, run_at: runAt, attempts: 0, last_error: null, created_at: now(), done_at: null, company_id: companyId };
  await db()
    .insertInto('jobs')
    .values(row)
    .onConflict((conflict) => conflict.column('unique_key').doNothing())
    .execute();
  await announce('jobs');
  wake();
}

/** How many jobs of a kind wait, how long the oldest has been due (ms), and how many were given up. */
export async function backlogOf(kind: string): Promise<{ waiting: number; overdue: number; failing: number }> {
  const row = await db()
    .selectFrom('jobs')
    .select((e) => [e.fn.countAll<number>().as('waiting'), e.fn.min('created_at').as('oldest'), e.fn.max('attempts').as('attempts')])
    .where('kind', '=', kind)
    .where('done_at', 'is', null)
    .executeTakeFirstOrThrow();
  return { waiting: row.waiting, overdue: row.waiting === 0 ? 0 : now() - row.oldest, failing: row.attempts ?? 0 };
}

/** Gives up every job that waits, and answers how many: after a restore nobody knows which of them were done. */
export async function giveUpWaiting(): Promise<number> {
  const { numUpdatedRows } = await db().updateTable('jobs').set({ done_at: now(), payload: '', last_error: 'RESTORED' }).where('done_at', 'is', null).executeTakeFirst();
  return Number(numUpdatedRows);
}

/** What became of jobs, by their unique keys: one that nobody knows any more was done. */
export async function outcomesOf(uniqueKeys: readonly string[]): Promise<Map<string, 'waiting' | 'done' | 'given up'>> {
  if (uniqueKeys.length === 0) return new Map();
  const rows = await db().selectFrom('jobs').select(['unique_key', 'done_at', 'last_error']).where('unique_key', 'in', uniqueKeys).execute();
  return new Map(rows.map((row) => [row.unique_key ?? '', row.done_at === null ? 'waiting' : row.last_error === null ? 'done' : 'given up']));
}

/** Gives up those of these jobs that wait. */
export async function withdraw(uniqueKeys: readonly string[]): Promise<void> {
  if (uniqueKeys.length === 0) return;
  await db().updateTable('jobs').set({ done_at: now(), payload: '', last_error: 'WITHDRAWN' }).where('unique_key', 'in', uniqueKeys).where('done_at', 'is', null).execute();
}

/** Works off what is due of some kinds, one after the other: when somebody wakes it, and by the clock. */
class Lane {
  readonly #isSlow: boolean;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #asked = false;
  #stopped = true;

  constructor(isSlow: boolean) {
    this.#isSlow = isSlow;
  }

  start(): void {
    this.#stopped = false;
    this.wake();
  }

  wake(): void {
    this.#asked = true;
    if (this.#stopped || this.#running) return;
    clearTimeout(this.#timer);
    // The transaction that enqueued has to commit first.
    this.#timer = outsideTransaction(() => setTimeout(() => void this.#round(), 20));
  }

  /** Works until nothing is due and nobody has asked meanwhile; one round at a time, the next by the clock. */
  async #round(): Promise<void> {
    if (this.#running) return;
    this.#asked = false;
    this.#running = this.workOff().catch((error: unknown) => log.error({ err: error, event: 'jobs.failed' }));
    await this.#running;
    this.#running = undefined;
    if (this.#stopped) return;
    if (this.#asked) this.wake();
    else this.#timer = setTimeout(() => this.wake(), POLL).unref();
  }

  async workOff(): Promise<void> {
    for (let job = await claim(this.#isSlow); job; job = await claim(this.#isSlow)) await work(job);
  }

  /** Lets the job at hand finish. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}

const lanes = [new Lane(false), new Lane(true)];
let stopHearing: (() => Promise<void>) | undefined;

/** Starts working: when a job is enqueued here or another node says so, and every few seconds in case nobody did. */
export function startJobs(): void {
  stopHearing = hear('jobs', wake);
  for (const lane of lanes) lane.start();
}

/** Lets the jobs at hand finish, then stops. */
export async function stopJobs(): Promise<void> {
  const finished = lanes.map((lane) => lane.stop());
  await stopHearing?.();
  await Promise.all(finished);
}

/** Works until nothing is due. Tests call it instead of waiting. */
export async function runDueJobs(): Promise<void> {
  await Promise.all(lanes.map((lane) => lane.workOff()));
}

function wake(): void {
  for (const lane of lanes) lane.wake();
}

interface Job {
  job_id: string;
  kind: string;
  payload: string;
  attempts: number;
}

/** One statement, so that of two workers at the same moment each gets another job. */
async function claim(isSlow: boolean): Promise<Job | undefined> {
  if (isSlow && slow.size === 0) return undefined;
  const locked = db().selectFrom('firms').select('firms.company_id').where('firms.locked', '=', 1);
  const due = db()
    .selectFrom('jobs')
    .select('job_id')
    .where('done_at', 'is', null)
    .where('run_at', '<=', now())
    .$if(slow.size > 0, (jobs) => jobs.where('kind', isSlow ? 'in' : 'not in', [...slow]))
    .where((e) => e.or([e('jobs.company_id', 'is', null), e('jobs.company_id', 'not in', locked)]))
    .orderBy('run_at')
    .limit(1)
    .modifyEnd(passingOverTaken);
  return db()
    .updateTable('jobs')
    .set((e) => ({ run_at: now() + LEASE, attempts: e('attempts', '+', 1) }))
    .where('job_id', '=', due)
    .returning(['job_id', 'kind', 'payload', 'attempts'])
    .executeTakeFirst();
}

async function work(job: Job): Promise<void> {
  const handler = handlers.get(job.kind);
  const renewing = setInterval(() => void renew(job).catch(() => undefined), LEASE / 4); // a try that fails is followed by others
  try {
    if (!handler) throw new Error(`no handler for ${job.kind}`);
    await handler(JSON.parse(unsealFrom('jobs.payload', job.job_id, job.payload)));
    await db().updateTable('jobs').set({ done_at: now(), payload: '', last_error: null }).where('job_id', '=', job.job_id).execute();
    log.info({ event: 'job.done', job: job.job_id, kind: job.kind, attempts: job.attempts });
  } catch (error) {
    const givenUp = job.attempts >= MOST_ATTEMPTS;
    log.warn({ err: error, event: 'job.failed', job: job.job_id, kind: job.kind, attempts: job.attempts, givenUp });
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'ERROR';
    await db()
      .updateTable('jobs')
      .set({ run_at: now() + pause(job.attempts), last_error: code, ...(givenUp && { done_at: now(), payload: '' }) })
      .where('job_id', '=', job.job_id)
      .where('done_at', 'is', null)
      .where('attempts', '=', job.attempts)
      .execute();
  } finally {
    clearInterval(renewing);
  }
}

/** Keeps the job from others for as long again. */
async function renew({ job_id: jobId, attempts }: Job): Promise<void> {
  await db().updateTable('jobs').set({ run_at: now() + LEASE }).where('job_id', '=', jobId).where('done_at', 'is', null).where('attempts', '=', attempts).execute();
}

/** 5 s, 10 s, 20 s … at most an hour. */
const pause = (attempts: number): number => Math.min(HOUR, 5 * SECOND * 2 ** (attempts - 1));
