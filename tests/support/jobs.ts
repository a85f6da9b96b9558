import { runDueJobs as runDue } from '#platform/jobs/jobs.server.ts';

/** Runs all due jobs, as the portal does that knows every feature. */
export async function runDueJobs(): Promise<void> {
  await import('../../src/app.server.ts');
  await runDue();
}
