import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { migrate } from '#platform/database/database.server.ts';
import { config } from '#platform/runtime/config.server.ts';
import { scrape, startMetrics, stopMetrics } from '#platform/monitoring/metrics.server.ts';

const read = (name: string) =>
  readFileSync(path.join(import.meta.dirname, '../docs/monitoring', name), 'utf8');
const alerts = read('alerts.yml');
const runbook = read('README.md');

/** Of Prometheus itself. */
const OF_EVERY_TARGET = ['up'];
/** What a histogram is made of. */
const PARTS = /_(?:bucket|sum|count)$/;

const expressionsOf = {
  'alerts.yml': [...alerts.matchAll(/^ {8}expr: (.+)$/gm)].map(([, expression = '']) => expression),
  'dashboard.json': [...read('dashboard.json').matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(
    ([, text = '""']) => String(JSON.parse(text)),
  ),
};

const metricsIn = (expression: string): string[] =>
  expression.replace(/"[^"]*"/g, '').match(/\b(?:portal|process|nodejs)_[a-z0-9_]+|\bup\b/g) ?? [];

let existing: string[];

beforeAll(async () => {
  await migrate();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  config.metricsPort = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  await startMetrics();
  const text = await scrape();
  existing = [...OF_EVERY_TARGET, ...[...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)];
  return stopMetrics;
});

test.each(Object.entries(expressionsOf))('%s names only metrics that the portal has', (_, expressions) => {
  const named = expressions.map((expression) => ({ expression, metrics: metricsIn(expression) }));
  expect(named.length).toBeGreaterThan(10);
  for (const { expression, metrics } of named) {
    expect(metrics, expression).not.toEqual([]);
    for (const name of metrics) expect(existing, expression).toContain(name.replace(PARTS, ''));
  }
});

test('each alert has a summary and says where its runbook is', () => {
  const rules = alerts.split(/^ {6}- alert: /m).slice(1);
  expect(rules.length).toBeGreaterThan(10);
  for (const rule of rules) {
    const name = rule.split('\n')[0] ?? '';
    expect(rule, name).toMatch(/^ {10}summary: \S+/m);
    expect(rule, name).toContain(`runbook: README.md#${name.toLowerCase()}`);
    expect(runbook, name).toMatch(new RegExp(`^### ${name}\\n\\n[A-Z][^\\n]{30}`, 'm'));
  }
});

test('the runbook speaks of no alert that does not exist', () => {
  for (const [, name = ''] of runbook.matchAll(/^### (\w+)$/gm)) expect(alerts).toContain(`alert: ${name}\n`);
});
