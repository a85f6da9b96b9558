// @ts-check
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
  /** @param {string} id */
  load(id) {
    return id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : null;
  },
};

/**
 * Astro writes the style of its islands before the first of them, into the body, where the HTML standard
 * allows none: it is in portal.css instead. An Astro that writes it otherwise fails the build.
 */
const islandStyle = {
  name: 'portal:island-style',
  /** @this {import('vite').Rollup.PluginContext} @param {string} code @param {string} id */
  transform(code, id) {
    if (!id.endsWith('/astro/dist/runtime/server/scripts.js')) return null;
    const style = '<style>${ISLAND_STYLES}</style>';
    if (!code.includes(style))
      this.error(
        'Astro writes the style of its islands in another way: see portal:island-style in astro.config.mjs.',
      );
    return code.replace(style, '');
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
        test: /src[\\/](ui[\\/](alerts|icons|offline|table[\\/](state|selection))|platform[\\/]messages)\.ts$|preload-helper|node_modules[\\/]nanostores[\\/](?!map|listen-keys|deep-map)/,
      },
    ],
  },
};

/**
 * Styles are next to their components; the build joins what many pages share into one file, and those of
 * tables, which nobody sees who signs in or opens a link, into another (docs/decisions/0046).
 */
const styleChunks = {
  codeSplitting: {
    groups: [
      { name: 'table', test: /\/ui\/table\/(?:Table|SelectionBar)\.astro.*[?&]type=style/ },
      { name: 'portal', test: /^(?!.*\/ui\/table\/\w+\.astro).*(?:\.css$|[?&]type=style)/, minShareCount: 8 },
    ],
  },
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
  integrations: [react(), interaction(), baseStyles],
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
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "object-src 'none'",
        "frame-ancestors 'none'",
        "manifest-src 'self'",
      ],
    },
  },
  vite: {
    plugins: [serverDoors, programs, plainImports, islandStyle],
    ssr: { noExternal: true, external: ['sharp'] },
    // a package of the demo's sign-in makes functions that way
    build: { rolldownOptions: { checks: { eval: false } } },
    environments: {
      client: { build: { rolldownOptions: { output: clientChunks } } },
      ssr: { build: { rolldownOptions: { output: styleChunks } } },
    },
  },
});
