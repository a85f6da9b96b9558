import { afterEach, expect, test } from 'vitest';
import { declarePages, pageNameOf } from '#features/base/logging/page-names.server.ts';
import { isSampled, timingOf } from '#features/base/logging/sampling.server.ts';
import { logRequest } from '#features/base/logging/logging.ts';
import { accessFrom } from '#features/base/people/access-settings.server.ts';
import { takeReports } from '#features/base/logging/logging.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { scrape } from '#platform/monitoring/metrics.server.ts';
import { impersonating, sessionAs } from '../../support/api.ts';
import { makeCast } from '../../support/cast.ts';
import { PAGES } from '../../../src/routes.ts';

/* Which page views are measured, and what is counted of them (src/features/base/logging/ui/load-time.ts). */

const { ada, sam } = await makeCast();
const before = { port: config.metricsPort, rate: config.monitoringSampleRate };
afterEach(() => Object.assign(config, { metricsPort: before.port, monitoringSampleRate: before.rate }));

const request = (headers: Record<string, string> = {}): Request =>
  new Request('https://portal.example/clientcenter/en-us/documents', { headers });

test('pages are measured only where metrics are collected, at the rate of the operator', () => {
  expect(isSampled(sessionAs(ada), request(), 0)).toBe(false);
  config.metricsPort = 9464;
  expect(isSampled(sessionAs(ada), request(), 0.999)).toBe(true);
  config.monitoringSampleRate = 20;
  expect(isSampled(sessionAs(ada), request(), 0.199)).toBe(true);
  expect(isSampled(sessionAs(ada), request(), 0.2)).toBe(false);
  config.monitoringSampleRate = 0;
  expect(isSampled(sessionAs(ada), request(), 0)).toBe(false);
});

test('nobody is measured who asks for that, saves data, views as somebody, or whose firm turned it off', () => {
  config.metricsPort = 9464;
  expect(isSampled(sessionAs(ada), request({ 'sec-gpc': '1' }), 0)).toBe(false);
  expect(isSampled(sessionAs(ada), request({ 'save-data': 'on' }), 0)).toBe(false);
  expect(isSampled(impersonating(ada, sam), request(), 0)).toBe(false);
  for (const name of ['DisableProductInsight', 'DisablePendo']) {
    const access = accessFrom(undefined, [{ kind: 'control', name, granted: true }]);
    expect(isSampled(sessionAs({ ...ada, access }), request(), 0), name).toBe(false);
  }
});

test('an entry names the page by the words of its address, without ids', () => {
  const entry = timingOf(
    new URL('https://portal.example/clientcenter/en-us/documents/doc_1a2b/view?client=c_1'),
  );
  expect(entry.source).toBe('/clientcenter/en-us/documents/*/view');
  const item = { ...entry, time: new Date(0).toISOString(), data: { loadMs: 0, device: 'low' } };
  expect(logRequest.safeParse({ version: 1, items: [item] }).success).toBe(true);
});

test('load times and errors are counted by the pattern of the page, and by no other address', async () => {
  declarePages(Object.keys(PAGES));
  config.metricsPort = 9464;
  const pattern = '/[base]/[lang]/documents/[documentId]/view';
  expect(pageNameOf('/clientcenter/en-us/documents/*/view')).toBe(pattern);
  const item = (source: string) => ({
    specversion: '1.0' as const,
    type: 'timing' as const,
    source,
    id: 'a1b2c-d3e4f',
    time: '2026-11-26T01:00:00.000Z',
    contenttype: 'application/json' as const,
    data: { loadMs: 700, device: 'low' as const },
  });
  const items = [item('/clientcenter/en-us/documents/*/view'), item('/my/diary')];
  await takeReports('192.0.2.7', { version: 1, items });
  const text = await scrape();
  expect(text).toContain(`portal_page_load_seconds_bucket{le="0.8",route="${pattern}",device="low"} 1`);
  expect(text).toContain(`portal_page_load_seconds_bucket{le="0.6",route="${pattern}",device="low"} 0`);
  expect(text).toContain('portal_page_load_seconds_count{route="other",device="low"} 1');
  expect(text).not.toContain('diary');
  expect(text).toContain('portal_page_load_sample_percent 100');
});
