import { createHash } from 'node:crypto';

/**
 * Registers the directive `client:interaction`: an island is hydrated at the first interaction, and earlier
 * input is not lost. Its element (island.ts) replaces Astro's own.
 */
export default () => {
  /** @type {Map<string, string[]>} */
  const importsOf = new Map();
  return {
    name: 'portal:interaction',
    hooks: {
      /**
       * @param {{
       *   addClientDirective: (directive: { name: string, entrypoint: string }) => void,
       *   updateConfig: (config: { vite: { plugins: import('vite').Plugin[] } }) => unknown,
       * }} setup
       */
      'astro:config:setup': ({ addClientDirective, updateConfig }) => {
        addClientDirective({ name: 'interaction', entrypoint: './src/ui/interaction/directive.ts' });
        updateConfig({ vite: { plugins: [withoutElement, knownDigests, collectImports(importsOf)] } });
      },
      /**
       * Adds what an island imports to its address, after `#`, so that all of it is loaded at once; and allows
       * only the inline scripts that pages have, as each digest weighs on every answer.
       *
       * @param {{ manifest: Manifest }} build
       */
      'astro:build:ssr': ({ manifest: { entryModules, inlinedScripts, clientDirectives, csp } }) => {
        for (const [name, script] of Object.entries(entryModules))
          if (name.endsWith('.tsx'))
            entryModules[name] = [script, ...(importsOf.get(script) ?? [])].join('#');
        const directives = clientDirectives.filter(([name]) => name === 'interaction');
        const allowed = [...inlinedScripts, ...directives].map(([, script]) => digestOf(script));
        csp?.scriptDirective?.hashes.splice(0, Infinity, ...allowed);
        csp?.styleDirective?.hashes.splice(0);
      },
    },
  };
};

/**
 * @typedef {Parameters<NonNullable<import('astro').AstroIntegration['hooks']['astro:build:ssr']>>[0]['manifest']} Manifest
 */

/** @param {string} script @returns {`sha256-${string}`} */
const digestOf = (script) => `sha256-${createHash('sha256').update(script).digest('base64')}`;

/**
 * Astro writes its element for islands into the page, which weighs twice as much as the directive and knows what
 * no island here needs (other directives, islands in islands), and its style before the first island,
 * into the body, where the HTML standard allows none: it is in portal.css. An Astro that writes them otherwise
 * fails the build.
 *
 * @type {import('vite').Plugin}
 */
const withoutElement = {
  name: 'portal:island-element',
  transform(code, id) {
    if (!id.endsWith('/astro/dist/runtime/server/scripts.js')) return null;
    const parts = [/<style>\$\{ISLAND_STYLES\}<\/style>/, /<script>\$\{[^}]*islandScript\}<\/script>/];
    for (const part of parts)
      if (!part.test(code))
        this.error(
          'Astro writes its element for islands in another way: see src/ui/interaction/integration.mjs.',
        );
    return parts.reduce((rest, part) => rest.replace(part, ''), code);
  },
};

/**
 * For each answer Astro computes the digest of each style of its page, and that of an empty style for each stylesheet
 * that is a file; each waits for another thread. There are few different styles, so their digests are kept.
 *
 * @type {import('vite').Plugin}
 */
const knownDigests = {
  name: 'portal:known-digests',
  transform(code, id) {
    if (!id.endsWith('/astro/dist/core/encryption.js')) return null;
    const made = 'async function generateCspDigest(data, algorithm) {';
    if (!code.includes(made))
      this.error('Astro makes digests in another way: see src/ui/interaction/integration.mjs.');
    const known = `const digests = new Map();
function generateCspDigest(data, algorithm) {
  const key = algorithm + ' ' + data;
  const digest = digests.get(key) ?? makeCspDigest(data, algorithm);
  digests.set(key, digest);
  return digest;
}
`;
    return known + code.replace(made, made.replace('generate', 'make'));
  },
};

/**
 * Notes which scripts of the browser each of them imports, directly or not.
 *
 * @param {Map<string, string[]>} importsOf
 * @returns {import('vite').Plugin}
 */
const collectImports = (importsOf) => ({
  name: 'portal:island-imports',
  generateBundle(_, bundle) {
    if (this.environment.name !== 'client') return;
    /** @param {string} file @param {Set<string>} found */
    const follow = (file, found) => {
      const chunk = bundle[file];
      for (const name of chunk?.type === 'chunk' ? chunk.imports : [])
        if (!found.has(name)) follow(name, found.add(name));
      return found;
    };
    for (const file of Object.keys(bundle)) importsOf.set(file, [...follow(file, new Set())]);
  },
});
