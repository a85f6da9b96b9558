import { now, HOUR, MINUTE, SECOND } from '../runtime/clock.server.ts';
import { isClockWrong } from '../runtime/clock-check.server.ts';
import { newId } from '../security/crypto.server.ts';
import {
  NODE_ID,
  publishToNodes,
  db,
  subscribeToNodes,
  outsideTransaction,
  skipLocked,
  withFirm,
} from '../database/database.server.ts';
import { refusal } from '../runtime/errors.server.ts';
import { log } from '../monitoring/log.server.ts';
import { encryptFor, decryptFrom } from '../security/encryption.server.ts';

/*
 * A persistent job queue. A job enqueued in a transaction exists exactly if that transaction commits.
 * Claiming a job moves `run_at` forward as a lease, renewed while the work goes on, so that another worker
 * takes over when this one dies. Payloads name people and contain links: they are encrypted, and deleted when
 * the job is done. A node runs one job at a time in each of three lanes, so that slow work never delays mail, nor work of hours
 * what takes minutes.
 */

/** `isLast` if the job is given up when this attempt fails. */
type Handler = (payload: unknown, attempt: { isLast: boolean }) => Promise<void>;

const handlers = new Map<string, Handler>();
/** How long a job may take: each of these has a lane of its own. */
const PACES = ['seconds', 'minutes', 'hours'] as const;
type Pace = (typeof PACES)[number];
/** The kinds of jobs that take more than seconds. */
const paces = new Map<string, Pace>();
const LEASE = 2 * MINUTE;
const POLL = 5 * SECOND;
const MAX_ATTEMPTS = 80; // about three days

/**
 * Thrown by a handler when retrying is pointless, such as a mail whose recipient was rejected: the job fails
 * permanently.
 */
export class FinalError extends Error {
  override name = 'FinalError';
  readonly code: string;

  constructor(code: string, cause: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/**
 * Registers the handler for jobs of a kind. It must be idempotent, as it may run again for the same job.
 * `isSlow` for what may take minutes, `takesHours` for more.
 */
export function registerJobHandler(
  kind: string,
  handler: Handler,
  { isSlow = false, takesHours = false } = {},
): void {
  handlers.set(kind, handler);
  if (takesHours) paces.set(kind, 'hours');
  else if (isSlow) paces.set(kind, 'minutes');
}

/**
 * Enqueues a job, due at `runAt`. Does nothing when the `uniqueKey` exists. Jobs of a firm wait while that
 * firm is locked.
 */
export async function enqueue(
  kind: string,
  payload: unknown,
  uniqueKey: string | null = null,
  companyId: string | null = null,
  runAt = now(),
): Promise<void> {
  const jobId = newId('job');
  const row = {
    job_id: jobId,
    kind,
    payload: encryptFor('jobs.payload', jobId, JSON.stringify(payload)),
    unique_key: uniqueKey,
    run_at: runAt,
    attempts: 0,
    last_error: null,
    created_at: now(),
    done_at: null,
    company_id: companyId,
  };
  await db()
    .insertInto('jobs')
    .values(row)
    .onConflict((conflict) => conflict.column('unique_key').doNothing())
    .execute();
  await publishToNodes('jobs');
  wake();
}

/**
 * Of a kind of jobs: how many are pending, the age of the oldest (ms), and the most failed attempts of one.
 */
export async function jobBacklog(
  kind: string,
): Promise<{ waiting: number; overdue: number; failing: number }> {
  const row = await db()
    .selectFrom('jobs')
    .select((e) => [
      e.fn.countAll<number>().as('waiting'),
      e.fn.min('created_at').as('oldest'),
      e.fn.max('attempts').as('attempts'),
    ])
    .where('kind', '=', kind)
    .where('done_at', 'is', null)
    .executeTakeFirstOrThrow();
  return {
    waiting: row.waiting,
    overdue: row.waiting === 0 ? 0 : now() - row.oldest,
    failing: row.attempts ?? 0,
  };
}

/** How many jobs of a kind failed permanently since a moment (epoch ms). Cancelled jobs do not count. */
export async function failedJobsSince(kind: string, since: number): Promise<number> {
  const row = await db()
    .selectFrom('jobs')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('kind', '=', kind)
    .where('done_at', '>=', since)
    .where('last_error', 'is not', null)
    .where('last_error', 'not in', ['RESTORED', 'WITHDRAWN'])
    .executeTakeFirstOrThrow();
  return row.count;
}

/**
 * Cancels all pending jobs after a restore, since it is unknown which of them had been done. Returns how
 * many.
 */
export async function cancelPendingJobs(): Promise<number> {
  const { numUpdatedRows } = await db()
    .updateTable('jobs')
    .set({ done_at: now(), payload: '', last_error: 'RESTORED' })
    .where('done_at', 'is', null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** The outcomes of jobs by their unique keys; a key that no longer exists was done. */
export async function jobOutcomes(
  uniqueKeys: readonly string[],
): Promise<Map<string, 'waiting' | 'done' | 'given up'>> {
  if (uniqueKeys.length === 0) return new Map();
  const rows = await db()
    .selectFrom('jobs')
    .select(['unique_key', 'done_at', 'last_error'])
    .where('unique_key', 'in', uniqueKeys)
    .execute();
  return new Map(
    rows.map((row) => [
      row.unique_key ?? '',
      row.done_at === null ? 'waiting' : row.last_error === null ? 'done' : 'given up',
    ]),
  );
}

interface KeyedJob {
  key: string;
  state: 'waiting' | 'done' | 'given up';
  /** The code of the error of the last attempt. */
  error: string | undefined;
}

/** The jobs whose unique key begins with this, which contains no character but those of ids, `-` and `:`. */
export async function jobsWithKey(start: string): Promise<KeyedJob[]> {
  const rows = await db()
    .selectFrom('jobs')
    .select(['unique_key', 'done_at', 'last_error'])
    .where('unique_key', '>=', start)
    .where('unique_key', '<', `${start}\u{10ffff}`)
    .execute();
  return rows.map((row) => ({
    key: row.unique_key ?? '',
    state: row.done_at === null ? 'waiting' : row.last_error === null ? 'done' : 'given up',
    error: row.last_error ?? undefined,
  }));
}

/** Cancels those of these jobs that are still pending. */
export async function cancelJobs(uniqueKeys: readonly string[]): Promise<void> {
  if (uniqueKeys.length === 0) return;
  await db()
    .updateTable('jobs')
    .set({ done_at: now(), payload: '', last_error: 'WITHDRAWN' })
    .where('unique_key', 'in', uniqueKeys)
    .where('done_at', 'is', null)
    .execute();
}

/** Runs the due jobs of some kinds, one at a time: when woken, and at intervals. */
class Lane {
  readonly #pace: Pace;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isWoken = false;
  #stopped = true;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  start(): void {
    this.#stopped = false;
    this.wake();
  }

  wake(): void {
    this.#isWoken = true;
    if (this.#stopped || this.#running) return;
    clearTimeout(this.#timer);
    // the transaction that enqueued has to commit first
    this.#timer = outsideTransaction(() => setTimeout(() => void this.#runRound(), 20));
  }

  /**
   * Runs until nothing is due; then wakes again when asked meanwhile, else at the next interval. Never twice
   * at a time.
   */
  async #runRound(): Promise<void> {
    if (this.#running) return;
    this.#isWoken = false;
    this.#running = this.runDue(() => this.#stopped || isClockWrong()).catch((error: unknown) => {
      // while the database is unreachable, each round is tried again
      const level = refusal(error)?.code === 'UNAVAILABLE' ? 'warn' : 'error';
      log[level]({ err: error, event: 'jobs.failed' });
    });
    await this.#running;
    this.#running = undefined;
    if (this.#stopped) return;
    if (this.#isWoken) this.wake();
    else this.#timer = setTimeout(() => this.wake(), POLL).unref();
  }

  /** Runs until nothing is due, or until it is over: then nothing more is claimed. */
  async runDue(isOver: () => boolean = () => false): Promise<void> {
    while (!isOver()) {
      const job = await claim(this.#pace);
      if (!job) return;
      await runJob(job);
    }
  }

  /** Stops after the current job. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}

const lanes = PACES.map((pace) => new Lane(pace));
let unsubscribe: (() => Promise<void>) | undefined;

/**
 * Starts the workers: woken when a job is enqueued on any node, and at intervals in case a notification was
 * lost.
 */
export function startJobs(): void {
  unsubscribe = subscribeToNodes('jobs', wake);
  for (const lane of lanes) lane.start();
}

/** Stops after the current jobs. What is left after `timeout` (ms) is given back: others may begin it at once. */
export async function stopJobs(timeout?: number): Promise<void> {
  const finished = Promise.all(lanes.map((lane) => lane.stop()));
  await unsubscribe?.();
  if (timeout === undefined) return void (await finished);
  const late = Symbol('late');
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<typeof late>((resolve) => (timer = setTimeout(() => resolve(late), timeout)));
  if ((await Promise.race([finished, limit])) === late) await giveBackJobs();
  clearTimeout(timer);
}

/** Makes the jobs due at once that this node works at. */
async function giveBackJobs(): Promise<void> {
  await db()
    .updateTable('jobs')
    .set({ run_at: now(), leased_by: null })
    .where('leased_by', '=', NODE_ID)
    .where('done_at', 'is', null)
    .execute();
  await publishToNodes('jobs');
}

/** Runs all due jobs, for tests. */
export async function runDueJobs(): Promise<void> {
  await Promise.all(lanes.map((lane) => lane.runDue()));
}

function wake(): void {
  for (const lane of lanes) lane.wake();
}

interface Job {
  job_id: string;
  kind: string;
  payload: string;
  attempts: number;
  company_id: string | null;
}

/** Claims a job in one statement, so that two workers never get the same one. */
async function claim(pace: Pace): Promise<Job | undefined> {
  const kinds = [...paces].flatMap(([kind, of]) => (pace === 'seconds' || of === pace ? [kind] : []));
  if (pace !== 'seconds' && kinds.length === 0) return undefined;
  const locked = db().selectFrom('firms').select('firms.company_id').where('firms.locked', '=', 1);
  const due = db()
    .selectFrom('jobs')
    .select('job_id')
    .where('done_at', 'is', null)
    .where('run_at', '<=', now())
    .$if(kinds.length > 0, (jobs) => jobs.where('kind', pace === 'seconds' ? 'not in' : 'in', kinds))
    .where((e) => e.or([e('jobs.company_id', 'is', null), e('jobs.company_id', 'not in', locked)]))
    .orderBy('run_at')
    .limit(1)
    .modifyEnd(skipLocked);
  return db()
    .updateTable('jobs')
    .set((e) => ({ run_at: now() + LEASE, attempts: e('attempts', '+', 1), leased_by: NODE_ID }))
    .where('job_id', '=', due)
    .returning(['job_id', 'kind', 'payload', 'attempts', 'company_id'])
    .executeTakeFirst();
}

async function runJob(job: Job): Promise<void> {
  const handler = handlers.get(job.kind);
  // a failed renewal is retried
  const renewing = setInterval(() => void renew(job).catch(() => undefined), LEASE / 4);
  try {
    if (!handler) throw new Error(`no handler for ${job.kind}`);
    const payload: unknown = JSON.parse(decryptFrom('jobs.payload', job.job_id, job.payload));
    await withFirm(job.company_id ?? undefined, () =>
      handler(payload, { isLast: job.attempts >= MAX_ATTEMPTS }),
    );
    await db()
      .updateTable('jobs')
      .set({ done_at: now(), payload: '', last_error: null, leased_by: null })
      .where('job_id', '=', job.job_id)
      .execute();
    log.info({ event: 'job.done', job: job.job_id, kind: job.kind, attempts: job.attempts });
  } catch (error) {
    const givenUp = job.attempts >= MAX_ATTEMPTS || error instanceof FinalError;
    log.warn({
      err: error,
      event: 'job.failed',
      job: job.job_id,
      kind: job.kind,
      attempts: job.attempts,
      givenUp,
    });
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'ERROR';
    await db()
      .updateTable('jobs')
      .set({
        run_at: now() + backoff(job.attempts),
        leased_by: null,
        last_error: code,
        ...(givenUp && { done_at: now(), payload: '' }),
      })
      .where('job_id', '=', job.job_id)
      .where('done_at', 'is', null)
      .where('attempts', '=', job.attempts)
      .execute();
  } finally {
    clearInterval(renewing);
  }
}

/**
 * Makes the jobs due at once that nodes worked at which no longer run: these, or without a list all but this one. Returns
 * how many.
 */
export async function releaseJobsOf(nodeIds?: readonly string[]): Promise<number> {
  const { numUpdatedRows } = await db()
    .updateTable('jobs')
    .set({ run_at: now(), leased_by: null })
    .where('leased_by', 'is not', null)
    .$if(nodeIds !== undefined, (jobs) => jobs.where('leased_by', 'in', nodeIds ?? []))
    .where('leased_by', '<>', NODE_ID)
    .where('done_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) wake();
  return Number(numUpdatedRows);
}

/** Renews the lease of a job. */
async function renew({ job_id: jobId, attempts }: Job): Promise<void> {
  await db()
    .updateTable('jobs')
    .set({ run_at: now() + LEASE })
    .where('job_id', '=', jobId)
    .where('leased_by', '=', NODE_ID)
    .where('done_at', 'is', null)
    .where('attempts', '=', attempts)
    .execute();
}

/** Exponential backoff: 5 s, 10 s, 20 s, … up to an hour. */
const backoff = (attempts: number): number => Math.min(HOUR, 5 * SECOND * 2 ** (attempts - 1));
