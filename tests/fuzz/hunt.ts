import { appendFileSync } from 'node:fs';
import fc from 'fast-check';

/*
 * The fuzz suite. Its size and seed come from the environment: `npm test` runs a small one that is always the
 * same, `npm run fuzz` a large one with a new seed each time.
 */

const REQUESTS = process.env['FUZZ_REQUESTS'];
const SEED = Number(process.env['FUZZ_SEED'] ?? 2026);
const REPORT = process.env['FUZZ_REPORT'];

/** The number of requests of a hunt, as its share of FUZZ_REQUESTS; without that variable `usual`. */
export const share = (part: number, usual: number): number =>
  Math.max(1, Math.ceil(Number(REQUESTS ?? usual) * part));

/** The time limit of a hunt of this size on a slow and shared machine, in ms. */
export const timeFor = (requests: number): number => 60_000 + requests * 40;

const AT_A_TIME = 250;
const MAX_FINDINGS = 5;
const SHRINK_TIME = 20_000;

interface Hunt<R> {
  /** The name of the test, to run it again. */
  name: string;
  requests: number;
  arbitrary: fc.Arbitrary<R>;
  /** Sends a request and returns the defect of its response in one sentence, if any. */
  trial: (request: R) => Promise<string | undefined>;
  print: (request: R) => string;
  /** The number of concurrent requests. */
  atOnce?: number;
}

interface Finding<R> {
  sentence: string;
  request: R;
  seed: number;
  requests: number;
}

/**
 * Sends all requests and fails with the defects found: each once, with the smallest request that shows it and
 * the command that reproduces it. Requests are drawn in batches, each with the next seed.
 */
export async function hunt<R>({
  name,
  requests,
  arbitrary,
  trial,
  print,
  atOnce = 1,
}: Hunt<R>): Promise<void> {
  const findings = new Map<string, Finding<R>>();
  const took: number[] = [];
  const tried = async (request: R): Promise<string | undefined> => {
    try {
      return await trial(request);
    } catch (error) {
      return `The trial itself broke: ${error instanceof Error ? error.stack : String(error)}`;
    }
  };
  const began = performance.now();
  for (let sent = 0; sent < requests && findings.size < MAX_FINDINGS; sent += AT_A_TIME) {
    const seed = SEED + sent / AT_A_TIME;
    const lot = fc.sample(arbitrary, { seed, numRuns: Math.min(AT_A_TIME, requests - sent) });
    const worker = async (queue: IterableIterator<[number, R]>): Promise<void> => {
      for (const [index, request] of queue) {
        const start = performance.now();
        const sentence = await tried(request);
        took.push(performance.now() - start);
        if (sentence !== undefined && !findings.has(sentence))
          findings.set(sentence, { sentence, request, seed, requests: index + 1 });
      }
    };
    const queue = lot.entries();
    await Promise.all(Array.from({ length: atOnce }, () => worker(queue)));
  }
  note(name, took, performance.now() - began, findings.size);
  if (findings.size === 0) return;
  const reports = await Promise.all(
    [...findings.values()].map(async (finding) =>
      tell(name, finding, print(await smallest(finding, arbitrary, tried))),
    ),
  );
  throw new Error(
    `${findings.size} kinds of wrong answers among ${took.length} requests.\n\n${reports.join('\n\n')}`,
  );
}

/** The smallest request with the same defect that fast-check finds, or the original one. */
async function smallest<R>(
  { seed, requests, request, sentence }: Finding<R>,
  arbitrary: fc.Arbitrary<R>,
  trial: (request: R) => Promise<string | undefined>,
): Promise<R> {
  const holds = fc.asyncProperty(arbitrary, async (candidate) => (await trial(candidate)) !== sentence);
  const result = await fc.check(holds, { seed, numRuns: requests, interruptAfterTimeLimit: SHRINK_TIME });
  return result.counterexample?.[0] ?? request;
}

const tell = <R>(name: string, { sentence, seed }: Finding<R>, printed: string): string =>
  `${sentence}\n  request: ${printed.length > 1500 ? `${printed.slice(0, 1500)}… (${printed.length} characters)` : printed}\n  again:   FUZZ_SEED=${seed} npm run fuzz -- --only "${name}"`;

/** A line of the report of `npm run fuzz`. */
function note(name: string, took: number[], ms: number, findings: number): void {
  if (REPORT === undefined) return;
  const sorted = took.toSorted((a, b) => a - b);
  const line = {
    name,
    requests: took.length,
    seconds: ms / 1000,
    p50: sorted[Math.floor(sorted.length * 0.5)],
    p99: sorted[Math.floor(sorted.length * 0.99)],
    max: sorted.at(-1),
    findings,
  };
  appendFileSync(REPORT, `${JSON.stringify(line)}\n`);
}
