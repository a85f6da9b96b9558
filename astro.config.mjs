// @ts-check
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'astro/config';
import node from '@astrojs/node';
import react from '@astrojs/react';
import interaction from './src/ui/interaction/integration.mjs';

const SERVER_FILE = /\.server\.ts$/;

/** A server file in a browser bundle fails the build. */
export const serverDoors = {
  name: 'portal:server-doors',
  enforce: /** @type {const} */ ('pre'),
  /** @this {{ environment: { name: string } }} @param {string} id @param {string | undefined} importer */
  resolveId(id, importer) {
    if (this.environment.name === 'client' && SERVER_FILE.test(id)) {
      throw new Error(
        `${importer} would carry ${id} into the browser: pass it plain data from the page instead.`,
      );
    }
    return null;
  },
};

/** What Node runs: the portal and the commands. */
const PROGRAMS = globSync(['src/server.ts', 'src/commands/*.server.ts'], { cwd: import.meta.dirname });

/**
 * The programs are built with the pages, as dist/server/<name>.mjs: pages and calls share one instance of
 * every module (database, caches), and a start loads a few files instead of a thousand (docs/decisions/0032).
 */
const programs = {
  name: 'portal:programs',
  /** @this {import('vite').Rollup.PluginContext} */
  buildStart() {
    if (this.environment.name === 'client') return;
    for (const file of PROGRAMS)
      this.emitFile({
        type: 'chunk',
        id: path.join(import.meta.dirname, file),
        fileName: `${path.basename(file).split('.', 1)}.mjs`,
      });
  },
};

/**
 * The service worker is one file with a fixed name, which the portal completes (office/offline/worker.server.ts).
 */
const serviceWorker = {
  name: 'portal:service-worker',
  apply: /** @type {const} */ ('build'),
  /** @this {import('vite').Rollup.PluginContext} */
  buildStart() {
    if (this.environment.name !== 'client') return;
    this.emitFile({
      type: 'chunk',
      id: path.join(import.meta.dirname, 'src/features/office/offline/worker.ts'),
      fileName: 'sw.js',
    });
  },
};

const PRELOAD = '\0vite/preload-helper.js';

/**
 * A part that is loaded later needs no help with it: its styles stand in the page, and the bundler's own
 * loader weighs more than what it loads.
 */
const plainImports = {
  name: 'portal:plain-imports',
  enforce: /** @type {const} */ ('pre'),
  /**
   * The lists of what to load with it are of no use then; Astro sets this later than our own settings.
   *
   * @param {import('vite').ResolvedConfig} config
   */
  configResolved({ environments }) {
    if (environments['client']) environments['client'].build.modulePreload = false;
  },
  /**
   * Each script has a copy of its own, which weighs less than to import it.
   *
   * @param {string} id @param {string | undefined} importer
   */
  resolveId(id, importer = '') {
    return id === PRELOAD ? `${PRELOAD}-${createHash('sha256').update(importer).digest('hex')}` : null;
  },
  /** @param {string} id */
  load(id) {
    return id.startsWith(PRELOAD) ? 'export const __vitePreload = (load) => load();' : null;
  },
};

const COPY = '?copy';
const CHECKS = /[\\/]check-while-typing\.ts$/;
/** What a copy would not be the same as: the stores by which the check and the editor talk. */
const SHARED = /node_modules[\\/]nanostores|[\\/]answer-editor[\\/]remarks\.ts$/;

/**
 * What checks requests while somebody types comes after the editor and has copies of the modules that both need: shared,
 * they would be cut out of the editor of every task, and weigh more there than the copies weigh here.
 */
const copiesForChecks = {
  name: 'portal:copies-for-checks',
  enforce: /** @type {const} */ ('pre'),
  /** @param {{ name: string }} environment */
  applyToEnvironment: ({ name }) => name === 'client',
  /**
   * @this {import('rolldown').PluginContext}
   *
   * @param {string} id @param {string | undefined} importer
   */
  async resolveId(id, importer = '') {
    if (!importer.endsWith(COPY) && !CHECKS.test(importer)) return null;
    const found = await this.resolve(id, importer.replace(COPY, ''), { skipSelf: true });
    return found && !found.external && !SHARED.test(found.id) ? { ...found, id: found.id + COPY } : found;
  },
};

/**
 * React, its client and the JSX runtime travel together: an island then starts after one round trip, not
 * after three. So do the crumbs that every page inside the frame needs: each alone has headers that weigh
 * more than itself.
 */
const clientChunks = {
  codeSplitting: {
    groups: [
      { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
      {
        name: 'alerts',
        test: /src[\\/](ui[\\/](alerts|icons|offline|table[\\/](state|selection))|platform[\\/]messages)\.ts$|node_modules[\\/]nanostores[\\/](?!map|listen-keys|deep-map|computed|task)/,
      },
    ],
  },
};

/** What pages outside the frame have: they are often the only one that somebody opens. */
const PLAIN_STYLES =
  /\/src\/(?:ui\/(?:portal\.css|form\/form\.css|(?:Page|Icon|Alert|Dialog|Field|ErrorSummary)\.astro)|layouts\/(?:Alerts|Footer|Logo)\.astro)/;

/**
 * Styles are next to their components; the build joins what pages outside the frame need into one file, what
 * many other pages share into another, and those of tables and grids, which only lists have, into two more
 * (docs/decisions/0046, 0075).
 */
const styleChunks = {
  codeSplitting: {
    groups: [
      { name: 'table', test: /\/ui\/table\/(?:table\.css$|(?:Table|SelectionBar)\.astro.*[?&]type=style)/ },
      { name: 'grid', test: /\/grids\/ui\/(?:grid\.css$|\w+\.astro.*[?&]type=style)/ },
      { name: 'staff', test: /\/layouts\/StaffNavigation\.astro.*[?&]type=style/ },
      { name: 'plain', test: /\/(?:layouts\/Plain\.astro.*[?&]type=style|firms\/ui\/grounds\.css)/ },
      { name: 'base', test: new RegExp(`${PLAIN_STYLES.source}(?:$|.*[?&]type=style)`) },
      {
        name: 'portal',
        test: /^(?!.*\/ui\/table\/\w+\.astro).*(?:\.css$|[?&]type=style)/,
        minShareCount: 8,
      },
    ],
  },
};

/**
 * Pages outside the frame have their styles inline, so that they are shown after one round trip.
 *
 * @returns {import('astro').AstroIntegration}
 */
const inlineStyles = () => {
  /** @type {Map<string, string>} */
  const sheets = new Map();
  /** @param {string} src */
  const isOf = (src, /** @type {string} */ name) => src.startsWith(`_astro/${name}.`);
  return {
    name: 'portal:inline-styles',
    hooks: {
      'astro:config:setup': ({ updateConfig }) => {
        /** @type {import('vite').Plugin} */
        const collect = {
          name: 'portal:inline-styles',
          enforce: 'post',
          generateBundle(_, bundle) {
            for (const file of Object.values(bundle))
              if (file.type === 'asset' && file.fileName.endsWith('.css'))
                sheets.set(file.fileName, String(file.source));
          },
        };
        updateConfig({ vite: { plugins: [collect] } });
      },
      'astro:build:ssr': ({ manifest, logger }) => {
        let pages = 0;
        for (const route of manifest.routes) {
          const sources = route.styles.flatMap((style) => (style.type === 'external' ? [style.src] : []));
          if (!sources.some((src) => isOf(src, 'plain')) || sources.some((src) => isOf(src, 'portal')))
            continue;
          const content = sources.map((src) => sheets.get(src) ?? '').join('\n');
          route.styles = [{ type: 'inline', content }];
          pages += 1;
        }
        logger.info(`${pages} pages outside the frame have their styles inline.`);
      },
    },
  };
};

/** Loads the tokens, the base and the order of the layers before the styles of any component. */
const baseStyles = {
  name: 'portal:base-styles',
  hooks: {
    /** @param {{ injectScript: (stage: 'page-ssr', code: string) => void }} setup */
    'astro:config:setup': ({ injectScript }) => injectScript('page-ssr', "import '/src/ui/portal.css';"),
  },
};

export default defineConfig({
  output: 'server',
  adapter: node({ mode: 'middleware', experimentalDisableStreaming: true, bodySizeLimit: 1024 * 1024 }),
  integrations: [react(), interaction(), baseStyles, inlineStyles()],
  trailingSlash: 'ignore',
  devToolbar: { enabled: false },
  build: { inlineStylesheets: 'never' },
  image: { service: { entrypoint: 'astro/assets/services/noop' } },
  security: {
    checkOrigin: false, // the front door has one guard for every unsafe method and content type
    csp: {
      algorithm: 'SHA-256',
      directives: [
        "default-src 'none'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "object-src 'none'",
        "frame-ancestors 'none'",
        "manifest-src 'self'",
        "worker-src 'self'",
      ],
    },
  },
  vite: {
    plugins: [serverDoors, programs, serviceWorker, plainImports, copiesForChecks],
    ssr: { noExternal: true, external: ['sharp'] },
    build: {
      // a script of its own weighs less than its digest in the content security policy of every answer
      assetsInlineLimit: 0,
      // a package of the demo's sign-in makes functions that way
      rolldownOptions: { checks: { eval: false } },
    },
    environments: {
      client: { build: { rolldownOptions: { output: clientChunks } } },
      ssr: { build: { rolldownOptions: { output: styleChunks } } },
    },
  },
});
