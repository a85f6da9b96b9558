import { registerHooks } from 'node:module';

// Loaded before the portal by lost-connections.spec.ts: what works beside requests does not start, so that every
// statement belongs to a request, and nothing but requests changes a row.
const BESIDE = [
  { start: /^\t*startJobs\(\);$/m, instead: '' },
  { start: /startSweeps\(.*\);$/m, instead: 'async () => undefined;' },
  { start: /^startWatching\(\);$/m, instead: '' },
  { start: /^startAnchoring\(\);$/m, instead: '' },
];

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith('/server/server.mjs')) return loaded;
    let source = String(loaded.source);
    for (const { start, instead } of BESIDE) {
      if (!start.test(source)) throw new Error(`The portal does not start ${start.source}.`);
      source = source.replace(start, instead);
    }
    return { ...loaded, source };
  },
});
