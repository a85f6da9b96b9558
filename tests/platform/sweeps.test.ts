import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '#platform/runtime/clock.server.ts';
import { composition } from '#platform/runtime/feature.server.ts';
import { startSweeps } from '#platform/jobs/sweeps.server.ts';
import '../../src/app.server.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('sweeps run at the start and at their intervals, in order, and one that fails stops no other', async () => {
  const runs: string[] = [];
  const stop = startSweeps([
    { every: 1000, run: () => Promise.reject(new Error('a fault')) },
    { every: 1000, run: () => Promise.resolve(runs.push('often')) },
    { every: 2000, run: () => Promise.resolve(runs.push('seldom')) },
  ]);
  await vi.advanceTimersByTimeAsync(2500);
  expect(runs.toSorted()).toEqual(['often', 'often', 'often', 'seldom', 'seldom']);
  await stop();
  await vi.advanceTimersByTimeAsync(5000);
  expect(runs).toHaveLength(5);
});

test('a sweep that takes longer than its interval does not run twice at a time, and is waited for at the end', async () => {
  const work = Promise.withResolvers<undefined>();
  const run = vi.fn(() => work.promise);
  const stop = startSweeps([{ every: 1000, run }]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(run).toHaveBeenCalledTimes(1);
  let isStopped = false;
  const stopped = stop().then(() => (isStopped = true));
  await vi.advanceTimersByTimeAsync(5000);
  expect(isStopped).toBe(false);
  work.resolve(undefined);
  await stopped;
  expect(isStopped).toBe(true);
});

/** The sweeps of all features, by interval: `run` where they have no name of their own. No other test notices a missing one. */
const SWEEPS: readonly (readonly [every: number, sweeps: string[]])[] = [
  [SECOND, ['sharing: abortTransfersOfEnded']],
  [2 * SECOND, ['sessions: abortTransfersOfLocked']],
  [20 * SECOND, ['fiscal-intake: run']],
  [30 * SECOND, ['fiscal-intake: run']],
  [MINUTE, ['invoice-manifest: resumeSendings', 'sessions: writeLastSeen', 'sign-in: sweepStarted']],
  [5 * MINUTE, ['invoice-manifest: askForInvoices', 'platform: run', 'task-reminders: sweepReminders']],
  [10 * MINUTE, ['platform: sweepOutcomes']],
  [15 * MINUTE, ['tax-calendar: sweepReminders']],
  [30 * MINUTE, ['platform: checkSomeBlobs']],
  [
    HOUR,
    [
      'access-review: sweepReviews',
      'antivirus: scanEarlier',
      'batches: sweepBatches',
      'clearance-certificates: noticeLapses',
      'clearance-passport: sweepPassports',
      'credentials: sweepDevices',
      'data-exports: sweepDataExports',
      'digital-certificates: noticeEndings',
      'downloads: sweepExports',
      'feedback: sweepFeedback',
      'fiscal-documents: joinSmallPacks',
      'fiscal-intake: endBrokenIntakes',
      'fiscal-intake: sweepSetAsides',
      'inbox: sweepInbox',
      'invitations: announceExpired',
      'invoice-manifest: remindOfInvoices',
      'live: sweepAttention',
      'notifications: sweepNotifications',
      'payroll-entries: makeAllSheets',
      'payroll-entries: remindOfSheets',
      'platform: run',
      'platform: sweepLimits',
      'platform: sweepMails',
      'platform: sweepNotices',
      'platform: sweepRequestKeys',
      'platform: writeAnchors',
      'publishing: removeOldBatches',
      'push: sweepSubscriptions',
      'push: sweepVapidKeys',
      'recovery: sweepResets',
      'retention: sweepRetention',
      'service-requests: lapseRequests',
      'sessions: sweepSessions',
      'sharing: sweepShares',
      'signing: purgeRequests',
      'signing: resumeSealing',
      'signing: sweepVisits',
      'task-answers: sweepTaskUploads',
      'task-links: sweepTaskLinks',
      'task-reminders: reportUnanswered',
      'tasks: purgeTasks',
      'tax-calendar: planDue',
      'trash: run',
      'uploads: sweepUploads',
    ],
  ],
  [
    DAY,
    [
      'establishments: addMissingHeadOffices',
      'issue-reports: removeOldReports',
      'platform: sweepShortLinks',
      'tax-calendar: deleteOldDates',
    ],
  ],
];

test('the sweeps that run are told to end when the portal stops, and none follows', async () => {
  const runs: string[] = [];
  const stop = startSweeps([
    {
      every: 1000,
      run: (signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(runs.push('told')))),
    },
    { every: 1000, run: () => Promise.resolve(runs.push('next')) },
  ]);
  await stop();
  expect(runs).toEqual(['told']);
});

test('every feature cleans up and catches up at its intervals', () => {
  const declared = composition().flatMap(({ name, sweeps = [] }) =>
    sweeps.map(({ every, run }) => ({ every, sweep: `${name}: ${run.name}` })),
  );
  const byInterval = Map.groupBy(declared, ({ every }) => every);
  const sorted = [...byInterval]
    .toSorted(([one], [other]) => one - other)
    .map(([every, sweeps]) => [every, sweeps.map(({ sweep }) => sweep).toSorted()]);
  expect(sorted).toEqual(SWEEPS);
});
