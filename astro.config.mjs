// @ts-check
import { defineConfig } from 'astro/config';
import node from '@astrojs/node';
import react from '@astrojs/react';
import interaction from './src/ui/interaction/integration.mjs';

const SERVER_FILE = /\.server\.ts$/;

/**
 * Server doors and platform stay runtime imports of the built pages: Node loads src/**\/*.server.ts itself, so that pages and the
 * API share one instance of every server module (database, caches). In a browser bundle such a file fails the build.
 */
export const serverDoors = {
  name: 'portal:server-doors',
  enforce: /** @type {const} */ ('pre'),
  /** @this {{ environment: { name: string } }} @param {string} id @param {string | undefined} importer */
  resolveId(id, importer) {
    if (!SERVER_FILE.test(id)) return null;
    if (this.environment.name === 'client') {
      throw new Error(`${importer} would carry ${id} into the browser: pass it plain data from the page instead.`);
    }
    return id.startsWith('#') ? { id, external: true } : null;
  },
};

/** A part that is loaded later needs no help with it: its styles stand in the page, and the bundler's own loader weighs more than what it loads. */
const plainImports = {
  name: 'portal:plain-imports',
  enforce: /** @type {const} */ ('pre'),
  /** The lists of what to load with it are of no use then; Astro sets this later than our own settings. @param {import('vite').ResolvedConfig} config */
  configResolved({ environments }) {
    if (environments['client']) environments['client'].build.modulePreload = false;
  },
  /** @param {string} id */
  load(id) {
    return id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : null;
  },
};

/**
 * React, its client and the JSX runtime travel together: an island then starts after one round trip, not after three. So do the crumbs
 * that every page inside the frame needs: each alone has headers that weigh more than itself.
 */
const chunks = {
  codeSplitting: {
    groups: [
      { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
      { name: 'alerts', test: /src[\\/](ui[\\/](alerts|icons)|platform[\\/]words)\.ts$|preload-helper|node_modules[\\/]nanostores[\\/](?!map|listen-keys|deep-map)/ },
    ],
  },
};

export default defineConfig({
  output: 'server',
  adapter: node({ mode: 'middleware', experimentalDisableStreaming: true, bodySizeLimit: 1024 * 1024 }),
  integrations: [react(), interaction()],
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
    plugins: [serverDoors, plainImports],
    ssr: { noExternal: true },
    environments: { client: { build: { rolldownOptions: { output: chunks } } } },
  },
});
